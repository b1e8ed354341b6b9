"""Sums and extremes over the classes of a sparse K x V table of counts, in time proportional to its non-zeros.

A formula over all classes has values at the zeros of the table too. There it depends on the term only through the
term's total, so `sum` adds the zeros once per distinct total and then corrects at the non-zeros. A formula that is
monotone in the class size has its extreme over the zeros at the smallest or largest class without the term. Nothing
here is ever K x V dense. `apply_by_term` evaluates a formula on blocks of terms, so that temporary arrays fit in the
cache: arrays over all terms would cost several times as much in page faults.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]

COUNTS_PER_BLOCK = 1 << 16  # approximately: a term is never split
_LARGEST_TEMPORARY = 1 << 21  # entries of a temporary array of class sizes by totals


def apply_by_term(counts: ClassCounts, formula: "Callable[[CountTable], Floats]") -> Floats:
    """Evaluate a formula for every term, one block of consecutive terms at a time; zero for a term in no document."""
    check_counts(counts)
    doc_freq = counts.doc_freq
    edges = np.searchsorted(doc_freq.indptr, np.arange(0, doc_freq.indptr[-1], COUNTS_PER_BLOCK)[1:])
    blocks = zip([0, *edges], [*edges, doc_freq.shape[1]], strict=True)
    values = []
    for start, stop in blocks:
        table = CountTable(counts, doc_freq, start, stop)
        values.append(np.where(table.n_w > 0, formula(table), 0.0))
    return np.concatenate(values)


class CountTable:
    """The non-zero counts of some terms as floats, and the totals that formulas need. Empty classes are left out.

    Attributes, in the paper's symbols: `n` documents; `C` documents per class; `n_w` documents per term; and for every
    non-zero count its class `i`, its term `w` and its value `n_iw`. `N` and `N_w` count label occurrences, which differ
    from documents if some have several labels or none; `N_but_largest` excludes the largest class.
    `doc_freq` is `counts.doc_freq`.
    """

    def __init__(self, counts: ClassCounts, doc_freq: sparse.csc_array, start: int, stop: int) -> None:
        kept = np.flatnonzero(counts.n_docs > 0)
        check_two_classes(counts.classes[kept])
        starts = np.asarray(doc_freq.indptr[start : stop + 1], dtype=np.int64)
        stored = slice(starts[0], starts[-1])
        self.n_terms, self.starts = stop - start, starts - starts[0]
        self.n = float(counts.n_documents)
        self.C: Floats = counts.n_docs[kept].astype(np.float64)
        self.n_w: Floats = counts.term_docs[start:stop].astype(np.float64)
        self.i: Integers = doc_freq.indices[stored]
        if len(kept) < len(counts.n_docs):
            self.i = np.searchsorted(kept, self.i)
        self.n_iw: Floats = doc_freq.data[stored].astype(np.float64)
        self.N = float(self.C.sum())
        self.N_but_largest = float(np.delete(self.C, np.argmax(self.C)).sum())

    @cached_property
    def w(self) -> Integers:
        """The term of each non-zero count."""
        return np.repeat(np.arange(self.n_terms), np.diff(self.starts))

    @cached_property
    def N_w(self) -> Floats:  # noqa: N802
        """Label occurrences per term."""
        return self.sum_by_term(self.n_iw)

    def sum_by_term(self, values: Floats) -> Floats:
        """Sum by term, given one value per non-zero count."""
        return np.bincount(self.w, weights=values, minlength=self.n_terms).astype(np.float64, copy=False)

    def max_by_term(self, values: Floats) -> Floats:
        """Return the largest value per term, given one per non-zero count; minus infinity for a term without counts."""
        largest = np.full(self.n_terms, -np.inf)
        has_counts = np.diff(self.starts) > 0
        if has_counts.any():
            largest[has_counts] = np.maximum.reduceat(values, self.starts[:-1][has_counts])
        return largest

    def sum(self, at_nonzeros: Floats, at_zero: Callable[[Floats, Floats], Floats], totals: Floats) -> Floats:
        """Sum a formula over all classes, for every term.

        Parameters
        ----------
        at_nonzeros : ndarray of shape (n_nonzeros,)
            Its value at the non-zero counts.
        at_zero : function of (class sizes, term totals)
            Its value for a class without the term, elementwise. Must be finite: it is also evaluated for classes that
            have the term, and cancels out there.
        totals : ndarray of shape (V,)
            The totals that `at_zero` depends on.
        """
        distinct, which = _distinct(totals)
        sizes, class_size, repeats = np.unique(self.C, return_inverse=True, return_counts=True)
        zeros = np.empty(len(distinct))
        step = max(1, _LARGEST_TEMPORARY // len(sizes))
        for start in range(0, len(distinct), step):
            block = slice(start, start + step)
            values = at_zero(sizes[:, np.newaxis], distinct[np.newaxis, block])
            values_by_size = np.broadcast_to(values, (len(sizes), values.shape[1]))
            zeros[block] = repeats @ values_by_size
        if step >= len(distinct) > 0:  # one block covered all totals
            places = class_size[self.i] * len(distinct)
            places += which[self.w]
            zeros_at_nonzeros = np.ascontiguousarray(values_by_size).ravel().take(places)
        else:
            zeros_at_nonzeros = at_zero(self.C[self.i], totals[self.w])
        return zeros[which] + self.sum_by_term(at_nonzeros - zeros_at_nonzeros)

    def first_class_without(self, class_key: Floats) -> Integers:
        """Return, per term, the class with the smallest key among those without the term; -1 if all have it."""
        n_classes = len(self.C)
        order = np.argsort(class_key, kind="stable")
        rank = np.empty(n_classes, dtype=np.int64)
        rank[order] = np.arange(n_classes)
        # Among a term's sorted ranks, exactly those before the first gap equal their position.
        ranks = np.sort(self.w * n_classes + rank[self.i]) % n_classes
        position = np.arange(len(ranks)) - self.starts[self.w]
        gap = np.bincount(self.w[ranks == position], minlength=self.n_terms)
        return np.where(gap < n_classes, np.append(order, -1)[gap], -1)

    def largest_magnitude(
        self, at_nonzeros: Floats, at_zero: Callable[[Integers], Floats], class_key: Floats
    ) -> Floats:
        """Return the value of largest magnitude over all classes, with its sign; the first class wins a tie.

        Parameters
        ----------
        at_nonzeros : ndarray of shape (n_nonzeros,)
            The values at the non-zero counts.
        at_zero : function of class numbers of shape (V,)
            The value for each term at a class without it.
        class_key : ndarray of shape (K,)
            A number per class; `at_zero` is monotone in it.
        """
        magnitude = np.abs(at_nonzeros)
        lacking = [self.first_class_without(class_key), self.first_class_without(-class_key)]
        zeros = [np.where(i >= 0, at_zero(i), 0.0) for i in lacking]
        largest = np.maximum.reduce([np.abs(zeros[0]), np.abs(zeros[1]), self.max_by_term(magnitude)])
        enough = largest * (1 - 1e-9)  # equal up to rounding is a tie
        is_largest = magnitude >= enough[self.w]
        terms, first = np.unique(self.w[is_largest], return_index=True)
        best, best_class = np.zeros(self.n_terms), np.full(self.n_terms, len(self.C))
        best[terms], best_class[terms] = at_nonzeros[is_largest][first], self.i[is_largest][first]
        for i, values in zip(lacking, zeros, strict=True):
            is_better = (i >= 0) & (np.abs(values) >= enough) & (i < best_class)
            best, best_class = np.where(is_better, values, best), np.where(is_better, i, best_class)
        return best


def check_counts(counts: Any) -> None:
    """Raise TypeError unless `counts` is ClassCounts."""
    if not isinstance(counts, ClassCounts):
        raise TypeError(
            f"counts must be ClassCounts, got {type(counts).__name__}: create them with ClassCounts.from_matrix(X, y)"
        )


def check_two_classes(classes: NDArray[Any]) -> None:
    """Raise ValueError unless at least two classes have documents."""
    if len(classes) < 2:
        names = f"one class ({classes.tolist()[0]!r})" if len(classes) else "none (or all sample weights are zero)"
        raise ValueError(f"term weights need at least two classes with documents, got {names}")


def remainder(whole: Any, part: Any) -> Any:
    """Return whole - part, with rounding errors of sample weights set to zero."""
    rest = np.asarray(whole - part)
    np.copyto(rest, 0.0, where=rest <= 1e-12 * whole)
    return rest


def _distinct(totals: Floats) -> tuple[Floats, Integers]:
    """Return the sorted distinct totals and their inverse, as np.unique does, but without sorting small integers."""
    largest = totals.max(initial=0.0)
    if largest > 4 * len(totals) or (totals < 0).any():
        return np.unique(totals, return_inverse=True)
    whole = totals.astype(np.int64)
    if (whole != totals).any():
        return np.unique(totals, return_inverse=True)
    occurs = np.zeros(int(largest) + 1, dtype=bool)
    occurs[whole] = True
    number = np.cumsum(occurs)
    return np.flatnonzero(occurs).astype(np.float64), number[whole] - 1
