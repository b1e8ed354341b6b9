"""Tables for a terminal, with rich: names fold, a table that is too wide becomes several, and no number is ever cut."""

from typing import TYPE_CHECKING

from troenpy.display.plain import printable
from troenpy.experiments import tables
from troenpy.report.claims import HELD, NOT_HELD

if TYPE_CHECKING:
    from rich.table import Table

COLOURS = {HELD: "green", NOT_HELD: "red"}

_BEST = "[bold green]{}[/]"
_INTERVAL = 2  # the column of `tables.details` that goes first where there is no room
_LEAST_NAME = 16
_FOLDS = 60, 12  # where a header is folded at the latest: if there is room, and if there is not
_BORDER = 3  # of each column, and one more on the left


def error_tables(compared: tables.Record, width: int) -> "list[Table]":
    """Return the errors as tables that fit: of one corpus with intervals and p-values, of several with ranks.

    Parameters
    ----------
    compared : dict
        From `records.compare`.
    width : int
        Of the terminal; from 60 columns on every table fits.
    """
    from rich.text import Text

    is_single = len(compared["corpora"]) == 1
    header, rows = tables.layout(compared, _BEST)
    name, *others = [list(column) for column in zip(header, *rows, strict=True)]
    longest = max(map(_length, map(printable, name)))
    room = width - 1 - _BORDER
    has_intervals = is_single and room - _room(others) >= min(longest, _LEAST_NAME)
    if is_single and not has_intervals:
        del others[_INTERVAL - 1]
    fold = next((fold for fold in _FOLDS if _room(others, fold) + longest <= room), _FOLDS[-1])
    parts = _parts(others, room, longest)
    made = [_table(name, part, min(longest, max(1, room - _room(part, fold))), fold) for part in parts]
    made[0].title = Text(printable(tables.title(compared)))
    made[-1].caption = Text(printable(tables.caption(compared, has_intervals=has_intervals)))
    return made


def claim_table(claims: list[dict[str, str]]) -> "Table":
    """Return the paper's claims with their verdicts and the numbers behind them."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="what the paper claims", show_lines=True)
    for name, least in (("claim", 15), ("verdict", 8), ("number", 15)):
        table.add_column(name, min_width=least, overflow="fold")
    for claim in claims:
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
    """Split columns into as few tables as have room for them beside the names, which then fold."""
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
    """Return the width in which all numbers of a column are whole; its header may fold, between words if it can."""
    from rich.text import Text

    header = printable(column[0])
    words = [header] if _length(header) <= fold else header.split() or [""]
    return max(min(fold, max(map(_length, words))), *(Text.from_markup(cell).cell_len for cell in column[1:]))


def _length(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
