"""Rows of a chunk as texts and labels, with the broken ones marked, or an error for the first of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from troenpy.records.arrow import Array, Table, arrow
from troenpy.records.cells import text_array
from troenpy.records.chunk import Chunk, LateKeys
from troenpy.records.problems import Fault, Problems
from troenpy.records.row_labels import Label, LabelReader


@dataclass(frozen=True, repr=False)
class RecordBatch:
    """Some rows of a file.

    Attributes
    ----------
    table : pyarrow.Table
        All columns, as they are in the file.
    texts : pyarrow.Array
        The text of each row, "" if it is broken.
    labels : list of str, list of tuples of str, or None
        The label or labels of each row, "" or () if it is broken; None if the file was opened without labels.
    is_broken : ndarray of bool
    first_row : int
        The number of the first row in the file, from 1.
    late_keys : dict of int to dict
        Of the rows of JSON with keys that have no column, because none of the first rows has them: JSON text by key.
    """

    table: Table
    texts: Array
    labels: list[Label] | None
    is_broken: NDArray[np.bool_]
    first_row: int
    late_keys: LateKeys = field(default_factory=dict)

    def __repr__(self) -> str:
        last_row, n_broken = self.first_row + len(self.is_broken) - 1, int(self.is_broken.sum())
        return f"RecordBatch(rows {self.first_row:,} to {last_row:,}, {n_broken:,} broken)"


class BatchReader:
    """Reads the texts and labels of chunks.

    Parameters
    ----------
    name : str
        Of the file.
    text : sequence of str
        The columns of text.
    labels : LabelReader or None
    stops : bool
        Whether a broken row is an error.
    """

    def __init__(self, name: str, text: Sequence[str], labels: LabelReader | None, *, stops: bool) -> None:
        self._name, self._text, self._labels, self._stops = name, text, labels, stops

    def read(self, chunk: Chunk, first_row: int, problems: Problems) -> RecordBatch:
        """Return the rows of a chunk, and count the broken ones."""
        table = chunk.table
        texts, kinds = self._texts(table)
        labels = None
        if self._labels is not None:
            labels, of_labels = self._labels.read(table)
            kinds = {**of_labels, **kinds}
        faults = {row: Fault(row, kind) for row, kind in kinds.items()}
        faults |= {fault.row: fault for fault in chunk.faults}  # what the format found goes first
        is_broken = np.zeros(table.num_rows, dtype=bool)
        if faults:
            if self._stops:
                row = min(faults)
                raise faults[row].error(self._name, first_row + row, chunk.line_of(row))
            is_broken[list(faults)] = True
            _count(faults, first_row, problems)
            texts = arrow("compute").if_else(arrow().array(is_broken), arrow().scalar("", texts.type), texts)
            if labels is not None and self._labels is not None:
                none: Label = () if self._labels.has_sets else ""
                labels = [none if broken else label for label, broken in zip(labels, is_broken.tolist(), strict=True)]
        return RecordBatch(table, texts, labels, is_broken, first_row, chunk.late_keys)

    def _texts(self, table: Table) -> tuple[Array, dict[int, str]]:
        compute = arrow("compute")
        arrays, faults = [], dict[int, str]()
        for name in self._text:
            found, of_column = text_array(table.column(name), table.schema.field(name))
            arrays.append(found)
            faults |= of_column
        texts = arrays[0]
        if len(arrays) > 1:
            same = [array.cast(arrow().large_string()) for array in arrays]
            newline = arrow().scalar("\n", arrow().large_string())
            texts = compute.binary_join_element_wise(*same, newline, null_handling="skip")
        texts = texts.fill_null("")
        is_blank = compute.equal(compute.utf8_trim_whitespace(texts), "").to_numpy(zero_copy_only=False)
        return texts, {**dict.fromkeys(np.flatnonzero(is_blank).tolist(), "no text"), **faults}


def _count(faults: dict[int, Fault], first_row: int, problems: Problems) -> None:
    for kind in dict.fromkeys(faults[row].kind for row in sorted(faults)):
        problems.add(kind, [first_row + row for row in sorted(faults) if faults[row].kind == kind])
