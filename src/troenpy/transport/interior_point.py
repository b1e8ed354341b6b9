"""An interior point method for unbalanced transport, used where the iteration in `unbalanced.py` converges slowly.

That happens when `coef` is small, so that moves are cheap. On 90 pairs of R8 documents, with coef 0.1 and tolerance
1e-5, 5000 iterations (42 ms a pair) reach the tolerance for no pair; this method reaches it for all, in 6 ms. With coef
0.3 and tolerance 1e-4 it is three times as fast; with the defaults it is never needed (`compare_newton` in
benchmarks/transport.py).
"""

from collections.abc import Iterator

import numpy as np
from scipy import linalg

from troenpy.transport.couplings import Floats

MOST_NEWTON_STEPS = 60
NEARLY = 0.99  # fraction of the way to the boundary, where a plan or margin would be zero


def interior_plans(p: Floats, q: Floats, costs: Floats, tolerance: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield plans and prices, until rounding errors stop progress.

    A margin is the cost of a move minus the prices of its two points; where it is positive, the optimal plan moves
    nothing. Newton's method makes all products of plan and margin equal, and drives them to zero.
    """
    n, mass = len(p), np.concatenate([p, q])
    costs = np.minimum(costs, 2 * np.log(8 / tolerance))  # dearer moves gain less than the tolerance
    nearest = np.concatenate([costs.min(axis=0), costs.min(axis=1)])
    prices = 0.5 * nearest - 0.5 * min(float(costs.mean()), 1.0)  # feasible: two sum to less than their cost
    plan, margins = q[:, None] * p, costs - prices[:n] - prices[n:, None]
    for _ in range(MOST_NEWTON_STEPS):
        step = _newton_step(plan, margins, mass * np.exp(-prices))
        if step is None:
            return
        plan, margins, prices = plan + step[0], margins - step[1], prices + step[2]
        yield plan, prices[:n], prices[n:]


@np.errstate(all="ignore")
def _newton_step(plan: Floats, margins: Floats, mass: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Return the changes of the plan, margins and prices, or None if the system is numerically singular.

    Mehrotra's predictor-corrector (1992): the predictor aims for products of zero; the further it gets, the smaller the
    products the corrector aims for. The corrector also includes the second-order term.
    """
    n, ratios = plan.shape[1], plan / margins
    hessian = np.diag(mass)
    hessian[n:, :n], hessian[:n, n:] = ratios, ratios.T
    hessian[np.diag_indices(len(mass))] += np.concatenate([ratios.sum(axis=0), ratios.sum(axis=1)])
    scale = 1 / np.sqrt(hessian.diagonal())
    try:
        factor = linalg.cho_factor(scale[:, None] * hessian * scale)
    except (linalg.LinAlgError, ValueError):  # ValueError for non-finite numbers
        return None

    def direction(products: Floats | float) -> tuple[Floats, Floats, Floats]:
        aim = products / margins
        missing = mass - np.concatenate([aim.sum(axis=0), aim.sum(axis=1)])
        of_prices = scale * linalg.cho_solve(factor, scale * missing, check_finite=False)
        of_margins = of_prices[:n] + of_prices[n:, None]
        return aim - plan + ratios * of_margins, of_margins, of_prices

    def longest(of_plan: Floats, of_margins: Floats) -> float:
        """Return the largest fraction of a step that keeps both positive."""
        fastest = max(float((-of_plan / plan).max()), float((of_margins / margins).max()))
        return 1 / max(fastest, 1.0)

    of_plan, of_margins, _ = direction(0.0)
    part, product = longest(of_plan, of_margins), float((plan * margins).mean())
    reached = float(((plan + part * of_plan) * (margins - part * of_margins)).mean())
    changes = direction(product * (reached / product) ** 3 + of_plan * of_margins)
    fall = float(-changes[2].min())  # a mass grows by up to exp(fall): more than 1 would overshoot
    part = NEARLY * min(longest(*changes[:2]), 1 / max(1.0, fall))
    return part * changes[0], part * changes[1], part * changes[2]
