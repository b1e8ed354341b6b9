"""Count matrices in over-allocated arrays, which TermFeatures expands in place."""

from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy import sparse

from troenpy.features.text_parameters import LARGEST_INT32

COUNTED_DTYPES = tuple(map(np.dtype, (np.int32, np.int64, np.float32, np.float64)))


class Capacity(NamedTuple):
    """How much to over-allocate: `times` the number of values, plus `per_row` values for every row."""

    times: int = 1
    per_row: int = 0


class CountedRows(NamedTuple):
    """A matrix of counts, the arrays at whose end its values and column indices are stored, and their sum if known."""

    matrix: Any
    data: NDArray[Any]
    indices: NDArray[Any]
    total: float | None = None


def sort_columns(X: Any) -> CountedRows:
    """Sort the column indices of scikit-learn's matrix."""
    # scikit-learn reorders the columns and leaves has_sorted_indices as it was.
    X.has_sorted_indices = False
    X.sort_indices()
    return CountedRows(X, X.data, X.indices)


def read_rows(counts: Any, dtype: np.dtype[Any], capacity: Capacity, *, binary: bool) -> CountedRows:
    """Return the kernel's counts as a matrix, in over-allocated arrays."""
    indptr, indices, data = _csr_arrays(counts, dtype, capacity)
    first = len(data) - int(indptr[-1])
    total = counts.write_rows(indices[first:], data[first:], binary)
    is_array = sklearn.get_config().get("sparse_interface") == "sparray"
    kind, shape = sparse.csr_array if is_array else sparse.csr_matrix, (counts.n_documents, counts.n_columns)
    data = data.astype(dtype, copy=False)
    if not first:
        X = kind((data, indices, indptr), shape=shape, copy=False)
    else:
        X = kind(shape, dtype=dtype)  # the constructor would copy slices of larger arrays
        X.data, X.indices, X.indptr = data[first:], indices[first:], indptr
    X.has_canonical_format = True
    return CountedRows(X, data, indices, float(total))


def _csr_arrays(
    counts: Any, dtype: np.dtype[Any], capacity: Capacity
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the row pointers, and uninitialised arrays at whose end the indices and data will be written."""
    borders = counts.row_borders()
    n_rows, n_values = len(borders) - 1, int(borders[-1])
    most = capacity.times * max(n_values, counts.n_columns) + capacity.per_row * n_rows
    index = np.int32 if most <= LARGEST_INT32 else np.int64
    size = capacity.times * n_values + capacity.per_row * n_rows
    indices = np.empty(size, dtype=index)
    return borders.astype(index), indices, np.empty(size, dtype=dtype if dtype in COUNTED_DTYPES else np.int32)
