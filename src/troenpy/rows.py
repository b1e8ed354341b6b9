"""A row's arithmetic: term frequency, times weight, normalised."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from troenpy._kernel import native

TermFrequency = Literal["raw", "log", "sqrt", "binary", "bm25"]
Norm = Literal["l2", "l1", "hellinger"]

TERM_FREQUENCIES: tuple[TermFrequency, ...] = ("raw", "log", "sqrt", "binary", "bm25")
NORMS: tuple[Norm | None, ...] = ("l2", "l1", "hellinger", None)

BM25_K1, BM25_B = 1.2, 0.75


def weighted_rows(
    X: Any, weights: NDArray[np.float64], *, tf: TermFrequency = "raw", norm: Norm | None = "l2", average_length: float
) -> Any:
    """Return tf x weight of each count, normalised by row, in a new matrix of the same kind with sorted indices.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_documents, V), float32 or float64
        Counts; not changed.
    weights : ndarray of shape (V,)
        One weight per column.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        The count itself, 1 + log, the square root, presence, or BM25's saturated count.
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        "l1" divides by the sum of absolute values; "hellinger" then takes square roots, signs kept. A row of zeros
        stays as it is.
    average_length : float
        The mean sum of counts of a training document, for "bm25".
    """
    if not sparse.issparse(X):
        rows = weighted_rows(sparse.csr_array(X), weights, tf=tf, norm=norm, average_length=average_length)
        return rows.toarray()
    rows = X.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    _apply_tf(rows, tf, average_length)
    _scale_columns(rows, weights)
    if norm is None:
        return rows
    normalize(rows, norm="l2" if norm == "l2" else "l1", copy=False)
    if norm == "hellinger":
        rows.data = np.copysign(np.sqrt(np.abs(rows.data)), rows.data)
    return rows


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
        length = row_sums(rows) / (average_length or 1.0)
        saturation = BM25_K1 * (1 - BM25_B + BM25_B * length)
        counts *= (BM25_K1 + 1) / (counts + np.repeat(saturation, np.diff(rows.indptr)))


def _scale_columns(rows: Any, weights: NDArray[np.float64]) -> None:
    # Not rows @ diags(weights): that would leave the indices unsorted.
    if native is not None:
        native.scale_columns(rows.data, rows.indices, weights)
    else:
        rows.data *= weights[rows.indices]


def row_sums(X: Any) -> NDArray[np.float64]:
    """Return the sum of each row, the length of a document, as float64."""
    return np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
