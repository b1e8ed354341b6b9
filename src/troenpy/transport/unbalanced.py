"""Unbalanced transport, which may also create and destroy mass; the potentials prove that it meets the tolerance."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from troenpy.fitting.notices import warn_user
from troenpy.transport.couplings import SOFTNESS, TINY, Floats, Places, Solution, highest_prices, soft_prices
from troenpy.transport.interior_point import interior_plans

STEPS_AT_ONCE = 25  # majorisation-minimisation steps between convergence checks
MOST_STEPS = 5_000
PATIENCE = 250  # steps before switching to Newton's method, which is far better when moves are cheap
LARGEST_PRICE = 50.0  # destroying and recreating a unit of mass costs only 2, and exp(-50) is negligible
ROUNDING = 1e-12  # error of a sum of about 1


@dataclass(frozen=True)
class Unbalanced:
    """Move, create or destroy mass, whichever is cheapest: the squared Wasserstein-Fisher-Rao distance.

    Moving mass a distance d costs -2 log cos(min(coef d, pi/2)); creating and destroying it costs the Kullback-Leibler
    divergence. Majorisation-minimisation runs until the potentials prove that the cost is within `tolerance` of the
    optimum. If that is slow, because moves are cheap, an interior point method needs about twenty steps. A warning is
    issued if neither reaches the tolerance.

    Parameters
    ----------
    coef : float
        Mass moves at most pi / (2 coef).
    tolerance : float
    """

    coef: float
    tolerance: float

    def costs(self, distances: Floats) -> Floats:
        """Return -2 log cos(min(coef d, pi/2)), with a prohibitively large cost instead of infinity."""
        angles = np.minimum(np.multiply(distances, self.coef, out=distances), np.pi / 2, out=distances)
        cosines = np.maximum(np.cos(angles, out=angles), np.exp(-LARGEST_PRICE / 2), out=angles)
        return np.multiply(np.log(cosines, out=cosines), -2, out=cosines)

    def solve(self, p: Floats, q: Floats, costs: Floats, common: Places, limit: float = np.inf) -> Solution:
        """Improve a plan until it is within the tolerance, or until every plan provably exceeds the limit."""
        if limit < np.inf:
            for u in soft_prices(p, q, costs, SOFTNESS, power=1 / (1 + SOFTNESS)):
                bound, potentials = self._bound_by(p, q, costs, u)
                if bound > limit:
                    return Solution(bound, potentials.copy)
        cost, bound = _cost_in_place(p, q, common), -np.inf
        for plan, u, v in _plans(p, q, costs, self.tolerance):
            changes = _divergence(plan.sum(axis=0), p) + _divergence(plan.sum(axis=1), q)
            cost = min(cost, float((plan * costs).sum()) + changes)
            bound = max(bound, self._bound_by(p, q, costs, u)[0], self._bound_by(q, p, costs.T, v)[0])
            if bound > limit or cost - bound <= max(self.tolerance, ROUNDING):
                break
        else:
            warn_user(
                f"the transport cost {cost:.6g} may exceed the optimum by {cost - bound:.2g}, more than the tolerance"
                f" {self.tolerance:g}: allow a larger tolerance",
                RuntimeWarning,
            )
        return Solution(bound if bound > limit else max(cost, 0.0), u.copy)

    def worth(self, potentials: Floats) -> Floats:
        """Return 1 - exp(-potential)."""
        return -np.expm1(-potentials)

    def cost_to_empty(self) -> float:
        """The cost of destroying all mass of a document."""
        return 1.0

    def slack(self, of_distances: float) -> float:
        """Return the larger of the error of the distances and that of a sum of about 1."""
        return max(of_distances, ROUNDING)

    def _bound_by(self, p: Floats, q: Floats, costs: Floats, u: Floats) -> tuple[float, Floats]:
        """Return the lower bound that prices for p prove, and the highest prices for p that prove it."""
        prices = (costs - u).min(axis=1)  # not least_differences: costs may be transposed
        highest = highest_prices(costs, prices)
        return float(p @ self.worth(highest) + q @ self.worth(prices)), highest


def _plans(p: Floats, q: Floats, costs: Floats, tolerance: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield better and better plans, each with prices for the points of p and of q."""
    plan, decay = q[:, None] * p, np.exp(-costs / 2)
    for n_steps in range(0, MOST_STEPS, STEPS_AT_ONCE):
        if n_steps == PATIENCE:
            yield from interior_plans(p, q, costs, tolerance)
        plan = improve_plan(q, p, decay, plan)
        yield plan, _prices(plan.sum(axis=0), p), _prices(plan.sum(axis=1), q)


def _cost_in_place(p: Floats, q: Floats, common: Places) -> float:
    """Return the cost of moving nothing: the squared Hellinger distance, zero for equal distributions."""
    shared = common >= 0
    a, b = p[common[shared]], q[shared]
    apart = p.sum() - a.sum() + q.sum() - b.sum()
    return float(max(apart, 0.0) + ((np.sqrt(a) - np.sqrt(b)) ** 2).sum())


def _divergence(mass: Floats, reference: Floats) -> float:
    """Kullback-Leibler divergence of positive masses, which need not sum to 1."""
    return float((mass * np.log(mass / reference) - mass + reference).sum())


def _prices(mass: Floats, reference: Floats) -> Floats:
    """Return the potentials for the mass that a plan puts at each point."""
    return np.minimum(np.log(reference / mass), LARGEST_PRICE)


def improve_plan(p: Floats, q: Floats, decay: Floats, plan: Floats) -> Floats:
    """Return the plan after some steps of majorisation and minimisation (Chapel et al. 2021).

    A step is plan * exp(-costs / 2) * sqrt(p / row sums) * sqrt(q / column sums). POT's `mm_unbalanced` takes the same
    steps on the full plan; keeping the row and column scales apart is several times as fast
    (benchmarks/transport.py). `decay` is exp(-costs / 2).
    """
    rows, columns = np.ones(len(p)), np.ones(len(q))
    kernel = plan.copy()
    for _ in range(STEPS_AT_ONCE):
        left, received = rows * (kernel @ columns), columns * (rows @ kernel)
        rows *= np.sqrt(p / left)
        columns *= np.sqrt(q / received)
        kernel *= decay
    kernel *= rows[:, None]
    kernel *= columns
    return np.maximum(kernel, TINY, out=kernel)  # a share of zero would stay zero, and has no logarithm
