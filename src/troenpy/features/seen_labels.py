"""The classes of a stream so far, and the documents of each; new classes may appear in any batch."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.fields import class_array
from troenpy.counts.labels import Labels
from troenpy.counts.merging import merge


@dataclass(frozen=True, eq=False)
class SeenLabels:
    """The labels of a stream; never changed.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        In ascending order.
    codes : ndarray of shape (K,)
        The number of each class, in order of appearance.
    n_docs : ndarray of shape (K,)
        Documents per class, by number: int64, or float64 if documents have weights.
    n_documents : int or float
        The total number of documents, or their weight.
    largest_weight : float
        1 without weights.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int64]
    n_docs: NDArray[Any]
    n_documents: int | float = 0
    largest_weight: float = 1.0

    @classmethod
    def none(cls) -> "SeenLabels":
        """Return the labels of a stream without batches."""
        return cls(np.empty(0, dtype=object), np.empty(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, counts: ClassCounts, largest_weight: float) -> "SeenLabels":
        """Return the labels of a stream that continues from counts."""
        codes = np.arange(len(counts.classes))
        return cls(counts.classes, codes, counts.n_docs, counts.n_documents, largest_weight)

    def add(self, labels: Labels, weights: NDArray[np.float64] | None) -> tuple["SeenLabels", NDArray[np.int64]]:
        """Return the labels with those of a batch, and the number of the class of each label in the batch."""
        seen, codes = self._with_classes(class_array(labels.classes))
        numbers = codes[labels.indicator.indices]
        by_label = None if weights is None else np.repeat(weights, np.diff(labels.indicator.indptr))
        dtype = np.int64 if weights is None else np.float64  # numpy counts no labels as integers
        n_docs = seen.n_docs + np.bincount(numbers, by_label, len(seen.classes)).astype(dtype, copy=False)
        n_documents = seen.n_documents + (len(labels) if weights is None else float(weights.sum()))
        largest = seen.largest_weight if weights is None else max(seen.largest_weight, *weights.tolist(), 0.0)
        return replace(seen, n_docs=n_docs, n_documents=n_documents, largest_weight=largest), numbers

    def _with_classes(self, classes: NDArray[Any]) -> tuple["SeenLabels", NDArray[np.int64]]:
        """Return the labels with some classes, and the number of each."""
        if classes.dtype == self.classes.dtype and np.array_equal(classes, self.classes):
            return self, self.codes
        union, of_old, of_new = merge(self.classes, classes, "classes")
        codes = np.full(len(union), -1)
        codes[of_old] = self.codes
        is_new = codes < 0
        codes[is_new] = np.arange(len(self.codes), len(union))
        n_docs = np.concatenate([self.n_docs, np.zeros(is_new.sum(), dtype=self.n_docs.dtype)])
        return replace(self, classes=union, codes=codes, n_docs=n_docs), codes[of_new]

    def ranks(self) -> NDArray[np.int64]:
        """Return the position in `classes` of each class number."""
        return np.argsort(self.codes)
