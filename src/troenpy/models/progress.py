"""When a solver may stop: the coefficients are accurate enough, or only rounding error is left."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from troenpy.fitting.notices import warn_user

#: Squared coefficients below this part of the objective are rounding.
ROUNDING = 1e-16
#: After this many steps without a smaller gap, only rounding error is left.
PATIENCE = 10


class Progress:
    """A bound on the distance of the coefficients from the optimum, relative to their length.

    The objective curves at least as much as its penalty, so half the squared distance is at most the duality gap.
    """

    def __init__(self, tol: float) -> None:
        self.tol = tol
        self._share = self._least_gap = np.inf
        self._n_since = 0
        self.is_stuck = False  # only rounding error is left
        self.is_settled = False  # accurate enough by another measure

    def note(self, gap: float, objective: float, squares: float) -> float:
        """Record the next gap and half the sum of squared coefficients; return the relative distance."""
        self._share = float(np.sqrt(gap / max(squares, ROUNDING * objective))) if gap > 0 else 0.0
        self._n_since = 0 if gap < self._least_gap else self._n_since + 1
        self._least_gap = min(gap, self._least_gap)
        self.is_stuck = self.is_stuck or self._n_since >= PATIENCE
        return self._share

    @property
    def is_reached(self) -> bool:
        """Whether the coefficients are accurate enough."""
        return self.is_settled or self._share <= self.tol

    @property
    def is_over(self) -> bool:
        """Whether further steps are not needed, or would not help."""
        return self.is_reached or self.is_stuck

    def warn_unless_reached(self, n_iter: int) -> None:
        """Warn if the coefficients are not accurate enough."""
        if not self.is_reached:
            advice = "rounding prevents more, so raise tol or lower C" if self.is_stuck else "raise max_iter or tol"
            warn_user(
                f"not converged after {n_iter} iterations: the coefficients may be off by {self._share:.1e} of their"
                f" length, more than tol={self.tol:g}; {advice}",
                ConvergenceWarning,
            )
