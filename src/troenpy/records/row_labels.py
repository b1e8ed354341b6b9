"""The labels of rows: one for each, or any number; the first rows decide which."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from troenpy.records.cells import LabelCells, label_cells
from troenpy.records.wording import quoted

#: What cells of several label columns say if the columns, not the cells, are the labels.
YES, NO = ("1", "1.0", "true", "yes", "y", "t"), ("0", "0.0", "false", "no", "n", "f", "")

Label = str | tuple[str, ...]


class RowLabels(NamedTuple):
    """The label of each row, or its labels; and the kind of problem of some rows."""

    values: list[Label]
    faults: dict[int, str]


class LabelReader:
    """Reads the labels of a file.

    Parameters
    ----------
    sample : pyarrow.Table
        The first rows.
    columns : sequence of str
    separator : str or None
        Between several labels in a cell.
    usual_separator : str, optional
        Of the format, if `separator` is None: rows have one label unless one of the first rows has several.

    Attributes
    ----------
    has_sets : bool
        Whether rows have any number of labels: there is a separator, there are several columns, or one of the first
        rows has several labels, or a list of none.
    are_columns : bool
        Whether the columns are the labels, and the cells say yes or no.
    """

    def __init__(
        self, sample: Any, columns: Sequence[str], separator: str | None, usual_separator: str | None = None
    ) -> None:
        if separator is not None and (not isinstance(separator, str) or not separator):
            raise ValueError(f"separator must be one or more characters, got {separator!r:.40}")
        self._columns, self._separator = tuple(columns), separator or usual_separator
        found = self._cells(sample)
        self.are_columns = len(columns) > 1 and all(_says(cell) is not None for each in found for cell in each.values)
        lengths = {len(cell) for each in found for cell in each.values if cell is not None}
        is_listed = any(each.are_lists for each in found)
        are_several = max(lengths, default=0) > 1 or (is_listed and 0 in lengths)
        self.has_sets = separator is not None or len(columns) > 1 or are_several

    def read(self, table: Any) -> RowLabels:
        """Read the labels of rows."""
        found = self._cells(table)
        faults = {row: kind for each in reversed(found) for row, kind in each.faults.items()}
        if self.are_columns:
            return self._of_columns(found, faults)
        labels = _joined(found)
        if self.has_sets:
            is_listed = _are_lists(found, table.num_rows)
            missing = [row for row, cell in enumerate(labels) if not cell and not is_listed[row]]
            return RowLabels([*labels], {**dict.fromkeys(missing, "no label"), **faults})
        missing = [row for row, cell in enumerate(labels) if not cell]
        several = [row for row, cell in enumerate(labels) if len(cell) > 1]
        faults = {**dict.fromkeys(missing, "no label"), **dict.fromkeys(several, "several labels"), **faults}
        return RowLabels([cell[0] if cell else "" for cell in labels], faults)

    def _of_columns(self, found: list[LabelCells], faults: dict[int, str]) -> RowLabels:
        answers = [[_says(cell) for cell in each.values] for each in found]
        values = list[Label]()
        for row, said in enumerate(zip(*answers, strict=True)):
            if None in said:
                faults.setdefault(row, "not yes or no")
            values.append(tuple(name for name, yes in zip(self._columns, said, strict=True) if yes))
        return RowLabels(values, faults)

    def _cells(self, table: Any) -> list[LabelCells]:
        return [label_cells(table.column(name), table.schema.field(name), self._separator) for name in self._columns]

    def __str__(self) -> str:
        if self.are_columns:
            return f"each of {len(self._columns)} columns is a label that a row has or has not"
        separator = "" if self._separator is None else f", separated by {quoted(self._separator)}"
        return f"several labels{separator}" if self.has_sets else "one label"


def _joined(found: list[LabelCells]) -> list[tuple[str, ...]]:
    """Return the labels of each row in all columns."""
    if len(found) == 1:
        return [cell or () for cell in found[0].values]
    rows = zip(*(each.values for each in found), strict=True)
    return [tuple(dict.fromkeys(label for cell in row for label in cell or ())) for row in rows]


def _are_lists(found: list[LabelCells], n_rows: int) -> list[bool]:
    """Return whether each row has a list, which may be empty, in some column."""
    lists = [each.values for each in found if each.are_lists]
    return [any(cell is not None for cell in row) for row in zip(*lists, strict=True)] if lists else [False] * n_rows


def _says(cell: tuple[str, ...] | None) -> bool | None:
    """Whether a cell says yes; None if it says something else."""
    answer = cell[0].strip().casefold() if cell else ""
    if cell is not None and len(cell) > 1:
        return None
    return True if answer in YES else False if answer in NO else None
