"""Couplings: what it costs to turn one distribution into another, and the potentials that prove it.

A coupling moves shares of mass between points; the cost of a move is given. Potentials are prices: one for each point
of the first distribution, from which a lower bound follows for the cost to any other one (`pruning.py`). Couplings of
equal mass are solved by POT's network simplex, others by the steps of its majorisation and minimisation, and if these
take long by Newton's. Where it is enough to know that a cost is above a limit, a few scalings (Sinkhorn) find prices
that prove it, in less time.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from troenpy._kernel.matrix import least_differences

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

MOST_PIVOTS = 10_000_000  # of the network simplex: far beyond what two documents take
OPTIMAL = 1  # POT's code for it
STEPS_AT_ONCE = 25  # of majorisation and minimisation, between two looks at how good the plan is
MOST_STEPS = 5_000
PATIENCE = 250  # steps, before Newton's are tried: where moves are cheap they are far better
MOST_NEWTON_STEPS = 60
NEARLY = 0.99  # of the way to where a plan or a margin would be zero
LARGEST_PRICE = 50.0  # a unit of mass is destroyed and made anew for 2, and exp(-50) is nothing
TINY = 1e-300
ROUNDING = 1e-12  # of a sum of about 1
SOFTNESS = 0.05  # of the prices that scaling finds: in units of the mean cost of a move, for WFR of a unit of mass
SCALINGS = (3, 3, 6, 12)  # between two looks at what the prices prove
LEAST_EXPONENT = -500.0  # exp of it is still far from zero
LEAST_MOVES = 400  # of a problem whose solution takes longer than to look for a proof


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
            for u in _soft_prices(supply, demand, moves, SOFTNESS * float(moves.mean())):
                prices = least_differences(moves, u)
                bound = float(demand @ prices + supply @ _highest(moves, prices))
                if bound > limit:
                    return Solution(bound, partial(_highest, costs, prices))
        cost, prices = _network_simplex(demand, supply, moves)
        return Solution(cost, partial(_highest, costs, prices))

    def worth(self, potentials: Floats) -> Floats:
        """Return the potentials themselves."""
        return potentials

    def lone_cost(self) -> float:
        """No mass can be moved nowhere."""
        return np.inf

    def slack(self, of_distances: float) -> float:
        """Return that of distances: shares sum to 1."""
        return of_distances


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
            for u in _soft_prices(p, q, costs, SOFTNESS, power=1 / (1 + SOFTNESS)):
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
        highest = _highest(costs, prices)
        return float(p @ self.worth(highest) + q @ self.worth(prices)), highest


def _highest(costs: Floats, prices: Floats) -> Floats:
    """Return the highest prices of the points of p that those of q allow."""
    return (costs - prices[:, None]).min(axis=0)


def _plans(p: Floats, q: Floats, costs: Floats, tolerance: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield plans, each time nearer to the best, and prices of the points of p and of q that go with them."""
    plan, decay = q[:, None] * p, np.exp(-costs / 2)
    for n_steps in range(0, MOST_STEPS, STEPS_AT_ONCE):
        if n_steps == PATIENCE:
            yield from _plans_from_inside(p, q, costs, tolerance)
        plan = improved_plan(q, p, decay, plan)
        yield plan, _prices(plan.sum(axis=0), p), _prices(plan.sum(axis=1), q)


def _plans_from_inside(
    p: Floats, q: Floats, costs: Floats, tolerance: float
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield plans and prices by an interior point method, as long as rounding lets it.

    The prices of two points leave a margin below the cost of a move between them; where there is any, the best plan
    moves nothing. Newton's method goes to plans whose products with the margins are all equal, and ever smaller.
    """
    n, mass = len(p), np.concatenate([p, q])
    costs = np.minimum(costs, 2 * np.log(8 / tolerance))  # a move that costs more gains less than the tolerance
    nearest = np.concatenate([costs.min(axis=0), costs.min(axis=1)])
    prices = 0.5 * nearest - 0.5 * min(float(costs.mean()), 1.0)  # of two points less than the cost between them
    plan, margins = q[:, None] * p, costs - prices[:n] - prices[n:, None]
    for _ in range(MOST_NEWTON_STEPS):
        step = _newton_step(plan, margins, mass * np.exp(-prices))
        if step is None:
            return
        plan, margins, prices = plan + step[0], margins - step[1], prices + step[2]
        yield plan, prices[:n], prices[n:]


@np.errstate(all="ignore")
def _newton_step(plan: Floats, margins: Floats, mass: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Return how a plan, its margins and prices change; None if numbers got too small to say.

    First it is seen how far one can get on the way to products of zero; the better that is, the smaller they are chosen
    for the step itself, which also makes up for what the first one left out (Mehrotra 1992).
    """
    n, ratios = plan.shape[1], plan / margins
    hessian = np.diag(mass)
    hessian[n:, :n], hessian[:n, n:] = ratios, ratios.T
    hessian[np.diag_indices(len(mass))] += np.concatenate([ratios.sum(axis=0), ratios.sum(axis=1)])
    scale = 1 / np.sqrt(hessian.diagonal())
    try:
        factor = linalg.cho_factor(scale[:, None] * hessian * scale)
    except (linalg.LinAlgError, ValueError):  # the latter for numbers that are not finite
        return None

    def direction(products: Floats | float) -> tuple[Floats, Floats, Floats]:
        aim = products / margins
        missing = mass - np.concatenate([aim.sum(axis=0), aim.sum(axis=1)])
        of_prices = scale * linalg.cho_solve(factor, scale * missing, check_finite=False)
        of_margins = of_prices[:n] + of_prices[n:, None]
        return aim - plan + ratios * of_margins, of_margins, of_prices

    def longest(of_plan: Floats, of_margins: Floats) -> float:
        """Return which part of a change leaves both positive."""
        fastest = max(float((-of_plan / plan).max()), float((of_margins / margins).max()))
        return 1 / max(fastest, 1.0)

    of_plan, of_margins, _ = direction(0.0)
    part, product = longest(of_plan, of_margins), float((plan * margins).mean())
    reached = float(((plan + part * of_plan) * (margins - part * of_margins)).mean())
    changes = direction(product * (reached / product) ** 3 + of_plan * of_margins)
    fall = float(-changes[2].min())  # of a price, which makes exp(fall) of a mass: more than 1 at once would overshoot
    part = NEARLY * min(longest(*changes[:2]), 1 / max(1.0, fall))
    return part * changes[0], part * changes[1], part * changes[2]


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


def _soft_prices(p: Floats, q: Floats, costs: Floats, softness: float, power: float = 1.0) -> Iterator[Floats]:
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


def _network_simplex(supply: Floats, demand: Floats, costs: Floats) -> tuple[float, Floats]:
    """Return the cost of the cheapest coupling, and the potentials of the supply."""
    _, cost, prices, _, code = _pot().lp.emd_wrap.emd_c(supply, demand, costs, MOST_PIVOTS, 1)
    if code != OPTIMAL:
        raise RuntimeError(f"the network simplex ended with code {code} on {len(supply)} x {len(demand)} points")
    return float(cost), prices


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


@cache
def _pot() -> Any:
    try:
        import ot
    except ImportError:
        raise ImportError("optimal transport needs POT: pip install 'troenpy[transport]'", name="ot") from None
    return ot
