"""Learning curves: the power law, what twice the labels would bring, and when nothing can be said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from troenpy.experiments.learning_curve import EXPONENTS, fit_power_law, learning_curve

FRACTIONS = [0.1, 0.2, 0.4, 0.7, 1.0]


def curve_of(rates, n_tests=5, n_test=400, seed=0):
    """Return the curve of a method that errs at these rates."""
    rng = np.random.default_rng(seed)
    lots = [rng.random(n_test) for _ in range(n_tests)]
    losses = [[lambda places, wrong=lot < rate: float(wrong[places].mean()) for rate in rates] for lot in lots]
    sizes = [round(1000 * fraction) for fraction in FRACTIONS][: len(rates)]
    return learning_curve("m", FRACTIONS[: len(rates)], sizes, losses, [n_test] * n_tests)


@given(st.floats(0, 0.5), st.sampled_from(EXPONENTS.tolist()), st.floats(0, 0.3))
def test_an_exact_law_is_found(scale, exponent, floor):
    losses = np.array([[scale * share**-exponent + floor for share in FRACTIONS]])
    law = fit_power_law(FRACTIONS, losses)
    assert law.at(1)[0] == pytest.approx(losses[0, -1], abs=1e-6)
    assert law.at(2)[0] == pytest.approx(scale * 2**-exponent + floor, abs=1e-4)


def test_the_fit_is_as_close_as_scipys():
    losses = np.array([0.42, 0.33, 0.24, 0.21, 0.19])
    law = fit_power_law(FRACTIONS, losses[np.newaxis])
    found, _ = curve_fit(
        lambda share, a, b, c: a * share**-b + c, FRACTIONS, losses, p0=(0.1, 0.5, 0.1), bounds=(0, [1, 1.5, 1])
    )
    assert law.at(2)[0] == pytest.approx(found[0] * 2 ** -found[1] + found[2], abs=0.002)


def test_laws_do_not_rise_and_have_no_floor_below_zero():
    law = fit_power_law(FRACTIONS, np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.2, 0.05, 0.01, 0.0]]))
    assert min(*law.scale, *law.floor) >= 0
    assert law.at(2)[0] == pytest.approx(0.3)


def test_a_falling_curve_is_extrapolated_with_its_uncertainty():
    curve = curve_of([0.6, 0.45, 0.34, 0.28, 0.25])
    twice = curve.twice
    assert twice.n_train == 2000
    assert not twice.is_flat
    assert twice.low < twice.loss < twice.high < curve.points[-1].loss + 0.02
    assert 0.15 < twice.loss < 0.24
    assert 0 < twice.gain_low < twice.gain
    assert [point.n_train for point in curve.points] == [100, 200, 400, 700, 1000]
    assert all(point.low < point.loss < point.high for point in curve.points)


@pytest.mark.parametrize("rates", [[0.3] * 5, [0.3, 0.28, 0.31, 0.29, 0.30], [0.5, 0.2, 0.2, 0.2, 0.2]])
def test_a_flat_curve_is_called_flat(rates):
    assert curve_of(rates).twice.is_flat


def test_a_noisy_curve_promises_nothing():
    assert curve_of([0.45, 0.30, 0.42, 0.25, 0.36], n_tests=2, n_test=30).twice.is_flat


def test_three_points_are_not_extrapolated():
    curve = curve_of([0.6, 0.4, 0.3])
    assert curve.twice is None
    assert curve.to_dict()["twice"] is None
