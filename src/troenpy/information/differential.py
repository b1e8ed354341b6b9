"""Troenpy of a continuous distribution, by numerical integration."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Any, cast

import numpy as np
from scipy import integrate

from troenpy.information.distributions import to_base

# Where to split the integral of a frozen distribution: every piece holds a known mass, so no peak is missed.
_QUANTILES = np.array([1e-12, 1e-9, 1e-6, 1e-3, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 0.999, 1 - 1e-6, 1 - 1e-9])
_TOLERANCE = 1e-7


def differential_troenpy(density: Any, support: Sequence[float] | None = None, *, base: float | None = None) -> float:
    """Differential troenpy of a density that stays below 1: T = - integral f log(1-f).

    Parameters
    ----------
    density : frozen scipy.stats distribution, or callable
        A continuous distribution with `pdf`, `ppf` (or `icdf`) and `support`, or a function that returns the density
        at a point.
    support : sequence of at least two floats
        Only for a function: the ends of its support, in ascending order; they may be infinite. Points in between split
        the integral: add one at every narrow peak or jump.
    base : float, optional
        Base of the logarithm; natural by default.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the density exceeds 1 somewhere (log(1-f) is undefined), equals 1 on an interval (the integral is infinite),
        or does not integrate to 1 over its support. It may reach 1 at single points.

    Examples
    --------
    The uniform density on [0, b] with b > 1 has T = log(b / (b-1)):

    >>> from scipy import stats
    >>> round(differential_troenpy(stats.uniform(0, 4), base=2), 9) == round(float(np.log2(4 / 3)), 9)
    True

    A function, x/8 on [0, 4], with T = 5/2 - 3 log 2:

    >>> round(differential_troenpy(lambda x: x / 8, (0, 4)), 6)
    0.420558
    """
    pdf, points = _pdf_and_points(density, support)
    mass = _integral(partial(_density_at, pdf), points)
    if abs(mass - 1) > 1e-5:
        raise ValueError(
            f"the density must integrate to 1, got {mass:.6g} over {points[0]:g} to {points[-1]:g}: check the support,"
            " or add points to it at narrow peaks"
        )
    # If f reaches 1 at single points, log(1-f) is still integrable, and any cap near 1 gives the same integral.
    total, other_cap = (_integral(partial(_integrand, pdf, cap), points) for cap in (1 - 2**-53, 1 - 2**-40))
    if abs(total - other_cap) > _TOLERANCE * max(1.0, total):
        raise ValueError("the density must not equal 1 on an interval: its differential troenpy is infinite")
    return float(to_base(np.float64(total), base, np.dtype(np.float64)))


def _pdf_and_points(density: Any, support: Sequence[float] | None) -> tuple[Callable[[float], float], list[float]]:
    if hasattr(density, "pdf") and hasattr(density, "support"):
        if support is not None:
            raise ValueError("support is only for a density given as a function: omit it for a distribution")
        try:
            low, high = (float(end) for end in density.support())
        except TypeError as error:
            raise TypeError(
                f"the distribution must be frozen with scalar parameters, such as stats.norm(0, 1): {error}"
            ) from None
        quantile = getattr(density, "ppf", None) or density.icdf
        inner = [float(x) for x in quantile(_QUANTILES)]
        return density.pdf, _drop_repeated([low, *inner, high])
    if hasattr(density, "pmf"):
        raise TypeError("the distribution must be continuous, got a discrete one: use troenpy.troenpy on its pmf")
    if not callable(density):
        raise TypeError(
            f"density must be a frozen scipy.stats distribution or a function, got {type(density).__name__}"
        )
    points = list(support) if isinstance(support, Iterable) else []
    is_rising = all(isinstance(x, Real) for x in points) and all(a < b for a, b in pairwise(points))
    if len(points) < 2 or not is_rising:
        raise ValueError(
            f"support must be ascending numbers, such as (0, 1), for a density given as a function, got {support!r}"
        )
    return cast(Callable[[float], float], density), [float(x) for x in points]


def _drop_repeated(points: list[float]) -> list[float]:
    """Drop points that repeat, such as quantiles at the ends of the support."""
    kept = points[:1]
    for point in points[1:-1]:
        if kept[-1] < point < points[-1]:
            kept.append(point)
    return [*kept, points[-1]]


def _density_at(pdf: Callable[[float], float], x: float) -> float:
    f = float(np.asarray(pdf(x)).item())
    if not 0 <= f <= 1 + 1e-12:
        problem = ": log(1 - f) is undefined above 1" if f > 1 else ""
        raise ValueError(f"the density must lie between 0 and 1, got {f:g} at x = {x:g}{problem}")
    return f


def _integrand(pdf: Callable[[float], float], cap: float, x: float) -> float:
    f = min(_density_at(pdf, x), cap)
    return float(-f * np.log1p(-f))


def _integral(function: Callable[[float], float], points: list[float]) -> float:
    pieces = [
        integrate.quad(function, a, b, epsabs=1e-12, epsrel=1e-11, limit=500, full_output=1)[:2]
        for a, b in pairwise(points)
    ]
    error = sum(error for _, error in pieces)
    if not error < _TOLERANCE:
        raise ValueError(f"the integral over {points[0]:g} to {points[-1]:g} does not converge (error {error:g})")
    return float(sum(value for value, _ in pieces))
