"""When a solver may stop: coefficients are near enough, or rounding is all that is left."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

#: Squared coefficients below this part of the objective are rounding.
ROUNDING = 1e-16
#: After so many steps that bring the objective no nearer to its minimum, rounding is all that is left.
PATIENCE = 10


class Progress:
    """How far coefficients may be from the best ones, as a share of their length.

    The objective bends at least as half the sum of squared coefficients does: half the squared distance is no more than
    the duality gap.
    """

    def __init__(self, tol: float) -> None:
        self.tol = tol
        self._share = self._least_gap = np.inf
        self._n_since = 0
        self.is_stuck = False  # rounding is all that is left

    def note(self, gap: float, objective: float, squares: float) -> float:
        """Take note of the next gap, with half the sum of squared coefficients; return the share."""
        self._share = float(np.sqrt(gap / max(squares, ROUNDING * objective))) if gap > 0 else 0.0
        self._n_since = 0 if gap < self._least_gap else self._n_since + 1
        self._least_gap = min(gap, self._least_gap)
        self.is_stuck = self.is_stuck or self._n_since >= PATIENCE
        return self._share

    @property
    def is_reached(self) -> bool:
        """Whether they are near enough."""
        return self._share <= self.tol

    @property
    def is_over(self) -> bool:
        """Whether no more steps are wanted, or would help."""
        return self.is_reached or self.is_stuck

    def warn_unless_reached(self, n_iter: int) -> None:
        """Say how far coefficients may be from the best ones if that is too far."""
        if not self.is_reached:
            advice = "rounding allows no better, so raise tol or lower C" if self.is_stuck else "raise max_iter or tol"
            warnings.warn(
                f"the coefficients are known to {self._share:.1e} of their length, not to tol={self.tol:g}, in {n_iter}"
                f" steps: {advice}",
                ConvergenceWarning,
                stacklevel=5,
            )
