"""Balanced couplings, of equal mass: exact, by POT's network simplex, unless a few scalings prove enough."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from troenpy._kernel.matrix import least_differences
from troenpy.transport.couplings import SOFTNESS, Floats, Places, Solution, highest_prices, soft_prices

MOST_PIVOTS = 10_000_000  # of the network simplex: far beyond what two documents take
LEAST_MOVES = 400  # of a problem whose solution takes longer than to look for a proof


@dataclass(frozen=True)
class Balanced:
    """All mass is moved: the earth mover's distance, exact, by POT's network simplex.

    Costs must be a metric. Then mass at a point that both distributions have stays where it is: by the duality of
    Kantorovich and Rubinstein the cost depends on the difference of the two only.
    """

    def costs(self, distances: Floats) -> Floats:
        """Return the distances as they are."""
        return distances

    def solve(self, p: Floats, q: Floats, costs: Floats, common: Places, limit: float = np.inf) -> Solution:
        """Move what is left where both have the same points."""
        (shared,) = (common >= 0).nonzero()
        if len(shared):
            places = common[shared]
            stays = np.minimum(p[places], q[shared])
            p, q = p.copy(), q.copy()
            p[places] -= stays
            q[shared] -= stays
        (sources,), (targets,) = p.nonzero(), q.nonzero()
        if not (len(sources) and len(targets)):
            return Solution(0.0, lambda: np.zeros(len(p)))
        costs = costs.take(targets, axis=0)
        supply, demand, moves = p[sources], q[targets], costs.take(sources, axis=1)
        demand *= supply.sum() / demand.sum()  # rounding apart they are equal
        if limit < np.inf and moves.size >= LEAST_MOVES:
            for u in soft_prices(supply, demand, moves, SOFTNESS * float(moves.mean())):
                prices = least_differences(moves, u)
                bound = float(demand @ prices + supply @ highest_prices(moves, prices))
                if bound > limit:
                    return Solution(bound, partial(highest_prices, costs, prices))
        cost, prices = _network_simplex(demand, supply, moves)
        return Solution(cost, partial(highest_prices, costs, prices))

    def worth(self, potentials: Floats) -> Floats:
        """Return the potentials themselves."""
        return potentials

    def lone_cost(self) -> float:
        """No mass can be moved nowhere."""
        return np.inf

    def slack(self, of_distances: float) -> float:
        """Return that of distances: shares sum to 1."""
        return of_distances


def _network_simplex(supply: Floats, demand: Floats, costs: Floats) -> tuple[float, Floats]:
    """Return the cost of the cheapest coupling, and the potentials of the supply."""
    _, found = _pot().emd(
        supply, demand, costs, numItermax=MOST_PIVOTS, log=True, center_dual=False, check_marginals=False
    )
    if found["warning"] is not None:
        raise RuntimeError(f"{len(supply)} x {len(demand)} points are not solved: {found['warning']}")
    return float(found["cost"]), found["u"]


@cache
def _pot() -> Any:
    try:
        import ot
    except ImportError:
        raise ImportError("optimal transport needs POT: pip install 'troenpy[transport]'", name="ot") from None
    return ot
