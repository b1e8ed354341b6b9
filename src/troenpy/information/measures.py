"""Shannon's information and entropy, and their duals: positive information and troenpy.

Functions of arrays; they know nothing of text or classes. `p` is a distribution, `T` its troenpy. The measures take
`base`, `axis`, `nan_policy` and `keepdims` as `scipy.stats.entropy` does, and first divide by the sum along `axis`, so
that counts work as well as probabilities.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from troenpy.information.distributions import Axis, Floats, NanPolicy, Table, as_probabilities, read_table, to_base
from troenpy.information.estimators import WITH_PRIOR, Estimator, check_estimator, estimate_troenpy


def negative_information(p: ArrayLike, *, base: float | None = None) -> Any:
    """Shannon's self-information of a probability, NI(p) = log 1/p.

    Parameters
    ----------
    p : array_like
        Probabilities; they need not sum to 1.
    base : float, optional
        Base of the logarithm; natural by default.

    Returns
    -------
    scalar or ndarray of the shape of `p`
        Infinite where p = 0.

    Examples
    --------
    >>> float(negative_information(0.25, base=2))
    2.0
    """
    values = as_probabilities(p)
    with np.errstate(divide="ignore"):
        return to_base(-np.log(values), base, values.dtype)


def positive_information(p: ArrayLike, *, base: float | None = None) -> Any:
    """Positive information of a probability, PI(p) = log 1/(1-p): the self-information of the complement.

    Parameters
    ----------
    p : array_like
        Probabilities; they need not sum to 1.
    base : float, optional
        Base of the logarithm; natural by default.

    Returns
    -------
    scalar or ndarray of the shape of `p`
        Infinite where p = 1.

    Examples
    --------
    >>> float(positive_information(0.75, base=2))
    2.0
    """
    values = as_probabilities(p)
    with np.errstate(divide="ignore"):
        return to_base(-np.log1p(-values), base, values.dtype)


def entropy(
    pk: ArrayLike,
    *,
    base: float | None = None,
    axis: Axis = 0,
    nan_policy: NanPolicy = "propagate",
    keepdims: bool = False,
) -> Any:
    """Shannon entropy, H = sum p log 1/p, the expected negative information.

    Parameters
    ----------
    pk : array_like
        Distributions along `axis`, or counts: each is divided by its sum.
    base : float, optional
        Base of the logarithm; natural by default.
    axis : int, tuple of int or None, default=0
        The axis of the outcomes; None takes the whole array as one distribution.
    nan_policy : {"propagate", "omit", "raise"}, default="propagate"
        How to handle NaN: return NaN for that distribution, ignore the value, or raise an error.
    keepdims : bool, default=False
        Keep the reduced axes with length one.

    Returns
    -------
    scalar or ndarray
        One value per distribution, in the floating dtype of `pk`.

    Examples
    --------
    >>> float(entropy([1, 1, 1, 1], base=2))
    2.0
    """
    table = read_table(pk, axis, nan_policy)
    totals = table.counts.sum(axis=-1, keepdims=True)
    p = table.counts / np.where(totals > 0, totals, 1.0)
    return table.finish(special.entr(p).sum(axis=-1), base, keepdims)


def troenpy(
    pk: ArrayLike,
    *,
    base: float | None = None,
    axis: Axis = 0,
    estimator: Estimator = "plugin",
    smoothing: float = 1.0,
    prior: ArrayLike | None = None,
    nan_policy: NanPolicy = "propagate",
    keepdims: bool = False,
) -> Any:
    """Troenpy, T = sum p log 1/(1-p), the expected positive information: it measures certainty.

    Over K outcomes, T is smallest for the uniform distribution, log(K/(K-1)), and grows without bound as one outcome
    becomes certain.

    Parameters
    ----------
    pk : array_like
        Distributions along `axis`, or counts: each is divided by its sum.
    base : float, optional
        Base of the logarithm; natural by default.
    axis : int, tuple of int or None, default=0
        The axis of the outcomes; None takes the whole array as one distribution.
    estimator : {"plugin", "add_one", "dirichlet", "posterior_mean"}, default="plugin"
        How to estimate troenpy from counts x with the sum N. For probabilities, use "plugin".

        - "plugin": the relative frequencies. Infinite if one outcome has all the counts.
        - "add_one": sum x/N log( N / (smoothing + N - x) ), the smoothing of the paper's IDF. It may be
          slightly negative.
        - "dirichlet": the relative frequencies after adding `smoothing` pseudo-counts, distributed by `prior`.
        - "posterior_mean": the mean of T over the same Dirichlet posterior.
    smoothing : float, default=1.0
        Total number of pseudo-counts; not used by "plugin".
    prior : array_like of shape (K,), optional
        How "dirichlet" and "posterior_mean" distribute the pseudo-counts; normalised, uniform by default.
    nan_policy : {"propagate", "omit", "raise"}, default="propagate"
        How to handle NaN: return NaN for that distribution, ignore the value, or raise an error.
    keepdims : bool, default=False
        Keep the reduced axes with length one.

    Returns
    -------
    scalar or ndarray
        One value per distribution, in the floating dtype of `pk`.

    Examples
    --------
    >>> float(troenpy([0.5, 0.5], base=2))
    1.0
    >>> troenpy([[3, 1], [1, 1], [0, 2]], axis=1, base=2, estimator="add_one")
    array([0.75, 0.  , 1.  ])
    """
    check_estimator(estimator, smoothing, prior)
    table = read_table(pk, axis, nan_policy, may_be_empty=estimator in WITH_PRIOR)
    result = estimate_troenpy(table.counts, table.is_present, estimator, smoothing, prior)
    return table.finish(result, base, keepdims)


def conditional_troenpy(
    joint: ArrayLike,
    *,
    base: float | None = None,
    axis: int = 0,
    given: int = 1,
    estimator: Estimator = "plugin",
    smoothing: float = 1.0,
    prior: ArrayLike | None = None,
    nan_policy: NanPolicy = "propagate",
    keepdims: bool = False,
) -> Any:
    """Conditional troenpy: the sum over conditions g of P(g) T(outcome given g).

    Parameters
    ----------
    joint : array_like with at least two dimensions
        Joint probabilities or counts of outcome and condition. A condition that never occurs contributes nothing.
    axis, given : int, default=0 and 1
        The axis of the outcomes and the axis of the conditions.
    base, estimator, smoothing, prior, nan_policy, keepdims
        As in `troenpy`; the estimator is applied within each condition, and `prior` is over outcomes.

    Returns
    -------
    scalar or ndarray
        One value per table.

    Examples
    --------
    Two classes (rows), a term absent or present (columns): 1/2 T(1/2, 1/2) + 1/2 T(1/4, 3/4).

    >>> float(conditional_troenpy([[2, 1], [2, 3]], base=2))
    1.3018...
    """
    check_estimator(estimator, smoothing, prior)
    table = read_table(joint, (given, axis), nan_policy, joint=True)
    return table.finish(_conditional_troenpy(table, estimator, smoothing, prior), base, keepdims)


def troenpy_gain(
    joint: ArrayLike,
    *,
    base: float | None = None,
    axis: int = 0,
    given: int = 1,
    estimator: Estimator = "plugin",
    smoothing: float = 1.0,
    prior: ArrayLike | None = None,
    nan_policy: NanPolicy = "propagate",
    keepdims: bool = False,
) -> Any:
    """Troenpy gain: how much certainty a condition adds, conditional troenpy minus troenpy.

    T is convex, so the plug-in gain is never negative (negative rounding errors become zero); a smoothed gain may be.
    The gain is zero for an outcome that is already certain, although both terms are infinite.

    Parameters
    ----------
    joint : array_like with at least two dimensions
        Joint probabilities or counts of outcome and condition.
    axis, given : int, default=0 and 1
        The axis of the outcomes and the axis of the conditions.
    base, estimator, smoothing, prior, nan_policy, keepdims
        As in `conditional_troenpy`.

    Returns
    -------
    scalar or ndarray
        One value per table.

    Examples
    --------
    >>> float(troenpy_gain([[1, 1], [1, 1]]))
    0.0
    >>> float(troenpy_gain([[2, 1], [2, 3]], base=2))
    0.1632...
    """
    check_estimator(estimator, smoothing, prior)
    table = read_table(joint, (given, axis), nan_policy, joint=True)
    options = estimator, smoothing, prior
    conditional = _conditional_troenpy(table, *options)
    marginal = estimate_troenpy(table.counts.sum(axis=-2), np.asarray(table.is_present.any(axis=-2)), *options)
    with np.errstate(invalid="ignore"):
        gain = np.where(np.isposinf(marginal), 0.0, conditional - marginal)
    if estimator == "plugin":
        gain = np.maximum(gain, 0.0)
    return table.finish(gain, base, keepdims)


def _conditional_troenpy(table: Table, *options: Any) -> Floats:
    totals = table.counts.sum(axis=-1)
    grand_total = totals.sum(axis=-1, keepdims=True)
    shares = totals / np.where(grand_total > 0, grand_total, 1.0)
    with np.errstate(invalid="ignore"):
        weighted = shares * estimate_troenpy(table.counts, table.is_present, *options)
    return cast(Floats, np.where(shares > 0, weighted, 0.0).sum(axis=-1))
