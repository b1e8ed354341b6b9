"""Balanced transport: exact, with POT's network simplex, unless a few Sinkhorn scalings already prove the bound."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from troenpy._kernel.matrix import least_differences
from troenpy.transport.couplings import SOFTNESS, Floats, Places, Solution, highest_prices, soft_prices

MOST_PIVOTS = 10_000_000  # limit for the network simplex, far more than two documents need
LEAST_MOVES = 400  # below this size, solving is faster than looking for a bound first


@dataclass(frozen=True)
class Balanced:
    """Move all mass: the exact earth mover's distance, by POT's network simplex.

    Costs must be a metric. Then mass at a point that both distributions share stays in place: by Kantorovich-Rubinstein
    duality the cost depends only on their difference.
    """

    def costs(self, distances: Floats) -> Floats:
        """Return the distances unchanged."""
        return distances

    def solve(self, p: Floats, q: Floats, costs: Floats, common: Places, limit: float = np.inf) -> Solution:
        """Cancel the mass at shared points, then solve for the rest."""
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
        demand *= supply.sum() / demand.sum()  # equal, except for rounding
        if limit < np.inf and moves.size >= LEAST_MOVES:
            for u in soft_prices(supply, demand, moves, SOFTNESS * float(moves.mean())):
                prices = least_differences(moves, u)
                bound = float(demand @ prices + supply @ highest_prices(moves, prices))
                if bound > limit:
                    return Solution(bound, partial(highest_prices, costs, prices))
        cost, prices = _network_simplex(demand, supply, moves)
        return Solution(cost, partial(highest_prices, costs, prices))

    def worth(self, potentials: Floats) -> Floats:
        """Return the potentials unchanged."""
        return potentials

    def cost_to_empty(self) -> float:
        """Infinite: balanced transport cannot destroy mass."""
        return np.inf

    def slack(self, of_distances: float) -> float:
        """The same as for the distances, because shares sum to 1."""
        return of_distances


def _network_simplex(supply: Floats, demand: Floats, costs: Floats) -> tuple[float, Floats]:
    """Return the lowest cost, and the potentials of the supply points."""
    _, found = _pot().emd(
        supply, demand, costs, numItermax=MOST_PIVOTS, log=True, center_dual=False, check_marginals=False
    )
    if found["warning"] is not None:
        raise RuntimeError(f"{len(supply)} x {len(demand)} points could not be solved: {found['warning']}")
    return float(found["cost"]), found["u"]


@cache
def _pot() -> Any:
    try:
        import ot
    except ImportError:
        raise ImportError("optimal transport needs POT: pip install 'troenpy[transport]'", name="ot") from None
    return ot
