"""Terminal tables with rich: long names fold, wide tables are split, and numbers are never truncated."""

from typing import TYPE_CHECKING, Any

from troenpy.display.plain import printable
from troenpy.experiments import tables
from troenpy.report.claim_parts import open_claims, what_is_open
from troenpy.report.claims import HELD, NOT_HELD, is_tested
from troenpy.report.selection import names
from troenpy.report.summary import Summary

if TYPE_CHECKING:
    from rich.table import Table

COLOURS = {HELD: "green", NOT_HELD: "red"}

_BEST = "[bold green]{}[/]"
_INTERVAL = 2  # the column of `tables.details` to drop first if space is short
_LEAST_NAME = 16
_FOLDS = 60, 12  # maximum header width, with and without space to spare
_BORDER = 3  # characters per column, plus one on the left


def answer_tables(summary: Summary, width: int, *, everything: bool = False) -> "list[Table]":
    """Return tables of the methods that matter, at most twelve, by the names that people say.

    Parameters
    ----------
    summary : dict
        From `summarise`.
    width : int
        Width of the terminal.
    everything : bool, default=False
        All methods, after those that matter.
    """
    comparison, called = summary["comparison"], names(summary)
    key = summary["headline"]["methods"]
    order = [*key, *(name for name in called if name not in key)] if everything else key
    place = {name: number for number, name in enumerate(order)}

    def renamed(records: list[tables.Record], field: str) -> list[tables.Record]:
        chosen = sorted((one for one in records if one[field] in place), key=lambda one: place[one[field]])
        return [one | {field: called[one[field]].brief} for one in chosen]

    baseline = comparison["baseline"]
    shown = comparison | {
        "baseline": called[baseline].brief if baseline in called else baseline,
        "methods": renamed(comparison["methods"], "name"),
        "errors": renamed(comparison["errors"], "method"),
    }
    return error_tables(shown, width)


def open_line(claims: list[dict[str, Any]]) -> str:
    """Return one line about the claims that the rows cannot decide, or nothing."""
    left = open_claims({"claims": claims})
    if not left:
        return ""
    said, command = what_is_open(left)
    return f"{said}: {command}" if command else said


def error_tables(comparison: tables.Record, width: int) -> "list[Table]":
    """Return tables of errors that fit the terminal, with intervals and p-values for one corpus, ranks for several.

    Parameters
    ----------
    comparison : dict
        From `records.compare`.
    width : int
        Width of the terminal; every table fits in 60 columns.
    """
    from rich.text import Text

    is_single = len(comparison["corpora"]) == 1
    header, rows = tables.layout(comparison, _BEST)
    name, *others = [list(column) for column in zip(header, *rows, strict=True)]
    longest = max(map(_length, map(printable, name)))
    room = width - 1 - _BORDER
    has_intervals = is_single and room - _room(others) >= min(longest, _LEAST_NAME)
    if is_single and not has_intervals:
        del others[_INTERVAL - 1]
    fold = next((fold for fold in _FOLDS if _room(others, fold) + longest <= room), _FOLDS[-1])
    parts = _parts(others, room, longest)
    made = [_table(name, part, min(longest, max(1, room - _room(part, fold))), fold) for part in parts]
    made[0].title = Text(printable(tables.title(comparison)))
    made[-1].caption = Text(printable(tables.caption(comparison, has_intervals=has_intervals)))
    return made


def claim_table(claims: list[dict[str, Any]], *, everything: bool = False) -> "Table | None":
    """Return a table of the paper's claims with verdicts and evidence: those that the rows decide, or all."""
    shown = [claim for claim in claims if everything or is_tested(claim["verdict"])]
    if not shown:
        return None
    from rich.table import Table
    from rich.text import Text

    table = Table(title="what the paper claims", show_lines=True)
    for name, least in (("claim", 15), ("verdict", 8), ("evidence", 15)):
        table.add_column(name, min_width=least, overflow="fold")
    for claim in shown:
        verdict = Text(printable(claim["verdict"]), style=COLOURS.get(claim["verdict"], ""))
        table.add_row(Text(printable(claim["text"])), verdict, Text(printable(claim["evidence"])))
    return table


def _table(name: list[str], others: list[list[str]], name_width: int, fold: int) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(caption_justify="left")
    table.add_column(Text(printable(name[0])), width=name_width, overflow="fold")
    for column in others:
        table.add_column(Text(printable(column[0])), justify="right", width=_width(column, fold), overflow="fold")
    for place in range(1, len(name)):
        table.add_row(Text(printable(name[place])), *(column[place] for column in others))
    return table


def _parts(columns: list[list[str]], room: int, longest: int) -> list[list[list[str]]]:
    """Split columns into as few tables as possible; if they must be split, names may fold."""
    if _room(columns) + longest <= room:
        return [columns]
    room -= min(longest, max(_LEAST_NAME, room // 3))
    parts: list[list[list[str]]] = [[]]
    for column in columns:
        if parts[-1] and _room([*parts[-1], column]) > room:
            parts.append([])
        parts[-1].append(column)
    return parts


def _room(columns: list[list[str]], fold: int = _FOLDS[-1]) -> int:
    return sum(_width(column, fold) + _BORDER for column in columns)


def _width(column: list[str], fold: int) -> int:
    """Return the width that fits all numbers of a column; its header may fold, between words where possible."""
    from rich.text import Text

    header = printable(column[0])
    words = [header] if _length(header) <= fold else header.split() or [""]
    return max(min(fold, max(map(_length, words))), *(Text.from_markup(cell).cell_len for cell in column[1:]))


def _length(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
