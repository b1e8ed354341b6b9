"""Streams of rows with fixed columns: small batches are gathered, and counted together.

A stream is never changed: adding a batch returns a new one.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import documents_by_class
from troenpy.counts.labels import Labels
from troenpy.features.rows import total_length
from troenpy.features.seen_labels import SeenLabels
from troenpy.features.tallies import Tally

#: Batches are counted when they have this many entries: counting has a cost per column.
MANY_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class Gathered:
    """A batch that has not been counted: its rows, and the class numbers and weights of its documents."""

    indices: NDArray[Any]
    lengths: NDArray[Any]
    codes: NDArray[np.int64]
    n_labels: NDArray[Any]
    weights: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class RowStream:
    """A stream of rows.

    Parameters
    ----------
    seen : SeenLabels
    doc_freq : CSC array of shape (n_classes, n_columns)
        Documents per class, by number, and column: of the batches that have been counted.
    term_docs : ndarray of shape (n_columns,)
    gathered : tuple of Gathered
        The other batches.
    length : float
        The weighted sum of all counts.
    n_batches, n_documents : int
    """

    seen: SeenLabels
    doc_freq: sparse.csc_array
    term_docs: NDArray[Any]
    gathered: tuple[Gathered, ...] = ()
    length: float = 0.0
    n_batches: int = 0
    n_documents: int = 0

    @classmethod
    def empty(cls, n_columns: int) -> "RowStream":
        """Return a stream without batches."""
        doc_freq = sparse.csc_array((0, n_columns), dtype=np.int64)
        return cls(SeenLabels.none(), doc_freq, np.zeros(n_columns, dtype=np.int64))

    @classmethod
    def of_counts(cls, counts: ClassCounts, length: float, n_batches: int = 1, n_documents: int = 0) -> "RowStream":
        """Return a stream that continues from counts."""
        seen = SeenLabels.of(counts, 1.0)
        return cls(seen, counts.doc_freq, counts.term_docs, (), length, n_batches, n_documents)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.term_docs)

    def copy(self, n_threads: int = 1) -> "RowStream":
        """Return the stream itself."""
        return self

    def add(self, rows: Any, labels: Labels, weights: NDArray[np.float64] | None, *, n_threads: int = 1) -> "RowStream":
        """Return the stream with another batch.

        Parameters
        ----------
        rows : CSR of shape (n_documents, n_columns)
            Canonical, with positive values only; its indices are copied.
        labels : Labels
        weights : ndarray of shape (n_documents,) or None
        n_threads : int, default=1

        Returns
        -------
        RowStream
        """
        if rows.shape[1] != self.n_columns:
            raise ValueError(
                f"the batches so far have {self.n_columns} terms, got {rows.shape[1]}: keep the vocabulary, or clone"
                " the estimator first"
            )
        length = total_length(rows, weights)
        seen, codes = self.seen.add(labels, weights)
        lengths, n_labels = np.diff(rows.indptr), np.diff(labels.indicator.indptr)
        batch = Gathered(rows.indices.copy(), lengths, codes, n_labels, weights)
        stream = replace(
            self,
            seen=seen,
            gathered=(*self.gathered, batch),
            length=self.length + length,
            n_batches=self.n_batches + 1,
            n_documents=self.n_documents + len(labels),
        )
        n_entries = sum(len(part.indices) for part in stream.gathered)
        return stream._count(n_threads) if n_entries >= MANY_ENTRIES else stream

    def _count(self, n_threads: int) -> "RowStream":
        """Return the stream with all batches counted."""
        if not self.gathered:
            return self
        n_classes = len(self.seen.classes)
        weights = None
        if any(part.weights is not None for part in self.gathered):
            parts = [np.ones(len(p.lengths)) if p.weights is None else p.weights for p in self.gathered]
            weights = np.concatenate(parts)
        present = _stack("indices", "lengths", self.gathered, self.n_columns)
        members = _stack("codes", "n_labels", self.gathered, n_classes)
        members.has_sorted_indices = False
        members.sort_indices()
        by_class, term_docs = documents_by_class(present, Labels(np.arange(n_classes), members), weights, n_threads)
        before = self.doc_freq
        before = sparse.csc_array((before.data, before.indices, before.indptr), shape=by_class.shape)
        doc_freq = sparse.csc_array(before + by_class) if before.nnz else by_class
        return replace(self, doc_freq=doc_freq, term_docs=self.term_docs + term_docs, gathered=())

    def tally(self, n_threads: int = 1) -> Tally:
        """Return the counts of all batches."""
        stream, seen = self._count(n_threads), self.seen
        doc_freq, ranks = stream.doc_freq, seen.ranks()
        indices, shape = doc_freq.indices, (len(seen.classes), self.n_columns)
        dtype = seen.n_docs.dtype
        by_class = sparse.csc_array((doc_freq.data.astype(dtype), indices.copy(), doc_freq.indptr.copy()), shape=shape)
        if (ranks != np.arange(len(ranks))).any():
            by_class.indices = ranks[indices].astype(indices.dtype)
            by_class.sort_indices()
        counts = ClassCounts.from_sums(
            classes=seen.classes.copy(),
            n_documents=seen.n_documents,
            n_docs=seen.n_docs[seen.codes],
            doc_freq=by_class,
            term_docs=stream.term_docs.astype(dtype),
        )
        frequency = np.zeros(self.n_columns, dtype=np.int64) if counts.is_weighted else counts.term_docs
        return Tally(counts, None, self.n_documents, frequency, np.array([self.length]), self.n_batches)


def _stack(indices: str, lengths: str, parts: tuple[Gathered, ...], n_columns: int) -> sparse.csr_array:
    """Return a CSR matrix of ones, from the indices and row lengths of batches."""
    columns = np.concatenate([getattr(part, indices) for part in parts])
    borders = np.concatenate([[0], *(getattr(part, lengths) for part in parts)]).cumsum().astype(columns.dtype)
    shape = len(borders) - 1, n_columns
    stacked = sparse.csr_array((np.ones(len(columns), dtype=np.int64), columns, borders), shape=shape)
    stacked.has_canonical_format = True
    return stacked
