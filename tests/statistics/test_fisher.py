"""Fisher's exact test of many tables, against scipy's of one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from troenpy.statistics import fisher_exact
from troenpy.statistics.fisher import log_probability


def scipys(a, b, n_in, n_out):
    return stats.fisher_exact([[a, n_in - a], [b, n_out - b]])[1]


@given(st.integers(0, 60), st.integers(0, 60), st.data())
def test_p_values_are_scipys(n_in, n_out, data):
    a, b = data.draw(st.integers(0, n_in)), data.draw(st.integers(0, n_out))
    np.testing.assert_allclose(fisher_exact(a, b, n_in, n_out), scipys(a, b, n_in, n_out), rtol=1e-11)


@pytest.mark.parametrize("largest", [30, 1000, 100_000])
def test_random_tables_of_any_size_give_scipys_p_values(largest):
    rng = np.random.default_rng(largest)
    for _ in range(60):
        n_in, n_out = rng.integers(1, largest, 2)
        a = int(rng.integers(0, n_in + 1))
        b = min(int(n_out), int(a * n_out / n_in * rng.uniform(0.8, 1.2)))  # most random tables have p = 0
        found = fisher_exact([a], [b], n_in, n_out)[0]
        assert found == pytest.approx(scipys(a, b, n_in, n_out), rel=1e-9, abs=1e-290)


def test_equally_probable_tables_at_the_other_end_count():
    # 6 of 10 and 0 of 10: the mirrored table is exactly as probable, so that both tails count.
    one_tail = stats.hypergeom.sf(5, 20, 6, 10)
    assert fisher_exact(6, 0, 10, 10) == pytest.approx(2 * one_tail, rel=1e-13)
    assert fisher_exact(60_000, 0, 100_000, 100_000) == 0
    np.testing.assert_array_equal(fisher_exact([3, 4], [4, 3], 9, 9), fisher_exact([4, 3], [3, 4], 9, 9))


def test_margins_without_documents_have_nothing_to_tell():
    np.testing.assert_array_equal(fisher_exact([0, 0, 3, 5], [0, 5, 0, 5], [0, 0, 3, 5], [0, 9, 0, 5]), 1)
    assert fisher_exact([], [], 3, 4).shape == (0,)


def test_tables_broadcast():
    table = fisher_exact(np.array([[1], [2]]), [0, 1, 2], 5, 9)
    assert table.shape == (2, 3)
    assert table[1, 2] == fisher_exact(2, 2, 5, 9)


def test_probabilities_of_millions_of_documents_sum_to_one():
    n_in, n_out, n_with = 400_000.0, 3_000_000.0, 50_000.0
    a = np.arange(0, n_with + 1)
    log_p = log_probability(a, (np.full_like(a, n_in), np.full_like(a, n_out), np.full_like(a, n_with)))
    assert np.exp(log_p).sum() == pytest.approx(1, abs=1e-12)  # differences of gammaln give 1 + 3e-9
