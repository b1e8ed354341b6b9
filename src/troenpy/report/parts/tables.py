"""A table that a reader can work with: sort, filter, compare with a row, copy as Markdown or CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from troenpy.report.parts.shell import Part

MOST_PRINTED = 8  # columns, all with small print


@dataclass(frozen=True)
class Column:
    """A column: its title, and whether it holds text, numbers or exact names to copy.

    Parameters
    ----------
    name : str
    kind : {"text", "number", "code"}
    digits : int
        Decimal places of numbers.
    has_bars : bool
        Whether a bar shows each number as a share of the largest.
    has_differences : bool
        Whether numbers turn into differences when the reader compares with a row.
    about : str
        Shown on hover over the title.
    setting : int, optional
        Number of the setting it belongs to: it stands out when that is chosen.
    """

    name: str
    kind: Literal["text", "number", "code"] = "number"
    digits: int = 2
    has_bars: bool = False
    has_differences: bool = False
    about: str = ""
    setting: int | None = None


@dataclass(frozen=True)
class Cell:
    """A cell: a number or text, a note in small print, a text for hover, and whether it is the best of its column."""

    value: float | str | None = None
    note: str = ""
    tip: str = ""
    is_best: bool = False
    said: str = ""


@dataclass(frozen=True)
class TableRow:
    """A row: a cell per column, the first of which names it, and leads to `address`, if there is one."""

    cells: Sequence[Cell]
    group: str = ""
    hue: int | None = None
    tip: str = ""
    search: str = ""
    is_strong: bool = False
    is_reference: bool = False
    term: int | None = None
    address: str = ""


@dataclass(frozen=True)
class Table(Part):
    """The table.

    Parameters
    ----------
    name : str
        Unique on the page.
    label : str
        What the table shows, for screen readers.
    columns : sequence of Column
    rows : sequence of TableRow
    has_tools : bool
        Whether it has the search, the differences and the buttons that copy.
    missing : str
        What an empty number shows.
    note, caption : str
        What is said above the table: of its numbers, until they turn into differences, and of the rest.
    """

    template: ClassVar[str] = "parts/tables.html"

    name: str
    label: str
    columns: Sequence[Column]
    rows: Sequence[TableRow]
    has_tools: bool = True
    missing: str = "–"
    note: str = ""
    caption: str = ""

    @property
    def has_differences(self) -> bool:
        """Whether rows can be compared with one of them."""
        return len(self.rows) > 1 and any(column.has_differences for column in self.columns)

    @property
    def is_wide(self) -> bool:
        """Whether it is too wide for paper, where it is printed without notes and exact names."""
        return len(self.columns) > MOST_PRINTED

    @cached_property
    def largest(self) -> list[float]:
        """The largest number of each column."""
        numbers = [[cell.value for cell in column if isinstance(cell.value, (int, float))] for column in self._cells()]
        return [max(map(float, column), default=0.0) for column in numbers]

    def shown(self, column: Column, cell: Cell) -> str:
        """Return the text of a cell."""
        if cell.said or cell.value is None:
            return cell.said or ("" if column.kind != "number" else self.missing)
        return f"{cell.value:,.{column.digits}f}" if isinstance(cell.value, (int, float)) else cell.value

    def share(self, place: int, cell: Cell) -> float | None:
        """Return the length of a cell's bar in per cent, or None without one."""
        if not self.columns[place].has_bars or not isinstance(cell.value, (int, float)) or self.largest[place] <= 0:
            return None
        return round(100 * max(cell.value, 0) / self.largest[place], 1)

    def _cells(self) -> list[list[Cell]]:
        return [[row.cells[place] for row in self.rows] for place in range(len(self.columns))]
