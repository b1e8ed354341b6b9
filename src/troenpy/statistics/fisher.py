"""Fisher's exact test of many 2 x 2 tables at once.

The logarithm of a table's probability is a sum over its four cells x, with expected counts e:
-sum(x log(x/e) - x + e), plus what Stirling's formula leaves of the factorials. No two large numbers are subtracted, so
it is exact to about 14 digits, also for millions of documents, where differences of log-factorials keep only 9.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

#: Tables whose probabilities differ by less than this, relatively, are equally probable.
TIE = 1e-11
#: A tail is summed until its terms are smaller than this part of the sum.
NEGLIGIBLE = 1e-17
#: From here on Stirling's series is exact.
LARGE = 16
#: Tables that are tested at a time: temporary arrays stay in the cache.
AT_ONCE = 1 << 15


def fisher_exact(a: Any, b: Any, n_in: Any, n_out: Any) -> Floats:
    """Return two-sided p-values: the probability of all tables that are at most as probable as the one found.

    As :func:`scipy.stats.fisher_exact` computes it for one table: given the margins, a follows the hypergeometric
    distribution if the term is independent of the class.

    Parameters
    ----------
    a, b : array-like of int
        Documents with the term, in the class and in the reference; they broadcast.
    n_in, n_out : array-like of int
        All documents of the class and of the reference.

    Returns
    -------
    ndarray of float

    Examples
    --------
    Of 4 documents 2 are of the class, and 2 have the term. The 6 ways to choose 2 of 4 are equally probable; one of
    them has both in the class, and one is as extreme at the other end:

    >>> fisher_exact([2, 1], [0, 1], 2, 2)
    array([0.33333333, 1.        ])
    """
    tables = np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in (a, b, n_in, n_out)))
    flat = [part.ravel() for part in tables]
    blocks = [_p_values(*(part[i : i + AT_ONCE] for part in flat)) for i in range(0, len(flat[0]), AT_ONCE)]
    return np.concatenate([np.empty(0), *blocks]).reshape(tables[0].shape)


def _p_values(a: Floats, b: Floats, n_in: Floats, n_out: Floats) -> Floats:
    margins = n_in, n_out, a + b
    mode = np.floor((a + b + 1) * (n_in + 1) / (n_in + n_out + 2))
    own = log_probability(a, margins)
    is_right = a > mode
    other = _other_end(a, own, mode, is_right, margins)
    p = _tail(a, np.where(is_right, 1.0, -1.0), margins) + _tail(other, np.where(is_right, -1.0, 1.0), margins)
    at_mode = own >= log_probability(mode, margins) - TIE
    return np.where(at_mode, 1.0, np.minimum(p, 1.0))


def log_probability(a: Floats, margins: tuple[Floats, Floats, Floats]) -> Floats:
    """Return the logarithm of the probability of tables with these margins; minus infinity if they are impossible."""
    n_in, n_out, n_with = margins
    n = n_in + n_out
    n_without = n - n_with
    cells = (
        (a, n_in, n_with),
        (n_in - a, n_in, n_without),
        (n_with - a, n_out, n_with),
        (n_out - n_with + a, n_out, n_without),
    )
    is_possible = np.logical_and.reduce([count >= 0 for count, _, _ in cells])
    total = sum(map(_stirling_rest, (n_in, n_out, n_with, n_without))) - _stirling_rest(n)
    for count, row, column in cells:
        found = np.where(is_possible, count, 0.0)
        total = total - _deviance(found, row * column / np.maximum(n, 1.0)) - _stirling_rest(found)
    return np.where(is_possible, total, -np.inf)


def _deviance(count: Floats, expected: Floats) -> Floats:
    """Return x log(x/e) - x + e, without cancellation if they are close."""
    relative = np.divide(count - expected, expected, out=np.zeros_like(expected), where=expected > 0)
    result: Floats = expected * (special.xlog1py(1 + relative, relative) - relative)
    return result


def _stirling_rest(x: Floats) -> Floats:
    """Return log x! - x log x + x."""
    small, large = np.minimum(x, LARGE), np.maximum(x, LARGE)
    exact = special.gammaln(small + 1) - special.xlogy(small, small) + small
    square = large * large
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / large
    return np.where(x < LARGE, exact, 0.5 * np.log(2 * np.pi * large) + series)


def _other_end(a: Floats, own: Floats, mode: Floats, is_right: Any, margins: tuple[Floats, Floats, Floats]) -> Floats:
    """Return the table beyond the mode that is nearest to it and at most as probable, by bisection."""
    n_in, n_out, n_with = margins
    least, most = np.maximum(0.0, n_with - n_out), np.minimum(n_in, n_with)
    near, far = mode.copy(), np.where(is_right, least - 1, most + 1)  # too probable; certainly not
    while True:
        is_open = np.abs(far - near) > 1
        if not is_open.any():
            return far
        middle = np.floor((near + far) / 2)
        is_rare = log_probability(middle, margins) <= own + TIE
        far, near = np.where(is_open & is_rare, middle, far), np.where(is_open & ~is_rare, middle, near)


def _tail(start: Floats, step: Floats, margins: tuple[Floats, Floats, Floats]) -> Floats:
    """Return the probability of a table and all that are further away from the mode."""
    n_in, n_out, n_with = margins
    first = np.exp(log_probability(start, margins))
    total, active = np.where(first > 0, 1.0, 0.0), np.flatnonzero(first > 0)
    x, term = start[active], np.ones(len(active))
    while len(active):
        is_up, rows, others, columns = step[active] > 0, n_in[active], n_out[active] - n_with[active], n_with[active]
        up = (rows - x) * (columns - x) / ((x + 1) * (others + x + 1))
        down = x * (others + x) / ((rows - x + 1) * (columns - x + 1))
        term = term * np.where(is_up, up, down)
        total[active] += term
        left = term > NEGLIGIBLE * total[active]
        active, x, term = active[left], (x + step[active])[left], term[left]
    result: Floats = first * total
    return result
