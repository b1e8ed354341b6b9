"""Estimators of troenpy from counts: plug-in, the paper's add-one, Dirichlet and posterior mean."""

from numbers import Real
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from troenpy.information.distributions import Floats, as_floats

Estimator = Literal["plugin", "add_one", "dirichlet", "posterior_mean"]

ESTIMATORS: tuple[Estimator, ...] = ("plugin", "add_one", "dirichlet", "posterior_mean")
WITH_PRIOR: tuple[Estimator, ...] = ("dirichlet", "posterior_mean")


def estimate_troenpy(
    counts: Floats,
    is_present: NDArray[np.bool_],
    estimator: Estimator,
    smoothing: float,
    prior: ArrayLike | None,
) -> Floats:
    """Estimate the troenpy along the last axis."""
    pseudo = _pseudo_counts(is_present, smoothing, prior) if estimator in WITH_PRIOR else np.zeros(1)
    contributions = troenpy_contributions(
        counts,
        sum_of_others(counts),
        estimator=estimator,
        smoothing=smoothing,
        pseudo=pseudo,
        pseudo_others=sum_of_others(pseudo),
    )
    return cast(Floats, contributions.sum(axis=-1))


def troenpy_contributions(
    counts: Floats,
    others: Floats,
    *,
    estimator: Estimator,
    smoothing: float = 1.0,
    pseudo: Floats | float = 0.0,
    pseudo_others: Floats | float = 0.0,
) -> Floats:
    """Return what each outcome contributes to the estimated troenpy, p_i PI_i, from its count and that of all others.

    `others` is a parameter because total - count would lose all precision near p = 1. `pseudo` and `pseudo_others` are
    the pseudo-counts of "dirichlet" and "posterior_mean". Both dense tables and sparse class counts sum these
    contributions.
    """
    if estimator in WITH_PRIOR:
        counts, others = counts + pseudo, others + pseudo_others
    totals = counts + others
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        p = counts / totals
        if estimator == "add_one":
            ratio = (counts - smoothing) / (smoothing + others)
            information = np.log1p(ratio)
            if np.min(ratio, initial=0.0) < -0.99:
                # For tiny sums of sample weights the ratio rounds to -1: take the logarithm of the quotient instead.
                information = np.where(ratio < -0.99, np.log(totals / (smoothing + others)), information)
        elif estimator == "posterior_mean":
            information = special.psi(totals + 1) - special.psi(others)
        else:
            # 1/(1-p) = 1 + counts/others is precise both for small p and for p near 1.
            ratio = counts / others
            information = np.log1p(ratio)
            if not np.isfinite(np.max(ratio, initial=0.0)):
                overflows = np.isinf(ratio) & (others > 0)
                information = np.where(overflows, np.log(totals) - np.log(others), information)
        contributions = p * information
        return cast(Floats, contributions if np.all(counts > 0) else np.where(counts > 0, contributions, 0.0))


def check_smoothing(smoothing: float) -> None:
    """Raise ValueError unless the smoothing is a positive number."""
    if not isinstance(smoothing, Real) or isinstance(smoothing, bool) or not 0 < smoothing < np.inf:
        raise ValueError(
            f"smoothing must be positive and finite, got {smoothing!r}: with 0, a term that occurs in only one class"
            " would have an infinite weight"
        )


def check_estimator(estimator: str, smoothing: float, prior: object = None) -> None:
    """Raise ValueError unless the estimator is known and the smoothing and prior fit it."""
    if estimator not in ESTIMATORS:
        raise ValueError(f"estimator must be one of {', '.join(ESTIMATORS)}, got {estimator!r}")
    if estimator != "plugin":
        check_smoothing(smoothing)
    if prior is not None and estimator not in WITH_PRIOR:
        raise ValueError(f"prior is for the estimators dirichlet and posterior_mean, not for {estimator}")


def _pseudo_counts(is_present: NDArray[np.bool_], smoothing: float, prior: ArrayLike | None) -> Floats:
    n_outcomes = is_present.shape[-1]
    weights = np.ones(n_outcomes) if prior is None else as_floats(prior, "prior")
    if weights.shape != (n_outcomes,):
        raise ValueError(f"prior must have one entry per outcome, shape ({n_outcomes},), got {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError(f"prior must be finite, non-negative and not all zero, got {prior!r}")
    masked = weights * is_present
    totals = masked.sum(axis=-1, keepdims=True)
    return cast(Floats, smoothing * masked / np.where(totals > 0, totals, 1.0))


def sum_of_others(counts: Floats) -> Floats:
    """Return, for each entry, the sum of all others along the last axis, without cancellation.

    Only an entry above half the total loses digits in total - entry. That can only be the largest, so its others are
    summed separately.
    """
    largest = np.argmax(counts, axis=-1, keepdims=True)
    others = counts.sum(axis=-1, keepdims=True) - counts
    without_largest = counts.copy()
    np.put_along_axis(without_largest, largest, 0.0, axis=-1)
    np.put_along_axis(others, largest, without_largest.sum(axis=-1, keepdims=True), axis=-1)
    return others
