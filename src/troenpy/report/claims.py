"""Check the paper's claims, one by one, against the numbers of a comparison.

A claim about all seven corpora fails if one corpus contradicts it, and holds only if all seven were run. "Lower" means
a lower mean error; the evidence says how often the difference is significant. A claim that the rows cannot decide says
what it needs, and the command that runs it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from troenpy.datasets.catalogue import CATALOGUE
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.significance import ALPHA, PairTest
from troenpy.report.names import corpus_name

HELD, NOT_HELD = "held", "not held"

SEVEN = tuple(CATALOGUE)
TF_IDF, TF_PI, TF_NI = "knn: tf*idf", "knn: tf*pi", "knn: tf*ncf*idf"
HOFTT = "knn: hoftt"
LR_PI, LR_ALL = "lr: tf*pi", "lr: tf*pi + btf + ecib"
BTF, ECIB, BOTH = "lr: btf", "lr: ecib", "lr: btf + ecib"
WITH_PCF = {BTF: "lr: btf*pcf", ECIB: "lr: ecib*pcf", BOTH: "lr: btf*pcf + ecib*pcf"}

ALL_CORPORA = "troenpy reproduce --datasets all"
_TRANSPORT = f"{ALL_CORPORA} --method 'knn: tf*pi' --method 'knn: hoftt' --vectors glove-50d"
_BENCHMARK = "python benchmarks/weights.py"

_PICTURE = "t-SNE of R8: classes cluster tighter on TF-PI than on TF-IDF"
#: The only claim that needs optimal transport methods.
ABOUT_TRANSPORT = "kNN on TF-PI beats HOFTT on all but R8"


@dataclass(frozen=True)
class Case:
    """One comparison behind a claim: the relative change of the error, negative if it is as claimed, and its p."""

    name: str
    change: float
    p: float


@dataclass(frozen=True)
class Finding:
    """What the rows say about a claim."""

    verdict: str
    evidence: str
    number: str = ""
    cases: tuple[Case, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, whether it held, and the evidence.

    Parameters
    ----------
    text : str
    verdict : str
        "held", "not held", or what the claim needs, such as "needs 7 corpora".
    evidence : str
    number : str
        The number that decides it, or would, in a few characters.
    cases : tuple of Case
        The comparisons behind it, for a small picture.
    command : str
        The command that decides it, if the rows do not.
    """

    text: str
    verdict: str
    evidence: str
    number: str = ""
    cases: tuple[Case, ...] = ()
    command: str = ""


def is_tested(verdict: str) -> bool:
    """Return whether a verdict is about the rows, not about what is missing."""
    return verdict in (HELD, NOT_HELD)


def check_claims(comparison: Comparison, projection: Mapping[str, Any] | None = None) -> list[Claim]:
    """Check every claim of the paper.

    Parameters
    ----------
    comparison : Comparison
    projection : mapping, optional
        The t-SNE of a corpus, from `projection.project`.

    Returns
    -------
    list of Claim
    """
    checks = _CLAIMS | {_PICTURE: lambda _: _is_tighter(projection)}
    return [_claim(text, check(comparison)) for text, check in checks.items()]


def _claim(text: str, finding: Finding) -> Claim:
    command = "" if is_tested(finding.verdict) else finding.command
    return Claim(text, finding.verdict, finding.evidence, finding.number, finding.cases, command)


def _lower_everywhere(
    method: str, other: str, but: Sequence[str] = (), command: str = ALL_CORPORA
) -> Callable[[Comparison], Finding]:
    """Check that a method has a lower error than another on all seven corpora, except the given ones."""

    def check(comparison: Comparison) -> Finding:
        run = _corpora(comparison, method, other)
        differences = {corpus: comparison.test(method, other, corpus).difference for corpus in run}
        against = [corpus for corpus, difference in differences.items() if (difference < 0) == (corpus in but)]
        verdict = NOT_HELD if against else _decide(comparison, run, True)
        return _about(comparison, verdict, method, other, command)

    return check


def _lower_on_most(method: str, other: str) -> Callable[[Comparison], Finding]:
    def check(comparison: Comparison) -> Finding:
        run = _corpora(comparison, method, other)
        lower = [corpus for corpus in run if comparison.test(method, other, corpus).difference < 0]
        return _about(comparison, _decide(comparison, run, 2 * len(lower) > len(SEVEN)), method, other)

    return check


def _about(comparison: Comparison, verdict: str, method: str, other: str, command: str = ALL_CORPORA) -> Finding:
    """Return a finding about one method against another."""
    cases = _cases(comparison, method, other)
    lower = sum(case.change < 0 for case in cases)
    number = f"{lower} of {len(cases)}" if cases else ""
    return Finding(verdict, _evidence(comparison, method, other), number, cases, command)


def _reduction(corpora: Sequence[str], claimed: float, command: str) -> Callable[[Comparison], Finding]:
    """Check that TF-PI reduces the error of TF-IDF by at least as much as claimed, on average over corpora."""

    def check(comparison: Comparison) -> Finding:
        found = _reductions(comparison)
        chosen = [found[corpus] for corpus in corpora if corpus in found]
        needed = f"needs {corpus_name(corpora[0])}" if len(corpora) == 1 else _needs(comparison)
        if not chosen:
            return Finding(needed, "not run", command=command)
        mean = sum(chosen) / len(chosen)
        over = "" if len(corpora) == 1 else f" on average over {len(chosen)} of {len(corpora)}"
        is_complete = len(chosen) == len(corpora)
        verdict = needed if not is_complete else HELD if round(mean, 3) >= claimed else NOT_HELD
        cases = tuple(case for case in _cases(comparison, TF_PI, TF_IDF) if case.name in corpora)
        return Finding(verdict, f"{100 * mean:.1f} %{over}", f"{100 * mean:.1f} %", cases, command)

    return check


def _slight_on_the_small(comparison: Comparison) -> Finding:
    found = _reductions(comparison)
    small = [found[corpus] for corpus in ("twitter", "bbcsport") if corpus in found]
    others = [reduction for corpus, reduction in found.items() if corpus not in ("twitter", "bbcsport")]
    shown = ", ".join(f"{corpus} {100 * reduction:.1f} %" for corpus, reduction in found.items())
    is_slight = bool(small and others) and min(small) > 0 and max(small) < min(others)
    number = ", ".join(f"{100 * reduction:.1f} %".replace("-", "−") for reduction in small)
    cases = _cases(comparison, TF_PI, TF_IDF)
    return Finding(_decide(comparison, list(found), is_slight), shown or "not run", number, cases, ALL_CORPORA)


def _hurts_on_bbcsport(comparison: Comparison) -> Finding:
    if "bbcsport" not in _corpora(comparison, LR_ALL, LR_PI):
        return Finding("needs BBC Sport", "not run", command=ALL_CORPORA)
    result = comparison.test(LR_ALL, LR_PI, "bbcsport")
    errors = _errors(comparison, LR_ALL, LR_PI, "bbcsport")
    cases = tuple(case for case in _cases(comparison, LR_ALL, LR_PI) if case.name == "bbcsport")
    verdict = HELD if result.difference > 0 else NOT_HELD
    return Finding(verdict, f"{errors}, p = {result.p:.2g}", f"{100 * result.difference:+.2f} points", cases)


def _not_always_better_together(comparison: Comparison) -> Finding:
    run = [corpus for corpus in _corpora(comparison, BOTH, BTF) if (corpus, ECIB) in comparison.errors]
    means = {corpus: [comparison.errors[corpus, method].mean for method in (BOTH, BTF, ECIB)] for corpus in run}
    worse = [corpus for corpus, (both, *alone) in means.items() if both > min(alone)]
    shown = f"worse together than the better one alone on {len(worse)} of {len(run)}" + (
        f": {', '.join(worse)}" if worse else ""
    )
    verdict = HELD if worse else _decide(comparison, run, False)
    better = {corpus: BTF if means[corpus][1] <= means[corpus][2] else ECIB for corpus in run}
    cases = tuple(_case(comparison, BOTH, alone, corpus, corpus) for corpus, alone in better.items())
    number = f"{len(worse)} of {len(run)}" if run else ""
    return Finding(verdict, shown if run else "not run", number, cases, ALL_CORPORA)


def _pcf_helps(comparison: Comparison) -> Finding:
    pairs = [
        (weighted, plain, corpus)
        for plain, weighted in WITH_PCF.items()
        for corpus in _corpora(comparison, plain, weighted)
    ]
    tests = [comparison.test(*pair) for pair in pairs]
    lower = [test for test in tests if test.difference < 0]
    is_complete = len(tests) == len(WITH_PCF) * len(SEVEN)
    shown = f"lower in {len(lower)} of {len(tests)} cases ({_n_clear(lower)} of them with p < {ALPHA})"
    verdict = _needs(comparison) if not is_complete else HELD if 2 * len(lower) > len(tests) else NOT_HELD
    cases = tuple(_case(comparison, *pair, f"{pair[2]}, {pair[1]}") for pair in pairs)
    number = f"{len(lower)} of {len(tests)}" if tests else ""
    return Finding(verdict, shown if tests else "not run", number, cases, ALL_CORPORA)


def _is_tighter(projection: Mapping[str, Any] | None) -> Finding:
    """Compare the silhouettes of the classes in the two maps."""
    if projection is None or projection["corpus"] != "r8":
        return Finding("needs t-SNE of R8", "see the map drawn by troenpy reproduce", command="troenpy reproduce")
    views = {view["scheme"]: view for view in projection["views"]}
    pairs = {name: (views["pi"][name], views["idf"][name]) for name in ("silhouette", "silhouette_of_features")}
    if None in pairs["silhouette"]:
        return Finding("needs more classes", "no silhouette: too few classes among the documents shown")
    picture, features = (f"{ours:.2f} against {theirs:.2f}" for ours, theirs in pairs.values())
    shown = f"silhouette of the classes {picture} in the map of {projection['n_documents']} documents"
    verdict = HELD if pairs["silhouette"][0] > pairs["silhouette"][1] else NOT_HELD
    return Finding(verdict, f"{shown}; {features} in the features", picture.replace("against", "vs"))


_CLAIMS: dict[str, Callable[[Comparison], Finding]] = {
    "kNN has a lower error on TF-PI than on TF-IDF on all seven corpora": _lower_everywhere(TF_PI, TF_IDF),
    "on average TF-PI reduces the error of kNN by 22.9 %": _reduction(SEVEN, 0.229, ALL_CORPORA),
    "on R8 TF-PI reduces the error of kNN by 53.4 %": _reduction(["r8"], 0.534, "troenpy reproduce"),
    "on Twitter and BBCsport TF-PI reduces the error of kNN only slightly": _slight_on_the_small,
    ABOUT_TRANSPORT: _lower_everywhere(TF_PI, HOFTT, ["r8"], _TRANSPORT),
    "entropy instead of troenpy (NCF for PCF) gives a worse weight": _lower_everywhere(TF_PI, TF_NI),
    "on TF-PI, logistic regression has a lower error than kNN everywhere": _lower_everywhere(LR_PI, TF_PI),
    "adding the 2B features to TF-PI helps on most corpora": _lower_on_most(LR_ALL, LR_PI),
    "adding the 2B features hurts on BBCsport": _hurts_on_bbcsport,
    "ECIB alone has a lower error than BTF alone on all but 20news": _lower_everywhere(ECIB, BTF, but=["20news"]),
    "BTF and ECIB together are not always better than one alone": _not_always_better_together,
    "weighting BTF and ECIB by PCF mostly helps": _pcf_helps,
    _PICTURE: lambda _: _is_tighter(None),  # keeps its position; check_claims replaces the check
    "everything takes one scan and linear time": lambda _: Finding(
        "needs a benchmark", "see benchmarks/weights.py and benchmarks/text.py", command=_BENCHMARK
    ),
}


def _corpora(comparison: Comparison, method: str, other: str) -> list[str]:
    """Return those of the seven corpora on which both methods were run."""
    return [corpus for corpus in SEVEN if {(corpus, method), (corpus, other)} <= comparison.errors.keys()]


def _reductions(comparison: Comparison) -> dict[str, float]:
    return {
        corpus: 1 - comparison.errors[corpus, TF_PI].mean / comparison.errors[corpus, TF_IDF].mean
        for corpus in _corpora(comparison, TF_PI, TF_IDF)
        if comparison.errors[corpus, TF_IDF].mean > 0
    }


def _cases(comparison: Comparison, method: str, other: str) -> tuple[Case, ...]:
    return tuple(_case(comparison, method, other, corpus, corpus) for corpus in _corpora(comparison, method, other))


def _case(comparison: Comparison, method: str, other: str, corpus: str, name: str) -> Case:
    ours, theirs = (comparison.errors[corpus, one].mean for one in (method, other))
    change = ours / theirs - 1 if theirs else float(ours > 0)
    return Case(name, change, comparison.test(method, other, corpus).p)


def _decide(comparison: Comparison, run: Sequence[str], holds: bool) -> str:
    """Return a verdict about all seven corpora, or what it needs."""
    if set(run) != set(SEVEN):
        return _needs(comparison)
    return HELD if holds else NOT_HELD


def _needs(comparison: Comparison) -> str:
    """Say what a claim about the seven corpora still needs."""
    return "needs more methods" if set(SEVEN) <= set(comparison.corpora) else f"needs {len(SEVEN)} corpora"


def _evidence(comparison: Comparison, method: str, other: str) -> str:
    """Return the number of corpora where a method has the lower error, and the errors on the others."""
    run = _corpora(comparison, method, other)
    if not run:
        return "not run"
    results = {corpus: comparison.test(method, other, corpus) for corpus in run}
    lower = [result for result in results.values() if result.difference < 0]
    shown = f"lower on {len(lower)} of {len(run)} ({_n_clear(lower)} of them with p < {ALPHA})"
    rest = [corpus for corpus, result in results.items() if result.difference >= 0]
    parts = [_errors(comparison, method, other, corpus) for corpus in (run if len(run) == 1 else rest)]
    return "; ".join([shown, *parts])


def _n_clear(results: Sequence[PairTest]) -> int:
    return sum(1 for result in results if result.p < ALPHA)


def _errors(comparison: Comparison, method: str, other: str, corpus: str) -> str:
    ours, theirs = (100 * comparison.errors[corpus, name].mean for name in (method, other))
    return f"{corpus} {ours:.2f} against {theirs:.2f} %"
