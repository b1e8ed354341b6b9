"""The table of all methods and corpora."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from troenpy.experiments.significance import ALPHA
from troenpy.experiments.tables import Record, p_value
from troenpy.report.names import FAMILIES, corpus_name
from troenpy.report.parts import Cell, Column, Table, TableRow
from troenpy.report.view import PER_100, View


def error_table(view: View) -> Table:
    """Return the table of all methods and corpora."""
    rows = [_table_row(view, method) for method in _in_order(view)]
    best = [
        min((cell.value for row in rows if isinstance((cell := row.cells[2 + place]).value, float)), default=None)
        for place in range(len(view.shown))
    ]
    marked = [_with_best(row, best) for row in rows]
    kinds = " or ".join(sorted({record["interval"] for record in view.records.values()}))
    note = f"In small print 95 % intervals ({kinds})."
    return Table(
        "all-errors",
        "Test errors of all methods in per cent",
        _columns(view),
        marked,
        note=note,
        caption=_caption(view),
    )


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


def _caption(view: View) -> str:
    """Say what is underlined, and which tests the table has."""
    kinds = sorted({record["interval"] for record in view.records.values()})
    tests = {"Wilson": "McNemar's exact test", "Nadeau-Bengio": "corrected resampled t-test"}
    said = "The lowest error on each corpus is underlined."
    if view.baseline is None or len(view.names) == 1:
        return said
    test = f"{' or '.join(tests[kind] for kind in kinds)}, against {view.names[view.baseline].full}"
    friedman = view.summary["comparison"]["friedman"]
    ranks = f" Ranks differ with p {p_value(friedman['p'])} (Friedman)." if friedman else ""
    if len(view.shown) == 1:
        return f"{said} p: {test}."
    counts = f"Fewer / same / more counts corpora with a clear difference or none, at p < {ALPHA} ({test})."
    return f"{said} {counts}{ranks}"
