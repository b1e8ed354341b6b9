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

    Attributes
    ----------
    has_sets : bool
        Whether rows have any number of labels: there is a separator, there are several columns, or one of the first
        rows has a list with several or no labels.
    are_columns : bool
        Whether the columns are the labels, and the cells say yes or no.
    """

    def __init__(self, sample: Any, columns: Sequence[str], separator: str | None) -> None:
        if separator is not None and (not isinstance(separator, str) or not separator):
            raise ValueError(f"separator must be one or more characters, got {separator!r:.40}")
        self._columns, self._separator = tuple(columns), separator
        found = self._cells(sample)
        self.are_columns = len(columns) > 1 and all(_says(cell) is not None for each in found for cell in each.values)
        lengths = {len(cell) for each in found for cell in each.values if cell is not None}
        is_listed = any(each.are_lists for each in found)
        self.has_sets = separator is not None or len(columns) > 1 or (is_listed and lengths != {1})

    def read(self, table: Any) -> RowLabels:
        """Read the labels of rows."""
        found = self._cells(table)
        faults = {row: kind for each in reversed(found) for row, kind in each.faults.items()}
        if self.are_columns:
            return self._of_columns(found, faults)
        values = list[Label]()
        for row in range(table.num_rows):
            parts = [each.values[row] for each in found]
            labels = tuple(dict.fromkeys(label for part in parts if part is not None for label in part))
            is_list = any(each.are_lists and part is not None for each, part in zip(found, parts, strict=True))
            if not labels and not (self.has_sets and is_list):
                faults.setdefault(row, "no label")
            elif not self.has_sets and len(labels) > 1:
                faults.setdefault(row, "several labels")
            values.append(labels if self.has_sets else labels[0] if labels else "")
        return RowLabels(values, faults)

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


def _says(cell: tuple[str, ...] | None) -> bool | None:
    """Whether a cell says yes; None if it says something else."""
    answer = cell[0].strip().casefold() if cell else ""
    if cell is not None and len(cell) > 1:
        return None
    return True if answer in YES else False if answer in NO else None
