"""Couplings: the cost of turning one distribution into another, and the dual potentials that prove it.

A coupling moves shares of mass between points, at a given cost per move. Potentials are prices, one for each point of
the first distribution; they give a lower bound on the cost to any other distribution (`pruning.py`). Balanced transport
uses POT's network simplex (`balanced.py`). Unbalanced transport uses majorisation-minimisation (`unbalanced.py`), and
an interior point method where that converges slowly (`interior_point.py`). When it is enough to know that a cost
exceeds a limit, a few Sinkhorn scalings find prices that prove it in less time.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

TINY = 1e-300
SOFTNESS = 0.05  # Sinkhorn regularisation: relative to the mean cost of a move, or for WFR to a unit of mass
SCALINGS = (3, 3, 6, 12)  # scalings between checks of the bound
LEAST_EXPONENT = -500.0  # its exp is still well above underflow


class Solution(NamedTuple):
    """The lowest cost, or a lower bound that already exceeds the limit.

    `potentials` is a function that computes a potential for each point of the first distribution: few callers need it.
    """

    cost: float
    potentials: Callable[[], Floats]


class Coupling(Protocol):
    """A rule for how mass may move, with a solver for the cheapest way."""

    def costs(self, distances: Floats) -> Floats:
        """Turn distances between points into costs of moves, in place where possible."""

    def solve(self, p: Floats, q: Floats, costs: Floats, common: Places, limit: float = np.inf) -> Solution:
        """Couple two distributions.

        Parameters
        ----------
        p, q : ndarray of shape (m,) and (n,)
            Positive shares.
        costs : ndarray of shape (n, m)
            costs[j, i] is the cost of a move between point j of q and point i of p.
        common : ndarray of shape (n,)
            The index in p of each point of q; -1 if p does not contain it.
        limit : float, optional
            Stop as soon as the cost is proven to exceed this, and return the lower bound instead.
        """

    def worth(self, potentials: Floats) -> Floats:
        """Return how much a unit of mass at each potential adds to the lower bound."""

    def cost_to_empty(self) -> float:
        """Return the distance to an empty document, such as one whose words are all unknown."""

    def slack(self, of_distances: float) -> float:
        """Return the rounding error of a cost, given that of the distances."""


def highest_prices(costs: Floats, prices: Floats) -> Floats:
    """Return the highest feasible prices for the points of p, given those of q."""
    return (costs - prices[:, None]).min(axis=0)


def soft_prices(p: Floats, q: Floats, costs: Floats, softness: float, power: float = 1.0) -> Iterator[Floats]:
    """Yield better and better prices for the points of p, by Sinkhorn scaling.

    They converge to the optimum of the problem with entropic regularisation `softness`; a power below 1 allows mass to
    be created and destroyed. Tiny shares may give infinite or NaN prices, which prove nothing.
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
