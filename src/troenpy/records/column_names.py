"""Names for columns: each has one of its own."""

from collections.abc import Sequence

from troenpy.records.chunk import Notices
from troenpy.records.wording import listed, quoted


def unique_names(cells: Sequence[str]) -> list[str]:
    """Return the names of columns: nameless ones get a number, repeated ones a suffix.

    Examples
    --------
    >>> unique_names(["text", "", "text"])
    ['text', 'column_2', 'text_2']
    """
    columns, used, taken = list[str](), set[str](), set(cells)
    for number, cell in enumerate(cells, 1):
        wanted = cell if cell.strip() else f"column_{number}"
        column, suffix = wanted, 2
        while column in used or (column != cell and column in taken):
            column, suffix = f"{wanted}_{suffix}", suffix + 1
        columns.append(column)
        used.add(column)
    return columns


def name_columns(cells: Sequence[str], name: str, notices: Notices) -> list[str]:
    """Return the names of the columns of a file, and say which ones were named."""
    columns = unique_names(cells)
    renamed = [column for column, cell in zip(columns, cells, strict=True) if column != cell]
    if renamed:
        shown = [quoted(column) for column in renamed[:5]] + ["more"] * (len(renamed) > 5)
        notices.say(f"{name}: columns without a name of their own are called {listed(shown)}")
    return columns
