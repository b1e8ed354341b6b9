"""Sums of class profiles: the kernel and its twin against numpy, many rows on threads, and arrays that do not fit."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel, on_both

from troenpy import _kernel
from troenpy._kernel.profiles import ProfileTable


@given(
    st.integers(0, 999),
    st.sampled_from([1, 3, 20]),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([1, 2]),
    st.sampled_from([np.int64, np.float64]),
    st.sampled_from([np.int32, np.int64]),
)
@settings(deadline=None)
def test_sums(seed, n_classes, dtype, n_threads, table_dtype, index):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(0, 6), rng.integers(1, 9)
    dense = rng.poisson(0.7, (n_rows, n_columns)).astype(dtype)
    rows = sp.csr_array(dense)
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    counts, weights = rng.poisson(0.2, (n_classes, n_columns)).astype(table_dtype), rng.random(n_columns)
    totals, left_out = counts.sum(axis=0), -rng.integers(0, 4, n_rows).astype(float)
    values = dense * weights
    shrunk = values / (totals - left_out[:, np.newaxis] + 0.5)
    table = ProfileTable(sp.csc_array(counts), weights)

    def run(**how):
        return table.sums(rows, left_out, smoothing=0.5, n_threads=n_threads, **how)

    for by_class, sums in (*on_both(run), *on_both(lambda: run(as_dense=False))):
        found = by_class if isinstance(by_class, np.ndarray) else by_class.toarray()
        np.testing.assert_allclose(found, shrunk @ counts.T, rtol=1e-12)
        np.testing.assert_allclose(sums, np.c_[values.sum(axis=1), shrunk.sum(axis=1)], rtol=1e-12)


def test_many_rows_on_threads():
    rows = sp.random(3000, 500, density=0.02, format="csr", random_state=3)
    counts = sp.csc_array(np.random.default_rng(4).poisson(1.0, (7, 500)))
    table = ProfileTable(counts, np.ones(500))
    one, two = (table.sums(rows, -np.ones(3000), smoothing=1.0, n_threads=n) for n in (1, 2))
    twin = on_both(lambda: table.sums(rows, -np.ones(3000), smoothing=1.0))[1]
    for a, b, c in zip(one, two, twin, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, c, rtol=1e-12)


TABLE = {
    "indptr": np.array([0, 1, 2]),
    "classes": np.array([0, 1]),
    "counts": np.ones(2),
    "n_classes": 2,
    "weights": np.ones(2),
    "totals": np.ones(2),
}
ROWS = {
    "data": np.ones(2),
    "indices": np.array([0, 1]),
    "indptr": np.array([0, 2]),
    "left_out": np.zeros(1),
    "smoothing": 1.0,
    "out": np.zeros((1, 2)),
    "sums": np.empty((1, 2)),
    "n_threads": 1,
}


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indptr": np.array([0, 1, 3])}, "indptr does not ascend"),
        ({"classes": np.array([0, 2])}, "a class of the table is outside the number of classes"),
        ({"classes": np.array([0, -1])}, "a class of the table is outside the number of classes"),
        ({"classes": np.array([0])}, "table, weights and totals do not fit each other"),
        ({"weights": np.ones(3)}, "table, weights and totals do not fit each other"),
        ({"totals": np.ones(1)}, "table, weights and totals do not fit each other"),
    ],
)
def test_a_table_checks_its_arrays(change, message):
    with pytest.raises((ValueError, IndexError), match=message):
        _kernel.native.TermProfiles(**{**TABLE, **change})


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 2])}, "a column index is outside the weights"),
        ({"indices": np.array([0])}, "data and indices differ in length"),
        ({"indptr": np.array([0, 3])}, "indptr does not ascend"),
        ({"left_out": np.zeros(2)}, "rows, table and output do not fit each other"),
        ({"sums": np.empty((1, 1))}, "rows, table and output do not fit each other"),
        ({"out": np.zeros((1, 3))}, "rows, table and output do not fit each other"),
    ],
)
def test_rows_are_checked(change, message):
    with pytest.raises((ValueError, IndexError), match=message):
        _kernel.native.TermProfiles(**TABLE).write(**{**ROWS, **change})


@needs_kernel
def test_the_kernels_table_cannot_be_pickled():
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(_kernel.native.TermProfiles(**TABLE))
