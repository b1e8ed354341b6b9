"""Pad rows to equal length, so that an empty block counts as sharing no term with any other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.features.layout import Layout


def with_full_length(rows: Any, layout: Layout) -> Any:
    """Add a column that makes up for the missing length of empty blocks in training rows.

    A block of terms has length 1, or 0 without a weighted term. A shorter row is nearer to others without sharing any
    term. With this column, an empty block is as far from others as one that shares no term with them.

    Parameters
    ----------
    rows : CSR of shape (n_documents, n_columns)
    layout : Layout
        Of the columns.

    Returns
    -------
    CSR of shape (n_documents, n_columns + 1)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> layout = Layout([(1, 2, 1)])  # one block of two terms, and one class
    >>> with_full_length(csr_array([[0.6, 0.8, 0.5], [0.0, 0.0, 0.5]]), layout).toarray()
    array([[0.6, 0.8, 0.5, 0. ],
           [0. , 0. , 0.5, 1. ]])
    """
    blocks, _ = layout.locate(rows.indices)
    is_term = (rows.data != 0) & (blocks >= 0)
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[is_term]
    is_held = np.zeros((rows.shape[0], layout.n_blocks), dtype=bool)
    is_held[row, blocks[is_term]] = True
    lacking = np.sqrt(layout.n_blocks - is_held.sum(axis=1))
    return sparse.hstack([rows, sparse.csr_array(lacking[:, np.newaxis].astype(rows.dtype))], format="csr")


def with_zero_column(rows: Any) -> Any:
    """Add a column of zeros to queries, to match the rows of `with_full_length`."""
    shape = rows.shape[0], rows.shape[1] + 1
    return type(rows)((rows.data, rows.indices, rows.indptr), shape=shape)


def compare_rows(
    query: Any, rows: Any, layout: Layout
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Decompose the squared distances of a row from others: by shared term, and the rest.

    Parameters
    ----------
    query : CSR of shape (1, n_columns + 1)
        From `with_zero_column`.
    rows : CSR of shape (n_rows, n_columns + 1)
        From `with_full_length`.
    layout : Layout

    Returns
    -------
    numbers : ndarray of shape (n_shared,)
        The terms that the query shares with any row, largest contribution first.
    shared : ndarray of shape (n_shared, n_rows)
        How much each term reduces the squared distance.
    apart : ndarray of shape (n_rows,)
        The sum of the squared lengths of both rows, without the profile.
    profile : ndarray of shape (n_rows,)
        The squared distance in the columns of class profiles.

    Examples
    --------
    >>> query, row = sparse.csr_array([[0.6, 0.8, 0.5, 0.0]]), sparse.csr_array([[0.0, 1.0, 0.2, 0.0]])
    >>> numbers, shared, apart, profile = compare_rows(query, row, Layout([(1, 2, 1)]))
    >>> numbers.tolist(), shared.round(2), apart.round(2), profile.round(2)  # 1.6 = 2 * 0.8 * 1
    ([1], array([[1.6]]), array([2.]), array([0.09]))
    """
    blocks, terms = layout.locate(query.indices)
    columns, values = query.indices[blocks >= 0], query.data[blocks >= 0].astype(np.float64)
    numbers, place = np.unique(terms[blocks >= 0], return_inverse=True)
    shared = np.zeros((len(numbers), rows.shape[0]))
    np.add.at(shared, place, (2 * values * rows[:, columns].toarray()).T)
    order = np.argsort(-shared.sum(axis=1), kind="stable")
    order = order[shared[order].any(axis=1)]
    profiles = layout.profile_columns()
    of_rows, of_query = (part[:, profiles].toarray().astype(np.float64) for part in (rows, query))
    apart = values @ values + rows.multiply(rows).sum(axis=1) - (of_rows**2).sum(axis=1)
    return numbers[order], shared[order], apart, ((of_rows - of_query) ** 2).sum(axis=1)
