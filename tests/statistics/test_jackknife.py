"""The jackknife by groups, against formulas that are known."""

import numpy as np
import pytest

from troenpy.statistics import critical_value, jackknife_error, rank_intervals


def test_the_error_of_a_mean_is_the_textbooks():
    values = np.random.default_rng(0).normal(size=(20, 3))
    replicates = (values.sum(axis=0) - values) / 19
    np.testing.assert_allclose(jackknife_error(replicates), values.std(axis=0, ddof=1) / np.sqrt(20))


def test_one_group_says_nothing():
    assert np.isnan(jackknife_error([[1.0, 2.0]])).all()
    assert np.isnan(critical_value(1))
    best, worst = rank_intervals([3.0, 2.0], [[3.0, 2.0]])
    assert best.tolist(), worst.tolist() == ([1, 1], [2, 2])


def test_ranks_of_many_values_are_those_of_all_pairs():
    rng = np.random.default_rng(0)
    values, replicates = rng.normal(size=150), rng.normal(scale=0.05, size=(20, 150))
    replicates += values
    best, worst = rank_intervals(values, replicates)
    for i in (0, 7, 149):
        difference = values - values[i]
        width = critical_value(20) * jackknife_error(replicates - replicates[:, [i]])
        assert best[i] == 1 + np.count_nonzero(difference > width)
        assert worst[i] == 150 - np.count_nonzero(difference < -width)
    some = rank_intervals(values, replicates, [7, 149])
    assert some[0].tolist() == best[[7, 149]].tolist()
    assert some[1].tolist() == worst[[7, 149]].tolist()


def test_the_interval_has_its_level():
    """Of means of 20 groups, about 95 % of the intervals include the true value."""
    values = np.random.default_rng(1).normal(size=(20, 4000))
    width = critical_value(20) * jackknife_error((values.sum(axis=0) - values) / 19)
    covered = np.mean(np.abs(values.mean(axis=0)) < width)
    assert covered == pytest.approx(0.95, abs=0.012)
