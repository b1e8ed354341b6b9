"""The parts of the page that show errors: dots with intervals, cost, ranks, curves and the table of all methods."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from troenpy.experiments.significance import ALPHA
from troenpy.experiments.tables import Record, p_value
from troenpy.report.headline import change
from troenpy.report.names import FAMILIES, OTHER, Name, corpus_name
from troenpy.report.parts import (
    Cell,
    Column,
    Dot,
    DotChart,
    Line,
    LineChart,
    Panels,
    Point,
    Scatter,
    Table,
    TableRow,
)
from troenpy.report.parts.lines import Place
from troenpy.report.parts.shell import Part
from troenpy.report.view import View, percent, seconds

N_UNFOLDED = 12
N_LINES = 6
N_RANKED = 40
RANKED_CORPORA = 5  # ranks over fewer corpora say little
LEAST_SECONDS = 1e-3  # for the logarithmic axis
PER_100 = "errors, baseline = 100"


def key_chart(view: View) -> Panels | None:
    """Draw the methods that matter, by family: on each corpus, and over all of them."""
    parts: dict[int, Part] = {}
    if view.has_mean:
        means = {entry[0]: entry for entry in view.means()}
        chosen = [means[method] for method in view.key if method in means]
        dots = _with_headings(view, [_mean_dot(view, *entry) for entry in chosen])
        parts[0] = DotChart("Errors of the main methods over all corpora", dots, axis=PER_100, digits=0)
    for place, corpus in view.places:
        records = [view.records[corpus, method] for method in view.key if (corpus, method) in view.records]
        if records:
            dots = _with_headings(view, [_dot(view, record) for record in records])
            parts[place] = DotChart(f"Errors of the main methods on {corpus_name(corpus)}", dots)
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


def cost_chart(view: View) -> Panels | None:
    """Draw errors against seconds, with the methods that no other beats in both."""
    parts: dict[int, Part] = {}
    if view.has_mean:
        points = [
            (method, _mean_seconds(view, method), error, "")
            for method, error, n_corpora in view.means()
            if n_corpora == len(view.main)
        ]
        if len(points) > 2:
            parts[0] = _scatter(view, points, "all corpora", PER_100)
    for place, corpus in view.places:
        points = [(one["method"], one["seconds"], 100 * one["error"], view.about(one)) for one in view.run_on(corpus)]
        if len(points) > 2:
            parts[place] = _scatter(view, points, corpus_name(corpus), "error, %")
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


def sweep_chart(view: View, points: Sequence[Record], place: str, x_title: str, *, x_log: bool) -> Panels | None:
    """Draw errors against k, or against the size of the training part."""
    parts: dict[int, Part] = {}
    numbers = {corpus: number for number, corpus in view.places}
    for corpus in dict.fromkeys(point["corpus"] for point in points):
        chosen = [point for point in points if point["corpus"] == corpus]
        chart = LineChart(
            f"Error by {x_title} on {corpus_name(corpus)}.", _lines(view, chosen, place), x_title,
            f"error on {corpus_name(corpus)}, %", x_log=x_log,
        )  # fmt: skip
        parts[numbers.get(corpus, len(view.settings))] = chart
    if parts and view.has_mean:
        parts = {0: next(iter(parts.values())), **parts}
    return Panels(parts, view.settings, "Not run on {} with several values.") if parts else None


def error_table(view: View) -> Table:
    """Return the table of all methods and corpora."""
    rows = [_table_row(view, method) for method in _in_order(view)]
    best = [
        min((cell.value for row in rows if isinstance((cell := row.cells[2 + place]).value, float)), default=None)
        for place in range(len(view.shown))
    ]
    marked = [_with_best(row, best) for row in rows]
    return Table("all-errors", "Test errors of all methods in per cent", _columns(view), marked)


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


def _mean_dot(view: View, method: str, value: float, n_corpora: int) -> Dot:
    name, found = view.names[method], change(view.summary, method)
    rest = "" if n_corpora == len(view.main) else f" ({n_corpora} of {len(view.main)} corpora)"
    aside = []
    for corpus in view.main:
        record = view.records.get((corpus, method))
        if record is not None and record["reduction"] is not None:
            aside.append((100 * (1 - record["reduction"]), corpus_name(corpus)))
    counts = "" if found is None else f"fewer errors on {found.n_fewer} of {found.n_corpora} corpora"
    about = "\n".join([counts, *(f"{corpus}: {left:.0f}" for left, corpus in aside)]).strip()
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
        found.append(replace(dot, kind="", heading=heading, about="\n".join(filter(None, [said, dot.about]))))
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


def _scatter(view: View, found: Sequence[tuple[str, float, float, str]], where: str, axis: str) -> Scatter:
    points = []
    best = _frontier([(cost, error) for _, cost, error, _ in found])
    for (method, cost, error, about), is_best in zip(found, best, strict=True):
        name = view.names[method]
        tip = "\n".join(part for part in (name.full, method, f"{axis}: {error:.1f}", seconds(cost), about) if part)
        points.append(
            Point(
                max(cost, LEAST_SECONDS), error, name.short, name.family, view.hue(method), tip, is_best,
                name.is_ours or method == view.baseline,
            )
        )  # fmt: skip
    return Scatter(f"Error against seconds on {where}.", points, "seconds per split", axis, x_log=True)


def _frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each (cost, error) whether everything cheaper has a higher error.

    Examples
    --------
    >>> _frontier([(1, 20), (2, 10), (3, 10), (0.5, 30), (4, 25)])
    [True, True, False, True, False]
    """
    least = float("inf")
    is_best = [False] * len(points)
    for place in sorted(range(len(points)), key=lambda i: points[i]):
        if points[place][1] < least:
            is_best[place], least = True, points[place][1]
    return is_best


def _mean_seconds(view: View, method: str) -> float:
    return sum(view.records[corpus, method]["seconds"] for corpus in view.main) / len(view.main)


def _lines(view: View, points: Sequence[Record], place: str) -> list[Line]:
    by_method: dict[str, list[Place]] = {}
    for point in points:
        numbers = (point[place], *(100 * point[name] for name in ("error", "low", "high")))
        by_method.setdefault(point["method"], []).append(numbers)
    several = [method for method, found in by_method.items() if len(found) > 1]
    wanted = sorted(several, key=lambda method: (method not in view.key, by_method[method][-1][1]))
    lines = []
    for method in wanted[:N_LINES]:
        name = view.names.get(method)
        said = method if name is None else name.short
        hue = len(FAMILIES) - 1 if name is None else view.hue(method)
        is_ours = name is not None and name.is_ours
        lines.append(Line(said, by_method[method], "" if name is None else name.family, hue, method, is_ours))
    return lines


def _in_order(view: View) -> list[str]:
    """Return all methods, the lowest error first."""
    if view.has_mean:
        means = [method for method, _, _ in view.means()]
        return means + [method for method in view.names if method not in means]
    first = [record["method"] for corpus in view.shown for record in view.run_on(corpus)]
    return list(dict.fromkeys([*first, *view.names]))


def _columns(view: View) -> list[Column]:
    many = len(view.shown) > 1
    columns = [Column("method", "text"), Column("model", "text")]
    columns += [
        Column(
            corpus_name(corpus) if many else "error, %", has_bars=True, has_differences=True, setting=place,
            about="test error, %; in small print the 95 % interval",
        )
        for place, corpus in view.places
    ]  # fmt: skip
    if view.has_mean:
        columns.append(Column(PER_100, digits=0, has_bars=True, has_differences=True, about="mean over the corpora"))
    if view.summary["comparison"]["friedman"]:
        columns.append(Column("rank", digits=1, about="mean rank over the corpora"))
    if view.baseline is not None:
        about = "corpora with clearly fewer errors than the baseline / no clear difference / clearly more"
        columns += [Column("fewer / same / more", "text", about=about)] if many else [Column("p", digits=4)]
    columns.append(Column("seconds", digits=2, about="per split; mean over the corpora"))
    return [*columns, Column("for the command", "code")]


def _table_row(view: View, method: str) -> TableRow:
    name = view.names[method]
    record: dict[str, Any] = next(m for m in view.summary["comparison"]["methods"] if m["name"] == method)
    found = [view.records.get((corpus, method)) for corpus in view.shown]
    cells = [Cell(name.short, tip=method), Cell(FAMILIES[name.family])]
    cells += [_error_cell(view, one) for one in found]
    if view.has_mean:
        means = {entry[0]: entry for entry in view.means()}
        has_all = method in means and means[method][2] == len(view.main)
        cells.append(Cell(means[method][1] if has_all else None))
    if view.summary["comparison"]["friedman"]:
        cells.append(Cell(record["rank"]))
    if view.baseline is not None and len(view.shown) > 1:
        cells.append(Cell(" / ".join(map(str, record["wins"])) if record["wins"] else "baseline"))
    elif view.baseline is not None:
        p = next((one["p"] for one in found if one is not None), None)
        cells.append(Cell(p, said="" if p is None else p_value(p)))
    times = [one["seconds"] for one in found if one is not None]
    cells.append(Cell(sum(times) / len(times) if times else None))
    return TableRow(
        [*cells, Cell(method)],
        name.family,
        view.hue(method),
        name.full,
        f"{name.full} {method}",
        name.is_ours,
        method == view.baseline,
    )


def _error_cell(view: View, record: Record | None) -> Cell:
    if record is None:
        return Cell(None, said="not run")
    interval = f"{100 * record['low']:.2f} to {100 * record['high']:.2f}"
    return Cell(100 * record["error"], interval, view.about(record))


def _with_best(row: TableRow, best: Sequence[float | None]) -> TableRow:
    cells = list(row.cells)
    for place, least in enumerate(best, start=2):
        if least is not None and cells[place].value == least:
            cells[place] = replace(cells[place], is_best=True)
    return replace(row, cells=cells)
