"""The kernel's loops over sparse matrices equal their numpy and scipy twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from troenpy import _kernel
from troenpy._kernel import matrix

needs_kernel = pytest.mark.skipif(_kernel.native is None, reason="no kernel")


def on_both(function, *arguments, **settings):
    """Return what the kernel gives and what the twin gives."""
    native = _kernel.native
    results = [function(*arguments, **settings)]
    try:
        _kernel.native = None
        results.append(function(*arguments, **settings))
    finally:
        _kernel.native = native
    return results


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
    for borders, classes, counts in on_both(matrix.class_document_counts, *arguments, n_threads=n_threads):
        found = sp.csc_array((counts, classes, borders), shape=expected.shape)
        assert found.has_canonical_format
        assert (counts > 0).all()
        assert found.toarray().tolist() == expected.tolist()
        assert {borders.dtype, classes.dtype, counts.dtype} == {np.dtype(np.int64)}


def test_class_document_counts_in_blocks_of_columns():
    X = sp.random(300, 400_000, density=0.0005, format="csr", random_state=3)
    codes = np.random.default_rng(4).integers(0, 7, 300)
    arguments = X.indptr, X.indices, codes, 7, X.shape[1]
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
def test_weigh_rows_checks_its_arrays():
    one = np.ones(1)
    with pytest.raises(IndexError, match="a column index is outside the weights"):
        matrix.weigh_rows(one, np.array([1]), np.array([0, 1]), one)
    with pytest.raises(ValueError, match="data, indices and out differ in length"):
        matrix.weigh_rows(one, np.array([0]), np.array([0, 1]), one, out=np.empty(2))
    with pytest.raises(ValueError, match="indptr does not ascend"):
        matrix.weigh_rows(one, np.array([0]), np.array([0, 2]), one)
    with pytest.raises(ValueError, match="norm must be 'l1', 'l2', 'hellinger' or 'none', got 'max'"):
        matrix.weigh_rows(one, np.array([0]), np.array([0, 1]), one, "max")


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
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
