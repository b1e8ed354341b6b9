"""Newton steps for few rows and many columns: coefficients are sums of rows, X' a.

So all arrays are documents x decisions. Each step is found by conjugate gradients, at one product with X X' per
iteration. A step's change of all decisions comes with it, so the line search reads no data. What slows such iterations
down is a handful of directions that nearly all documents share (common words, and the intercept); these are found once
and solved exactly.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from troenpy.models.losses import Floats, Loss

#: How many shared directions are solved exactly; one product with X X' is as fast for 24 vectors as for 17.
N_DIRECTIONS = 24
#: Conjugate gradients stop here at the latest; the next step goes on from what they found.
MAX_INNER = 200
#: Differences of the objective below this part of it are rounding.
ROUNDING = 16 * np.finfo(np.float64).eps


class Gram(Protocol):
    """Products with X X' and with X'."""

    def multiply(self, q: Floats) -> Floats:
        """Return X X' q."""

    def combine(self, q: Floats) -> Floats:
        """Return q' X."""


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

    @property
    def length(self) -> float:
        """The Euclidean length of coefficients and intercept."""
        return float(np.sqrt(max(0.0, dot(self.rows, self.decisions)) + dot(self.intercept, self.intercept)))


class Descent:
    """The objective at a state: which way is down, and how steeply.

    Parameters
    ----------
    gram : Gram
    loss : Loss
    state : State
    """

    def __init__(self, gram: Gram, loss: Loss, state: State) -> None:
        self._gram, self._loss, self.state = gram, loss, state
        self._p = loss.probabilities(state.decisions + state.intercept)
        self._gradient = loss.gradient(self._p)
        rows = -(state.rows + self._gradient)
        self.downhill = State(rows, gram.multiply(rows), -self._gradient.sum(axis=0))

    def step(self, shared: "SharedDirections", accuracy: float) -> State | None:
        """Return the state one step further down; None where rounding hides any."""
        solver = SharedSolver(shared, self._loss.weights * self._p * (1 - self._p))
        return self._search(self._solve(solver, accuracy))

    def _solve(self, solver: "SharedSolver", accuracy: float) -> State:
        """Solve (Hessian) step = downhill by preconditioned conjugate gradients, in the coordinates of State."""
        residual, step = self.downhill, self.downhill.moved(self.downhill, -1.0)
        direction = solver.solve(residual)
        size = first_size = _inner(residual, direction)
        for _ in range(MAX_INNER):
            change = direction.decisions + direction.intercept
            curved = self._loss.curvature(self._p, change)
            curvature = dot(direction.rows, direction.decisions) + dot(change, curved)
            if not (curvature > 0 and size > 0):  # rounding is all that is left
                break
            length = size / curvature
            step = step.moved(direction, length)
            rows = residual.rows - length * (direction.rows + curved)
            residual = State(rows, self._gram.multiply(rows), residual.intercept - length * curved.sum(axis=0))
            solved = solver.solve(residual)
            new_size = _inner(residual, solved)
            if not new_size > accuracy**2 * first_size:
                break
            direction = solved.moved(direction, new_size / size)
            size = new_size
        return step

    def _search(self, step: State) -> State | None:
        """Halve the step until the objective falls by some of what its slope promises."""
        state, loss = self.state, self._loss
        value = loss.value(state.decisions + state.intercept)
        linear, quadratic = dot(state.rows, step.decisions), dot(step.rows, step.decisions)
        slope = dot(self._gradient, step.decisions + step.intercept) + linear
        if not slope < 0:
            return None
        # So small a promise cannot be seen in the objective, but is kept: the model behind the step is exact there.
        hidden = ROUNDING * abs(value) if -slope <= ROUNDING * abs(value) else 0.0
        length = 1.0
        while length > 1e-8:
            moved = state.moved(step, length)
            rise = loss.value(moved.decisions + moved.intercept) - value + length * linear + length**2 / 2 * quadratic
            if rise <= 1e-4 * length * slope + hidden:
                return moved
            length /= 2
        return None


class SharedDirections:
    """The longest directions V of X, by a randomised eigendecomposition of X X'; as rows, V = X' rows.

    Attributes
    ----------
    rows : ndarray of shape (n_documents, n_directions)
    decisions : ndarray of shape (n_documents, n_directions)
        X V
    largest : float
        About the largest eigenvalue of X X'.
    """

    def __init__(self, rows: Floats, decisions: Floats, largest: float) -> None:
        self.rows, self.decisions, self.largest = rows, decisions, largest

    @classmethod
    def found(cls, gram: Gram, n_rows: int) -> "SharedDirections":
        """Find the directions of a Gram matrix."""
        n_directions = min(N_DIRECTIONS, n_rows)
        basis = np.random.default_rng(0).standard_normal((n_rows, n_directions))
        for _ in range(2):
            basis = np.linalg.qr(gram.multiply(basis))[0]
        image = gram.multiply(basis)
        squares, rotation = np.linalg.eigh(basis.T @ image)
        largest = max(squares.max(initial=0.0), np.finfo(float).tiny)
        kept = squares > 1e-5 * largest
        lengths = np.sqrt(squares[kept])
        return cls(basis @ rotation[:, kept] / lengths, image @ rotation[:, kept] / lengths, float(largest))

    def scaled(self, factor: float) -> "SharedDirections":
        """Return the directions of X times the root of a factor."""
        root = np.sqrt(factor)
        return SharedDirections(self.rows / root, self.decisions * root, self.largest * factor)


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
    return dot(left.rows, right.decisions) + dot(left.intercept, right.intercept)


def dot(left: Floats, right: Floats) -> float:
    """Return the sum of products. Not by BLAS: its sums depend on its number of threads."""
    return float(np.einsum("i,i->", left.ravel(), right.ravel()))
