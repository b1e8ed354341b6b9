"""Documents per class and term in each of some groups of documents: what a delete-a-group jackknife needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.fields import class_array


@dataclass(frozen=True, eq=False)
class GroupedCounts:
    """Documents per class, group and term. Groups are random parts of all documents, such as by a hash of the text.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        In ascending order.
    terms : ndarray of shape (V,)
    n_documents : ndarray of shape (G,)
        All documents of each group.
    n_docs : ndarray of shape (K, G)
        Documents per class and group.
    term_docs : CSC of shape (G, V)
        Documents per group and term.
    doc_freq : CSC of shape (K * G, V)
        Documents per class, group and term: row k G + g is group g of class k.
    """

    classes: NDArray[Any]
    terms: NDArray[np.object_]
    n_documents: NDArray[np.int64]
    n_docs: NDArray[np.int64]
    term_docs: sparse.csc_array
    doc_freq: sparse.csc_array

    @classmethod
    def from_pairs(
        cls, counts: ClassCounts, names: Sequence[Any], n_groups: int, terms: NDArray[np.object_], *, has_all: bool
    ) -> "GroupedCounts":
        """Return the counts of pairs of class and group, which were counted as classes.

        Parameters
        ----------
        counts : ClassCounts
            Its classes are numbers: (1 + i) G + g for group g of class i; and g for group g of all documents.
        names : sequence
            The name of class i.
        n_groups : int
        terms : ndarray of shape (V,)
        has_all : bool
            Whether all documents were counted too. If not, every document has one class.

        Examples
        --------
        >>> pairs = ClassCounts.from_matrix([[1, 0], [1, 1], [0, 1]], [2, 3, 4], terms=["goal", "vote"])
        >>> grouped = GroupedCounts.from_pairs(pairs, ["sport", "news"], 2, pairs.terms, has_all=False)
        >>> grouped.classes.tolist(), grouped.n_docs.tolist(), grouped.n_documents.tolist()
        (['news', 'sport'], [[1, 0], [1, 1]], [2, 1])
        >>> grouped.of_class(1, [0, 1]).tolist()  # of sport: group 0 has "goal", group 1 has "goal" and "vote"
        [[1, 0], [1, 1]]
        >>> grouped.total().doc_freq.toarray().tolist(), grouped.without(1).n_docs.tolist()
        ([[0, 1], [2, 1]], [1, 1])
        """
        order = sorted(range(len(names)), key=names.__getitem__)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        codes = counts.classes.astype(np.int64)
        numbers, groups = codes // n_groups - 1, codes % n_groups
        rows = np.where(numbers < 0, 0, place[numbers] + 1) * n_groups + groups
        n_rows = (1 + len(names)) * n_groups
        n_docs = np.bincount(rows, counts.n_docs, n_rows).astype(np.int64).reshape(-1, n_groups)
        table = counts.doc_freq
        entries = table.data.astype(np.int32), rows[table.indices].astype(np.int32), table.indptr
        table = sparse.csc_array(entries, shape=(n_rows, table.shape[1]))
        table.sort_indices()
        of_classes = table[n_groups:]
        by_group = table[:n_groups] if has_all else _sum_classes(of_classes, len(names), n_groups)
        return cls(
            classes=class_array([names[number] for number in order]),
            terms=terms,
            n_documents=n_docs[0] if has_all else n_docs[1:].sum(axis=0),
            n_docs=n_docs[1:],
            term_docs=by_group,
            doc_freq=of_classes,
        )

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.n_documents)

    def select(self, columns: Any) -> "GroupedCounts":
        """Return the counts of some of the terms."""
        chosen = np.asarray(columns)
        return replace(
            self,
            terms=self.terms[chosen],
            term_docs=self.term_docs[:, chosen],
            doc_freq=self.doc_freq[:, chosen],
        )

    def of_class(self, number: int, columns: Any) -> NDArray[np.int64]:
        """Return the documents of a class with some terms, G x n."""
        rows = self._rows[number * self.n_groups : (number + 1) * self.n_groups]
        found: NDArray[np.int64] = rows[:, columns].toarray().astype(np.int64)
        return found

    def of_all(self, columns: Any) -> NDArray[np.int64]:
        """Return the documents with some terms, G x n."""
        found: NDArray[np.int64] = self.term_docs[:, columns].toarray().astype(np.int64)
        return found

    @cached_property
    def _rows(self) -> sparse.csr_array:
        return self.doc_freq.tocsr()

    def total(self) -> ClassCounts:
        """Return the counts of all documents."""
        return self._sum(np.ones(self.n_groups, dtype=np.int64))

    def without(self, group: int) -> ClassCounts:
        """Return the counts of all documents but those of a group."""
        return self._sum((np.arange(self.n_groups) != group).astype(np.int64))

    def _sum(self, chosen: NDArray[np.int64]) -> ClassCounts:
        n_classes = len(self.classes)
        sums = sparse.kron(sparse.eye_array(n_classes, dtype=np.int64), chosen[np.newaxis], format="csr")
        doc_freq = sparse.csc_array(sums @ self.doc_freq)
        doc_freq.sort_indices()
        doc_freq.eliminate_zeros()
        return ClassCounts.from_sums(
            classes=self.classes.copy(),
            n_documents=int(self.n_documents @ chosen),
            n_docs=self.n_docs @ chosen,
            doc_freq=doc_freq,
            term_docs=np.asarray(chosen @ self.term_docs, dtype=np.int64),
            terms=self.terms.copy(),
        )


def _sum_classes(of_classes: sparse.csc_array, n_classes: int, n_groups: int) -> sparse.csc_array:
    rows = np.tile(np.arange(n_groups), n_classes)
    ones = np.ones(len(rows), dtype=np.int32)
    sums = sparse.csr_array((ones, (rows, np.arange(len(rows)))), shape=(n_groups, len(rows)))
    return sparse.csc_array(sums @ of_classes)
