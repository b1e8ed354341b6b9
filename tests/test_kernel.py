"""The loops over matrices, kernel and twin, against plain references; bad arrays never read foreign memory."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from troenpy import _kernel, kernel_available
from troenpy._kernel.matrix import class_document_counts, weigh_rows

needs_kernel = pytest.mark.skipif(not kernel_available(), reason="installed without a compiler")


@pytest.fixture(params=[pytest.param("kernel", marks=needs_kernel), "twin"])
def _both_paths(request, monkeypatch):
    if request.param == "twin":
        monkeypatch.setattr(_kernel, "native", None)


def random_rows(seed, n_rows=200, n_columns=60, index=np.int32, dtype=np.int64):
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_array(rng.poisson(0.2, (n_rows, n_columns)).astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return rng, matrix


@pytest.mark.usefixtures("_both_paths")
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_classes", [1, 3, 150])
def test_documents_by_class_equal_a_dense_count(index, n_classes):
    rng, matrix = random_rows(n_classes, index=index)
    codes = rng.integers(0, n_classes, matrix.shape[0])
    expected = np.zeros((n_classes, matrix.shape[1]), dtype=np.int64)
    np.add.at(expected, codes, matrix.toarray() > 0)
    indptr, indices, data = class_document_counts(matrix.indptr, matrix.indices, codes, n_classes, matrix.shape[1])
    counts = sparse.csc_array((data, indices, indptr), shape=expected.shape)
    assert counts.has_canonical_format
    assert counts.data.all()
    np.testing.assert_array_equal(counts.toarray(), expected)


@pytest.mark.usefixtures("_both_paths")
def test_no_rows_and_no_columns_give_no_counts():
    for n_rows, n_columns in ((0, 3), (2, 0)):
        empty = sparse.csr_array((n_rows, n_columns))
        indptr, indices, data = class_document_counts(
            empty.indptr, empty.indices, np.zeros(n_rows, dtype=np.int64), 2, n_columns
        )
        assert (len(indptr), len(indices), len(data)) == (n_columns + 1, 0, 0)


@pytest.mark.usefixtures("_both_paths")
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("out", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["l1", "l2", "hellinger", None])
def test_weighed_rows_equal_scikit_learns_norms(index, dtype, out, norm):
    rng, matrix = random_rows(1, index=index, dtype=dtype)
    weights = rng.normal(size=matrix.shape[1])
    expected = matrix.toarray() * weights
    if norm is not None:
        expected = normalize(expected, norm="l2" if norm == "l2" else "l1")
    if norm == "hellinger":
        expected = np.copysign(np.sqrt(np.abs(expected)), expected)
    for n_threads in (1, 2):
        values = weigh_rows(
            matrix.data,
            matrix.indices,
            matrix.indptr,
            weights,
            norm,
            out=np.empty(matrix.nnz, dtype=out),
            n_threads=n_threads,
        )
        rows = sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
        np.testing.assert_allclose(rows.toarray(), expected, rtol=8 * np.finfo(out).eps, atol=0)


@pytest.mark.usefixtures("_both_paths")
def test_weighing_in_place_and_rows_of_zeros():
    data = np.array([3.0, 4.0, 0.0])
    assert weigh_rows(data, np.array([0, 1, 1]), np.array([0, 2, 2, 3]), np.array([1.0, -1.0]), "l2") is data
    np.testing.assert_allclose(data, [0.6, -0.8, 0.0])


BAD_MATRICES = [
    (np.array([0, 3]), np.array([0, 1])),  # more than is stored
    (np.array([0, 2, 1]), np.array([0, 1])),  # does not ascend
    (np.array([-1, 2]), np.array([0, 1])),
    (np.array([0, 2]), np.array([0, 2])),  # a column outside
    (np.array([0, 2]), np.array([0, -1])),
]


@needs_kernel
@pytest.mark.parametrize(("indptr", "indices"), BAD_MATRICES)
def test_the_kernel_refuses_bad_arrays(indptr, indices):
    native = _kernel.native
    n_rows = len(indptr) - 1
    with pytest.raises((ValueError, IndexError), match=r"indptr does not ascend|a column index is outside"):
        native.class_document_counts(indptr, indices, np.zeros(n_rows, dtype=np.int64), 1, 2)
    with pytest.raises((ValueError, IndexError), match=r"indptr does not ascend|a column index is outside"):
        native.weigh_rows(np.ones(2), indices, indptr, np.ones(2), "l2", np.ones(2), 1)
    with pytest.raises(IndexError, match=r"a class code is outside \[0, n_classes\)"):
        native.class_document_counts(np.array([0, 1]), np.array([0]), np.array([1]), 1, 2)
    with pytest.raises(ValueError, match="norm must be 'l1', 'l2', 'hellinger' or 'none', got 'max'"):
        native.weigh_rows(np.ones(2), np.array([0, 1]), np.array([0, 2]), np.ones(2), "max", np.ones(2), 1)
