"""Distances between the points that carry mass: words, from their vectors, and topics, from a table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from troenpy.transport.couplings import Floats

Rows = NDArray[np.int64]


class PointDistances(Protocol):
    """Distances between numbered points."""

    def distances_from(self, points: Rows) -> Callable[[Rows], Floats]:
        """Return a function that maps other points to a new array of shape (n_points, n_others); both are sorted."""

    @property
    def slack(self) -> float:
        """Rounding error of a distance."""


@dataclass(frozen=True, eq=False)
class Words:
    """Words, with the Euclidean distance between their vectors, always computed in float64.

    Examples
    --------
    >>> words = Words(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]))
    >>> words.distances_from(np.array([0, 1]))(np.array([1, 2]))
    array([[5., 3.],
           [0., 4.]])
    """

    vectors: NDArray[np.floating]

    def distances_from(self, points: Rows) -> Callable[[Rows], Floats]:
        """Compute |x - y| for all pairs with one matrix product; exactly 0 between a word and itself."""
        vectors = self.vectors[points].astype(np.float64)
        left = np.column_stack([vectors, _squares(vectors), np.ones(len(points))])

        def distances(others: Rows) -> Floats:
            vectors = self.vectors[others].astype(np.float64)
            right = np.column_stack([-2 * vectors, np.ones(len(others)), _squares(vectors)])
            squares = left @ right.T
            found: Floats = np.sqrt(np.maximum(squares, 0, out=squares), out=squares)
            places = shared_places(points, others)
            (known,) = (places >= 0).nonzero()
            found[places[known], known] = 0
            return found

        return distances

    @cached_property
    def slack(self) -> float:
        """Cancellation of the squares loses half of the digits."""
        return 8 * float(np.sqrt(np.finfo(np.float64).eps * _squares(self.vectors).max(initial=0)))


@dataclass(frozen=True, eq=False)
class DistanceTable:
    """Points whose distances are stored in a table.

    Parameters
    ----------
    table : ndarray of shape (n_points, n_points)
    """

    table: Floats

    def distances_from(self, points: Rows) -> Callable[[Rows], Floats]:
        """Look up the distances."""
        return lambda others: self.table[points[:, None], others]

    @property
    def slack(self) -> float:
        """Error from summing the same numbers in a different order."""
        return 1e-12 * float(self.table.max(initial=0))


def _squares(vectors: NDArray[np.floating]) -> Floats:
    return np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)


def shared_places(points: Rows, others: Rows) -> Rows:
    """Return the index in `points` of each of `others`, or -1 if it is missing; both are sorted.

    Examples
    --------
    >>> shared_places(np.array([2, 5, 9]), np.array([1, 5, 9]))
    array([-1,  1,  2])
    """
    if not len(points):
        return np.full(len(others), -1)
    places = np.searchsorted(points, others).clip(max=len(points) - 1)
    return np.where(points[places] == others, places, -1)
