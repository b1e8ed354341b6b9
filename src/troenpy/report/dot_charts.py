"""The charts of dots: errors with intervals by method, over all corpora and on each, and mean ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from troenpy.experiments.significance import ALPHA
from troenpy.experiments.tables import Record
from troenpy.report.names import FAMILIES, OTHER, Name, corpus_name
from troenpy.report.parts import Dot, DotChart, Panels
from troenpy.report.parts.shell import Part
from troenpy.report.selection import change
from troenpy.report.view import PER_100, View, percent, seconds

N_UNFOLDED = 12
N_RANKED = 40
RANKED_CORPORA = 5  # ranks over fewer corpora say little
MEAN_NOTE = (
    "Small dots are corpora; choose one above for its errors, intervals and p. Point at a row, or use the arrow keys, "
    "for each corpus, seconds and the name in commands."
)


def key_chart(view: View) -> Panels | None:
    """Draw the methods that matter, by family: on each corpus, and over all of them."""
    parts: dict[int, Part] = {}
    if view.has_mean:
        means = {entry[0]: entry for entry in view.means()}
        chosen = [means[method] for method in view.key if method in means]
        dots = _with_headings(view, [_mean_dot(view, *entry) for entry in chosen])
        parts[0] = DotChart("Errors of the main methods over all corpora", dots, axis=PER_100, digits=0, note=MEAN_NOTE)
    for place, corpus in view.places:
        records = [view.records[corpus, method] for method in view.key if (corpus, method) in view.records]
        if records:
            dots = _with_headings(view, [_dot(view, record) for record in records])
            parts[place] = DotChart(
                f"Errors of the main methods on {corpus_name(corpus)}", dots, note=_note(view, records)
            )
    return Panels(parts, view.settings) if parts else None


def all_chart(view: View) -> Panels | None:
    """Draw every method, the lowest error first; most are folded away at first."""
    if set(view.key) == set(view.names):
        return None
    parts: dict[int, Part] = {}
    if view.has_mean:
        dots = [_mean_dot(view, *entry) for entry in view.means()]
        parts[0] = DotChart("Errors of all methods over all corpora", _fold(dots), axis=PER_100, digits=0)
    for place, corpus in view.places:
        dots = [_dot(view, record) for record in view.run_on(corpus)]
        if len(dots) > 1:
            parts[place] = DotChart(f"Errors of all methods on {corpus_name(corpus)}", _fold(dots))
    return Panels(parts, view.settings) if parts else None


def rank_chart(view: View) -> DotChart | None:
    """Draw mean ranks, with the methods that do not clearly differ from each other."""
    friedman = view.summary["comparison"]["friedman"]
    if friedman is None or friedman["n_corpora"] < RANKED_CORPORA:
        return None
    order = sorted(friedman["mean_ranks"], key=lambda method: friedman["mean_ranks"][method])
    shown = [name for place, name in enumerate(order) if place < N_RANKED or name == view.baseline]
    alike: dict[str, set[str]] = {name: {name} for name in shown}
    for one, other, p in friedman["p_of_pairs"]:
        if p >= ALPHA and one in alike and other in alike:
            alike[one].add(other)
            alike[other].add(one)
    dots = [
        Dot(
            view.names[name].short,
            friedman["mean_ranks"][name],
            group=view.names[name].family,
            hue=view.hue(name),
            code=name,
            kind=_kind(view.names[name]),
            is_strong=view.names[name].is_ours,
            is_reference=name == view.baseline,
            like=tuple(place for place, other in enumerate(shown) if other in alike[name]),
        )
        for name in shown
    ]
    return DotChart("Mean ranks over the corpora", _fold(dots), axis="mean rank, 1 is best")


def _dot(view: View, record: Record) -> Dot:
    name = view.names[record["method"]]
    return Dot(
        name.short,
        100 * record["error"],
        percent(record["low"]),
        percent(record["high"]),
        name.family,
        view.hue(name.method),
        name.method,
        view.about(record),
        kind=_kind(name),
        is_strong=name.is_ours,
        is_reference=name.method == view.baseline,
    )


def _note(view: View, records: Sequence[Record]) -> str:
    """Say what the chart of a corpus shows, and what pointing at a row tells."""
    has_baseline = any(record["method"] == view.baseline for record in records) and len(records) > 1
    line = "; the dashed line is the baseline" if has_baseline else ""
    p = "p, " if any(record["p"] is not None for record in records) else ""
    tip = f"Point at a row, or use the arrow keys, for {p}seconds and the name in commands."
    return f"Lines are 95 % intervals{line}. {tip}"


def _mean_dot(view: View, method: str, value: float, n_corpora: int) -> Dot:
    name, found = view.names[method], change(view.summary, method)
    rest = "" if n_corpora == len(view.main) else f" ({n_corpora} of {len(view.main)} corpora)"
    aside = []
    for corpus in view.main:
        record = view.records.get((corpus, method))
        if record is not None and record["reduction"] is not None:
            aside.append((100 * (1 - record["reduction"]), corpus_name(corpus)))
    counts = "" if found is None else f"fewer errors on {found.n_fewer} of {found.n_corpora} corpora"
    run = [view.records[corpus, method]["seconds"] for corpus in view.main if (corpus, method) in view.records]
    time = f"{seconds(sum(run) / len(run))} per split, mean over the corpora"
    about = "\n".join([counts, *(f"{corpus}: {left:.0f}" for left, corpus in aside), time]).strip()
    return Dot(
        name.short + rest,
        value,
        group=name.family,
        hue=view.hue(method),
        code=method,
        about=about,
        aside=tuple(aside),
        kind=_kind(name),
        is_strong=name.is_ours,
        is_reference=method == view.baseline,
    )


def _with_headings(view: View, dots: Iterable[Dot]) -> list[Dot]:
    """Name the family above its first row, instead of in every row."""
    found: list[Dot] = []
    family = ""
    for dot in dots:
        said = FAMILIES[dot.group]
        heading = said if said != family else ""
        family = said
        found.append(replace(dot, kind="", heading=heading, full=f"{dot.name}, {said}"))
    return found


def _kind(name: Name) -> str:
    return "" if name.family == OTHER else FAMILIES[name.family]


def _fold(dots: list[Dot]) -> list[Dot]:
    """Fold rows away, except the first, ours and the baseline; a few rows more are not worth a button."""
    if len(dots) <= N_UNFOLDED + 3:
        return dots
    return [
        replace(dot, is_folded=place >= N_UNFOLDED and not (dot.is_reference or dot.is_strong))
        for place, dot in enumerate(dots)
    ]
