"""The false-discovery rate of many tests."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def adjusted_p_values(p: Any, repeats: Any = 1, n_tests: int | None = None) -> NDArray[np.float64]:
    """Return q-values: the false-discovery rate at which each test is a discovery (Benjamini and Hochberg 1995).

    The q-value of the i-th smallest p-value is the smallest p_j m / j of all j >= i, and at most 1. Of all tests with
    q <= 0.05, about 5 % are expected to be false discoveries.

    Parameters
    ----------
    p : array-like of shape (n,)
    repeats : int or array-like of shape (n,), default=1
        How many tests had this p-value.
    n_tests : int, optional
        The number m of tests, by default the sum of the repeats. Those that are not among `p` have p = 1.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> adjusted_p_values([0.01, 0.04, 0.02])  # 0.01 * 3 / 1; 0.04 * 3 / 3; 0.02 * 3 / 2
    array([0.03, 0.04, 0.03])
    >>> adjusted_p_values([0.01, 0.04], repeats=[1, 2], n_tests=6)
    array([0.06, 0.08])
    """
    p = np.asarray(p, dtype=np.float64)
    times = np.broadcast_to(np.asarray(repeats, dtype=np.int64), p.shape)
    total = int(times.sum()) if n_tests is None else n_tests
    if total < times.sum():
        raise ValueError(f"n_tests must be at least the number of p-values, {times.sum()}, got {n_tests}")
    order = np.argsort(-p, kind="stable")
    rank = total - (total - times.sum()) - np.concatenate([[0], np.cumsum(times[order])])[:-1]
    values = np.minimum.accumulate(np.minimum(p[order] * total / np.maximum(rank, 1), 1.0))
    adjusted = np.empty_like(values)
    adjusted[order] = values
    return adjusted
