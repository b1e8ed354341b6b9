"""The troenpy of the classes: among all documents, among those with a term, and among those without it."""

from typing import Any, Literal, cast

import numpy as np

from troenpy import _kernel
from troenpy.information.estimators import WITH_PRIOR, Estimator, check_estimator, troenpy_contributions
from troenpy.information.measures import troenpy
from troenpy.weights.count_table import CountTable, Floats, remainder

Prior = Literal["uniform", "classes"]


class Estimate:
    """A validated estimator with its smoothing and prior."""

    def __init__(self, smoothing: float, estimator: Estimator, prior: Prior) -> None:
        check_estimator(estimator, smoothing)
        if prior not in ("uniform", "classes"):
            raise ValueError(f"prior must be 'uniform' or 'classes', got {prior!r}")
        self.smoothing, self.estimator, self.prior = smoothing, estimator, prior

    def contributions(self, counts: Any, others: Any, sizes: Any, table: CountTable) -> Floats:
        """Return what classes of the given sizes contribute to a term's troenpy, from their counts and the others'."""
        share = sizes / table.N if self.prior == "classes" else 1 / len(table.C)
        pseudo = self.smoothing * share
        pseudo_others: Any = self.smoothing - pseudo
        if self.prior == "classes":
            # For a class with nearly all documents the difference would be a rounding error or zero.
            rest = self.smoothing * (table.N_but_largest / table.N)
            pseudo_others = np.where(pseudo_others > 1e-9 * self.smoothing, pseudo_others, rest)
        contributions = troenpy_contributions(
            counts,
            others,
            estimator=self.estimator,
            smoothing=self.smoothing,
            pseudo=pseudo,
            pseudo_others=pseudo_others,
        )
        return cast(Floats, contributions)


def troenpy_of_all(table: CountTable, estimate: Estimate) -> float:
    """Return T_*, the troenpy of the classes among all documents."""
    if estimate.estimator == "add_one" and (native := _kernel.compiled()) is not None:
        # The same loop as for terms, so that a term in every document adds exactly zero.
        borders = np.array([0, len(table.C)], dtype=np.int64)
        return float(native.add_one_troenpy(borders, table.C, estimate.smoothing)[0])
    prior = table.C if estimate.prior == "classes" and estimate.estimator in WITH_PRIOR else None
    return float(troenpy(table.C, estimator=estimate.estimator, smoothing=estimate.smoothing, prior=prior))


def two_sided_troenpy(table: CountTable, estimate: Estimate) -> Floats:
    """Return q T_1 + (1-q) T_-1, with q the fraction of documents that have the term."""
    if (estimate.estimator, estimate.prior) == ("dirichlet", "classes") and (native := _kernel.compiled()) is not None:
        classes = table.i.astype(np.int64, copy=False)
        return cast(Floats, native.two_sided_troenpy(table.starts, classes, table.n_iw, table.C, estimate.smoothing))
    share = table.N_w / table.N
    with_term, without = troenpy_with_term(table, estimate), troenpy_without_term(table, estimate)
    with np.errstate(invalid="ignore"):  # the troenpy of an empty side is infinite
        return np.where(share > 0, share * with_term, 0.0) + np.where(share < 1, (1 - share) * without, 0.0)


def troenpy_with_term(table: CountTable, estimate: Estimate) -> Floats:
    """Return T_1, the troenpy of the classes among the documents with each term."""
    if estimate.estimator == "add_one" and (native := _kernel.compiled()) is not None:
        return cast(Floats, native.add_one_troenpy(table.starts, table.n_iw, estimate.smoothing))
    others = remainder(table.N_w[table.w], table.n_iw)
    at_nonzeros = estimate.contributions(
        table.n_iw, others, table.C[table.i] if estimate.estimator in WITH_PRIOR else 0.0, table
    )
    if estimate.estimator in WITH_PRIOR:
        return table.sum(at_nonzeros, lambda C, total: estimate.contributions(0.0, total, C, table), table.N_w)
    return table.sum_by_term(at_nonzeros)


def troenpy_without_term(table: CountTable, estimate: Estimate) -> Floats:
    """Return T_-1, the troenpy of the classes among the documents without each term."""
    totals = remainder(table.N, table.N_w)

    def finite_contributions(counts: Any, total: Any, sizes: Any) -> Floats:
        # A class larger than the total must have the term: any finite value cancels out.
        others = remainder(total, counts)
        values = estimate.contributions(counts, others, sizes, table)
        return np.where(others > 0, values, 0.0) if estimate.estimator == "plugin" else values

    sizes = table.C[table.i]
    left = remainder(sizes, table.n_iw)
    at_nonzeros = finite_contributions(left, totals[table.w], sizes)
    without = table.sum(at_nonzeros, lambda C, total: finite_contributions(C, total, C), totals)
    if estimate.estimator == "plugin":
        n_left = len(table.C) - table.sum_by_term((left == 0).astype(np.float64))
        without = np.where(n_left == 1, np.inf, without)
    return without
