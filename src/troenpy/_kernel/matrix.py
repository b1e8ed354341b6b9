"""Loops over sparse matrices: by the kernel, or else by numpy and scipy."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from troenpy import _kernel

Norm = Literal["l1", "l2", "hellinger"] | None
DIFFERENCES_AT_ONCE = 2**17  # fits in the cache


def class_document_counts(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    codes: NDArray[Any],
    n_classes: int,
    n_columns: int,
    *,
    n_threads: int = 1,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Count the documents per class and column.

    Parameters
    ----------
    indptr, indices : arrays of a canonical CSR matrix, without stored zeros
    codes : array of shape (n_rows,), the class of each row, in [0, n_classes)
    n_classes, n_columns : int
    n_threads : int

    Returns
    -------
    indptr, indices, data : arrays of a CSC matrix of shape (n_classes, n_columns), rows ascending
        The first two have the dtype of the arguments, `data` is int64.
    totals : int64 array of shape (n_columns,), the sums of the columns

    Examples
    --------
    >>> indptr, classes, counts, totals = class_document_counts(
    ...     np.array([0, 2, 3, 4]), np.array([0, 1, 1, 1]), np.array([1, 1, 0]), n_classes=2, n_columns=2
    ... )
    >>> indptr.tolist(), classes.tolist(), counts.tolist(), totals.tolist()
    ([0, 1, 3], [1, 0, 1], [1, 1, 2], [1, 3])
    """
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    if (native := _kernel.compiled()) is not None:
        arrays = native.class_document_counts(indptr, indices, codes, n_classes, n_columns, n_threads)
        # the kernel's int64 may be "long long", which numpy shows differently
        return *arrays[:2], arrays[2].view(np.int64), arrays[3].view(np.int64)
    ones = np.ones(len(indices), dtype=np.int64)
    documents = sp.csr_array((ones, indices, indptr), shape=(len(codes), n_columns))
    members = sp.csr_array((np.ones_like(codes), codes, np.arange(len(codes) + 1)), shape=(len(codes), n_classes))
    counts = sp.csc_array(members.T @ documents)
    counts.sort_indices()
    borders, classes = (a.astype(indptr.dtype, copy=False) for a in (counts.indptr, counts.indices))
    return borders, classes, counts.data, counts.sum(axis=0)


def weigh_rows(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    weights: NDArray[np.float64],
    norm: Norm = None,
    *,
    out: NDArray[Any] | None = None,
    n_threads: int = 1,
) -> NDArray[Any]:
    """Multiply the stored values of a CSR matrix by the weights of their columns, then normalise each row.

    Parameters
    ----------
    data, indices, indptr : arrays of a CSR matrix
    weights : float64 array of shape (n_columns,)
    norm : {"l1", "l2", "hellinger"} or None
        Divide each row by the sum of its absolute values, or by its Euclidean length. "hellinger" takes the
        signed square root of the l1-normalised values. Rows of zeros do not change.
    out : float array like data, or None
        Where to write; None overwrites `data`, which must then have a floating dtype.
    n_threads : int

    Returns
    -------
    out : the array that was written to

    Examples
    --------
    >>> counts = np.array([3, 4, 1])
    >>> weigh_rows(counts, np.array([0, 1, 1]), np.array([0, 2, 3]), np.ones(2), "l2", out=np.empty(3))
    array([0.6, 0.8, 1. ])
    """
    out = data if out is None else out
    if (native := _kernel.compiled()) is not None:
        native.weigh_rows(data, indices, indptr, weights, norm or "none", out, n_threads)
        return out
    np.multiply(data, weights[indices], out=out, casting="unsafe")
    if norm is not None:
        _normalise_rows(out, indptr, norm)
    return out


def stack_blocks(
    counts: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    weights: NDArray[np.float64],
    sets: NDArray[np.int64],
    blocks: list[tuple[str, str]],
    *,
    out: NDArray[Any],
    out_indices: NDArray[Any],
    tail: NDArray[Any] | None = None,
    n_threads: int = 1,
) -> None:
    """Write blocks of features next to each other, all with the sparsity pattern of one CSR matrix.

    Parameters
    ----------
    counts, indices, indptr : arrays of a CSR matrix of shape (n_rows, n_columns), float32 or float64
    weights : array of shape (n_sets, n_blocks, n_columns)
    sets : array of shape (n_rows,), the set of weights of each row
    blocks : list of (tf, norm)
        tf is "raw", "log", "sqrt" or "binary"; norm is "l1", "l2", "hellinger" or "none".
    out, out_indices : arrays for n_blocks times as many values, plus the tail
        The counts may be stored at their end, if there is at least one block.
    tail : array of shape (n_rows, n_tail) like counts, or None
        Values to append to each row, in extra columns.
    n_threads : int
        Ignored if the result overwrites the counts: that must run row by row.

    Examples
    --------
    >>> out, columns = np.empty(4), np.empty(4, dtype=int)
    >>> stack_blocks(np.array([3.0, 4.0]), np.array([0, 1]), np.array([0, 2]), np.ones((1, 2, 2)),
    ...     np.zeros(1, dtype=int), [("raw", "l2"), ("binary", "none")], out=out, out_indices=columns)
    >>> out.tolist(), columns.tolist()
    ([0.6, 0.8, 1.0, 1.0], [0, 1, 2, 3])
    """
    tail = np.empty((len(sets), 0), dtype=counts.dtype) if tail is None else tail
    if (native := _kernel.compiled()) is not None:
        n_threads = 1 if np.may_share_memory(counts, out) else n_threads
        native.stack_blocks(counts, indices, indptr, weights, sets, blocks, tail, out, out_indices, n_threads)
        return
    counts, indices = counts.copy(), indices.copy()
    lengths = np.diff(indptr)
    row_sets = np.repeat(sets, lengths)
    n_tail = tail.shape[1]
    ends = len(blocks) * indptr[1:] + n_tail * np.arange(len(sets)) if len(sets) else indptr[:0]
    starts = ends - len(blocks) * lengths - indptr[:-1]
    frequency: dict[str, Any] = {
        "raw": np.positive,
        "log": lambda x: 1 + np.log(x),
        "sqrt": np.sqrt,
        "binary": np.ones_like,
    }
    for number, (tf, norm) in enumerate(blocks):
        values = (frequency[tf](counts) * weights[row_sets, number, indices]).astype(counts.dtype)
        if norm != "none":
            _normalise_rows(values, indptr, norm)
        places = np.repeat(starts + number * lengths, lengths) + np.arange(len(counts))
        out[places], out_indices[places] = values, indices + number * weights.shape[2]
    places = ends[:, np.newaxis] + np.arange(n_tail)
    out[places], out_indices[places] = tail, len(blocks) * weights.shape[2] + np.arange(n_tail)


def decision_values(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    coef: NDArray[Any],
    intercept: NDArray[np.float64],
    rows: slice,
    *,
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Multiply rows of a CSR matrix by coefficients and add the intercepts, all summed in float64.

    Only the coefficients of columns that the rows have are read.

    Parameters
    ----------
    data, indices, indptr : arrays of a CSR matrix of shape (n_rows, n_columns), float32 or float64
    coef : C-contiguous array of shape (n_columns, n_decisions), float32 or float64
    intercept : array of shape (n_decisions,)
    rows : slice
        The rows to multiply, from `start` to `stop`.
    n_threads : int

    Returns
    -------
    values : float64 array of shape (stop - start, n_decisions)

    Examples
    --------
    >>> arrays = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])
    >>> decision_values(*arrays, np.array([[1.0], [10.0]]), np.array([0.5]), slice(0, 2))
    array([[21.5],
           [30.5]])
    """
    n_rows = rows.stop - rows.start
    if (native := _kernel.compiled()) is not None:
        out = np.empty((n_rows, len(intercept)))
        native.decision_values(data, indices, indptr, rows.start, coef, intercept, out, n_threads)
        return out
    borders = indptr[rows.start : rows.stop + 1]
    part = slice(borders[0], borders[-1])
    columns, places = np.unique(indices[part], return_inverse=True)
    shape = n_rows, len(columns)
    X = sp.csr_array((data[part].astype(np.float64), places, borders - borders[0]), shape=shape)
    return np.asarray(X @ coef[columns].astype(np.float64)) + intercept


def least_differences(table: NDArray[np.float64], less: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the minimum of `table[i, j] - less[j]` over j, for each i.

    Parameters
    ----------
    table : array of shape (m, n), with n > 0, without NaN
    less : array of shape (n,), without NaN

    Examples
    --------
    >>> least_differences(np.array([[3.0, 5.0], [4.0, 4.0]]), np.array([0.0, 2.0]))
    array([3., 2.])
    """
    if (native := _kernel.compiled()) is not None:
        table = np.ascontiguousarray(table, dtype=np.float64)
        least: NDArray[np.float64] = native.least_differences(table, less.astype(np.float64, copy=False))
        return least
    step = max(1, DIFFERENCES_AT_ONCE // len(less))
    starts = range(0, max(table.shape[0], 1), step)
    return np.concatenate([(table[first : first + step] - less).min(axis=1) for first in starts])


def return_free_memory() -> None:
    """Return freed memory to the operating system, before a large allocation."""
    if _kernel.native is not None:
        _kernel.native.return_free_memory()


def _normalise_rows(data: NDArray[Any], indptr: NDArray[Any], norm: str) -> None:
    values = data.astype(np.float64)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    sums = np.bincount(rows, weights=values**2 if norm == "l2" else np.abs(values), minlength=len(indptr) - 1)
    lengths = np.sqrt(sums) if norm == "l2" else sums
    lengths[lengths == 0] = 1
    shares = values / lengths[rows]
    data[:] = np.copysign(np.sqrt(np.abs(shares)), shares) if norm == "hellinger" else shares
