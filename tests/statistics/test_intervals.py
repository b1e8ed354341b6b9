"""Log-odds, their order, dispersion and the false-discovery rate, worked by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from troenpy.statistics import (
    Comparison,
    adjusted_p_values,
    deviation_of_proportions,
    log_odds_ratio,
    log_share_ratio,
    mark_strength,
)


def test_log_odds_by_hand():
    # 30 of 100 and 10 of 300: 40.5 of 401 is the term's share; 10 pseudo-documents, 1.00998 of them with the term.
    value, error = log_odds_ratio(Comparison(30, 100, 10, 300))
    p, r = 10 * 40.5 / 401, 10 * 360.5 / 401
    cells = 30 + p, 70 + r, 10 + p, 290 + r
    assert value == pytest.approx(np.log(cells[0] / cells[1] / (cells[2] / cells[3])))
    assert error == pytest.approx(np.sqrt(1 / cells[0] + 1 / cells[1] + 1 / cells[2] + 1 / cells[3]))
    plain = np.log(30 / 70 / (10 / 290))
    assert 0 < value < plain  # shrunk


def test_with_a_large_prior_monroes_own_variance_is_the_rest():
    found = Comparison(30, 10_000, 10, 30_000)
    p, r = found.priors(500.0)
    _, error = log_odds_ratio(found, 500.0)
    monroes = np.sqrt(1 / (30 + p) + 1 / (10 + p))
    assert error == pytest.approx(np.sqrt(monroes**2 + 1 / (9970 + r) + 1 / (29_990 + r)))
    assert error == pytest.approx(monroes, rel=0.01)  # words are rare, so that the paper leaves out the rest


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 400), st.integers(0, 400))
def test_intervals_are_finite_and_swapping_the_sides_changes_the_sign(a, b, more_in, more_out):
    there, back = Comparison(a, a + more_in, b, b + more_out), Comparison(b, b + more_out, a, a + more_in)
    for ratio in (log_odds_ratio, log_share_ratio):
        value, error = ratio(there)
        assert np.isfinite(value)
        assert 0 < error < np.inf
        assert value == pytest.approx(-ratio(back).value, abs=1e-12)
    assert mark_strength(there, -1) == pytest.approx(mark_strength(back, 1), abs=1e-12)
    low, high = log_odds_ratio(there).ends()
    assert low < log_odds_ratio(there).value < high


def test_a_term_that_only_a_class_has_beats_one_by_chance_and_a_function_word():
    # of 100 and 10,000 documents: 30 and none; one and none; 95 and 7,000
    strength = mark_strength(Comparison([30, 1, 95], 100, [0, 0, 7000], 10_000))
    assert strength.argmax() == 0
    assert strength[1] < strength[2] < strength[0] / 3


@given(arrays(float, st.integers(1, 30), elements=st.floats(0, 1)))
def test_adjusted_p_values_are_scipys(p):
    np.testing.assert_allclose(adjusted_p_values(p), stats.false_discovery_control(p), rtol=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 5)), min_size=1, max_size=10), st.integers(0, 20))
def test_repeated_p_values_and_tests_without_one(pairs, n_more):
    p, repeats = np.array(pairs).T
    every = np.concatenate([np.repeat(p, repeats.astype(int)), np.ones(n_more)])
    expected = dict(zip(every, stats.false_discovery_control(every), strict=True))
    found = adjusted_p_values(p, repeats.astype(int), len(every))
    np.testing.assert_allclose(found, [expected[one] for one in p], rtol=1e-12)


def test_fewer_tests_than_p_values_are_an_error():
    with pytest.raises(ValueError, match="n_tests must be at least the number of p-values, 2, got 1"):
        adjusted_p_values([0.1, 0.2], n_tests=1)


def test_dispersion_of_even_and_clumped_terms():
    sizes = np.full(20, 50)
    even, clumped = np.full(20, 3), np.eye(20)[0] * 60
    found = deviation_of_proportions(np.stack([even, clumped, np.zeros(20)], axis=1), sizes)
    np.testing.assert_allclose(found, [0, 0.95, np.nan], atol=1e-15)
