"""Check the paper's claims, one by one, against the numbers of a comparison.

A claim about all seven corpora fails if one corpus contradicts it, and holds only if all seven were run. "Lower" means
a lower mean error; the evidence says how often the difference is significant.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from troenpy.datasets.catalogue import CATALOGUE
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.significance import ALPHA, PairTest

HELD, NOT_HELD, NOT_TESTABLE = "held", "not held", "not testable here"

SEVEN = tuple(CATALOGUE)
TF_IDF, TF_PI, TF_NI = "knn: tf*idf", "knn: tf*pi", "knn: tf*ncf*idf"
HOFTT = "knn: hoftt"
LR_PI, LR_ALL = "lr: tf*pi", "lr: tf*pi + btf + ecib"
BTF, ECIB, BOTH = "lr: btf", "lr: ecib", "lr: btf + ecib"
WITH_PCF = {BTF: "lr: btf*pcf", ECIB: "lr: ecib*pcf", BOTH: "lr: btf*pcf + ecib*pcf"}

_PICTURE = "t-SNE of R8: classes cluster tighter on TF-PI than on TF-IDF"
#: The only claim that needs optimal transport methods.
ABOUT_TRANSPORT = "kNN on TF-PI beats HOFTT on all but R8"

Finding = tuple[str, str]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, whether it held, and the evidence."""

    text: str
    verdict: str
    evidence: str


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
    return [Claim(text, *check(comparison)) for text, check in checks.items()]


def _lower_everywhere(method: str, other: str, but: Sequence[str] = ()) -> Callable[[Comparison], Finding]:
    """Check that a method has a lower error than another on all seven corpora, except the given ones."""

    def check(comparison: Comparison) -> Finding:
        run = _corpora(comparison, method, other)
        differences = {corpus: comparison.test(method, other, corpus).difference for corpus in run}
        against = [corpus for corpus, difference in differences.items() if (difference < 0) == (corpus in but)]
        verdict = NOT_HELD if against else HELD if set(run) == set(SEVEN) else NOT_TESTABLE
        return verdict, _evidence(comparison, method, other)

    return check


def _lower_on_most(method: str, other: str) -> Callable[[Comparison], Finding]:
    def check(comparison: Comparison) -> Finding:
        run = _corpora(comparison, method, other)
        lower = [corpus for corpus in run if comparison.test(method, other, corpus).difference < 0]
        return _if_all(run, 2 * len(lower) > len(SEVEN)), _evidence(comparison, method, other)

    return check


def _reduction(corpora: Sequence[str], claimed: float) -> Callable[[Comparison], Finding]:
    """Check that TF-PI reduces the error of TF-IDF by at least as much as claimed, on average over corpora."""

    def check(comparison: Comparison) -> Finding:
        found = _reductions(comparison)
        chosen = [found[corpus] for corpus in corpora if corpus in found]
        if not chosen:
            return NOT_TESTABLE, "not run"
        mean = sum(chosen) / len(chosen)
        over = "" if len(corpora) == 1 else f" on average over {len(chosen)} of {len(corpora)}"
        is_complete = len(chosen) == len(corpora)
        verdict = NOT_TESTABLE if not is_complete else HELD if round(mean, 3) >= claimed else NOT_HELD
        return verdict, f"{100 * mean:.1f} %{over}"

    return check


def _slight_on_the_small(comparison: Comparison) -> Finding:
    found = _reductions(comparison)
    small = [found[corpus] for corpus in ("twitter", "bbcsport") if corpus in found]
    others = [reduction for corpus, reduction in found.items() if corpus not in ("twitter", "bbcsport")]
    shown = ", ".join(f"{corpus} {100 * reduction:.1f} %" for corpus, reduction in found.items())
    is_slight = bool(small and others) and min(small) > 0 and max(small) < min(others)
    return _if_all(list(found), is_slight), shown or "not run"


def _hurts_on_bbcsport(comparison: Comparison) -> Finding:
    if "bbcsport" not in _corpora(comparison, LR_ALL, LR_PI):
        return NOT_TESTABLE, "bbcsport was not run"
    result = comparison.test(LR_ALL, LR_PI, "bbcsport")
    shown = f"{_errors(comparison, LR_ALL, LR_PI, 'bbcsport')}, p = {result.p:.2g}"
    return HELD if result.difference > 0 else NOT_HELD, shown


def _not_always_better_together(comparison: Comparison) -> Finding:
    run = [corpus for corpus in _corpora(comparison, BOTH, BTF) if (corpus, ECIB) in comparison.errors]
    means = {corpus: [comparison.errors[corpus, method].mean for method in (BOTH, BTF, ECIB)] for corpus in run}
    worse = [corpus for corpus, (both, *alone) in means.items() if both > min(alone)]
    shown = f"worse together than the better one alone on {len(worse)} of {len(run)}" + (
        f": {', '.join(worse)}" if worse else ""
    )
    return HELD if worse else _if_all(run, False), shown if run else "not run"


def _pcf_helps(comparison: Comparison) -> Finding:
    cases = [
        comparison.test(weighted, plain, corpus)
        for plain, weighted in WITH_PCF.items()
        for corpus in _corpora(comparison, plain, weighted)
    ]
    lower = [case for case in cases if case.difference < 0]
    is_complete = len(cases) == len(WITH_PCF) * len(SEVEN)
    shown = f"lower in {len(lower)} of {len(cases)} cases ({_n_clear(lower)} of them with p < {ALPHA})"
    verdict = NOT_TESTABLE if not is_complete else HELD if 2 * len(lower) > len(cases) else NOT_HELD
    return verdict, shown if cases else "not run"


def _is_tighter(projection: Mapping[str, Any] | None) -> Finding:
    """Compare the silhouettes of the classes in the two maps."""
    if projection is None or projection["corpus"] != "r8":
        return NOT_TESTABLE, "see the map drawn by troenpy reproduce"
    views = {view["scheme"]: view for view in projection["views"]}
    pairs = {name: (views["pi"][name], views["idf"][name]) for name in ("silhouette", "silhouette_of_features")}
    if None in pairs["silhouette"]:
        return NOT_TESTABLE, "no silhouette: too few classes among the documents shown"
    picture, features = (f"{ours:.2f} against {theirs:.2f}" for ours, theirs in pairs.values())
    shown = f"silhouette of the classes {picture} in the map of {projection['n_documents']} documents"
    return HELD if pairs["silhouette"][0] > pairs["silhouette"][1] else NOT_HELD, f"{shown}; {features} in the features"


def _elsewhere(reason: str) -> Callable[[Comparison], Finding]:
    return lambda comparison: (NOT_TESTABLE, reason)


_CLAIMS: dict[str, Callable[[Comparison], Finding]] = {
    "kNN has a lower error on TF-PI than on TF-IDF on all seven corpora": _lower_everywhere(TF_PI, TF_IDF),
    "on average the error falls by 22.9 %": _reduction(SEVEN, 0.229),
    "on R8 it falls by 53.4 %": _reduction(["r8"], 0.534),
    "it falls only slightly on Twitter and BBCsport": _slight_on_the_small,
    ABOUT_TRANSPORT: _lower_everywhere(TF_PI, HOFTT, but=["r8"]),
    "entropy instead of troenpy (NCF for PCF) gives a worse weight": _lower_everywhere(TF_PI, TF_NI),
    "on TF-PI, logistic regression has a lower error than kNN everywhere": _lower_everywhere(LR_PI, TF_PI),
    "adding the 2B features to TF-PI helps on most corpora": _lower_on_most(LR_ALL, LR_PI),
    "adding them hurts on BBCsport": _hurts_on_bbcsport,
    "ECIB alone has a lower error than BTF alone on all but 20news": _lower_everywhere(ECIB, BTF, but=["20news"]),
    "BTF and ECIB together are not always better than one alone": _not_always_better_together,
    "weighting BTF and ECIB by PCF mostly helps": _pcf_helps,
    _PICTURE: _elsewhere("a picture"),  # keeps its position; check_claims replaces the check
    "everything takes one scan and linear time": _elsewhere("see benchmarks/weights.py and benchmarks/text.py"),
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


def _if_all(run: Sequence[str], holds: bool) -> str:
    if set(run) != set(SEVEN):
        return NOT_TESTABLE
    return HELD if holds else NOT_HELD


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
