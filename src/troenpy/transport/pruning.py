"""Nearest documents by optimal transport: lower bounds for all documents, exact costs for the few that need them.

Potentials u of a query's points give a lower bound for every document at once: with prices
g(x) = min_i (c(i, x) - u_i), the cost is at least sum p worth(u) + sum q worth(g). With u = 0 this is the relaxed Word
Mover's Distance. Each solution yields potentials that are nearly optimal for similar documents, so they tighten the
bounds of the remaining candidates, as often as that pays off. The search ends when the lowest bound exceeds the k-th
cost, and a solution stops as soon as its cost is proven to exceed it. Two other bounds were tried and dropped: the
centroid bound avoids no solution on r8 or bbcsport, and the relaxed bound in the other direction costs more time than
it saves.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from troenpy._kernel.matrix import least_differences
from troenpy.files.processes import parallel_map
from troenpy.transport.couplings import Coupling, Floats, Solution
from troenpy.transport.points import PointDistances, Rows, shared_places

COSTS_KEPT = 2**24  # cached costs of a query, 128 MB; those of longer documents are recomputed
COSTS_AT_ONCE = 2**17  # block size when recomputing
PASSES = 8  # a solution takes about this many passes over its costs; bounds get no more time than solutions
FEWEST_QUERIES = 4  # per process
PARTS = 4  # chunks of queries per process, because queries vary in time
LONGEST_PART = 32  # queries between two progress reports
SHRINK = 0.7  # discard excluded candidates when at most this fraction is left


@dataclass(frozen=True)
class Space:
    """Distances between points, and the rule for moving mass between them."""

    points: PointDistances
    coupling: Coupling

    def costs_from(self, points: Rows) -> Callable[[Rows], Floats]:
        """Return a function that maps other points to costs of shape (n_points, n_others); both are sorted."""
        distances = self.points.distances_from(points)
        return lambda others: self.coupling.costs(distances(others))


@dataclass(frozen=True)
class _Documents:
    """Documents over the columns that occur in any of them, and a function for the costs of reaching these columns.

    Built for each search, because `costs_to` holds a copy of the vectors, which a pickled classifier does not need.
    """

    space: Space
    rows: sparse.csr_array
    columns: Rows
    costs_to: Callable[[Rows], Floats]


class NearestDocuments:
    """Nearest neighbour search among documents, each a distribution over the points of a space.

    Parameters
    ----------
    space : Space
    documents : CSR matrix of shape (n_documents, n_points)
        Positive shares. Empty rows are never neighbours.
    prune : bool, default=True
        False computes every cost: the same result, but slower.
    """

    def __init__(self, space: Space, documents: sparse.csr_array, *, prune: bool = True) -> None:
        self._space = space
        self._slack = space.coupling.slack(space.points.slack)
        self._prune = prune
        self._numbers = np.flatnonzero(np.diff(documents.indptr))
        documents = sparse.csr_array(documents[self._numbers], dtype=np.float64)
        documents.sort_indices()
        self._columns, self._rows = _compress(documents)

    def __len__(self) -> int:
        return len(self._numbers)

    def search(
        self,
        queries: sparse.csr_array,
        k: int,
        *,
        n_jobs: int = 1,
        on_query: Callable[[int, int], None] | None = None,
    ) -> tuple[Floats, Rows]:
        """Find the k nearest documents of each query, nearest first; ties keep the order of the documents.

        Parameters
        ----------
        queries : CSR matrix of shape (n_queries, n_points)
            An empty query is equally far from all documents.
        k : int
        n_jobs : int, default=1
            Maximum number of processes; each gets at least a few queries. Results do not depend on it.
        on_query : callable, optional
            Called with the number of queries done so far, and the total.

        Returns
        -------
        costs : ndarray of shape (n_queries, k)
        rows : ndarray of shape (n_queries, k)
        """
        if k > len(self):
            raise ValueError(
                f"n_neighbors={k} is more than the {len(self)} training documents with a known word: ask for fewer"
            )
        n_queries, queries = queries.shape[0], queries.sorted_indices()
        costs, rows = np.empty((n_queries, k)), np.empty((n_queries, k), dtype=np.int64)
        with closing(self._nearest_of_all(queries, k, min(n_jobs, n_queries // FEWEST_QUERIES))) as found:
            for number, (least, places) in enumerate(found):
                costs[number], rows[number] = least, self._numbers[places]
                if on_query is not None:
                    on_query(number + 1, n_queries)
        return costs, rows

    def distances(self, queries: sparse.csr_array) -> Floats:
        """Return the cost of every document for each query; infinite (1 for WFR) if the query has no known words.

        Parameters
        ----------
        queries : CSR matrix of shape (n_queries, n_points)

        Returns
        -------
        ndarray of shape (n_queries, n_documents), without the empty documents
        """
        queries, documents = queries.sorted_indices(), self._reachable()
        return np.array([self._all_costs(documents, *_row(queries, number)) for number in range(queries.shape[0])])

    def _nearest_of_all(self, queries: sparse.csr_array, k: int, n_jobs: int) -> Generator[tuple[Floats, Rows]]:
        if n_jobs <= 1:
            yield from self._nearest_of_each(queries, k)
            return
        step = min(max(1, queries.shape[0] // (PARTS * n_jobs)), LONGEST_PART)
        parts = [queries[first : first + step] for first in range(0, queries.shape[0], step)]
        with closing(parallel_map(partial(_nearest_of_part, self, k), parts, n_jobs)) as found:
            for part in found:
                yield from part

    def _nearest_of_each(self, queries: sparse.csr_array, k: int) -> Generator[tuple[Floats, Rows]]:
        documents = self._reachable()
        with threadpool_limits(1):
            for number in range(queries.shape[0]):
                yield self._nearest(documents, *_row(queries, number), k)

    def _reachable(self) -> _Documents:
        return _Documents(self._space, self._rows, self._columns, self._space.costs_from(self._columns))

    def _all_costs(self, documents: _Documents, points: Rows, shares: Floats) -> Floats:
        if not len(points):
            return np.full(len(self), self._space.coupling.cost_to_empty())
        query = _Query(documents, points, shares)
        return np.array([query.solve(document).cost for document in range(len(self))])

    def _nearest(self, documents: _Documents, points: Rows, shares: Floats, k: int) -> tuple[Floats, Rows]:
        if not self._prune or not len(points):
            costs = self._all_costs(documents, points, shares)
            least = np.argsort(costs, kind="stable")[:k]
            return costs[least], least
        query, found = _Query(documents, points, shares), _Best(k)
        candidates = _Candidates(query)
        candidates.tighten(np.zeros(len(points)))
        n_solved = 0  # columns of the documents solved since the bounds were last tightened
        while True:
            document, bound = candidates.pop()
            if not bound <= found.worst + self._slack or bound == np.inf:
                return found.sorted()
            solution = query.solve(document, found.worst + self._slack)
            found.add(solution.cost, document)  # a bound above the worst is dropped again at once
            n_solved += documents.rows.indptr[document + 1] - documents.rows.indptr[document]
            if PASSES * n_solved >= candidates.n_columns:
                candidates.drop_above(found.worst + self._slack)
                candidates.tighten(solution.potentials())
                n_solved = 0


def _nearest_of_part(documents: NearestDocuments, k: int, queries: sparse.csr_array) -> list[tuple[Floats, Rows]]:
    """Search for a chunk of the queries, in another process."""
    return list(documents._nearest_of_each(queries, k))


class _Best:
    """The k lowest costs so far."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._items: list[tuple[float, int]] = []
        self.worst = np.inf

    def add(self, cost: float, document: int) -> None:
        self._items.append((cost, document))
        if len(self._items) >= self._k:
            self._items = sorted(self._items)[: self._k]
            self.worst = self._items[-1][0]

    def sorted(self) -> tuple[Floats, Rows]:
        costs, documents = zip(*sorted(self._items), strict=True)
        return np.array(costs), np.array(documents)


class _Query:
    """A query document, its costs to the columns of other documents, and its solver."""

    def __init__(self, documents: _Documents, points: Rows, shares: Floats) -> None:
        self.documents, self.coupling, self.shares = documents, documents.space.coupling, shares
        self._points = points
        is_kept = len(points) * len(documents.columns) <= COSTS_KEPT
        self.table = documents.costs_to(points) if is_kept else None
        self._place = shared_places(points, documents.columns)

    def costs(self, columns: Rows) -> Floats:
        """Return the costs of moves from some columns, of shape (n_columns, n_points)."""
        if self.table is None:
            return self.documents.space.costs_from(self.documents.columns[columns])(self._points)
        return self.table.take(columns, axis=0)

    def solve(self, document: int, limit: float = np.inf) -> Solution:
        columns, shares = _row(self.documents.rows, document)
        return self.coupling.solve(self.shares, shares, self.costs(columns), self._place[columns], limit)


class _Candidates:
    """Documents that may still be among the nearest, with a lower bound for each."""

    def __init__(self, query: _Query) -> None:
        self._query, self._rows = query, query.documents.rows
        self._numbers = np.arange(self._rows.shape[0])
        self._bounds = np.full(len(self._numbers), -np.inf)
        self._columns = np.arange(self._rows.shape[1])
        self._costs = query.table  # for the remaining columns; None while these are too many

    @property
    def n_columns(self) -> int:
        """Number of columns that `tighten` reads."""
        return len(self._columns)

    def pop(self) -> tuple[int, float]:
        """Remove and return the document with the lowest bound, and its bound; -1 and infinity if none is left."""
        if not len(self._bounds):
            return -1, np.inf
        place = int(self._bounds.argmin())
        bound, self._bounds[place] = self._bounds[place], np.inf
        return int(self._numbers[place]), float(bound)

    def tighten(self, potentials: Floats) -> None:
        """Raise the bounds with the potentials of a solution."""
        if not len(self._numbers):
            return
        worth = self._query.coupling.worth
        if self._costs is not None:
            prices = least_differences(self._costs, potentials)
        else:
            step = max(1, COSTS_AT_ONCE // len(potentials))
            blocks = (self._columns[first : first + step] for first in range(0, len(self._columns), step))
            prices = np.concatenate([least_differences(self._query.costs(block), potentials) for block in blocks])
        bounds = self._query.shares @ worth(potentials) + self._rows @ worth(prices)
        np.maximum(self._bounds, bounds, out=self._bounds)  # popped candidates keep their infinite bound

    def drop_above(self, cost: float) -> None:
        """Discard candidates whose bound exceeds a cost, once there are enough of them."""
        is_kept = self._bounds <= cost
        if np.count_nonzero(is_kept) > SHRINK * len(is_kept):
            return
        self._numbers, self._bounds = self._numbers[is_kept], self._bounds[is_kept]
        self._rows = self._rows[np.flatnonzero(is_kept)]
        columns, rows = _compress(self._rows)
        if 2 * len(columns) > len(self._columns):
            return
        self._columns, self._rows, self._costs = self._columns[columns], rows, None
        if len(self._query.shares) * len(columns) <= COSTS_KEPT:
            self._costs = self._query.costs(self._columns)


def _row(rows: sparse.csr_array, number: int) -> tuple[Rows, Floats]:
    """Return the columns and values of a row."""
    place = slice(rows.indptr[number], rows.indptr[number + 1])
    return rows.indices[place].astype(np.int64, copy=False), rows.data[place].astype(np.float64, copy=False)


def _compress(rows: sparse.csr_array) -> tuple[Rows, sparse.csr_array]:
    """Drop empty columns; return the numbers of the remaining ones, and the smaller matrix."""
    is_used = np.zeros(rows.shape[1], dtype=bool)
    is_used[rows.indices] = True
    columns, places = np.flatnonzero(is_used), np.cumsum(is_used) - 1
    return columns, sparse.csr_array(
        (rows.data, places[rows.indices], rows.indptr), shape=(rows.shape[0], len(columns))
    )
