"""Sums and extremes over the classes of a K x V table of counts, at the cost of its non-zeros.

A formula over all classes also runs over the cells that are zero. Such a cell depends on its term only through the
term's total, so `sum` adds the zeros once per distinct total and corrects at the non-zeros; a formula that is
monotone in the size of the class has its extreme, among the zeros, at the first class in order of size that lacks
the term. Nothing here is ever K x V dense. `by_terms` runs a formula over blocks of terms, whose temporary arrays fit
the cache: a single array per step over all cells would cost several times as much in page faults.
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

CELLS_PER_BLOCK = 1 << 16  # about: a term is never divided
_TABLE = 1 << 21  # entries of a temporary table of class sizes and totals


def by_terms(counts: ClassCounts, formula: "Callable[[Cells], Floats]") -> Floats:
    """Give every term the value of a formula over its cells, and zero if no document holds it.

    The formula sees one block of consecutive terms at a time.
    """
    check_counts(counts)
    table = counts.doc_freq
    edges = np.searchsorted(table.indptr, np.arange(0, table.indptr[-1], CELLS_PER_BLOCK)[1:])
    blocks = zip([0, *edges], [*edges, table.shape[1]], strict=True)
    values = []
    for start, stop in blocks:
        cells = Cells(counts, table, start, stop)
        values.append(np.where(cells.n_w > 0, formula(cells), 0.0))
    return np.concatenate(values)


class Cells:
    """The stored cells of some terms as floats, with the totals that formulas need. Empty classes are left out.

    Attributes hold, in the paper's symbols: `n` documents; `C` documents by class; `n_w` documents by term; for every
    cell its class `i`, its term `w` and its count `n_iw`. `N` and `N_w` count label occurrences, not documents:
    the same unless documents have several labels or none; `N_but_largest` those of all classes but the largest.
    `table` is `counts.doc_freq`.
    """

    def __init__(self, counts: ClassCounts, table: sparse.csc_array, start: int, stop: int) -> None:
        kept = np.flatnonzero(counts.n_docs > 0)
        check_two_classes(counts.classes[kept])
        starts = np.asarray(table.indptr[start : stop + 1], dtype=np.int64)
        stored = slice(starts[0], starts[-1])
        self.n_terms, self.starts = stop - start, starts - starts[0]
        self.n = float(counts.n_documents)
        self.C: Floats = counts.n_docs[kept].astype(np.float64)
        self.n_w: Floats = counts.term_docs[start:stop].astype(np.float64)
        self.i: Integers = table.indices[stored]
        if len(kept) < len(counts.n_docs):
            self.i = np.searchsorted(kept, self.i)
        self.n_iw: Floats = table.data[stored].astype(np.float64)
        self.N = float(self.C.sum())
        self.N_but_largest = float(np.delete(self.C, np.argmax(self.C)).sum())

    @cached_property
    def w(self) -> Integers:
        """The term of each cell."""
        return np.repeat(np.arange(self.n_terms), np.diff(self.starts))

    @cached_property
    def N_w(self) -> Floats:  # noqa: N802
        """Label occurrences by term."""
        return self.sum_of_cells(self.n_iw)

    def sum_of_cells(self, values: Floats) -> Floats:
        """Sum one value per stored cell by term."""
        return np.bincount(self.w, weights=values, minlength=self.n_terms).astype(np.float64, copy=False)

    def max_of_cells(self, values: Floats) -> Floats:
        """Return the largest value per term; minus infinity for a term without cells."""
        largest = np.full(self.n_terms, -np.inf)
        has_cells = np.diff(self.starts) > 0
        if has_cells.any():
            largest[has_cells] = np.maximum.reduceat(values, self.starts[:-1][has_cells])
        return largest

    def sum(self, at_cells: Floats, at_zero: Callable[[Floats, Floats], Floats], totals: Floats) -> Floats:
        """Sum a formula over all classes by term.

        Parameters
        ----------
        at_cells : ndarray of shape (n_cells,)
            Its value at the stored cells.
        at_zero : function of (class sizes, term totals)
            Its value where the term is not in the class, elementwise, and finite: it is also called, and cancelled
            out, for classes that hold the term.
        totals : ndarray of shape (V,)
            The totals that `at_zero` depends on.
        """
        distinct, which = _distinct(totals)
        sizes, class_size, repeats = np.unique(self.C, return_inverse=True, return_counts=True)
        zeros = np.empty(len(distinct))
        step = max(1, _TABLE // len(sizes))
        for start in range(0, len(distinct), step):
            block = slice(start, start + step)
            values = at_zero(sizes[:, np.newaxis], distinct[np.newaxis, block])
            table = np.broadcast_to(values, (len(sizes), values.shape[1]))
            zeros[block] = repeats @ table
        if step >= len(distinct) > 0:  # all of it is in the table
            places = class_size[self.i] * len(distinct)
            places += which[self.w]
            zeros_of_cells = np.ascontiguousarray(table).ravel().take(places)
        else:
            zeros_of_cells = at_zero(self.C[self.i], totals[self.w])
        return zeros[which] + self.sum_of_cells(at_cells - zeros_of_cells)

    def first_lacking(self, class_key: Floats) -> Integers:
        """Return, by term, the class with the smallest key among those that lack it; -1 where none does."""
        n_classes = len(self.C)
        order = np.argsort(class_key, kind="stable")
        rank = np.empty(n_classes, dtype=np.int64)
        rank[order] = np.arange(n_classes)
        # In a term's sorted ranks, exactly those before the first gap stand at their own position.
        ranks = np.sort(self.w * n_classes + rank[self.i]) % n_classes
        position = np.arange(len(ranks)) - self.starts[self.w]
        gap = np.bincount(self.w[ranks == position], minlength=self.n_terms)
        return np.where(gap < n_classes, np.append(order, -1)[gap], -1)

    def largest_magnitude(self, at_cells: Floats, at_zero: Callable[[Integers], Floats], class_key: Floats) -> Floats:
        """Return the value of largest magnitude over all classes, with its sign; the first class wins a tie.

        Parameters
        ----------
        at_cells : ndarray of shape (n_cells,)
            The values at the stored cells.
        at_zero : function of class numbers of shape (V,)
            The values where each term is not in that class.
        class_key : ndarray of shape (K,)
            `at_zero` is monotone in it.
        """
        magnitude = np.abs(at_cells)
        lacking = [self.first_lacking(class_key), self.first_lacking(-class_key)]
        zeros = [np.where(i >= 0, at_zero(i), 0.0) for i in lacking]
        largest = np.maximum.reduce([np.abs(zeros[0]), np.abs(zeros[1]), self.max_of_cells(magnitude)])
        enough = largest * (1 - 1e-9)  # equal up to rounding is a tie
        is_largest = magnitude >= enough[self.w]
        terms, first = np.unique(self.w[is_largest], return_index=True)
        best, best_class = np.zeros(self.n_terms), np.full(self.n_terms, len(self.C))
        best[terms], best_class[terms] = at_cells[is_largest][first], self.i[is_largest][first]
        for i, values in zip(lacking, zeros, strict=True):
            is_better = (i >= 0) & (np.abs(values) >= enough) & (i < best_class)
            best, best_class = np.where(is_better, values, best), np.where(is_better, i, best_class)
        return best


def check_counts(counts: Any) -> None:
    """Raise TypeError unless these are class counts."""
    if not isinstance(counts, ClassCounts):
        raise TypeError(
            f"counts must be ClassCounts, got {type(counts).__name__}: make them by ClassCounts.from_matrix(X, y)"
        )


def check_two_classes(classes: NDArray[Any]) -> None:
    """Raise ValueError unless there are two classes with documents."""
    if len(classes) < 2:
        names = f"one class ({classes.tolist()[0]!r})" if len(classes) else "none, or sample weights all zero"
        raise ValueError(f"term weights compare classes: at least two with documents are needed, got {names}")


def remainder(whole: Any, part: Any) -> Any:
    """Return whole - part; zero where sample weights leave only rounding."""
    rest = np.asarray(whole - part)
    np.copyto(rest, 0.0, where=rest <= 1e-12 * whole)
    return rest


def _distinct(totals: Floats) -> tuple[Floats, Integers]:
    """Return the distinct totals in rising order, and which of them each one is, as np.unique does.

    Whole numbers that are not much larger than they are many need no sorting.
    """
    largest = totals.max(initial=0.0)
    if largest > 4 * len(totals) or (totals < 0).any():
        return np.unique(totals, return_inverse=True)
    whole = totals.astype(np.int64)
    if (whole != totals).any():
        return np.unique(totals, return_inverse=True)
    is_there = np.zeros(int(largest) + 1, dtype=bool)
    is_there[whole] = True
    number = np.cumsum(is_there)
    return np.flatnonzero(is_there).astype(np.float64), number[whole] - 1
