"""How the loss falls with the number of documents learnt from, and what twice as many would bring: an extrapolation.

The law is loss = scale * n ** -exponent + floor, with all three at least 0, fitted by least squares. Its uncertainty is
a bootstrap over tests and tested documents; it is widened by how far the same law, fitted without the last point,
missed that point.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.experiments.losses import LossOf

#: Exponents that are tried; learning curves of text fall with exponents of about 0.2 to 1.
EXPONENTS = np.linspace(0.05, 1.5, 30)
N_RESAMPLES = 200
#: Fewer points do not determine a law.
LEAST_POINTS = 4
#: A smaller fall, relative to the loss, is called flat.
NOTICEABLE = 0.02

Floats = NDArray[np.float64]


class PowerLaw(NamedTuple):
    """Laws of losses relative to the largest number of documents: scale * share ** -exponent + floor."""

    scale: Floats
    exponent: Floats
    floor: Floats

    def at(self, share: float) -> Floats:
        """Return the loss at a multiple of the largest number of documents."""
        return self.scale * share**-self.exponent + self.floor


@dataclass(frozen=True)
class CurvePoint:
    """The mean loss after learning from a fraction of the documents, with the bootstrap's 95 % interval."""

    fraction: float
    n_train: int
    loss: float
    low: float
    high: float


@dataclass(frozen=True)
class Extrapolation:
    """What twice as many documents would bring, if the loss goes on falling by a power law.

    Attributes
    ----------
    n_train : int
    loss, low, high : float
        The expected loss, with a 95 % interval.
    gain, gain_low : float
        How much less that is than the law says of all documents, and the lower end of its interval.
    missed_by : float
        How far the law of the smaller parts missed the loss that was measured with all documents.
    is_flat : bool
        Whether the fall is too small, or too uncertain, to count on.
    """

    n_train: int
    loss: float
    low: float
    high: float
    gain: float
    gain_low: float
    missed_by: float
    is_flat: bool


@dataclass(frozen=True)
class LearningCurve:
    """A learning curve; `twice` is None if there are too few points to extrapolate."""

    method: str
    n_tests: int
    points: tuple[CurvePoint, ...]
    twice: Extrapolation | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {"points": [asdict(point) for point in self.points]}


def fit_power_law(shares: Sequence[float], losses: Floats) -> PowerLaw:
    """Fit a law to each row of losses.

    Parameters
    ----------
    shares : sequence of float
        Documents learnt from, relative to the last.
    losses : ndarray of shape (n_laws, n_shares)

    Examples
    --------
    >>> law = fit_power_law([0.25, 0.5, 1], np.array([[0.5, 0.3, 0.2]]))  # 0.1 / share + 0.1
    >>> law.exponent.round(2), law.at(2).round(3)
    (array([1.]), array([0.15]))
    """
    best = np.full(len(losses), np.inf)
    found = PowerLaw(*(np.zeros(len(losses)) for _ in range(3)))
    for exponent in EXPONENTS:
        powers = np.asarray(shares, dtype=np.float64) ** -exponent
        scale, floor = _fit_line(powers, losses)
        squares = ((losses - scale[:, None] * powers - floor[:, None]) ** 2).sum(axis=1)
        better = squares < best - 1e-15
        best = np.where(better, squares, best)
        for held, new in zip(found, (scale, np.full_like(scale, exponent), floor), strict=True):
            held[better] = new[better]
    return found


def _fit_line(powers: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """Return slopes and intercepts of least squares, both at least 0."""
    centred = powers - powers.mean()
    slope = losses @ centred / (centred @ centred)
    intercept = losses.mean(axis=1) - slope * powers.mean()
    slope = np.where(intercept < 0, losses @ powers / (powers @ powers), slope)
    intercept = np.where(intercept < 0, 0.0, intercept)
    return np.maximum(slope, 0), np.where(slope < 0, losses.mean(axis=1), intercept)


def learning_curve(
    method: str,
    fractions: Sequence[float],
    sizes: Sequence[int],
    losses: Sequence[Sequence[LossOf]],
    n_test: Sequence[int],
) -> LearningCurve:
    """Return the curve of a method.

    Parameters
    ----------
    method : str
    fractions : sequence of float
        In order, the last one 1.
    sizes : sequence of int
        The mean number of documents of each.
    losses : sequence of sequences of LossOf
        By test, and by fraction.
    n_test : sequence of int
        The number of documents of each test.
    """
    measured = np.mean(
        [[of(np.arange(n)) for of in by_fraction] for by_fraction, n in zip(losses, n_test, strict=True)], axis=0
    )
    drawn = _resampled(losses, n_test)
    ends = np.quantile(drawn, [0.025, 0.975], axis=0).T
    columns = zip(fractions, sizes, measured.tolist(), *ends.T.tolist(), strict=True)
    points = tuple(CurvePoint(*column) for column in columns)
    twice = _extrapolate(points, measured, drawn) if len(points) >= LEAST_POINTS else None
    return LearningCurve(method, len(n_test), points, twice)


def _resampled(losses: Sequence[Sequence[LossOf]], n_test: Sequence[int]) -> Floats:
    """Return mean losses by fraction, from tests and documents that are drawn with replacement."""
    rng, n_tests = np.random.default_rng(0), len(n_test)
    found = np.zeros((N_RESAMPLES, len(losses[0])))
    for number in range(N_RESAMPLES):
        for test in rng.integers(0, n_tests, n_tests):
            places = rng.integers(0, n_test[test], n_test[test])
            found[number] += [of(places) / n_tests for of in losses[test]]
    return found


def _extrapolate(points: Sequence[CurvePoint], measured: Floats, drawn: Floats) -> Extrapolation:
    shares = [point.n_train / points[-1].n_train for point in points]
    law = fit_power_law(shares, np.vstack([measured, drawn]))
    earlier = fit_power_law([share / shares[-2] for share in shares[:-1]], measured[np.newaxis, :-1])
    missed_by = abs(float(earlier.at(1 / shares[-2])[0]) - points[-1].loss)
    at_twice = law.at(2)
    gains = law.at(1) - at_twice
    loss, gain = float(at_twice[0]), float(gains[0])
    low, high = _widened(loss, at_twice[1:], missed_by)
    gain_low = _widened(gain, gains[1:], missed_by)[0]
    is_flat = gain_low <= NOTICEABLE * points[-1].loss
    return Extrapolation(2 * points[-1].n_train, loss, max(0.0, low), high, gain, gain_low, missed_by, is_flat)


def _widened(value: float, drawn: Floats, by: float) -> tuple[float, float]:
    """Return the ends of a bootstrap's interval, each further away from the value."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return value - float(np.hypot(value - min(low, value), by)), value + float(np.hypot(max(high, value) - value, by))
