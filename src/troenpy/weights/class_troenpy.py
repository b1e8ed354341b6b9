"""The troenpy of the classes: among all documents, those that hold a term and those that do not."""

from typing import Any, Literal, cast

import numpy as np

from troenpy import _kernel
from troenpy.information.estimators import WITH_PRIOR, Estimator, check_estimator, troenpy_cells
from troenpy.information.measures import troenpy
from troenpy.weights.cells import Cells, Floats, remainder

Prior = Literal["uniform", "classes"]


class Estimate:
    """A checked choice of estimator, and the pseudo-documents it gives to classes of given sizes."""

    def __init__(self, smoothing: float, estimator: Estimator, prior: Prior) -> None:
        check_estimator(estimator, smoothing)
        if prior not in ("uniform", "classes"):
            raise ValueError(f"prior must be uniform or classes, got {prior!r}")
        self.smoothing, self.estimator, self.prior = smoothing, estimator, prior

    def cells(self, counts: Any, others: Any, sizes: Any, table: Cells) -> Floats:
        """Return what classes of some sizes add to the troenpy of a term, from their counts and those of the others."""
        share = sizes / table.N if self.prior == "classes" else 1 / len(table.C)
        pseudo = self.smoothing * share
        pseudo_others: Any = self.smoothing - pseudo
        if self.prior == "classes":
            # Beside a class that has all but nothing, the difference would be rounding or zero.
            rest = self.smoothing * (table.N_but_largest / table.N)
            pseudo_others = np.where(pseudo_others > 1e-9 * self.smoothing, pseudo_others, rest)
        cells = troenpy_cells(
            counts,
            others,
            estimator=self.estimator,
            smoothing=self.smoothing,
            pseudo=pseudo,
            pseudo_others=pseudo_others,
        )
        return cast(Floats, cells)


def troenpy_of_all(cells: Cells, how: Estimate) -> float:
    """Return T_*, of the classes among all documents."""
    if how.estimator == "add_one" and (native := _kernel.compiled()) is not None:
        # By the loop that works out the terms: one that is in all documents adds exactly nothing.
        borders = np.array([0, len(cells.C)], dtype=np.int64)
        return float(native.add_one_troenpy(borders, cells.C, how.smoothing)[0])
    prior = cells.C if how.prior == "classes" and how.estimator in WITH_PRIOR else None
    return float(troenpy(cells.C, estimator=how.estimator, smoothing=how.smoothing, prior=prior))


def two_sided_troenpy(cells: Cells, how: Estimate) -> Floats:
    """Return q T_1 + (1-q) T_-1, with q the share of the term's documents."""
    if (how.estimator, how.prior) == ("dirichlet", "classes") and (native := _kernel.compiled()) is not None:
        classes = cells.i.astype(np.int64, copy=False)
        return cast(Floats, native.two_sided_troenpy(cells.starts, classes, cells.n_iw, cells.C, how.smoothing))
    share = cells.N_w / cells.N
    with_term, without = troenpy_with_term(cells, how), troenpy_without_term(cells, how)
    with np.errstate(invalid="ignore"):  # infinite troenpy of a side that never occurs
        return np.where(share > 0, share * with_term, 0.0) + np.where(share < 1, (1 - share) * without, 0.0)


def troenpy_with_term(cells: Cells, how: Estimate) -> Floats:
    """Return T_1, of the classes among the documents that hold each term."""
    if how.estimator == "add_one" and (native := _kernel.compiled()) is not None:
        return cast(Floats, native.add_one_troenpy(cells.starts, cells.n_iw, how.smoothing))
    others = remainder(cells.N_w[cells.w], cells.n_iw)
    at_cells = how.cells(cells.n_iw, others, cells.C[cells.i] if how.estimator in WITH_PRIOR else 0.0, cells)
    if how.estimator in WITH_PRIOR:
        return cells.sum(at_cells, lambda C, total: how.cells(0.0, total, C, cells), cells.N_w)
    return cells.sum_of_cells(at_cells)


def troenpy_without_term(cells: Cells, how: Estimate) -> Floats:
    """Return T_-1, of the classes among the documents that do not hold each term."""
    totals = remainder(cells.N, cells.N_w)

    def finite_cells(counts: Any, total: Any, sizes: Any) -> Floats:
        # A class larger than the total is one that holds the term: any finite value cancels out.
        others = remainder(total, counts)
        values = how.cells(counts, others, sizes, cells)
        return np.where(others > 0, values, 0.0) if how.estimator == "plugin" else values

    sizes = cells.C[cells.i]
    left = remainder(sizes, cells.n_iw)
    at_cells = finite_cells(left, totals[cells.w], sizes)
    without = cells.sum(at_cells, lambda C, total: finite_cells(C, total, C), totals)
    if how.estimator == "plugin":
        n_left = len(cells.C) - cells.sum_of_cells((left == 0).astype(np.float64))
        without = np.where(n_left == 1, np.inf, without)
    return without
