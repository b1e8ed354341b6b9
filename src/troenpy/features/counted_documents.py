"""Training documents after counting and before learning: what weights, profiles and choices are learnt from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.labels import Labels
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.counted_rows import CountedRows
from troenpy.features.rows import total_length
from troenpy.features.views import View
from troenpy.weights.count_table import Floats


@dataclass(frozen=True, eq=False)
class CountedDocuments:
    """The counts of every view, with labels.

    Parameters
    ----------
    views : list of View
    counters : list of CountVectorizer or None
        Fitted; None if documents are rows of counts, or if nobody needs the terms.
    rows : list of CountedRows
    labels : Labels
    weights : ndarray of shape (n_documents,) or None
        How many documents each document counts as; those of weight zero are not learnt from.
    """

    views: list[View]
    counters: list[CountVectorizer | None]
    rows: list[CountedRows]
    labels: Labels
    weights: Floats | None

    def of_views(self, names: Sequence[str]) -> "CountedDocuments":
        """Return some of the views."""
        kept = [number for number, view in enumerate(self.views) if view.name in names]
        return replace(
            self,
            views=[self.views[number] for number in kept],
            counters=[self.counters[number] for number in kept],
            rows=[self.rows[number] for number in kept],
        )

    def part(self, documents: NDArray[np.int64]) -> "CountedDocuments":
        """Return a copy of some documents, without the counters."""
        matrices = [of_view.matrix[documents] for of_view in self.rows]
        rows = [CountedRows(matrix, matrix.data, matrix.indices) for matrix in matrices]
        weights = None if self.weights is None else self.weights[documents]
        return replace(
            self, counters=[None] * len(rows), rows=rows, labels=self.labels.part(documents), weights=weights
        )

    def weighted(self, weights: Floats) -> "CountedDocuments":
        """Return the same documents with other weights, without the counters."""
        return replace(self, counters=[None] * len(self.rows), weights=weights)

    def class_counts(self) -> list[ClassCounts]:
        """Return documents per class and term, of every view."""
        return [ClassCounts.from_present(of_view.matrix, self.labels, self.weights) for of_view in self.rows]

    def mean_lengths(self) -> list[float]:
        """Return the mean number of terms of a document, of every view."""
        return [mean_length(of_view.matrix, self.weights) for of_view in self.rows]


def mean_length(X: Any, sample_weight: Floats | None) -> float:
    """Return the mean document length, in terms."""
    n_documents = X.shape[0] if sample_weight is None else float(sample_weight.sum())
    return total_length(X, sample_weight) / n_documents if n_documents else 0.0
