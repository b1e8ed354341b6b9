"""Decisions of held-out documents for several C on the same rows, accurate enough to compare their log losses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.models.logistic import CLIMBED, LEAST_CLIMBED, Design, Solution, loss_at_zero, settle
from troenpy.models.losses import Codes, Floats, first_intercept

#: Ascent stops when a round has less than this share of the objective to gain, or after so many rounds.
SETTLED, MOST_ROUNDS = 0.01, 30
#: The same for Newton's method: the relative distance of the coefficients, and steps.
NEWTON_ACCURACY, MOST_STEPS = 0.1, 30


class StrengthPath:
    """Solutions for one C after another; in the kernel each begins with the coefficients of the last.

    Parameters
    ----------
    design : Design
        Of training and held-out documents.
    codes : ndarray of shape (n_documents,)
    weights : ndarray of shape (n_documents,)
        Zero for held-out documents.
    n_classes : int
    held_out : ndarray of int64
        Row numbers.
    """

    def __init__(
        self, design: Design, codes: Codes, weights: Floats, n_classes: int, held_out: NDArray[np.int64]
    ) -> None:
        self._design, self._codes, self._n_classes, self._held_out = design, codes, n_classes, held_out
        self._largest = float(weights.max())
        self._weights = weights / self._largest
        self._intercept = first_intercept(codes, self._weights, n_classes)
        self._loss_at_zero = loss_at_zero(codes, self._weights)
        rows, n_decisions = design.rows, len(self._intercept)
        is_tiny = rows.n_values * n_decisions < LEAST_CLIMBED
        self._bend = rows.squares / max(rows.n_rows, 1)  # of a document, for a strength of 1
        self._may_climb = rows.native is not None and not is_tiny
        self._ascent: Any = None

    def decisions(self, C: float) -> Floats:
        """Return the decisions of the held-out documents, of shape (n_held_out, n_decisions)."""
        strength = self._design.bounded(C * self._largest)
        if self._may_climb and CLIMBED[0] < strength * self._bend < CLIMBED[1]:
            return self._climb(strength)
        solution = Solution(self._design, strength, NEWTON_ACCURACY, MOST_STEPS)
        state = solution.solve(self._codes, self._weights, self._n_classes).state
        values = np.sqrt(strength) * self._design.rows.multiply(np.ascontiguousarray(state.coef)) + state.intercept
        decisions: Floats = values[self._held_out]
        return decisions

    def _climb(self, strength: float) -> Floats:
        if self._ascent is None:
            self._ascent = self._design.rows.ascent(self._codes, self._weights, strength, self._intercept)
        else:
            self._ascent.change_strength(strength)
        settle(self._ascent, SETTLED, self._loss_at_zero, MOST_ROUNDS)
        out = np.empty((len(self._held_out), len(self._intercept)))
        self._ascent.decide(self._held_out, out)
        return out
