"""The kernel's loops over sparse matrices equal their numpy and scipy twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel, on_both
from sklearn.preprocessing import normalize

from troenpy import _kernel
from troenpy._kernel import matrix


@st.composite
def count_matrices(draw):
    n_rows, n_columns = draw(st.integers(0, 8)), draw(st.integers(1, 6))
    cells = st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=n_columns, max_size=n_columns)
    rows = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    X = sp.csr_array(np.array(rows, dtype=np.int64).reshape(n_rows, n_columns))
    index = draw(st.sampled_from([np.int32, np.int64]))
    return X.data, X.indices.astype(index), X.indptr.astype(index), X.toarray()


@given(count_matrices(), st.data())
@settings(deadline=None)
def test_class_document_counts(parts, data):
    _, indices, indptr, dense = parts
    codes = data.draw(st.lists(st.integers(0, 3), min_size=len(dense), max_size=len(dense)))
    expected = np.array(
        [[(dense[np.array(codes, int) == c, j] > 0).sum() for j in range(dense.shape[1])] for c in range(4)]
    )
    arguments = indptr, indices, np.array(codes, dtype=np.int64), 4, dense.shape[1]
    n_threads = data.draw(st.integers(1, 3))
    for borders, classes, counts, totals in on_both(matrix.class_document_counts, *arguments, n_threads=n_threads):
        found = sp.csc_array((counts, classes, borders), shape=expected.shape)
        assert found.has_canonical_format
        assert (counts > 0).all()
        assert found.toarray().tolist() == expected.tolist()
        assert totals.tolist() == expected.sum(axis=0).tolist()
        assert {borders.dtype, classes.dtype} == {indptr.dtype}
        assert {counts.dtype, totals.dtype} == {np.dtype(np.int64)}


def test_class_document_counts_in_blocks_of_columns():
    rng = np.random.default_rng(3)
    n_columns = 400_000
    rows = [np.unique(rng.integers(0, n_columns, 200)) for _ in range(300)]
    indptr = np.cumsum([0, *map(len, rows)])
    arguments = indptr, np.concatenate(rows), rng.integers(0, 7, 300), 7, n_columns
    ours, reference = on_both(matrix.class_document_counts, *arguments, n_threads=2)
    for found, expected in zip(ours, reference, strict=True):
        np.testing.assert_array_equal(found, expected)


@given(
    count_matrices(),
    st.sampled_from([None, "l1", "l2", "hellinger"]),
    st.sampled_from([np.int64, np.int32, np.float32, np.float64]),
    st.sampled_from([np.float32, np.float64]),
    st.lists(st.sampled_from([0.0, 0.5, -0.25, 1.7, 3.1]), min_size=6, max_size=6),
    st.sampled_from([1, 2]),
)
@settings(deadline=None)
def test_weigh_rows(parts, norm, given_dtype, dtype, weights, n_threads):
    counts, indices, indptr, dense = parts
    weights = np.array(weights[: dense.shape[1]])
    weighted = (dense * weights).astype(dtype).astype(np.float64)
    expected = weighted
    if norm is not None and len(dense):
        expected = normalize(weighted, norm="l1" if norm == "hellinger" else norm)
    if norm == "hellinger":
        expected = np.sign(expected) * np.sqrt(np.abs(expected))

    def run():
        out = np.empty(len(counts), dtype=dtype)
        return matrix.weigh_rows(
            counts.astype(given_dtype), indices, indptr, weights, norm, out=out, n_threads=n_threads
        )

    ours, twins = on_both(run)
    assert ours.tolist() == twins.tolist()
    found = sp.csr_array((ours, indices, indptr), shape=dense.shape).toarray()
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)


def test_weigh_rows_in_place():
    data = np.array([3.0, 4.0, 0.0])
    for out in on_both(
        lambda: matrix.weigh_rows(data.copy(), np.array([0, 1, 0]), np.array([0, 2, 3]), np.ones(2), "l2")
    ):
        np.testing.assert_allclose(out, [0.6, 0.8, 0.0])


@needs_kernel
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.array([0, 2]), np.array([0, 5]), np.array([0]), 1, 2), "a column index is outside"),
        ((np.array([0, 2]), np.array([-1, 0]), np.array([0]), 1, 2), "a column index is outside"),
        ((np.array([0, 3]), np.array([0, 9, 1]), np.array([0]), 1, 2), "the columns of a row do not ascend"),
        ((np.array([0, 1]), np.array([0]), np.array([3]), 1, 2), "a class code is outside"),
        ((np.array([0, 1]), np.array([0]), np.array([-1]), 1, 2), "a class code is outside"),
        ((np.array([0, 9]), np.array([0]), np.array([0]), 1, 2), "indptr does not ascend"),
        ((np.array([1, 0]), np.array([0]), np.array([0]), 1, 2), "indptr does not ascend"),
        ((np.array([0, 1]), np.array([0]), np.array([0, 0]), 1, 2), "codes and rows differ in number"),
    ],
)
def test_class_document_counts_checks_its_arrays(arguments, message):
    with pytest.raises((ValueError, IndexError), match=message):
        matrix.class_document_counts(*arguments)


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([1])}, "a column index is outside the weights"),
        ({"out": np.empty(2)}, "data, indices and out differ in length"),
        ({"indptr": np.array([0, 2])}, "indptr does not ascend"),
        ({"norm": "max"}, "norm must be 'l1', 'l2', 'hellinger' or 'none', got 'max'"),
    ],
)
def test_weigh_rows_checks_its_arrays(change, message):
    arguments = {"data": np.ones(1), "indices": np.array([0]), "indptr": np.array([0, 1]), "weights": np.ones(1)}
    with pytest.raises(IndexError if "indices" in change else ValueError, match=message):
        matrix.weigh_rows(**{**arguments, **change})


@given(count_matrices(), st.integers(0, 3), st.integers(0, 2), st.sampled_from([np.float32, np.float64]))
@settings(deadline=None)
def test_stack_blocks_with_a_tail(parts, n_tail, n_blocks, dtype):
    counts, indices, indptr, dense = parts
    tail = np.arange(1.0, len(dense) * n_tail + 1, dtype=dtype).reshape(len(dense), n_tail)
    weights = np.arange(1.0, n_blocks * dense.shape[1] + 1).reshape(1, n_blocks, dense.shape[1])
    expected = np.hstack([*(dense * weight for weight in weights[0]), tail])

    def run():
        n_values = n_blocks * len(counts) + tail.size
        out, columns = np.empty(n_values, dtype), np.empty(n_values, indices.dtype)
        sets = np.zeros(len(dense), dtype=np.int64)
        how = [("raw", "none")] * n_blocks
        arguments = counts.astype(dtype), indices, indptr, weights, sets, how
        matrix.stack_blocks(*arguments, out=out, out_indices=columns, tail=tail)
        borders = n_blocks * indptr + n_tail * np.arange(len(dense) + 1)
        return sp.csr_array((out, columns, borders), shape=expected.shape)

    for found in on_both(run):
        assert found.has_canonical_format
        np.testing.assert_array_equal(found.toarray(), expected)


def test_stack_blocks_takes_the_logarithm_of_any_count():
    counts = np.array([0.5, 1.0, 1.5, 2.0, 255.0, 255.5, 256.0, 1e9])
    n = len(counts)
    arrays = np.arange(n), np.array([0, n]), np.ones((1, 1, n)), np.zeros(1, dtype=np.int64)
    for found in on_both(_stacked, counts, *arrays, [("log", "none")], n):
        np.testing.assert_allclose(found[0], 1 + np.log(counts), rtol=1e-15)


def test_stack_blocks_of_many_rows_on_threads():
    rng = np.random.default_rng(5)
    X = sp.csr_array(rng.random((3000, 50)) * (rng.random((3000, 50)) < 0.2))
    weights, sets = rng.random((2, 2, 50)), rng.integers(0, 2, 3000)
    arguments = X.data, X.indices, X.indptr, weights, sets, [("log", "l2"), ("raw", "hellinger")], 2 * X.nnz
    one, two = (_stacked(*arguments, n_threads=n) for n in (1, 2))
    twin = on_both(_stacked, *arguments)[1]
    for first, second, expected in zip(one, two, twin, strict=True):
        assert first.tolist() == second.tolist()
        np.testing.assert_allclose(first, expected, rtol=1e-12, atol=1e-14)


def _stacked(counts, indices, indptr, weights, sets, blocks, n_values, n_threads=1):
    out, columns = np.empty(n_values), np.empty(n_values, dtype=indices.dtype)
    arguments = counts, indices, indptr, weights, sets, blocks
    matrix.stack_blocks(*arguments, out=out, out_indices=columns, n_threads=n_threads)
    return out, columns


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tail": np.ones((2, 1))}, "do not fit each other"),
        ({"tail": np.ones((1, 1))}, "the output is too small"),
        ({"indices": np.array([0, 2])}, "a column index is outside the weights"),
        ({"indptr": np.array([0, 3])}, "indptr does not ascend"),
        ({"sets": np.array([1])}, "a set of weights that is not there"),
        ({"sets": np.array([0, 0])}, "do not fit each other"),
        ({"weights": np.ones((1, 3, 2))}, "do not fit each other"),
        ({"out": np.empty(3)}, "the output is too small"),
        ({"blocks": [("raw", "l2"), ("cubed", "l2")]}, "tf must be 'raw', 'log', 'sqrt' or 'binary', got 'cubed'"),
    ],
)
def test_stack_blocks_checks_its_arrays(change, message):
    arguments = {
        "counts": np.ones(2),
        "indices": np.array([0, 1]),
        "indptr": np.array([0, 2]),
        "weights": np.ones((1, 2, 2)),
        "sets": np.array([0]),
        "blocks": [("raw", "l2"), ("binary", "none")],
        "out": np.empty(4),
        "out_indices": np.empty(4, dtype=np.int64),
    }
    with pytest.raises((ValueError, IndexError), match=message):
        matrix.stack_blocks(**{**arguments, **change})


@given(
    count_matrices(),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([np.float32, np.float64]),
    st.integers(0, 99),
    st.sampled_from([1, 2, 5, 19]),
)
@settings(deadline=None)
def test_decision_values(parts, dtype, coef_dtype, seed, n_decisions):
    counts, indices, indptr, dense = parts
    rng = np.random.default_rng(seed)
    coef = rng.normal(size=(dense.shape[1], n_decisions)).astype(coef_dtype)
    intercept = rng.choice([0.0, 1.5, np.inf, -np.inf], n_decisions)
    first, last = sorted(rng.integers(0, dense.shape[0] + 1, 2).tolist())
    expected = dense[first:last].astype(np.float64) @ coef.astype(np.float64) + intercept
    arguments = counts.astype(dtype), indices, indptr, coef, intercept, slice(first, last)
    by_kernel, by_twin = on_both(matrix.decision_values, *arguments)
    np.testing.assert_allclose(by_kernel, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(by_kernel, by_twin)


def test_decision_values_are_summed_in_float64():
    data, coef = np.array([1, 2**-30, -1], dtype=np.float32), np.ones((3, 1), dtype=np.float32)
    arguments = data, np.arange(3), np.array([0, 3]), coef, np.zeros(1), slice(0, 1)
    for values in on_both(matrix.decision_values, *arguments):
        assert values.tolist() == [[2.0**-30]]


def test_decision_values_of_many_rows_on_threads():
    rows = sp.random(3000, 500, density=0.02, format="csr", random_state=3)
    coef = np.random.default_rng(4).normal(size=(500, 7)).astype(np.float32)
    arguments = rows.data, rows.indices, rows.indptr, coef, np.arange(7.0), slice(10, 2900)
    one, two = (matrix.decision_values(*arguments, n_threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, (rows @ coef + np.arange(7.0))[10:2900], rtol=1e-12, atol=1e-12)


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 2])}, "a column index is outside the coefficients"),
        ({"indices": np.array([0, -1])}, "a column index is outside the coefficients"),
        ({"indices": np.array([0])}, "data and indices differ in length"),
        ({"indptr": np.array([0, 3])}, "indptr does not ascend"),
        ({"first": 1}, "rows, coefficients and output do not fit each other"),
        ({"intercept": np.zeros(2)}, "rows, coefficients and output do not fit each other"),
        ({"out": np.empty((1, 4))}, "rows, coefficients and output do not fit each other"),
    ],
)
def test_decision_values_check_their_arrays(change, message):
    arguments = {
        "data": np.ones(2),
        "indices": np.array([0, 1]),
        "indptr": np.array([0, 2]),
        "first": 0,
        "coef": np.ones((2, 3), dtype=np.float32),
        "intercept": np.zeros(3),
        "out": np.empty((1, 3)),
        "n_threads": 1,
    }
    with pytest.raises((ValueError, IndexError), match=message):
        _kernel.native.decision_values(**{**arguments, **change})


@pytest.mark.parametrize("shape", [(1, 1), (0, 3), (2, 5), (7, 3000), (300, 1025), (40, 8), (9, 15)])
def test_least_differences(shape):
    rng = np.random.default_rng(1)
    table, less = rng.normal(size=shape), rng.normal(size=shape[1])
    expected = (table - less).min(axis=1)
    for found in on_both(matrix.least_differences, table, less):
        np.testing.assert_array_equal(found, expected)
    for found in on_both(matrix.least_differences, np.asfortranarray(table, dtype=np.float32), less):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@needs_kernel
def test_least_differences_need_a_column_for_each_number():
    with pytest.raises(ValueError, match="a column for each number"):
        _kernel.native.least_differences(np.zeros((3, 2)), np.zeros(3))


@needs_kernel
def test_the_kernels_troenpy_of_what_are_no_counts():
    for counts in ([1e9, -999999999.0], [5.0, -2.0], [-1.0, -2.0], [np.nan, 1.0], [np.inf, 1.0]):
        starts, sizes = np.array([0, 2], dtype=np.int64), np.array([3.0, 4.0])
        assert len(_kernel.native.add_one_troenpy(starts, np.array(counts), 1.0)) == 1
        assert len(_kernel.native.two_sided_troenpy(starts, np.array([0, 1]), np.array(counts), sizes, 1.0)) == 1
    with pytest.raises(IndexError, match="a class is outside the sizes"):
        _kernel.native.two_sided_troenpy(starts, np.array([0, 2]), np.array(counts), sizes, 1.0)
    with pytest.raises(ValueError, match="differ in length"):
        _kernel.native.two_sided_troenpy(starts, np.array([0]), np.array(counts), sizes, 1.0)
