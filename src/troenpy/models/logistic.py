"""Logistic regression with an L2 penalty, for sparse rows whose columns share one pattern, and any number of classes.

Dual coordinate ascent in the kernel makes a few passes over the documents, each about as costly as one gradient.
Newton's method continues from there without the kernel, or if `tol` is small or C too large for ascent.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from troenpy._kernel.solver import Part, Rows
from troenpy.fitting.notices import warn_user
from troenpy.models.losses import Codes, Floats, RowLoss, first_intercept
from troenpy.models.newton import Descent, SharedDirections, State
from troenpy.models.progress import Progress

#: Ascent works in single precision; Newton's method takes over for a smaller tolerance than this.
ASCENT_ACCURACY = 3e-4
#: Mean of C x squared length of a document: below this range the first Newton step is exact, above it ascent is slow.
CLIMBED = 1e-9, 1e3
#: Values of X x decisions: below this, Newton's method takes no time, ...
LEAST_CLIMBED = 2**12
#: ... so it continues to this accuracy.
TINY_ACCURACY = 1e-5
#: A large C is reached in stages, each this many times the one before, ...
STAGE_FACTOR = 30.0
#: ... and solved to this accuracy until the last.
STAGE_ACCURACY = 0.1
#: The ascent is judged by this many rounds at a time.
ROUNDS_JUDGED = 10
#: Without a `tol`, ascent stops when a round has less than this share of the objective to gain: predictions have
#: settled then. On five corpora the log loss of test documents changed by less than 1 % afterwards.
SETTLED = 0.002
#: It usually takes 5 to 20 rounds. After so many, Newton's method goes on, to this accuracy.
MOST_SETTLING, SETTLED_ACCURACY = 100, 0.03
#: The largest C x weight x eigenvalue of X X' that is certain to be solvable, by precision of X: above it, rounding may
#: hide the penalty.
SURE_CONDITION = {np.dtype(np.float32): 1e7, np.dtype(np.float64): 1e10}
#: Problems up to this many times harder are attempted.
TRIED = 1e4
#: Below this, coefficients are proportional to C, and their gradient is lost in the rounding of the intercept's.
LEAST_CONDITION = 1e-9
TINY = float(np.finfo(float).tiny)


def fit_logistic(
    X: Any,
    codes: ArrayLike,
    n_classes: int,
    *,
    n_blocks: int = 1,
    C: float = 1.0,
    sample_weight: Floats | None = None,
    tol: float | None = 1e-3,
    max_iter: int = 300,
    n_threads: int = 1,
) -> tuple[Floats, Floats, int]:
    """Minimise C x the sum of log losses + half the sum of squared coefficients; intercepts are free.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_features), float32 or float64; or Design
        Sums over features use its precision. A Design can be reused; it has its own `n_blocks` and `n_threads`.
    codes : array-like of shape (n_documents,)
        The class of each document, in [0, n_classes).
    n_classes : int
        Two classes have one decision, for the second; more have one each (multinomial).
    n_blocks : int, default=1
        Number of blocks of columns in X; every row has the same columns in each.
    C : float, default=1.0
    sample_weight : array of shape (n_documents,), optional
        Factors of the losses: only their products with C matter.
    tol : float or None, default=1e-3
        Stop when the duality gap shows that the coefficients are within about `tol` of the optimum, relative to their
        length. None stops when predictions have settled.
    max_iter : int, default=300
        Maximum number of passes and Newton steps; a ConvergenceWarning says if they were too few.
    n_threads : int, default=1
        Threads for Newton's method; ascent uses one. Results do not depend on it.

    Returns
    -------
    coef : array of shape (n_decisions, n_features)
    intercept : array of shape (n_decisions,)
    n_iter : int
        Passes and steps.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> coef, intercept, n_iter = fit_logistic(X, [0, 0, 1, 1], 2, tol=1e-8)
    >>> coef.round(3).tolist(), intercept.round(3).tolist()
    ([[-0.77, 0.344]], [0.125])
    """
    design = X if isinstance(X, Design) else Design(Part(X, n_blocks), n_threads=n_threads)
    fit = design.fit(codes, n_classes, C=C, sample_weight=sample_weight, tol=tol, max_iter=max_iter)
    return fit.coef, fit.intercept, fit.n_iter


@dataclass(frozen=True)
class Fit:
    """Coefficients of shape (n_decisions, n_features), and how they were found."""

    coef: Floats
    intercept: Floats
    n_iter: int
    solver: str  # "ascent", "newton", or "ascent, newton"


class Design:
    """The part of a fit that does not depend on the labels: the rows of X and the directions they share.

    Parameters
    ----------
    *parts : Part
        Blocks of columns that share a pattern, and further columns; coefficients come part by part.
    n_threads : int, default=1
        As in `fit_logistic`.
    """

    def __init__(self, *parts: Part, n_threads: int = 1) -> None:
        self.rows = Rows(*parts, n_threads=n_threads)
        self.n_rows, self._sure = self.rows.n_rows, SURE_CONDITION[np.dtype(parts[0].X.dtype)]

    def fit(
        self,
        codes: ArrayLike,
        n_classes: int,
        *,
        C: float,
        sample_weight: Floats | None,
        tol: float | None,
        max_iter: int,
    ) -> Fit:
        """Fit as described in `fit_logistic`."""
        codes = _read_codes(codes, self.n_rows, n_classes)
        if not (np.isfinite(C) and C > 0):
            raise ValueError(f"C must be positive and finite, got {C}")
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        if weights.shape != codes.shape or not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ValueError("sample_weight must have one weight per document, finite, not negative, and not all zero")
        # Replace C by C times the largest weight: then no weight exceeds 1, and their scale does not matter.
        largest = float(weights.max())
        solution, strength = self.solve(codes, weights / largest, n_classes, float(C), largest, tol, max_iter)
        coef = self.rows.in_order(solution.state.coef.T)
        coef *= np.sqrt(strength) * min(1.0, C * largest / strength)
        intercept = solution.state.intercept
        # With several classes a constant added to all intercepts changes nothing: make their mean 0, as scikit-learn.
        intercept = intercept if n_classes == 2 else intercept - intercept.mean()
        return Fit(coef, intercept, solution.n_iter, ", ".join(solution.solvers))

    @cached_property
    def shared(self) -> SharedDirections:
        """The directions that rows share, which only Newton's method needs."""
        return SharedDirections.find(self.rows)

    @cached_property
    def largest(self) -> float:
        """About the largest eigenvalue of X X'."""
        vector, length = np.random.default_rng(0).random((self.n_rows, 1)) + 0.5, 1.0
        for _ in range(8):
            vector = self.rows.multiply(self.rows.combine(vector / length))
            length = max(float(np.linalg.norm(vector)), TINY)
        return length

    def is_sure(self, strength: float) -> bool:
        """Whether this C x sample weight is certain to be solvable."""
        # The sum of all eigenvalues is known at once.
        return strength <= self._sure / max(self.rows.squares, TINY) or strength <= self._sure / self.largest

    def bounded(self, strength: float) -> float:
        """Return this C x sample weight, or the largest that is certain to be solvable."""
        return strength if self.is_sure(strength) else min(strength, self._sure / self.largest)

    def solve(
        self, codes: Codes, weights: Floats, n_classes: int, C: float, weight: float, tol: float | None, max_iter: int
    ) -> "tuple[Solution, float]":
        """Minimise with C x weight as C, or with the nearest solvable value; warn if that is smaller.

        Returns
        -------
        solution : Solution
        strength : float
            The C x weight that was solved for.
        """
        strength = float(np.exp(np.clip(np.log(C) + np.log(weight), -700.0, 700.0)))
        if strength * self.rows.squares < LEAST_CONDITION * self.n_rows:
            strength = max(strength, LEAST_CONDITION / self.largest)
        if self.is_sure(strength) or strength <= TRIED * self._sure / self.largest:
            solution = Solution(self, strength, tol, max_iter).solve(codes, weights, n_classes)
            if self.is_sure(strength) or solution.progress.is_reached:
                solution.progress.warn_unless_reached(solution.n_iter)
                return solution, strength
        sure = self._sure / self.largest
        warn_user(
            f"C={C:g} times the largest sample weight, {weight:g}, makes the penalty too small to solve: used"
            f" {sure:.1e} instead of {strength:.1e}. Lower C or the weights",
            ConvergenceWarning,
        )
        # Bound each document's product separately, so that one heavy document does not silence the others.
        bounded = np.where(weights < sure / strength, weights * (strength / sure), 1.0)
        solution = Solution(self, sure, tol, max_iter).solve(codes, bounded, n_classes)
        solution.progress.warn_unless_reached(solution.n_iter)
        return solution, sure


class Solution:
    """The coefficients for one C, and how they were found; X is scaled instead of the loss.

    Attributes
    ----------
    state : State
    n_iter : int
    solvers : list of str
    progress : Progress
    """

    def __init__(self, design: Design, strength: float, tol: float | None, max_iter: int) -> None:
        self._design, self._strength, self._max_iter = design, strength, max_iter
        self._may_settle, self.progress = tol is None, Progress(SETTLED_ACCURACY if tol is None else tol)
        self.n_iter, self.solvers = 0, list[str]()

    def solve(self, codes: Codes, weights: Floats, n_classes: int) -> "Solution":
        """Solve, for a large C in stages of increasing C, each from the solution of the one before."""
        intercept = first_intercept(codes, weights, n_classes)
        rows, wanted = self._design.rows, self.progress
        self.state = State(np.zeros((len(intercept), rows.n_columns)).T, intercept)
        self._is_tiny = rows.n_values * len(intercept) < LEAST_CLIMBED
        path = self._strengths(len(codes))
        for strength in path:
            self.state.coef *= np.sqrt(self._strength / strength)
            self._strength, is_last = strength, strength == path[-1]
            self.progress = wanted if is_last else Progress(max(wanted.tol, STAGE_ACCURACY))
            self._solve_stage(codes, weights, n_classes)
        return self

    def _strengths(self, n_rows: int) -> list[float]:
        """Return the strengths of the stages; the last is the one asked for."""
        largest_climbed = CLIMBED[1] * n_rows / max(self._design.rows.squares, TINY)
        stages = list[float]()
        strength = self._strength / STAGE_FACTOR
        while strength > largest_climbed / STAGE_FACTOR:
            stages.append(strength)
            strength /= STAGE_FACTOR
        return [*reversed(stages), self._strength]

    def _solve_stage(self, codes: Codes, weights: Floats, n_classes: int) -> None:
        """Solve for the current strength, from the current state."""
        rows = self._design.rows
        is_start = self.n_iter == 0
        if is_start and not self._is_tiny and CLIMBED[0] < self._strength * rows.squares / len(codes) < CLIMBED[1]:
            self._climb(codes, weights)
        if not self.progress.is_reached:
            # The products with shared directions are small: more BLAS threads slow them down, and change sums.
            with threadpool_limits(1, user_api="blas"):
                self._descend(RowLoss(rows, codes, weights, n_classes, np.sqrt(self._strength)))

    def _climb(self, codes: Codes, weights: Floats) -> None:
        """Run dual coordinate ascent while it promises to converge."""
        ascent = self._design.rows.ascent(codes, weights, self._strength, self.state.intercept)
        if ascent is None or self._max_iter == 0:
            return
        self.solvers.append("ascent")
        if self._may_settle:
            most = min(self._max_iter, MOST_SETTLING)
            self.n_iter, self.progress.is_settled = settle(ascent, SETTLED, loss_at_zero(codes, weights), most)
            ascent.read(self.state.coef.T, self.state.intercept)
            return
        accuracy = max(self.progress.tol, ASCENT_ACCURACY)
        # Half the sum of squared coefficients is not known yet; it is less than the objective without any.
        gaps, goal = list[float](), accuracy**2 * loss_at_zero(codes, weights)
        while self.n_iter < self._max_iter:
            gaps.append(ascent.climb())
            self.n_iter += 1
            if self.n_iter > 1 and not gaps[-1] > goal:  # the first round knows no gap
                gap, objective, squares = ascent.gap()
                goal = accuracy**2 * squares
                self.progress.note(gap, objective, squares)
                if gap <= goal:
                    break
            if not self._is_promising(gaps[1:], goal):
                break
        ascent.read(self.state.coef.T, self.state.intercept)

    def _is_promising(self, gaps: list[float], goal: float) -> bool:
        """Whether the gap will close in time at the rate of the last rounds."""
        if len(gaps) < 2 * ROUNDS_JUDGED:
            return True
        before, now = sum(gaps[-2 * ROUNDS_JUDGED : -ROUNDS_JUDGED]), sum(gaps[-ROUNDS_JUDGED:])
        rounds_left = self._max_iter - self.n_iter
        return 0 < now < before and gaps[-1] * (now / before) ** (rounds_left / ROUNDS_JUDGED) < goal

    def _descend(self, loss: RowLoss) -> None:
        """Take Newton steps."""
        shared = self._design.shared.scaled(self._strength)
        self.state = State(np.ascontiguousarray(self.state.coef), self.state.intercept)
        while True:
            descent = Descent(loss, self.state)
            share = self.progress.note(descent.gap, descent.objective, descent.squares)
            is_done = self.progress.is_over and not (self._is_tiny and share > TINY_ACCURACY)
            if is_done or self.progress.is_stuck or self.n_iter >= self._max_iter:
                break
            moved = descent.step(shared, float(min(0.5, np.sqrt(share))))
            if moved is None:
                self.progress.is_stuck = True
                break
            self.state = moved
            self.n_iter += 1
            if "newton" not in self.solvers:
                self.solvers.append("newton")


def settle(ascent: Any, share: float, objective: float, max_rounds: int) -> tuple[int, bool]:
    """Climb until a round has less than a share of the objective to gain; return the rounds, and whether one had.

    Parameters
    ----------
    ascent : Ascent32 or Ascent64
    share : float
    objective : float
        Not less than the minimum of the objective.
    max_rounds : int
    """
    for n_rounds in range(1, max_rounds + 1):
        gain = ascent.climb()
        if n_rounds > 1 and gain <= share * objective:  # the first round does not know its gain
            objective = ascent.gap()[1]
            if gain <= share * objective:
                return n_rounds, True
    return max_rounds, False


def loss_at_zero(codes: Codes, weights: Floats) -> float:
    """Return the least loss without coefficients."""
    totals = np.bincount(codes, weights)
    return float(special.entr(totals / totals.sum()).sum() * totals.sum())


def _read_codes(codes: ArrayLike, n_rows: int, n_classes: int) -> Codes:
    numbers = np.asarray(codes, dtype=np.int64)
    if numbers.shape != (n_rows,):
        raise ValueError(f"codes must have one class per document, ({n_rows},), got {numbers.shape}")
    if n_classes < 2 or n_rows == 0 or numbers.min() < 0 or numbers.max() >= n_classes:
        raise ValueError(f"codes must be in [0, n_classes) for two classes or more, got n_classes={n_classes}")
    return numbers
