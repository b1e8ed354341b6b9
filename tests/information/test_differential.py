"""Differential troenpy against closed forms, and an error for every density that has none."""

import math

import numpy as np
import pytest
from scipy import stats

from troenpy import differential_troenpy

LOG = math.log
CLOSE = {"rel": 1e-9, "abs": 0}


def exponential(rate):
    return 1.0 if rate == 1 else 1 + (1 - rate) / rate * math.log1p(-rate)


def normal(sigma):
    """Give sum over m of 1/m times the integral of f^(m+1), which is (2 pi sigma^2)^(-m/2) / sqrt(m+1)."""
    return sum((2 * math.pi * sigma**2) ** (-m / 2) / (m * math.sqrt(m + 1)) for m in range(1, 20_000))


# Closed forms.


@pytest.mark.parametrize("b", [1.001, 1.5, 2, 4, 1e6])
def test_uniform(b):
    assert differential_troenpy(stats.uniform(0, b)) == pytest.approx(LOG(b / (b - 1)), **CLOSE)


@pytest.mark.parametrize("rate", [1, 0.999, 0.5, 0.01, 1e-6])
def test_exponential(rate):
    # At the rate 1 the density touches 1 in a single point, which does no harm.
    assert differential_troenpy(stats.expon(scale=1 / rate)) == pytest.approx(exponential(rate), rel=1e-8)


@pytest.mark.parametrize("sigma", [0.4, 0.5, 1, 30])
def test_normal(sigma):
    assert differential_troenpy(stats.norm(0, sigma)) == pytest.approx(normal(sigma), **CLOSE)


def test_triangular_that_touches_one():
    assert differential_troenpy(stats.triang(0.5, -1, 2)) == pytest.approx(3 / 2, **CLOSE)
    assert differential_troenpy(lambda x: 1 - abs(x), (-1, 0, 1)) == pytest.approx(3 / 2, **CLOSE)


def test_rising_line():
    assert differential_troenpy(lambda x: x / 8, (0, 4)) == pytest.approx(5 / 2 - 3 * LOG(2), **CLOSE)


def test_steps_worked_by_hand():
    # 1/2 on [0, 1] and 1/4 on [1, 3]: 1/2 log 2 + 1/2 log 4/3.
    density = lambda x: 0.5 if x < 1 else 0.25  # noqa: E731
    assert differential_troenpy(density, (0, 1, 3)) == pytest.approx(LOG(2) / 2 + LOG(4 / 3) / 2, **CLOSE)


# What does not matter, and what does.


@pytest.mark.parametrize("place", [-1e6, 1e-3, 1e3, 1e6])
def test_location_does_not_matter(place):
    assert differential_troenpy(stats.norm(place, 1)) == pytest.approx(normal(1), rel=1e-8)
    assert differential_troenpy(stats.uniform(place, 4)) == pytest.approx(LOG(4 / 3), rel=1e-8)
    assert differential_troenpy(stats.expon(place, 2)) == pytest.approx(exponential(0.5), rel=1e-8)


def test_wider_is_less_certain():
    values = [differential_troenpy(stats.t(3, scale=scale)) for scale in (0.5, 1, 2, 100)]
    assert values == sorted(values, reverse=True)
    # Where f is small, T is about the integral of f^2, the first term of the series.
    collision = stats.t(3, scale=100).expect(stats.t(3, scale=100).pdf)
    assert values[-1] == pytest.approx(collision, rel=1e-2)


@pytest.mark.parametrize("base", [2, 10, 0.5])
def test_base_divides_by_its_logarithm(base):
    assert differential_troenpy(stats.uniform(0, 2), base=base) == pytest.approx(LOG(2) / LOG(base), **CLOSE)


def test_base_must_be_one_of_a_logarithm():
    with pytest.raises(ValueError, match="base must be positive, finite and not 1, got 1"):
        differential_troenpy(stats.uniform(0, 2), base=1)


def test_function_with_infinite_support_is_its_distribution():
    density = lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi)  # noqa: E731
    for support in ((-math.inf, math.inf), (-math.inf, 0, math.inf), [-math.inf, -1, 2, math.inf], np.array([-40, 40])):
        assert differential_troenpy(density, support) == pytest.approx(normal(1), **CLOSE)
    assert differential_troenpy(lambda x: math.exp(-x), (0, math.inf)) == pytest.approx(1, **CLOSE)


def test_inner_points_find_a_narrow_peak():
    # Half of the mass on an interval of length 1 far out, the other half spread over 10,000.
    density = lambda x: 0.5 + 5e-5 if 7000 <= x <= 7001 else 5e-5  # noqa: E731
    expected = -0.50005 * LOG(1 - 0.50005) - 9999 * 5e-5 * math.log1p(-5e-5)
    with pytest.raises(ValueError, match="or add points to it at narrow peaks"):
        differential_troenpy(density, (0, 10_000))
    assert differential_troenpy(density, (0, 7000, 7001, 10_000)) == pytest.approx(expected, **CLOSE)


def test_a_mixture_of_far_peaks_given_as_a_distribution():
    class Mixture(stats.rv_continuous):
        def _pdf(self, x):
            return (stats.norm.pdf(x, -1000) + stats.norm.pdf(x, 1000)) / 2

        def _cdf(self, x):
            return (stats.norm.cdf(x, -1000) + stats.norm.cdf(x, 1000)) / 2

        def _ppf(self, q):
            low = q < 0.5
            side = np.where(low, 2 * q, np.clip(2 * q - 1, 1e-15, 1))
            return np.where(low, -1000, 1000) + stats.norm.ppf(side)

    half = sum((2 * math.pi) ** (-m / 2) * 2.0**-m / (m * math.sqrt(m + 1)) for m in range(1, 200))
    assert differential_troenpy(Mixture()()) == pytest.approx(half, rel=1e-8)


def test_a_distribution_may_call_its_quantiles_icdf():
    class Line:
        def support(self):
            return 0.0, 4.0

        def pdf(self, x):
            return x / 8

        def icdf(self, q):
            return 4 * np.sqrt(q)

    assert differential_troenpy(Line()) == pytest.approx(5 / 2 - 3 * LOG(2), **CLOSE)


def test_the_result_is_a_plain_float():
    assert type(differential_troenpy(stats.uniform(0, 4))) is float


# Densities without a troenpy.


@pytest.mark.parametrize(
    "distribution",
    [
        stats.uniform(0, 0.5),
        stats.uniform(0, 0.999),
        stats.beta(0.5, 0.5),
        stats.norm(0, 0.1),
        stats.expon(scale=0.5),
        stats.norm(1e5, 0.01),
    ],
)
def test_a_density_above_one_is_an_error(distribution):
    with pytest.raises(ValueError, match=r"got .* at x = .*: log\(1 - f\) is undefined above 1"):
        differential_troenpy(distribution)


def test_a_density_above_one_says_where():
    with pytest.raises(ValueError, match=r"got 2 at x = 0\.25: log\(1 - f\) is undefined above 1"):
        differential_troenpy(lambda x: 2.0, (0, 0.5))


@pytest.mark.parametrize("place", [0, 5])
def test_a_density_of_one_on_an_interval_is_an_error(place):
    with pytest.raises(ValueError, match="must not equal 1 on an interval: its differential troenpy is infinite"):
        differential_troenpy(stats.uniform(place, 1))
    with pytest.raises(ValueError, match="must not equal 1 on an interval: its differential troenpy is infinite"):
        differential_troenpy(lambda x: 1.0 if x < 0.5 else 0.5, (0, 0.5, 1.5))


@pytest.mark.parametrize(("height", "mass"), [(0.5, 0.5), (0.999, 0.999), (0, 0)])
def test_a_density_that_does_not_integrate_to_one_is_an_error(height, mass):
    with pytest.raises(ValueError, match=f"must integrate to 1, got {mass} over 0 to 1: check the support"):
        differential_troenpy(lambda x: height, (0, 1))


def test_too_wide_a_support_is_an_error():
    with pytest.raises(ValueError, match="must integrate to 1, got 2 over 0 to 4"):
        differential_troenpy(lambda x: 0.5, (0, 4))


@pytest.mark.parametrize(("value", "shown"), [(-0.5, "-0.5"), (math.nan, "nan"), (-math.inf, "-inf")])
def test_a_negative_or_missing_density_is_an_error(value, shown):
    with pytest.raises(ValueError, match=f"the density must lie between 0 and 1, got {shown} at x = 1$"):
        differential_troenpy(lambda x: value, (0, 2))


def test_an_infinite_density_is_an_error():
    with pytest.raises(ValueError, match="the density must lie between 0 and 1, got inf at x = 1"):
        differential_troenpy(lambda x: math.inf, (0, 2))


@pytest.mark.parametrize("distribution", [stats.poisson(3), stats.binom(4, 0.5)])
def test_a_discrete_distribution_is_an_error(distribution):
    with pytest.raises(TypeError, match=r"got a discrete one: use troenpy\.troenpy on its pmf"):
        differential_troenpy(distribution)


def test_a_distribution_that_is_not_frozen_is_an_error():
    with pytest.raises(TypeError, match=r"must be frozen with scalar parameters.*: .*missing 1 required positional"):
        differential_troenpy(stats.gamma)


@pytest.mark.parametrize("value", [0.5, "uniform", None, [1, 2]])
def test_neither_distribution_nor_function_is_an_error(value):
    with pytest.raises(TypeError, match=f"a frozen scipy.stats distribution or a function, got {type(value).__name__}"):
        differential_troenpy(value)


@pytest.mark.parametrize("support", [None, (), (0,), (1, 0), (0, 0), (0, 2, 1), (0, math.nan)])
def test_a_missing_or_falling_support_is_an_error(support):
    with pytest.raises(ValueError, match=r"support must be ascending numbers, .*, got"):
        differential_troenpy(lambda x: 0.5, support)


def test_a_distribution_takes_no_support():
    with pytest.raises(ValueError, match=r"support is only for a density .*: omit it for a distribution"):
        differential_troenpy(stats.uniform(0, 2), (0, 2))


def test_a_density_may_return_an_array_of_one():
    assert differential_troenpy(lambda x: np.array([x / 8]), (0, 4)) == pytest.approx(5 / 2 - 3 * np.log(2))
