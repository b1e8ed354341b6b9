"""Unbalanced couplings, by which mass is also made and destroyed: within a tolerance that potentials prove."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from troenpy.transport.couplings import SOFTNESS, TINY, Floats, Places, Solution, highest_prices, soft_prices
from troenpy.transport.interior_point import interior_plans

STEPS_AT_ONCE = 25  # of majorisation and minimisation, between two looks at how good the plan is
MOST_STEPS = 5_000
PATIENCE = 250  # steps, before Newton's are tried: where moves are cheap they are far better
LARGEST_PRICE = 50.0  # a unit of mass is destroyed and made anew for 2, and exp(-50) is nothing
ROUNDING = 1e-12  # of a sum of about 1


@dataclass(frozen=True)
class Unbalanced:
    """Mass is moved, made or destroyed, whichever is cheapest: the Wasserstein-Fisher-Rao distance, squared.

    A move over a distance d costs -2 log cos(min(coef d, pi/2)), made and destroyed mass its Kullback-Leibler
    divergence. The cost is at most `tolerance` above the least there is: majorisation and minimisation goes on until
    the potentials prove that. If it takes long, because moves cost little, an interior point method gets there in some
    twenty steps. A cost that is not proven in the end comes with a warning.

    Parameters
    ----------
    coef : float
        Mass is not moved further than pi / (2 coef).
    tolerance : float
    """

    coef: float
    tolerance: float

    def costs(self, distances: Floats) -> Floats:
        """Return -2 log cos(min(coef d, pi/2)), and instead of infinity a price that nobody pays."""
        angles = np.minimum(np.multiply(distances, self.coef, out=distances), np.pi / 2, out=distances)
        cosines = np.maximum(np.cos(angles, out=angles), np.exp(-LARGEST_PRICE / 2), out=angles)
        return np.multiply(np.log(cosines, out=cosines), -2, out=cosines)

    def solve(self, p: Floats, q: Floats, costs: Floats, common: Places, limit: float = np.inf) -> Solution:
        """Improve a plan until it is proven to be good enough, or every plan to cost more than the limit."""
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
            warnings.warn(
                f"the cost {cost:.6g} is proven to be at most {cost - bound:.2g} above the least, not"
                f" {self.tolerance:g} as wished: allow a larger tolerance",
                RuntimeWarning,
                stacklevel=2,
            )
        return Solution(bound if bound > limit else max(cost, 0.0), u.copy)

    def worth(self, potentials: Floats) -> Floats:
        """Return 1 - exp(-potential)."""
        return -np.expm1(-potentials)

    def lone_cost(self) -> float:
        """All of a document's mass is destroyed."""
        return 1.0

    def slack(self, of_distances: float) -> float:
        """Return that of distances, or of a sum of about 1 if it is more."""
        return max(of_distances, ROUNDING)

    def _bound_by(self, p: Floats, q: Floats, costs: Floats, u: Floats) -> tuple[float, Floats]:
        """Return what prices of p's points prove, and the highest prices for them that prove it."""
        prices = (costs - u).min(axis=1)  # not by the kernel: costs may be transposed
        highest = highest_prices(costs, prices)
        return float(p @ self.worth(highest) + q @ self.worth(prices)), highest


def _plans(p: Floats, q: Floats, costs: Floats, tolerance: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield plans, each time nearer to the best, and prices of the points of p and of q that go with them."""
    plan, decay = q[:, None] * p, np.exp(-costs / 2)
    for n_steps in range(0, MOST_STEPS, STEPS_AT_ONCE):
        if n_steps == PATIENCE:
            yield from interior_plans(p, q, costs, tolerance)
        plan = improved_plan(q, p, decay, plan)
        yield plan, _prices(plan.sum(axis=0), p), _prices(plan.sum(axis=1), q)


def _cost_in_place(p: Floats, q: Floats, common: Places) -> float:
    """Return the cost if nothing is moved: the squared Hellinger distance, zero for equal distributions."""
    shared = common >= 0
    a, b = p[common[shared]], q[shared]
    apart = p.sum() - a.sum() + q.sum() - b.sum()
    return float(max(apart, 0.0) + ((np.sqrt(a) - np.sqrt(b)) ** 2).sum())


def _divergence(mass: Floats, reference: Floats) -> float:
    """Kullback-Leibler divergence of masses that need not sum to 1; both positive."""
    return float((mass * np.log(mass / reference) - mass + reference).sum())


def _prices(mass: Floats, reference: Floats) -> Floats:
    """Return the potentials that go with the mass that a plan leaves at each point."""
    return np.minimum(np.log(reference / mass), LARGEST_PRICE)


def improved_plan(p: Floats, q: Floats, decay: Floats, plan: Floats) -> Floats:
    """Return the plan after some steps of majorisation and minimisation (Chapel et al. 2021).

    A step is plan * exp(-costs / 2) * sqrt(p / its row sums) * sqrt(q / its column sums). POT's `mm_unbalanced` does
    the same steps on the whole plan; on a matrix between two scales they are several times as fast
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
    return np.maximum(kernel, TINY, out=kernel)  # a share that fell to zero would stay there, and has no logarithm
