"""Rows of a file as documents: their texts, labels, and the cells of one more column."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from troenpy.counts.labels import read_label_sets
from troenpy.records import Records
from troenpy.tasks.evaluation import Label


class Documents(NamedTuple):
    """Some documents; `cells` are those of the column that decides which documents are tested, if there is one."""

    texts: list[str]
    labels: list[Label]
    cells: list[str] | None = None

    def select(self, places: Any) -> "Documents":
        """Return some of them."""
        chosen = np.asarray(places).tolist()
        cells = None if self.cells is None else [self.cells[i] for i in chosen]
        return Documents([self.texts[i] for i in chosen], [self.labels[i] for i in chosen], cells)


def documents(records: Records, column: str | None = None) -> Iterator[Documents]:
    """Read the rows that are not broken, batch by batch."""
    for batch in records.batches():
        good = np.flatnonzero(~batch.is_broken)
        texts, labels = batch.texts.to_pylist(), batch.labels or []
        cells = None if column is None else [_cell(cell) for cell in batch.table.column(column).to_pylist()]
        yield Documents(texts, labels, cells).select(good)


def _cell(cell: Any) -> str:
    return "" if cell is None else str(cell)


def has_sets(labels: Sequence[Label]) -> bool:
    """Whether documents have any number of labels, not one."""
    return bool(labels) and not isinstance(labels[0], str)


def as_labels(labels: Sequence[Any]) -> Any:
    """Return labels as classifiers read them."""
    return read_label_sets(labels) if has_sets(labels) else list(labels)


def predicted_labels(model: Any, texts: Any) -> list[Label]:
    """Return the predictions of a classifier as labels, or as tuples of labels."""
    found = model.predict(texts)
    if found.ndim == 1:
        return [str(label) for label in found.tolist()]
    names = [str(name) for name in model.classes_.tolist()]
    return [tuple(names[k] for k in np.flatnonzero(row)) for row in found]
