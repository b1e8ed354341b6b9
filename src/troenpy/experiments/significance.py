"""Intervals and tests for classification errors: over random splits, on one split, across corpora.

Random splits share most of their training documents, so their errors vary less than those of independent samples:
Nadeau & Bengio (2003) correct the variance by the ratio of test to training documents. On a single split only the test
documents vary: Wilson's interval and McNemar's test apply. Across corpora only ranks are comparable: Friedman's test
with Holm's correction, as in Demšar (2006).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Interval = tuple[float, float]

ALPHA = 0.05


@dataclass(frozen=True)
class PairTest:
    """Result of comparing two methods: the difference of their errors, the p-value, and the name of the test."""

    difference: float
    p: float
    test: str


@dataclass(frozen=True)
class Friedman:
    """Mean ranks over corpora (1 is best), with the statistic and p-value of Friedman's test."""

    mean_ranks: NDArray[np.float64]
    statistic: float
    p: float


def wilson_interval(n_wrong: int, n_test: int, level: float = 0.95) -> Interval:
    """Return Wilson's interval of an error rate on independent documents.

    Examples
    --------
    >>> low, high = wilson_interval(5, 50)
    >>> round(low, 4), round(high, 4)
    (0.0435, 0.2136)
    """
    interval = stats.binomtest(n_wrong, n_test).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def resampled_interval(errors: ArrayLike, test_to_train: float, level: float = 0.95, *, most: float = 1.0) -> Interval:
    """Return an interval for the mean error over random splits, with corrected variance (1/J + n_test/n_train) s².

    Parameters
    ----------
    errors : array-like of shape (J,)
        One error per split, for at least two splits.
    test_to_train : float
        Test documents per training document.
    level : float, default=0.95
    most : float, default=1.0
        The largest possible error; infinity for a log loss.

    Returns
    -------
    low, high : float
        Within [0, `most`].

    Examples
    --------
    >>> low, high = resampled_interval([0.1, 0.2], 0.25)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.9281)
    """
    values = np.asarray(errors, dtype=np.float64)
    half = stats.t.ppf((1 + level) / 2, len(values) - 1) * _corrected_deviation(values, test_to_train)
    return max(0.0, float(values.mean() - half)), min(most, float(values.mean() + half))


def resampled_t_test(errors: ArrayLike, others: ArrayLike, test_to_train: float) -> PairTest:
    """Compare two methods on the same random splits with the two-sided corrected resampled t-test.

    Parameters
    ----------
    errors, others : array-likes of shape (J,)
        Errors of the two methods on the same splits, at least two.
    test_to_train : float
        Test documents per training document.

    Returns
    -------
    PairTest

    Examples
    --------
    Differences 0.01, 0.02 and 0.03 have mean 0.02 and variance 0.0001; t = 0.02 / sqrt((1/3 + 1/4) 0.0001).

    >>> result = resampled_t_test([0.11, 0.12, 0.13], [0.10, 0.10, 0.10], 0.25)
    >>> round(result.difference, 4), round(result.p, 4)
    (0.02, 0.1201)
    """
    differences = np.asarray(errors, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    mean = float(differences.mean())
    deviation = _corrected_deviation(differences, test_to_train)
    if deviation <= 1e-12 * abs(mean) or mean == 0:  # no spread except rounding
        p = 1.0 if mean == 0 else 0.0
    else:
        p = float(2 * stats.t.sf(abs(mean) / deviation, len(differences) - 1))
    return PairTest(mean, p, "corrected resampled t")


def mcnemar_test(correct: ArrayLike, others: ArrayLike) -> PairTest:
    """Compare two methods on the same test documents with McNemar's exact two-sided test.

    Parameters
    ----------
    correct, others : array-likes of bool, shape (n_test,)
        Which documents each method got right.

    Returns
    -------
    PairTest

    Examples
    --------
    The methods differ on three documents, and the first is right on all three: p = 2 / 2**3.

    >>> mcnemar_test([1, 1, 1, 1, 0], [0, 0, 0, 1, 0])
    PairTest(difference=-0.6, p=0.25, test='McNemar, exact')
    """
    ours, theirs = np.asarray(correct, dtype=bool), np.asarray(others, dtype=bool)
    only_ours, only_theirs = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    differing = only_ours + only_theirs
    p = float(stats.binomtest(only_ours, differing).pvalue) if differing else 1.0
    return PairTest((only_theirs - only_ours) / len(ours), p, "McNemar, exact")


def friedman_test(errors: ArrayLike) -> Friedman:
    """Rank the methods on each corpus, with shared ranks for ties, and test whether the mean ranks differ.

    Parameters
    ----------
    errors : array-like of shape (n_corpora, n_methods)
        At least two corpora and three methods.

    Returns
    -------
    Friedman

    Examples
    --------
    >>> result = friedman_test([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.2, 0.2, 0.4]])
    >>> result.mean_ranks.round(3).tolist()
    [1.167, 2.167, 2.667]
    """
    table = np.asarray(errors, dtype=np.float64)
    ranks = stats.rankdata(table, axis=1)
    if (ranks == ranks[:, :1]).all():
        return Friedman(ranks.mean(axis=0), 0.0, 1.0)  # all methods tied everywhere, where scipy would divide by zero
    result = stats.friedmanchisquare(*table.T)
    return Friedman(ranks.mean(axis=0), float(result.statistic), float(result.pvalue))


def rank_pairs(mean_ranks: ArrayLike, n_corpora: int, *, control: int | None = None) -> dict[tuple[int, int], float]:
    """Return Holm-corrected p-values for pairs of methods, from their mean ranks.

    The difference of two mean ranks over N corpora and m methods has the standard error sqrt(m (m + 1) / 6N).

    Parameters
    ----------
    mean_ranks : array-like of shape (m,)
    n_corpora : int
    control : int or None
        Compare only with this method, which makes m - 1 pairs instead of m (m - 1) / 2.

    Returns
    -------
    dict
        {(i, j): p}; with a control, i is the control.

    Examples
    --------
    >>> {pair: round(p, 4) for pair, p in rank_pairs([1, 2, 3], 6).items()}
    {(0, 1): 0.1665, (0, 2): 0.0016, (1, 2): 0.1665}
    """
    ranks = np.asarray(mean_ranks, dtype=np.float64)
    m = len(ranks)
    if control is None:
        pairs = list(combinations(range(m), 2))
    else:
        pairs = [(control, other) for other in range(m) if other != control]
    error = np.sqrt(m * (m + 1) / (6 * n_corpora))
    p_values = [float(2 * stats.norm.sf(abs(ranks[i] - ranks[j]) / error)) for i, j in pairs]
    return dict(zip(pairs, holm(p_values), strict=True))


def rank_groups(mean_ranks: dict[str, float], pairs: dict[tuple[str, str], float], alpha: float) -> list[list[str]]:
    """Return the maximal groups of methods, adjacent in rank, that do not differ significantly.

    Examples
    --------
    >>> rank_groups({"a": 1.0, "b": 1.5, "c": 3.0}, {("a", "b"): 0.6, ("a", "c"): 0.01, ("b", "c"): 0.02}, 0.05)
    [['a', 'b']]
    """
    order = sorted(mean_ranks, key=lambda method: mean_ranks[method])
    p = {frozenset(pair): value for pair, value in pairs.items()}
    groups: list[list[str]] = []
    reached = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and p[frozenset((order[start], order[end]))] >= alpha:
            end += 1
        if end > reached and end - start > 1:
            groups.append(order[start:end])
        reached = max(reached, end)
    return groups


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for multiple testing, with Holm's step-down method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(order), 0, -1)
    rising = np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factors)
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(rising, 1.0)
    return corrected.tolist()


def _corrected_deviation(values: NDArray[np.float64], test_to_train: float) -> float:
    """Return the standard error of a mean over random splits."""
    return float(np.sqrt((1 / len(values) + test_to_train) * values.var(ddof=1)))
