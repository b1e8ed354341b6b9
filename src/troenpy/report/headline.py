"""The answer in one sentence, computed from the rows: how many fewer errors than the baseline, and on how many corpora.

The words are those of the numbers: fewer, more, or no clear difference by the test of each corpus; without TF-PI, our
settings or the baseline, the sentence is about what there is.
"""

import re
from typing import Any

from troenpy.experiments import methods as known
from troenpy.experiments.significance import ALPHA
from troenpy.experiments.tables import Record
from troenpy.report.claims import TF_IDF, TF_PI
from troenpy.report.names import FAMILIES, KNN, Name, corpus_name
from troenpy.report.selection import OURS, Change, change, key_methods, main_settings, names

_TOLD = {TF_IDF, TF_PI, "lr: tf*idf", *known.OURS}  # whose errors are told beneath the sentence

OF_MEANS = "A percentage is the mean of the changes on each corpus, not the change of the mean errors."


def headline(summary: Record) -> dict[str, Any]:
    """Return the `sentence`, a `note` on its percentages, the `detail` with its errors, and the main `methods`."""
    shown, methods = main_settings(summary), key_methods(summary)
    if not shown or not methods:
        return {"sentence": "No results.", "note": "", "detail": "", "methods": []}
    many = f"On average over {_count(len(shown))} corpora"
    where = f"On {corpus_name(shown[0])}" if len(shown) == 1 else many
    baseline = summary["comparison"]["baseline"]
    called = names(summary)
    if baseline == TF_IDF and any((TF_PI in methods, OURS in methods)):
        sentence = _about_tf_pi(summary, where)
    else:
        sentence = _about_best(summary, where, methods, called)
    is_mean = len(shown) > 1 and re.search(r"% (fewer|more)", sentence)
    note = OF_MEANS if is_mean else ""
    return {"sentence": sentence, "note": note, "detail": _detail(summary, methods, called), "methods": methods}


def _about_tf_pi(summary: Record, where: str) -> str:
    """Say what TF-PI and our settings change against kNN on TF-IDF, the question of the paper."""
    paper, ours = change(summary, TF_PI), change(summary, OURS)
    parts = [] if paper is None else [f"nearest neighbours on TF-PI {_compared(paper, 'on TF-IDF')}"]
    if ours is not None and paper is None:
        parts = [f"nearest neighbours with our settings {_compared(ours, 'on TF-IDF')}"]
    elif ours is not None:
        parts.append(f"with our settings {_in_short(ours)}")
    return f"{where}, {'; '.join(parts)}." if parts else f"{where}, TF-IDF was not run beside other methods."


def _about_best(summary: Record, where: str, methods: list[str], called: dict[str, Name]) -> str:
    comparison = summary["comparison"]
    baseline, shown = comparison["baseline"], main_settings(summary)
    if len(methods) == 1:
        run = [r for r in comparison["errors"] if r["method"] == methods[0] and r["corpus"] in shown]
        mean, makes = sum(record["error"] for record in run) / len(run), _make(called[methods[0]])
        interval = f"95 % interval {100 * run[0]['low']:.1f} to {100 * run[0]['high']:.1f}"
        said = f" ({interval})" if len(run) == 1 else ""
        return f"{where}, {_full(called[methods[0]])} {makes} errors on {100 * mean:.1f} % of the test documents{said}."
    changes = [found for name in methods if (found := change(summary, name)) is not None]
    if not changes:
        return f"{where}, no method was run beside {_full(called[baseline])}."
    most = max(found.n_corpora for found in changes)
    best = min(
        (found for found in changes if found.n_corpora == most), key=lambda found: (found.share or 0, found.error)
    )
    if best.share is None or best.share >= 0:
        return f"{where}, no other method makes fewer errors than {_full(called[baseline])}."
    said = _compared(best, _full(called[baseline]), _make(called[best.method]))
    return f"{where}, {_full(called[best.method])} {said}."


def _compared(found: Change, other: str, make: str = "make") -> str:
    """Put a change into words.

    Examples
    --------
    >>> _compared(Change("m", -0.404, 1, 1, 1, 0.07, 0.12, 0.001), "on TF-IDF")
    'make 40 % fewer errors than on TF-IDF'
    >>> _compared(Change("m", -0.21, 7, 6, 5, 0.07, 0.12, None), "on TF-IDF")
    'make 21 % fewer errors than on TF-IDF (fewer on 6 of 7)'
    >>> _compared(Change("m", 0.1, 1, 0, 0, 0.11, 0.1, 0.4), "x", "makes")
    'makes about as many errors as x (10 % more, p = 0.40)'
    """
    if found.share is None:
        return f"{make} errors on {100 * found.error:.1f} % of the documents, and none {other}"
    if _is_alike(found):
        return f"{make} about as many errors as {other}{_size_and_p(found)}"
    word = "fewer" if found.share < 0 else "more"
    many = f" ({word} on {_n_alike(found)})" if found.n_corpora > 1 else ""
    return f"{make} {100 * abs(found.share):.0f} % {word} errors than {other}{many}"


def _in_short(found: Change) -> str:
    """Put a second change into words.

    Examples
    --------
    >>> _in_short(Change("m", -0.747, 1, 1, 1, 0.03, 0.12, 0.001))
    '75 % fewer'
    >>> _in_short(Change("m", -0.62, 7, 7, 7, 0.03, 0.12, None))
    '62 % fewer (on all 7)'
    """
    if found.share is None:
        return f"on {100 * found.error:.1f} %"
    if _is_alike(found):
        return f"about as many{_size_and_p(found)}"
    many = f" (on {_n_alike(found)})" if found.n_corpora > 1 else ""
    return f"{100 * abs(found.share):.0f} % {'fewer' if found.share < 0 else 'more'}{many}"


def _is_alike(found: Change) -> bool:
    """Whether the errors do not differ: too small a mean, or not clear by the test of the only corpus."""
    share = abs(found.share or 0.0)
    return share < 0.005 or (found.n_corpora == 1 and (found.p is None or found.p >= ALPHA))


def _size_and_p(found: Change) -> str:
    if found.n_corpora > 1:
        return f" (fewer on {found.n_fewer} of {found.n_corpora})"
    p = "" if found.p is None else f"p = {found.p:.2f}"
    size = f"{100 * abs(found.share or 0):.0f} % {'fewer' if (found.share or 0) < 0 else 'more'}"
    said = ", ".join(part for part in (size if found.share else "", p) if part)
    return f" ({said})" if said else ""


def _n_alike(found: Change) -> str:
    """Return on how many corpora the difference has the direction of the mean."""
    number = found.n_fewer if (found.share or 0) < 0 else found.n_corpora - found.n_fewer
    if number < found.n_corpora:
        return f"{number} of {found.n_corpora}"
    return "both" if number == 2 else f"all {number}"


def _make(name: Name) -> str:
    return "make" if name.family == KNN and name.short != name.method else "makes"


def _detail(summary: Record, methods: list[str], called: dict[str, Name]) -> str:
    """Return the errors behind the sentence, by family: the baseline, TF-IDF, TF-PI, ours, the lowest."""
    shown = main_settings(summary)
    records = {(one["corpus"], one["method"]): one for one in summary["comparison"]["errors"]}
    families: dict[str, list[tuple[str, float]]] = {}
    for name in methods:
        found = [records[corpus, name]["error"] for corpus in shown if (corpus, name) in records]
        if len(found) == len(shown):
            families.setdefault(called[name].family, []).append((name, 100 * sum(found) / len(found)))
    every = [entry for errors in families.values() for entry in errors]
    wanted = _TOLD | {summary["comparison"]["baseline"], *(name for name, _ in sorted(every, key=_error)[:1])}
    parts = []
    for family, errors in families.items():
        told = [entry for entry in errors if entry[0] in wanted] or [min(errors, key=_error)]
        said = ", ".join(f"{error:.1f} % {_with(called[name])}" for name, error in told)
        parts.append(f"{FAMILIES[family]}: {said}")
    what = "Test errors" if len(shown) == 1 else f"Mean test errors over {len(shown)} corpora"
    return f"{what} with {'; '.join(parts)}." if parts else ""


def _error(entry: tuple[str, float]) -> float:
    return entry[1]


def _with(name: Name) -> str:
    return "with our settings" if name.is_ours else f"on {name.short}"


def _full(name: Name) -> str:
    """Name a method in a sentence.

    Examples
    --------
    >>> from troenpy.report.names import name_of
    >>> _full(name_of("knn: tf*idf")), _full(name_of("my own"))
    ('nearest neighbours on TF-IDF', 'my own')
    """
    model = FAMILIES[name.family]
    if name.family not in (KNN, "lr", "svm", "nbsvm"):
        return name.short
    return f"{model} with our settings" if name.is_ours else f"{model} on {name.short}"


def _count(number: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)
