"""Fisher's exact test of every term in every class, and the discoveries among them.

Most terms lack most classes, and such a pair depends on the term only through its documents in the reference: so each
distinct table of four counts is tested once, and memory holds the pairs that occur.
"""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.class_frequency import frequent_in_some_class
from troenpy.statistics import adjusted_p_values, fisher_exact


class Discoveries(NamedTuple):
    """The terms that a class has significantly more often than the reference, or less often."""

    number: int
    columns: NDArray[np.int64]
    p: NDArray[np.float64]
    q: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TermTests:
    """All pairs of term and class that are tested.

    Parameters
    ----------
    counts : ClassCounts
        Of all terms.
    min_class_df : int or float
        Test the terms that some class has in at least this many of its documents, or in this part of them.
    reference : int or None
        The number of the class that others are compared with; None is all documents that are not of the class.
    exact : ndarray of bool, optional
        The terms that may be tested at all.
    """

    counts: ClassCounts
    min_class_df: int | float
    reference: int | None = None
    exact: NDArray[np.bool_] | None = None

    @property
    def numbers(self) -> list[int]:
        """The classes that are compared."""
        return [k for k in range(len(self.counts.classes)) if k != self.reference]

    @property
    def least(self) -> int:
        """The fewest documents, of the class and its reference together, that a term must have to be tested.

        A rule about the documents of a class would choose terms by what is tested, and make chance look significant: so
        pairs that only such a rule excludes count as tests.
        """
        if isinstance(self.min_class_df, Integral):
            return int(self.min_class_df)
        sizes = self.counts.n_docs[self.counts.n_docs > 0]
        return max(1, int(np.ceil(self.min_class_df * sizes.min(initial=1) * (1 - 1e-9))))

    @cached_property
    def kept(self) -> NDArray[np.int64]:
        """The columns of the terms that are tested."""
        mask = frequent_in_some_class(self.counts, self.min_class_df)
        return np.flatnonzero(mask if self.exact is None else mask & self.exact)

    @cached_property
    def n_tests(self) -> int:
        """The number of tests, including the terms that only `min_class_df` excludes."""
        rows = self.counts.doc_freq.tocsr()
        total = 0
        for number in self.numbers:
            both = self._of_reference(number, rows)
            if self.reference is not None:
                both = both + _dense(rows, number)
            total += int(np.count_nonzero(both >= self.least))
        return total

    def _of_reference(self, number: int, rows: Any) -> NDArray[Any]:
        """Return the documents of the reference with each term; of the class, too, if the reference is the rest."""
        return self.counts.term_docs if self.reference is None else _dense(rows, self.reference)

    def n_reference(self, number: int) -> int:
        """The documents that a class is compared with."""
        if self.reference is not None:
            return int(self.counts.n_docs[self.reference])
        return int(self.counts.n_documents - self.counts.n_docs[number])

    def discoveries(self, fdr: float) -> list[Discoveries]:
        """Return the discoveries of each class, with columns among all terms."""
        kept = self.kept
        rows = sparse.csr_array(self.counts.doc_freq[:, kept].tocsr())
        tested = [self._tables(number, rows, kept) for number in self.numbers]
        p = np.concatenate([np.empty(0), *(one.p for one in tested)])
        repeats = np.concatenate([np.empty(0, dtype=np.int64), *(one.repeats for one in tested)])
        q = adjusted_p_values(p, repeats, self.n_tests)
        borders = np.cumsum([0, *(len(one.p) for one in tested)])
        return [
            _choose(number, one, q[i:j], fdr, kept)
            for number, one, i, j in zip(self.numbers, tested, borders[:-1], borders[1:], strict=True)
        ]

    def _tables(self, number: int, rows: Any, kept: NDArray[np.int64]) -> "_Tables":
        """Test the distinct tables of a class: those of the terms that it has, and those of others."""
        of_class = slice(rows.indptr[number], rows.indptr[number + 1])
        columns, a = rows.indices[of_class].astype(np.int64), rows.data[of_class].astype(np.int64)
        of_reference = self.counts.term_docs[kept] if self.reference is None else _dense(rows, self.reference)
        of_reference = of_reference.astype(np.int64)
        b = of_reference[columns] - (a if self.reference is None else 0)
        is_tested = a + b >= self.least
        columns, a, b = columns[is_tested], a[is_tested], b[is_tested]
        base = int(b.max(initial=0)) + 1
        codes, which, repeats = np.unique(a * base + b, return_inverse=True, return_counts=True)
        lacking = np.ones(len(kept), dtype=bool)
        lacking[rows.indices[of_class]] = False
        lacking &= of_reference >= self.least
        frequency = np.bincount(of_reference[lacking])
        absent = np.flatnonzero(frequency)
        n_in, n_out = int(self.counts.n_docs[number]), self.n_reference(number)
        tables = np.append(codes // base, np.zeros_like(absent)), np.append(codes % base, absent)
        return _Tables(
            p=fisher_exact(*tables, n_in, n_out),
            repeats=np.append(repeats, frequency[absent]).astype(np.int64),
            columns=columns,
            which=which.ravel(),
            lacking=np.flatnonzero(lacking),
            which_lacking=len(codes) + np.searchsorted(absent, of_reference[lacking]),
        )


class _Tables(NamedTuple):
    p: NDArray[np.float64]
    repeats: NDArray[np.int64]
    columns: NDArray[np.int64]
    which: NDArray[np.int64]
    lacking: NDArray[np.int64]
    which_lacking: NDArray[np.int64]


def _choose(number: int, tested: _Tables, q: NDArray[np.float64], fdr: float, kept: NDArray[np.int64]) -> Discoveries:
    columns, which = np.append(tested.columns, tested.lacking), np.append(tested.which, tested.which_lacking)
    found = q[which] <= fdr
    order = np.argsort(columns[found])
    chosen = which[found][order]
    return Discoveries(number, kept[columns[found][order]], tested.p[chosen], q[chosen])


def _dense(rows: Any, number: int) -> NDArray[np.int64]:
    values = np.zeros(rows.shape[1], dtype=np.int64)
    of_class = slice(rows.indptr[number], rows.indptr[number + 1])
    values[rows.indices[of_class]] = rows.data[of_class]
    return values
