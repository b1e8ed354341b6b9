"""Couplings: what it costs to turn one distribution into another, and the potentials that prove it.

A coupling moves shares of mass between points; the cost of a move is given. Potentials are prices: one for each point
of the first distribution, from which a lower bound follows for the cost to any other one (`pruning.py`). Couplings of
equal mass are solved by POT's network simplex (`balanced.py`), others by the steps of its majorisation and minimisation
(`unbalanced.py`), and if these take long by Newton's (`interior_point.py`). Where it is enough to know that a cost is
above a limit, a few scalings (Sinkhorn) find prices that prove it, in less time.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

TINY = 1e-300
SOFTNESS = 0.05  # of the prices that scaling finds: in units of the mean cost of a move, for WFR of a unit of mass
SCALINGS = (3, 3, 6, 12)  # between two looks at what the prices prove
LEAST_EXPONENT = -500.0  # exp of it is still far from zero


class Solution(NamedTuple):
    """The cost of the cheapest coupling, or a bound above the limit.

    `potentials` works out a potential for each point of the first distribution: few solutions are asked for them.
    """

    cost: float
    potentials: Callable[[], Floats]


class Coupling(Protocol):
    """A rule that says which couplings are allowed, and finds the cheapest."""

    def costs(self, distances: Floats) -> Floats:
        """Turn distances between points into costs of moves, in place if it can."""

    def solve(self, p: Floats, q: Floats, costs: Floats, common: Places, limit: float = np.inf) -> Solution:
        """Couple two distributions.

        Parameters
        ----------
        p, q : ndarray of shape (m,) and (n,)
            Positive shares.
        costs : ndarray of shape (n, m)
            costs[j, i] is that of a move between point j of q and point i of p.
        common : ndarray of shape (n,)
            The place in p of each point of q; -1 if it is not there.
        limit : float, optional
            A cost that is proven to be above this need not be known: the bound will do instead.
        """

    def worth(self, potentials: Floats) -> Floats:
        """Return what a unit of mass adds to the lower bound at each potential."""

    def lone_cost(self) -> float:
        """Return the cost from a distribution to none at all: that of a document of unknown words."""

    def slack(self, of_distances: float) -> float:
        """Return how far two workings of the same cost may differ by rounding, if distances differ so much."""


def highest_prices(costs: Floats, prices: Floats) -> Floats:
    """Return the highest prices of the points of p that those of q allow."""
    return (costs - prices[:, None]).min(axis=0)


def soft_prices(p: Floats, q: Floats, costs: Floats, softness: float, power: float = 1.0) -> Iterator[Floats]:
    """Yield prices for the points of p, each time nearer to the best, by scaling rows and columns in turn.

    They tend to the best of a problem that also rewards a plan for being spread, by `softness`; a power below 1 lets
    mass be made and destroyed. Shares of next to nothing may give prices that are infinite or not a number: these prove
    nothing.
    """
    rows, columns = np.ones(len(q)), np.ones(len(p))
    kernel = np.exp(np.maximum(costs / -max(softness, TINY), LEAST_EXPONENT))
    for n_steps in SCALINGS:
        with np.errstate(all="ignore"):
            for _ in range(n_steps):
                columns = (p / (rows @ kernel)) ** power
                rows = (q / (kernel @ columns)) ** power
            prices = softness * np.log(columns)
        yield prices
