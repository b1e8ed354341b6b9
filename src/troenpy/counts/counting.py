"""Count documents per class and term, from a document-term matrix, labels and sample weights."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from troenpy._kernel.matrix import class_document_counts
from troenpy.counts.labels import Labels

# Outside these limits, sums of weights and their quotients overflow or underflow.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100
# A sum of weights that no corpus can reach: 1e15 documents of the largest weight.
LARGEST_TOTAL = 1e115


def present_terms(X: Any) -> sparse.csr_array:
    """Return the positive counts of a document-term matrix as canonical CSR; X is not changed."""
    with matrix_errors():
        X = check_array(X, accept_sparse="csr", ensure_min_samples=0, ensure_min_features=0, input_name="X")
    counts = sparse.csr_array(X)
    if counts.nnz and counts.data.min() < 0:
        raise ValueError(f"Negative values in data passed to X: counts cannot be below zero, got {counts.data.min()}")
    return canonical_counts(counts)


def canonical_counts(X: Any) -> sparse.csr_array:
    """Return checked counts as canonical CSR without stored zeros; X is not changed."""
    counts = sparse.csr_array(X)
    if not counts.has_canonical_format or not counts.data.all():
        counts = counts.copy()
        counts.sum_duplicates()
        counts.eliminate_zeros()
    return counts


def has_only_counts(X: Any, n_columns: int) -> bool:
    """Whether this is a CSR matrix that scikit-learn's checks would return as it is; they take long for a few rows."""
    return (
        type(X) in (sparse.csr_matrix, sparse.csr_array)
        and X.dtype in (np.float64, np.float32)
        and X.shape[0] > 0
        and X.shape[1] == n_columns
        and bool(np.isfinite(X.data.sum()) and (not X.nnz or X.data.min() >= 0))
    )


@contextmanager
def matrix_errors() -> Iterator[None]:
    """Shorten errors of scikit-learn, numpy and pandas about a matrix to one line that starts with X.

    Examples
    --------
    >>> with matrix_errors():
    ...     check_array([["late goal"]], dtype=float)
    Traceback (most recent call last):
        ...
    ValueError: X must be a numeric document-term matrix: could not convert string to float: 'late goal'
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if type(error) not in (ValueError, TypeError):
            raise
        message = " ".join(re.sub(r"\narray=.*\.\n", " ", str(error), flags=re.DOTALL).split())
        message = re.sub(r"(?<=^Input X contains NaN\.).*", " Fill missing counts, e.g. with 0", message)
        if re.match(r"could not convert|float\(\) argument|setting an array|Complex data|dtype='numeric'", message):
            message = f"X must be a numeric document-term matrix: {message:.120}"
        elif re.match(r"Expected 2D array|Found array", message):
            message = f"X: {message}"
        raise type(error)(message) from None


def read_weights(sample_weight: Any, n_documents: int) -> NDArray[np.float64] | None:
    """Return one non-negative weight per document, or None for None."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight must hold one number per document, got {sample_weight!r:.60}") from None
    if weights.ndim == 0:
        weights = np.full(n_documents, weights)
    if weights.shape != (n_documents,):
        raise ValueError(f"sample_weight must have one entry per document, ({n_documents},), got {weights.shape}")
    is_wrong = ~((weights == 0) | ((weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT)))
    if is_wrong.any():
        raise ValueError(
            f"sample_weight must be 0 or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, got"
            f" {weights[is_wrong][0]:g} for document {int(np.flatnonzero(is_wrong)[0])}"
        )
    return weights


def check_row_labels(labels: Labels, n_rows: int) -> None:
    """Raise unless there are as many labels as rows."""
    if len(labels) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(labels)]} in X and y"
        )


def documents_by_class(
    present: sparse.csr_array, labels: Labels, weights: NDArray[np.float64] | None, n_threads: int = 1
) -> tuple[sparse.csc_array, NDArray[Any]]:
    """Count documents per class and term (K x V), and per term (V): int64, or float64 if documents have weights."""
    if weights is None and labels.is_single:
        n_classes, n_terms = len(labels.classes), present.shape[1]
        indptr, indices, data, totals = class_document_counts(
            present.indptr, present.indices, labels.indicator.indices, n_classes, n_terms, n_threads=n_threads
        )
        return sparse.csc_array((data, indices, indptr), shape=(n_classes, n_terms)), totals
    dtype = np.int64 if weights is None else np.float64
    ones = np.ones(present.nnz, dtype=dtype)
    presence = sparse.csr_array((ones, present.indices, present.indptr), shape=present.shape)
    members = labels.indicator if weights is None else labels.indicator * weights[:, np.newaxis]
    by_class = sparse.csc_array(members.T @ presence)
    by_class.sum_duplicates()
    by_class.eliminate_zeros()  # from documents with weight 0
    return by_class, presence.sum(axis=0) if weights is None else weights @ presence
