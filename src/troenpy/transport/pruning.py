"""The nearest documents by optimal transport: lower bounds for all of them, exact costs for the few that need one.

Potentials u of a query's points bound the cost from below to every document at once: with prices
g(x) = min_i (c(i, x) - u_i) it is at least sum p worth(u) + sum q worth(g). With u = 0 this is the relaxed bound of
the Word Mover's Distance. Each solution leaves its own potentials, which are nearly right for documents like the
one just solved, so they tighten the bounds of all that are left, as often as that pays; the search ends when the least
bound is above the k-th cost. A solution stops as soon as it is proven to be above that. Two other bounds were tried and
left out: that of the centroids spares no solution on r8 or bbcsport, the relaxed bound of the other side costs more
time than it saves.
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
from troenpy.transport.grounds import Ground, Rows, shared_places

COSTS_KEPT = 2**24  # of a query's costs: 128 MB; those of longer documents are worked out anew each time
COSTS_AT_ONCE = 2**17  # of those that are worked out anew
PASSES = 8  # over its costs: about what the solution of a document takes; bounds of all get no more time than solutions
FEWEST_QUERIES = 4  # of a process
PARTS = 4  # of the queries for each process: they do not take equally long
LONGEST_PART = 32  # queries, between two signs of progress
SHRINK = 0.7  # when this part of the candidates is left, forget the others


@dataclass(frozen=True)
class Space:
    """Points with distances, and the rule by which mass goes from one to another."""

    ground: Ground
    coupling: Coupling

    def costs_from(self, points: Rows) -> Callable[[Rows], Floats]:
        """Return a function from others to the costs of moves, of shape (n_points, n_others); both ascend."""
        distances = self.ground.distances_from(points)
        return lambda others: self.coupling.costs(distances(others))


@dataclass(frozen=True)
class _Documents:
    """Documents over columns, the points that any of them has, and what it costs to reach these.

    Made for each search: the function holds a copy of the points, which a pickled classifier need not have.
    """

    space: Space
    rows: sparse.csr_array
    columns: Rows
    costs_to: Callable[[Rows], Floats]


class NearestDocuments:
    """Finds the nearest of some documents, each a distribution over the points of a space.

    Parameters
    ----------
    space : Space
    documents : CSR matrix of shape (n_documents, n_points)
        Positive shares; a row that is empty is nobody's neighbour.
    is_pruned : bool, default=True
        False works out every cost: the same result, slowly.
    """

    def __init__(self, space: Space, documents: sparse.csr_array, *, is_pruned: bool = True) -> None:
        self._space = space
        self._slack = space.coupling.slack(space.ground.slack)
        self._is_pruned = is_pruned
        self._numbers = np.flatnonzero(np.diff(documents.indptr))
        documents = sparse.csr_array(documents[self._numbers], dtype=np.float64)
        documents.sort_indices()
        self._columns, self._rows = _compressed(documents)

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
        """Find the k nearest documents of each query, nearest first; of equally near ones the first come first.

        Parameters
        ----------
        queries : CSR matrix of shape (n_queries, n_points)
            One that is empty is equally far from all.
        k : int
        n_jobs : int, default=1
            Processes, at most; none gets less than a few queries. Results do not depend on it.
        on_query : callable, optional
            Called with the numbers of queries done and of all queries.

        Returns
        -------
        costs : ndarray of shape (n_queries, k)
        rows : ndarray of shape (n_queries, k)
        """
        if k > len(self):
            raise ValueError(f"{k} neighbours are more than the {len(self)} documents that have any known word")
        n_queries, queries = queries.shape[0], queries.sorted_indices()
        costs, rows = np.empty((n_queries, k)), np.empty((n_queries, k), dtype=np.int64)
        with closing(self._nearest_of_all(queries, k, min(n_jobs, n_queries // FEWEST_QUERIES))) as found:
            for number, (least, places) in enumerate(found):
                costs[number], rows[number] = least, self._numbers[places]
                if on_query is not None:
                    on_query(number + 1, n_queries)
        return costs, rows

    def distances(self, queries: sparse.csr_array) -> Floats:
        """Return the costs of all documents for each query; infinite, or WFR's 1, for one without known words.

        Parameters
        ----------
        queries : CSR matrix of shape (n_queries, n_points)

        Returns
        -------
        ndarray of shape (n_queries, number of documents that are not empty)
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
            return np.full(len(self), self._space.coupling.lone_cost())
        query = _Query(documents, points, shares)
        return np.array([query.solve(document).cost for document in range(len(self))])

    def _nearest(self, documents: _Documents, points: Rows, shares: Floats, k: int) -> tuple[Floats, Rows]:
        if not self._is_pruned or not len(points):
            costs = self._all_costs(documents, points, shares)
            least = np.argsort(costs, kind="stable")[:k]
            return costs[least], least
        query, found = _Query(documents, points, shares), _Best(k)
        candidates = _Candidates(query)
        candidates.tighten(np.zeros(len(points)))
        n_solved = 0  # columns of the documents solved since bounds were tightened
        while True:
            document, bound = candidates.pop()
            if not bound <= found.worst + self._slack or bound == np.inf:
                return found.sorted()
            solution = query.solve(document, found.worst + self._slack)
            found.add(solution.cost, document)  # a bound is above the worst, and forgotten at once
            n_solved += documents.rows.indptr[document + 1] - documents.rows.indptr[document]
            if PASSES * n_solved >= candidates.n_columns:
                candidates.drop_above(found.worst + self._slack)
                candidates.tighten(solution.potentials())
                n_solved = 0


def _nearest_of_part(documents: NearestDocuments, k: int, queries: sparse.csr_array) -> list[tuple[Floats, Rows]]:
    """Search for some of the queries, in another process."""
    return list(documents._nearest_of_each(queries, k))


class _Best:
    """The k least costs so far."""

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
    """One document, what it costs to reach the columns of others, and solutions."""

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
        self._costs = query.table  # of the columns that are left; None while they are too many

    @property
    def n_columns(self) -> int:
        """How many columns are looked at to tighten their bounds."""
        return len(self._columns)

    def pop(self) -> tuple[int, float]:
        """Return the document of the least bound, no candidate any more, and the bound; at the end -1 and infinity."""
        if not len(self._bounds):
            return -1, np.inf
        place = int(self._bounds.argmin())
        bound, self._bounds[place] = self._bounds[place], np.inf
        return int(self._numbers[place]), float(bound)

    def tighten(self, potentials: Floats) -> None:
        """Raise the bounds by the potentials of a solution."""
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
        np.maximum(self._bounds, bounds, out=self._bounds)  # infinite ones stay: they are done

    def drop_above(self, cost: float) -> None:
        """Forget candidates of bounds above a cost, once they are many."""
        is_kept = self._bounds <= cost
        if np.count_nonzero(is_kept) > SHRINK * len(is_kept):
            return
        self._numbers, self._bounds = self._numbers[is_kept], self._bounds[is_kept]
        self._rows = self._rows[np.flatnonzero(is_kept)]
        columns, rows = _compressed(self._rows)
        if 2 * len(columns) > len(self._columns):
            return
        self._columns, self._rows, self._costs = self._columns[columns], rows, None
        if len(self._query.shares) * len(columns) <= COSTS_KEPT:
            self._costs = self._query.costs(self._columns)


def _row(rows: sparse.csr_array, number: int) -> tuple[Rows, Floats]:
    """Return the columns and the values of a row."""
    place = slice(rows.indptr[number], rows.indptr[number + 1])
    return rows.indices[place].astype(np.int64, copy=False), rows.data[place].astype(np.float64, copy=False)


def _compressed(rows: sparse.csr_array) -> tuple[Rows, sparse.csr_array]:
    """Return the columns that any row has, and the rows over these alone."""
    is_there = np.zeros(rows.shape[1], dtype=bool)
    is_there[rows.indices] = True
    columns, places = np.flatnonzero(is_there), np.cumsum(is_there) - 1
    return columns, sparse.csr_array(
        (rows.data, places[rows.indices], rows.indptr), shape=(rows.shape[0], len(columns))
    )
