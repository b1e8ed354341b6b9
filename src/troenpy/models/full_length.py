"""Pad rows to equal length, so that an empty block counts as sharing no term with any other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def with_full_length(rows: Any, n_blocks: int, n_terms: int) -> Any:
    """Add a column that makes up for the missing length of empty blocks in training rows.

    A block of terms has length 1, or 0 without a weighted term. A shorter row is nearer to others without sharing any
    term. With this column, an empty block is as far from others as one that shares no term with them.

    Parameters
    ----------
    rows : CSR of shape (n_documents, n_columns)
        Blocks of terms, followed by other columns.
    n_blocks, n_terms : int

    Returns
    -------
    CSR of shape (n_documents, n_columns + 1)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> with_full_length(csr_array([[0.6, 0.8, 0.5], [0.0, 0.0, 0.5]]), 1, 2).toarray()
    array([[0.6, 0.8, 0.5, 0. ],
           [0. , 0. , 0.5, 1. ]])
    """
    is_term = (rows.data != 0) & (rows.indices < n_blocks * n_terms)
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[is_term]
    is_held = np.zeros((rows.shape[0], n_blocks), dtype=bool)
    is_held[row, rows.indices[is_term] // max(1, n_terms)] = True
    lacking = np.sqrt(n_blocks - is_held.sum(axis=1))
    return sparse.hstack([rows, sparse.csr_array(lacking[:, np.newaxis].astype(rows.dtype))], format="csr")


def with_zero_column(rows: Any) -> Any:
    """Add a column of zeros to queries, to match the rows of `with_full_length`."""
    shape = rows.shape[0], rows.shape[1] + 1
    return type(rows)((rows.data, rows.indices, rows.indptr), shape=shape)


def compare_rows(
    query: Any, rows: Any, n_blocks: int, n_terms: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Decompose the squared distances of a row from others: by shared term, and the rest.

    Parameters
    ----------
    query : CSR of shape (1, n_columns + 1)
        From `with_zero_column`.
    rows : CSR of shape (n_rows, n_columns + 1)
        From `with_full_length`.
    n_blocks, n_terms : int

    Returns
    -------
    numbers : ndarray of shape (n_shared,)
        The terms that the query shares with any row, largest contribution first.
    shared : ndarray of shape (n_shared, n_rows)
        How much each term reduces the squared distance.
    apart : ndarray of shape (n_rows,)
        The sum of the squared lengths of both rows, without the profile.
    profile : ndarray of shape (n_rows,)
        The squared distance in the columns between the blocks of terms and the last column.

    Examples
    --------
    >>> query, row = sparse.csr_array([[0.6, 0.8, 0.5, 0.0]]), sparse.csr_array([[0.0, 1.0, 0.2, 0.0]])
    >>> numbers, shared, apart, profile = compare_rows(query, row, 1, 2)
    >>> numbers.tolist(), shared.round(2), apart.round(2), profile.round(2)  # 1.6 = 2 * 0.8 * 1
    ([1], array([[1.6]]), array([2.]), array([0.09]))
    """
    first, last = n_blocks * n_terms, query.shape[1] - 1
    is_term = query.indices < first
    columns, values = query.indices[is_term], query.data[is_term].astype(np.float64)
    numbers, place = np.unique(columns % max(1, n_terms), return_inverse=True)
    shared = np.zeros((len(numbers), rows.shape[0]))
    np.add.at(shared, place, (2 * values * rows[:, columns].toarray()).T)
    order = np.argsort(-shared.sum(axis=1), kind="stable")
    order = order[shared[order].any(axis=1)]
    of_rows, of_query = (part[:, first:last].toarray().astype(np.float64) for part in (rows, query))
    apart = values @ values + rows.multiply(rows).sum(axis=1) - (of_rows**2).sum(axis=1)
    return numbers[order], shared[order], apart, ((of_rows - of_query) ** 2).sum(axis=1)
