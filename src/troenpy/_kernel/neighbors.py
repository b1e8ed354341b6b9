"""Find the nearest rows of sparse matrices: with the kernel, or else with scipy, with the same results.

Both find candidates with fast scores of bounded error. They then compute the distances of the candidates in float64,
adding in a fixed order, so that results are bitwise equal to brute force. nearest.hpp has the definitions, and the
proof of the kernel's bound.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from troenpy import _kernel

LARGEST_INT32 = np.iinfo(np.int32).max
DISTANCES_PER_BLOCK = 2**20  # of the fallback: a few arrays of 8 MB


@dataclass(frozen=True)
class Space:
    """The rows to search, in one block of columns: canonical CSR, float64, no stored zeros.

    The metric is "euclidean", "manhattan", "cosine" (rows have length 1) or "hellinger" (square roots of
    l1-normalised rows).
    """

    rows: sp.csr_array
    metric: str


def build_index(spaces: list[Space]) -> Any:
    """Return the kernel's index of the rows, or None if the fallback must be used."""
    native = _kernel.compiled()
    if native is None or max(space.rows.shape[1] for space in spaces) > LARGEST_INT32:
        return None
    index = native.NearestRows()
    for space in spaces:
        index.add(_arrays(space.rows), space.rows.shape[1], space.metric)
    return index


def nearest_rows(
    spaces: list[Space],
    index: Any,
    queries: list[sp.csr_array],
    n_neighbors: int,
    *,
    skip_own_row: bool = False,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Find the nearest rows of each query; distances of several spaces are added, and ties go to the lower row number.

    Parameters
    ----------
    spaces : list of Space
    index : the result of `build_index`
    queries : list of CSR matrices, one per space
    n_neighbors : int
    skip_own_row : bool
        Query i is row i and must not be its own neighbour.
    n_threads : int

    Returns
    -------
    distances, rows : arrays of shape (n_queries, n_neighbors)

    Examples
    --------
    >>> space = Space(sp.csr_array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), "manhattan")
    >>> nearest_rows([space], build_index([space]), [sp.csr_array([[2.0, 0.0]])], 2)
    (array([[1., 1.]]), array([[0, 2]]))
    """
    if index is None:
        return _nearest_without_kernel(spaces, queries, n_neighbors, skip_own_row)
    shape = (queries[0].shape[0], n_neighbors)
    distances, rows = np.empty(shape), np.empty(shape, dtype=np.int64)
    index.search([_arrays(query) for query in queries], skip_own_row, n_threads, distances, rows)
    return distances, rows


def _arrays(rows: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False), rows.data


def _nearest_without_kernel(
    spaces: list[Space], queries: list[sp.csr_array], n_neighbors: int, skip_own_row: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    n_queries, n_rows = queries[0].shape[0], spaces[0].rows.shape[0]
    distances = np.empty((n_queries, n_neighbors))
    nearest = np.empty((n_queries, n_neighbors), dtype=np.int64)
    step = max(1, DISTANCES_PER_BLOCK // n_rows)
    for first in range(0, n_queries, step):
        blocks = [query[first : first + step] for query in queries]
        least, most = _intervals(spaces, blocks)
        for i in range(len(least)):
            own = first + i
            if skip_own_row:
                least[i, own] = most[i, own] = np.inf
            limit = np.partition(most[i], n_neighbors - 1)[n_neighbors - 1]
            candidates = np.flatnonzero(~(least[i] > limit))
            if skip_own_row:
                candidates = candidates[candidates != own]
            measured = np.zeros(len(candidates))
            for space, block in zip(spaces, blocks, strict=True):
                measured += _distances(space, block[[i]], candidates)
            order = np.lexsort((candidates, measured))[:n_neighbors]
            distances[own], nearest[own] = measured[order], candidates[order]
    return distances, nearest


def _intervals(spaces: list[Space], queries: list[sp.csr_array]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper bounds of the distance from each query to each row.

    The error of the float64 sums is less than (number of terms + 16) roundings of a(x) + a(y); see nearest.hpp.
    """
    least: Any = 0.0
    most: Any = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for space, block in zip(spaces, queries, strict=True):
            sizes = _sizes(block, space.metric)[:, None] + _sizes(space.rows, space.metric)
            sums = _manhattan(block, space.rows) if space.metric == "manhattan" else _squares(block, space.rows, sizes)
            n_terms = _longest(block) + _longest(space.rows) + 16
            margin = n_terms * 2.0**-50 * sizes + n_terms * 2.0**-1000
            least = least + _to_distance(np.maximum(sums - margin, 0), space.metric)
            most = most + _to_distance(sums + margin, space.metric)
        most = most * (1 + 2.0**-48)
        return np.where(np.isfinite(most), least * (1 - 2.0**-48), 0.0), np.where(np.isfinite(most), most, np.inf)


def _squares(x: sp.csr_array, y: sp.csr_array, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return sizes - 2 * (x @ y.T).toarray()


def _manhattan(x: sp.csr_array, y: sp.csr_array) -> NDArray[np.float64]:
    from sklearn.metrics.pairwise import manhattan_distances

    return manhattan_distances(x, y)


def _sizes(rows: sp.csr_array, metric: str) -> NDArray[np.float64]:
    """Return a(y) of every row; 1 for a row of zeros with "cosine", so that 1 + 1 - 2 * 0 is twice its distance."""
    values = np.abs(rows.data) if metric == "manhattan" else rows.data**2
    sizes = sum_rows(rows.indptr, values)
    if metric == "cosine":
        sizes[np.diff(rows.indptr) == 0] = 1
    return sizes


def sum_rows(indptr: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the stored values of each row, in order."""
    n_rows = len(indptr) - 1
    sums: NDArray[Any] = np.bincount(np.repeat(np.arange(n_rows), np.diff(indptr)), values, minlength=n_rows)
    return sums


def _longest(rows: sp.csr_array) -> int:
    return int(np.diff(rows.indptr).max(initial=0))


def _distances(space: Space, query: sp.csr_array, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distances from one query to some rows, adding terms in column order as the kernel does."""
    block = sp.vstack([query, space.rows[rows]], format="csr")
    columns, block.indices = np.unique(block.indices, return_inverse=True)
    block.resize(block.shape[0], max(1, len(columns)))
    dense = block.toarray()
    with np.errstate(over="ignore", invalid="ignore"):
        terms = dense[1:] - dense[0]
        terms = np.abs(terms) if space.metric == "manhattan" else terms**2
        sums = np.cumsum(terms, axis=1)[:, -1]  # np.sum would add in a different order
    distances = _to_distance(np.where(np.isnan(sums), np.inf, sums), space.metric)
    if space.metric == "cosine":
        has_zeros = np.diff(block.indptr) == 0
        distances[has_zeros[1:] | has_zeros[0]] = 1
    return distances


def _to_distance(sums: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    if metric == "manhattan":
        return sums
    if metric == "cosine":
        return sums / 2
    return np.sqrt(sums if metric == "euclidean" else sums / 2)
