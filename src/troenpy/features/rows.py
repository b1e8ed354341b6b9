"""Weighted rows: term frequency times weight, normalised."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.matrix import weigh_rows

TermFrequency = Literal["raw", "log", "sqrt", "binary", "bm25"]
Norm = Literal["l2", "l1", "hellinger"]

TERM_FREQUENCIES: tuple[TermFrequency, ...] = ("raw", "log", "sqrt", "binary", "bm25")
NORMS: tuple[Norm | None, ...] = ("l2", "l1", "hellinger", None)

BM25_K1, BM25_B = 1.2, 0.75


def weighted_rows(
    X: Any,
    weights: NDArray[np.float64],
    *,
    tf: TermFrequency = "raw",
    norm: Norm | None = "l2",
    average_length: float,
    copy: bool = True,
    n_threads: int = 1,
) -> Any:
    """Return tf x weight, normalised by row, as a matrix of the same kind with sorted indices.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_documents, V), float32 or float64
        Counts.
    weights : ndarray of shape (V,)
        One weight per column.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        The count itself, 1 + log, the square root, presence, or BM25's saturated count.
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        "l1" divides by the sum of absolute values; "hellinger" then takes signed square roots. Rows of zeros do not
        change.
    average_length : float
        Mean length of the training documents, for "bm25".
    copy : bool, default=True
        If False, X may be overwritten.
    n_threads : int, default=1
    """
    check_tf_and_norm(tf, norm)
    if not sparse.issparse(X):
        rows = sparse.csr_array(X)
        options: dict[str, Any] = {"tf": tf, "norm": norm, "average_length": average_length}
        return weighted_rows(rows, weights, copy=False, n_threads=n_threads, **options).toarray()
    rows = X.copy() if copy else X
    rows.sum_duplicates()
    if rows.nnz and not rows.data.min() > 0 and not rows.data.all():  # min() is faster than all()
        rows.eliminate_zeros()
    _apply_tf(rows, tf, average_length)
    # rows @ diags(weights) would leave the indices unsorted.
    weigh_rows(rows.data, rows.indices, rows.indptr, weights, norm, n_threads=n_threads)
    return rows


def check_tf_and_norm(tf: str, norm: str | None) -> None:
    """Raise ValueError for an unknown tf or norm."""
    if tf not in TERM_FREQUENCIES:
        raise ValueError(f"tf must be one of {', '.join(TERM_FREQUENCIES)}, got {tf!r}")
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(map(str, NORMS))}, got {norm!r}")


def _apply_tf(rows: Any, tf: TermFrequency, average_length: float) -> None:
    counts = rows.data
    if tf == "log":
        np.log(counts, out=counts)
        counts += 1
    elif tf == "sqrt":
        np.sqrt(counts, out=counts)
    elif tf == "binary":
        counts[:] = 1
    elif tf == "bm25":
        counts[:] = bm25_counts(rows, average_length)


def bm25_counts(rows: Any, average_length: float | NDArray[np.float64]) -> NDArray[Any]:
    """Return the BM25-saturated counts of a CSR matrix; the average length may differ by row."""
    length = row_sums(rows) / np.where(np.equal(average_length, 0), 1.0, average_length)
    saturation = BM25_K1 * (1 - BM25_B + BM25_B * length)
    saturated: NDArray[Any] = rows.data * ((BM25_K1 + 1) / (rows.data + np.repeat(saturation, np.diff(rows.indptr))))
    return saturated.astype(rows.dtype, copy=False)


def total_length(X: Any, sample_weight: NDArray[np.float64] | None) -> float:
    """Return the sum of all counts, each document counted as often as its weight says."""
    if sample_weight is not None:
        return float(sample_weight @ row_sums(X))
    return float((X.data if sparse.issparse(X) else X).sum(dtype=np.float64))


def row_sums(X: Any) -> NDArray[np.float64]:
    """Return the sum of each row, which is the document length, as float64."""
    return np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()


def equal_rows(rows: sparse.csr_array) -> NDArray[np.int64]:
    """Number the rows of a canonical CSR matrix so that two rows have the same number exactly if they are equal.

    Examples
    --------
    >>> equal_rows(sparse.csr_array([[1, 2], [0, 1], [1, 2], [0, 2]])).tolist()
    [0, 1, 0, 3]
    """
    numbers = np.arange(rows.shape[0], dtype=np.int64)
    # Equal rows have bitwise equal random projections, so only rows with equal projections are compared.
    projections = np.asarray(rows @ np.random.default_rng(0).random(rows.shape[1]))
    _, which, times = np.unique(projections, return_inverse=True, return_counts=True)
    first: dict[tuple[bytes, bytes], int] = {}
    for row in np.flatnonzero(times[which] > 1).tolist():
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        numbers[row] = first.setdefault((rows.indices[part].tobytes(), rows.data[part].tobytes()), row)
    return numbers
