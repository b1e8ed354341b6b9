"""Logistic regression with an L2 penalty, for few rows and many columns that share one pattern.

The coefficients are sums of rows, X' a, so all work is on arrays of documents x decisions: Newton's method, each
step found by conjugate gradients, at one product with X X' per iteration. A step's change of all decisions comes with
it, so the line search reads no data. What slows such iterations down is a handful of directions that nearly all
documents share (common words, and the intercept); these are found once and solved exactly.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from troenpy._kernel.gram import BlockGram

Floats = NDArray[np.float64]

#: How many shared directions are solved exactly; one product with X X' is as fast for 24 vectors as for 17.
N_DIRECTIONS = 24
#: Conjugate gradients stop here at the latest; the next step goes on from what they found.
MAX_INNER = 200


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
        Factors of the losses.
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
    loss = Binary(codes, C * weights) if n_classes == 2 else Multinomial(codes, C * weights, n_classes)
    with _one_blas_thread():
        state, n_iter = _minimise(design, loss, tol, max_iter)
        coef = design.gram.combine(state.rows)
    # Of several classes, a constant added to all intercepts changes nothing: the mean is zero, as scikit-learn's is.
    intercept = state.intercept if n_classes == 2 else state.intercept - state.intercept.mean()
    return coef, intercept, n_iter


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
        self.n_rows = X.shape[0]
        self.gram: Gram = BlockGram(X, n_blocks, n_threads)
        if tail is not None:
            self.gram = TailGram(self.gram, tail)
        with _one_blas_thread():
            self.shared = SharedDirections(self.gram, self.n_rows)


class Gram(Protocol):
    """Products with X X' and with X'."""

    def multiply(self, q: Floats) -> Floats:
        """Return X X' q."""

    def combine(self, q: Floats) -> Floats:
        """Return q' X."""


class TailGram:
    """The Gram matrix of rows with more columns at their end."""

    def __init__(self, gram: Gram, tail: Any) -> None:
        self._gram, self._tail = gram, tail.astype(np.float64)

    def multiply(self, q: Floats) -> Floats:
        """Return X X' q."""
        return self._gram.multiply(q) + self._tail @ (self._tail.T @ q)

    def combine(self, q: Floats) -> Floats:
        """Return q' X."""
        return np.hstack([self._gram.combine(q), (self._tail.T @ q).T])


class Loss(Protocol):
    """A sum of log losses as a function of the decisions, one row per document."""

    weights: Floats

    def first_intercept(self) -> Floats:
        """Return the best decisions that are the same for all documents."""

    def value(self, decisions: Floats) -> float:
        """Return the sum."""

    def probabilities(self, decisions: Floats) -> Floats:
        """Return one probability per decision."""

    def gradient(self, p: Floats) -> Floats:
        """Return the derivative by each decision, from probabilities."""

    def curvature(self, p: Floats, change: Floats) -> Floats:
        """Return the second derivative times a change of the decisions."""


class Binary:
    """One decision: the log odds of the second class."""

    def __init__(self, codes: NDArray[np.int64], weights: Floats) -> None:
        self.weights = weights[:, np.newaxis]
        self._is_second = (codes == 1).astype(np.float64)[:, np.newaxis]

    def first_intercept(self) -> Floats:
        """Return the log odds of the weighted frequencies."""
        frequency = _frequencies(np.array([(self.weights * (1 - self._is_second)).sum(), self._second_weight()]))
        return np.log(frequency[1:] / frequency[:1])

    def _second_weight(self) -> float:
        return float((self.weights * self._is_second).sum())

    def value(self, decisions: Floats) -> float:
        """Return the sum of weighted log losses."""
        return float((self.weights * (np.logaddexp(0, decisions) - self._is_second * decisions)).sum())

    def probabilities(self, decisions: Floats) -> Floats:
        """Return the probability of the second class."""
        return special.expit(decisions)

    def gradient(self, p: Floats) -> Floats:
        """Return weighted probability minus truth."""
        return self.weights * (p - self._is_second)

    def curvature(self, p: Floats, change: Floats) -> Floats:
        """Return the weighted variance times the change."""
        return self.weights * p * (1 - p) * change


class Multinomial:
    """One decision per class, softmax over them."""

    def __init__(self, codes: NDArray[np.int64], weights: Floats, n_classes: int) -> None:
        self.weights = weights[:, np.newaxis]
        self._codes, self._rows, self._n_classes = codes, np.arange(len(codes)), n_classes

    def first_intercept(self) -> Floats:
        """Return the logarithms of the weighted frequencies, with mean zero."""
        totals = np.bincount(self._codes, self.weights[:, 0], self._n_classes).astype(np.float64)
        logs = np.log(_frequencies(totals))
        return logs - logs.mean()

    def value(self, decisions: Floats) -> float:
        """Return the sum of weighted log losses."""
        top = decisions.max(axis=1, keepdims=True)
        logs = np.log(np.exp(decisions - top).sum(axis=1)) + top[:, 0]
        return float((self.weights[:, 0] * (logs - decisions[self._rows, self._codes])).sum())

    def probabilities(self, decisions: Floats) -> Floats:
        """Return the probability of each class."""
        p = np.exp(decisions - decisions.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p

    def gradient(self, p: Floats) -> Floats:
        """Return weighted probabilities minus truth."""
        out = self.weights * p
        out[self._rows, self._codes] -= self.weights[:, 0]
        return out

    def curvature(self, p: Floats, change: Floats) -> Floats:
        """Return the weighted covariance of the classes times the change."""
        out = change - np.einsum("rk,rk->r", p, change)[:, np.newaxis]
        out *= p
        out *= self.weights
        return out


@dataclass
class State:
    """Coefficients as sums of rows, X' rows; their decisions X X' rows; the intercept."""

    rows: Floats
    decisions: Floats
    intercept: Floats

    def moved(self, step: "State", length: float) -> "State":
        """Return the state so much further along a step."""
        return State(
            self.rows + length * step.rows,
            self.decisions + length * step.decisions,
            self.intercept + length * step.intercept,
        )


def _minimise(design: Design, loss: Loss, tol: float, max_iter: int) -> tuple[State, int]:
    gram, shared = design.gram, design.shared
    intercept = loss.first_intercept()
    zeros = np.zeros((len(loss.weights), len(intercept)))
    state = State(zeros, zeros, intercept)
    first_length = 0.0
    for n_iter in range(max_iter + 1):
        p = loss.probabilities(state.decisions + state.intercept)
        gradient = loss.gradient(p)
        rows = -(state.rows + gradient)
        downhill = State(rows, gram.multiply(rows), -gradient.sum(axis=0))
        length = np.sqrt(
            max(0.0, _dot(downhill.rows, downhill.decisions)) + _dot(downhill.intercept, downhill.intercept)
        )
        first_length = first_length or length
        if length <= tol * first_length:
            return state, n_iter
        if n_iter == max_iter:
            break
        share = length / first_length
        step = _newton_step(gram, loss, p, downhill, shared.solver(loss, p), min(0.5, np.sqrt(share)))
        moved = _line_search(loss, state, step, gradient)
        if moved is None:  # the precision of X allows no better
            break
        state = moved
    warnings.warn(
        f"the gradient has fallen to {length / first_length:.1e} of its first length, not to tol={tol:g}, in {n_iter}"
        " steps: raise max_iter or tol",
        ConvergenceWarning,
        stacklevel=3,
    )
    return state, n_iter


def _newton_step(gram: Gram, loss: Loss, p: Floats, downhill: State, solver: "SharedSolver", accuracy: float) -> State:
    """Solve (Hessian) step = downhill by preconditioned conjugate gradients, in the coordinates of State."""
    residual, step = downhill, downhill.moved(downhill, -1.0)
    direction = solver.solve(residual)
    size = first_size = _inner(residual, direction)
    for _ in range(MAX_INNER):
        change = direction.decisions + direction.intercept
        curved = loss.curvature(p, change)
        length = size / (_dot(direction.rows, direction.decisions) + _dot(change, curved))
        step = step.moved(direction, length)
        rows = residual.rows - length * (direction.rows + curved)
        residual = State(rows, gram.multiply(rows), residual.intercept - length * curved.sum(axis=0))
        solved = solver.solve(residual)
        new_size = _inner(residual, solved)
        if not new_size > accuracy**2 * first_size:
            break
        direction = solved.moved(direction, new_size / size)
        size = new_size
    return step


def _line_search(loss: Loss, state: State, step: State, gradient: Floats) -> State | None:
    """Halve the step until the objective falls by some of what its slope promises; None if it never does."""
    value = loss.value(state.decisions + state.intercept)
    linear, quadratic = _dot(state.rows, step.decisions), _dot(step.rows, step.decisions)
    slope = _dot(gradient, step.decisions + step.intercept) + linear
    length = 1.0
    while length > 1e-8:
        moved = state.moved(step, length)
        rise = loss.value(moved.decisions + moved.intercept) - value + length * linear + length**2 / 2 * quadratic
        if rise <= 1e-4 * length * slope:
            return moved
        length /= 2
    return None


class SharedDirections:
    """The longest directions V of X, by a randomised eigendecomposition of X X'; as rows, V = X' rows."""

    def __init__(self, gram: Gram, n_rows: int) -> None:
        n_directions = min(N_DIRECTIONS, n_rows)
        basis = np.random.default_rng(0).standard_normal((n_rows, n_directions))
        for _ in range(2):
            basis = np.linalg.qr(gram.multiply(basis))[0]
        image = gram.multiply(basis)
        squares, rotation = np.linalg.eigh(basis.T @ image)
        kept = squares > 1e-5 * max(squares.max(initial=0.0), np.finfo(float).tiny)
        lengths = np.sqrt(squares[kept])
        self.rows = basis @ rotation[:, kept] / lengths
        self.decisions = image @ rotation[:, kept] / lengths  # X V

    def solver(self, loss: Loss, p: Floats) -> "SharedSolver":
        """Return the approximate inverse of the Hessian at these probabilities."""
        return SharedSolver(self, loss.weights * p * (1 - p))


class SharedSolver:
    """Inverts the Hessian within the shared directions and the intercept, class by class; leaves the rest as it is."""

    def __init__(self, shared: SharedDirections, variance: Floats) -> None:
        self._shared = shared
        n_rows, self._n = shared.decisions.shape
        columns = np.hstack([shared.decisions, np.ones((n_rows, 1))])
        blocks = np.stack([columns.T @ (by_row[:, np.newaxis] * columns) for by_row in variance.T])
        within = np.arange(self._n)
        blocks[:, within, within] += 1
        blocks[:, -1, -1] = np.maximum(blocks[:, -1, -1] * (1 + 1e-10), np.finfo(float).tiny)
        self._inverses = np.linalg.inv(blocks)

    def solve(self, residual: State) -> State:
        """Return the approximate solution for a residual."""
        along = self._shared.rows.T @ residual.decisions
        given = np.vstack([along, residual.intercept]).T
        solved = np.einsum("kij,kj->ik", self._inverses, given)
        change = solved[: self._n] - along
        return State(
            residual.rows + self._shared.rows @ change,
            residual.decisions + self._shared.decisions @ change,
            solved[self._n],
        )


def _inner(left: State, right: State) -> float:
    """Return the inner product of coefficients and intercepts."""
    return _dot(left.rows, right.decisions) + _dot(left.intercept, right.intercept)


def _dot(left: Floats, right: Floats) -> float:
    # Not BLAS: its sums depend on its number of threads.
    return float(np.einsum("i,i->", left.ravel(), right.ravel()))


def _frequencies(totals: Floats) -> Floats:
    """Return shares; a class without weight gets one so small that it does not count."""
    return np.maximum(totals / totals.sum(), 1e-10)


def _read_codes(codes: ArrayLike, n_rows: int, n_classes: int) -> NDArray[np.int64]:
    numbers = np.asarray(codes, dtype=np.int64)
    if numbers.shape != (n_rows,):
        raise ValueError(f"codes must have one class per document, ({n_rows},), got {numbers.shape}")
    if n_classes < 2 or n_rows == 0 or numbers.min() < 0 or numbers.max() >= n_classes:
        raise ValueError(f"codes must be in [0, n_classes) for two classes or more, got n_classes={n_classes}")
    return numbers
