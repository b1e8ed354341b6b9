"""The delete-a-group jackknife: how far an estimate depends on the documents that happened to be there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from troenpy.statistics.log_odds import LEVEL

#: Values that are compared with all others at a time.
ROWS_AT_ONCE = 64


def jackknife_error(replicates: Any) -> NDArray[np.float64]:
    """Return the standard error of an estimate from its values without one group at a time (Kott 2001).

    The square root of (G-1)/G sum_g (x_g - mean)^2. Documents are assigned to G groups at random. Unlike a bootstrap,
    one pass over the documents is enough, because counts of groups can be subtracted.

    Parameters
    ----------
    replicates : array-like of shape (G, ...)
        The estimate without group g.

    Returns
    -------
    ndarray of shape (...)
        NaN if there are fewer than two groups.

    Examples
    --------
    The mean of 1, 2 and 6 is 3; without one of them it is 4, 3.5 and 1.5. The error of the mean is s / sqrt(3):

    >>> jackknife_error([4, 3.5, 1.5]).round(4), np.round(np.std([1, 2, 6], ddof=1) / np.sqrt(3), 4)
    (np.float64(1.5275), np.float64(1.5275))
    """
    values = np.asarray(replicates, dtype=np.float64)
    n_groups = len(values)
    if n_groups < 2:
        return np.full(values.shape[1:], np.nan)
    deviations = values - values.mean(axis=0)
    return np.asarray(np.sqrt((n_groups - 1) / n_groups * (deviations**2).sum(axis=0)))


def critical_value(n_groups: int) -> float:
    """Return how many jackknife errors the 95 % interval has to either side: a quantile of Student's t.

    Examples
    --------
    >>> round(critical_value(20), 4)
    2.093
    """
    return float(special.stdtrit(n_groups - 1, 0.5 + LEVEL / 2)) if n_groups > 1 else float("nan")


def rank_intervals(values: Any, replicates: Any, chosen: Any = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return between which ranks each value may be: 1 is the largest.

    One value is certainly larger than another if their difference is more than its 95 % interval by the jackknife
    (Goldstein and Spiegelhalter 1996 compare pairs so). The best possible rank of a value comes after all that are
    certainly larger, the worst possible one before all that are certainly smaller. Ranks themselves jump, and the
    jackknife fails for what jumps; differences of values do not.

    Parameters
    ----------
    values : array-like of shape (n,)
    replicates : array-like of shape (G, n)
        The values without group g.
    chosen : array-like of int, optional
        For which values; by default all.

    Returns
    -------
    best, worst : ndarray of int

    Examples
    --------
    >>> best, worst = rank_intervals([9, 5, 4.9], [[9, 5.1, 4.8], [9, 4.9, 5.0], [9, 5, 4.9]])
    >>> best.tolist(), worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    values = np.asarray(values, dtype=np.float64)
    n, of = len(values), np.arange(len(values)) if chosen is None else np.asarray(chosen, dtype=np.int64)
    best, worst = np.ones(len(of), dtype=np.int64), np.full(len(of), n)
    parts = np.asarray(replicates, dtype=np.float64).reshape(len(replicates), n)
    if len(parts) < 2:
        return best, worst
    deviations = (parts - parts.mean(axis=0)) * np.sqrt((len(parts) - 1) / len(parts))
    variances = (deviations**2).sum(axis=0)
    for start in range(0, len(of), ROWS_AT_ONCE):
        rows = of[start : start + ROWS_AT_ONCE]
        variance = variances[rows, np.newaxis] + variances - 2 * deviations[:, rows].T @ deviations
        width = critical_value(len(parts)) * np.sqrt(np.maximum(variance, 0.0))
        difference = values - values[rows, np.newaxis]
        best[start : start + len(rows)] += np.count_nonzero(difference > width, axis=1)
        worst[start : start + len(rows)] -= np.count_nonzero(difference < -width, axis=1)
    return best, worst
