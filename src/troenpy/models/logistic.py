"""Logistic regression with an L2 penalty, for few rows and many columns that share one pattern.

Newton's method in the coordinates of `newton`. Arrays of documents x classes that would be too many to hold at once
are avoided by taking some classes at a time while the others stay, in turn until no class gains.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from troenpy._kernel.gram import BlockGram
from troenpy.models.grams import ScaledGram, TailGram
from troenpy.models.losses import Binary, Codes, Floats, Loss, Multinomial, first_intercept
from troenpy.models.newton import Descent, Gram, SharedDirections, State

#: Up to so many documents x classes (32 MB an array, about twenty of them) all classes are solved at once.
CELLS_AT_ONCE = 2**22
#: Above that, each block of classes has about so many documents x classes, ...
CELLS_PER_BLOCK = 2**20
#: ... but never fewer classes than this.
CLASSES_PER_BLOCK = 8
#: How accurately the Newton step of a block is found: the next block changes the problem anyway.
BLOCK_ACCURACY = 0.3
#: The largest C x weight x eigenvalue of X X' that is solved whatever the labels, by precision of X, if given enough
#: steps: above it, the penalty may be lost in rounding.
SURE_CONDITION = {np.dtype(np.float32): 1e7, np.dtype(np.float64): 1e10}
#: Up to so much more is tried.
TRIED = 1e4
#: Below this, coefficients are proportional to C, and their gradient is lost in the rounding of the intercept's.
LEAST_CONDITION = 1e-9
#: After so many steps that bring the gradient no lower, rounding is all that is left.
PATIENCE = 10


def fit_logistic(
    X: Any,
    codes: ArrayLike,
    n_classes: int,
    *,
    n_blocks: int = 1,
    C: float = 1.0,
    sample_weight: Floats | None = None,
    tol: float = 1e-3,
    max_iter: int = 100,
    n_threads: int = 1,
) -> tuple[Floats, Floats, int]:
    """Minimise C x the sum of log losses + half the sum of squared coefficients; intercepts are free.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_features), float32 or float64; or Design
        Sums over features are in its precision. A Design serves several fits; it knows `n_blocks` and `n_threads`.
    codes : array-like of shape (n_documents,)
        The class of each document, in [0, n_classes).
    n_classes : int
        Two classes have one decision, for the second; more have one each (multinomial).
    n_blocks : int, default=1
        X consists of so many blocks of columns, and every row has the same columns in each.
    C : float, default=1.0
    sample_weight : array of shape (n_documents,), optional
        Factors of the losses: only their products with C matter.
    tol : float, default=1e-3
        Stop when the length of the gradient has fallen by this factor, from where coefficients are zero and
        probabilities the frequencies of the classes.
    max_iter : int, default=100
        Newton steps, at most; a ConvergenceWarning says if they did not suffice.
    n_threads : int, default=1
        Results are the same for any number.

    Returns
    -------
    coef : array of shape (n_decisions, n_features)
    intercept : array of shape (n_decisions,)
    n_iter : int

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> coef, intercept, n_iter = fit_logistic(X, [0, 0, 1, 1], 2, tol=1e-8)
    >>> coef.round(3).tolist(), intercept.round(3).tolist()
    ([[-0.77, 0.344]], [0.125])
    """
    design = X if isinstance(X, Design) else Design(X, n_blocks, n_threads)
    codes = _read_codes(codes, design.n_rows, n_classes)
    if not (np.isfinite(C) and C > 0):
        raise ValueError(f"C must be positive and finite, got {C}")
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight
    if weights.shape != codes.shape or not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("sample_weight must have one weight per document, finite, not negative, and not all zero")
    # With C times the largest weight in the place of C, no weight is above 1: their scale cannot do harm.
    largest = float(weights.max())
    weights = weights / largest
    with _one_blas_thread():
        rows, intercept, n_iter, strength = design.solve(codes, weights, n_classes, float(C), largest, tol, max_iter)
        coef = design.gram.combine(rows)
    coef *= min(strength, C * largest)
    # Of several classes, a constant added to all intercepts changes nothing: the mean is zero, as scikit-learn's is.
    return coef, intercept if n_classes == 2 else intercept - intercept.mean(), n_iter


def _one_blas_thread() -> Any:
    """The products with shared directions are small: more than one thread slows them down, and changes sums."""
    return threadpool_limits(1, user_api="blas")


class Design:
    """What a fit needs of X and not of the labels: its products, and the directions that its rows share.

    Parameters
    ----------
    X, n_blocks, n_threads
        As in `fit_logistic`.
    tail : ndarray or CSR of shape (n_documents, n_tail), optional
        More columns, which do not share the pattern of the blocks.
    """

    def __init__(self, X: Any, n_blocks: int = 1, n_threads: int = 1, tail: Any = None) -> None:
        self.n_rows, self._dtype = X.shape[0], np.dtype(X.dtype)
        self.gram: Gram = BlockGram(X, n_blocks, n_threads)
        if tail is not None:
            self.gram = TailGram(self.gram, tail)
        with _one_blas_thread():
            self.shared = SharedDirections.found(self.gram, self.n_rows)

    @property
    def sure_strength(self) -> float:
        """The largest C x sample weight that is sure to be solved."""
        return SURE_CONDITION[self._dtype] / self.shared.largest

    def solve(
        self, codes: Codes, weights: Floats, n_classes: int, C: float, weight: float, tol: float, max_iter: int
    ) -> tuple[Floats, Floats, int, float]:
        """Minimise for C x weight in the place of C, or for the nearest that can be solved; if less, with a warning.

        Returns
        -------
        rows, intercept, n_iter
        strength : float
            The C x weight that was solved for.
        """
        strength = max(float(np.exp(min(np.log(C) + np.log(weight), 700.0))), LEAST_CONDITION / self.shared.largest)
        sure = self.sure_strength
        if strength <= TRIED * sure:
            problem = Problem(self, strength, tol, max_iter)
            rows, intercept, n_iter = problem.minimise(codes, weights, n_classes)
            if strength <= sure or problem.progress.is_reached:
                problem.progress.warn_unless_reached(n_iter)
                return rows, intercept, n_iter, strength
        warnings.warn(
            f"C={C:g} times the largest weight of a document, {weight:g}, leaves too small a penalty to solve for:"
            f" {sure:.1e} was taken instead of {strength:.1e}. Lower C or the weights",
            ConvergenceWarning,
            stacklevel=4,
        )
        problem = Problem(self, sure, tol, max_iter)
        # Each document's own product is bounded, so that one that weighs too much does not silence the others.
        bounded = np.minimum(weights, sure / strength) * (strength / sure)
        rows, intercept, n_iter = problem.minimise(codes, bounded, n_classes)
        problem.progress.warn_unless_reached(n_iter)
        return rows, intercept, n_iter, sure


class Problem:
    """A design at a scale that makes up for C, and how far to go."""

    def __init__(self, design: Design, strength: float, tol: float, max_iter: int) -> None:
        self._gram, self._shared = ScaledGram(design.gram, strength), design.shared.scaled(strength)
        self._max_iter = max_iter
        self.progress = Progress(tol)

    def minimise(self, codes: Codes, weights: Floats, n_classes: int) -> tuple[Floats, Floats, int]:
        """Return coefficients as sums of rows, the intercept and the number of steps."""
        if n_classes > 2 and len(codes) * n_classes > CELLS_AT_ONCE:
            return self.minimise_by_classes(codes, weights, n_classes)
        return self.minimise_at_once(codes, weights, n_classes)

    def minimise_at_once(self, codes: Codes, weights: Floats, n_classes: int) -> tuple[Floats, Floats, int]:
        """Solve for all classes at once."""
        is_binary = n_classes == 2
        loss: Loss = Binary(codes, weights) if is_binary else Multinomial(codes, weights, n_classes)
        intercept = first_intercept(codes, weights, n_classes)
        zeros = np.zeros((len(codes), len(intercept)))
        state = State(zeros, zeros, intercept)
        for n_iter in range(self._max_iter + 1):
            descent = Descent(self._gram, loss, state)
            share = self.progress.note(descent.downhill.length)
            if self.progress.is_reached:
                # Decisions were added up on the way: what counts are those that the coefficients give.
                state = State(state.rows, self._gram.multiply(state.rows), state.intercept)
                descent = Descent(self._gram, loss, state)
                share = self.progress.note(descent.downhill.length)
            if self.progress.is_over or n_iter == self._max_iter:
                break
            moved = descent.step(self._shared, min(0.5, np.sqrt(share)))
            if moved is None:
                self.progress.is_stuck = True
                break
            state = moved
        return state.rows, state.intercept, n_iter

    def minimise_by_classes(self, codes: Codes, weights: Floats, n_classes: int) -> tuple[Floats, Floats, int]:
        """Solve for some classes at a time, the decisions of the others fixed, until none of them gains.

        One array of documents x classes is all that is held: the decisions of a block are worked out when its turn
        comes, and of the others only the log of the sum of exponentials is needed, one number per document and block.
        """
        width = max(CLASSES_PER_BLOCK, CELLS_PER_BLOCK // len(codes))
        blocks = [slice(first, min(first + width, n_classes)) for first in range(0, n_classes, width)]
        rows, intercept = np.zeros((len(codes), n_classes)), first_intercept(codes, weights, n_classes)
        sums = np.tile([special.logsumexp(intercept[block]) for block in blocks], (len(codes), 1))
        for n_iter in range(self._max_iter + 1):
            squares = 0.0
            for number, block in enumerate(blocks):
                others = special.logsumexp(np.delete(sums, number, axis=1), axis=1)
                size = block.stop - block.start
                loss = Multinomial(codes, weights, size, first=block.start, others=others)
                own = np.ascontiguousarray(rows[:, block])
                descent = Descent(self._gram, loss, State(own, self._gram.multiply(own), intercept[block]))
                squares += descent.downhill.length**2
                moved = descent.step(self._shared, BLOCK_ACCURACY) if n_iter < self._max_iter else None
                if moved is not None:
                    rows[:, block], intercept[block] = moved.rows, moved.intercept
                    sums[:, number] = special.logsumexp(moved.decisions + moved.intercept, axis=1)
            self.progress.note(np.sqrt(squares))
            if self.progress.is_over:
                break
            self._centre(rows, intercept, sums)
        return rows, intercept, n_iter

    def _centre(self, rows: Floats, intercept: Floats, sums: Floats) -> None:
        """Subtract from each class the mean of all: no loss changes, the penalty falls; block by block it does not."""
        mean = rows.mean(axis=1, keepdims=True)
        rows -= mean
        sums -= self._gram.multiply(mean) + intercept.mean()
        intercept -= intercept.mean()


class Progress:
    """How far the gradient has fallen, as a share of its first length."""

    def __init__(self, tol: float) -> None:
        self._tol = tol
        self._first = self._length = 0.0
        self._least, self._n_since = np.inf, 0
        self.is_stuck = False  # rounding is all that is left

    def note(self, length: float) -> float:
        """Take note of the next length; return its share of the first."""
        self._first, self._length = self._first or length, length
        self._n_since = 0 if length < self._least else self._n_since + 1
        self._least = min(length, self._least)
        self.is_stuck = self.is_stuck or self._n_since >= PATIENCE
        return length / self._first if self._first else 0.0

    @property
    def is_reached(self) -> bool:
        """Whether the gradient is short enough."""
        return self._length <= self._tol * self._first

    @property
    def is_over(self) -> bool:
        """Whether no more steps are wanted, or would help."""
        return self.is_reached or self.is_stuck

    def warn_unless_reached(self, n_iter: int) -> None:
        """Say how far the gradient has fallen if that is not enough."""
        if not self.is_reached:
            advice = "rounding allows no better, so raise tol or lower C" if self.is_stuck else "raise max_iter or tol"
            warnings.warn(
                f"the gradient has fallen to {self._length / self._first:.1e} of its first length, not to"
                f" tol={self._tol:g}, in {n_iter} steps: {advice}",
                ConvergenceWarning,
                stacklevel=5,
            )


def _read_codes(codes: ArrayLike, n_rows: int, n_classes: int) -> Codes:
    numbers = np.asarray(codes, dtype=np.int64)
    if numbers.shape != (n_rows,):
        raise ValueError(f"codes must have one class per document, ({n_rows},), got {numbers.shape}")
    if n_classes < 2 or n_rows == 0 or numbers.min() < 0 or numbers.max() >= n_classes:
        raise ValueError(f"codes must be in [0, n_classes) for two classes or more, got n_classes={n_classes}")
    return numbers
