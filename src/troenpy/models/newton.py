"""Newton steps, each found by conjugate gradients at two passes over the rows per iteration.

What slows such iterations down is a handful of directions that nearly all documents share (common words, and the
intercept); these are found once and solved exactly.
"""

from dataclasses import dataclass

import numpy as np

from troenpy._kernel.solver import Rows
from troenpy.models.losses import Floats, RowLoss

#: How many shared directions are solved exactly.
N_DIRECTIONS = 24
#: Maximum number of conjugate gradient iterations per step; the next step continues from the result.
MAX_INNER = 200
#: Differences of the objective below this part of it are rounding.
ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass
class State:
    """Coefficients, columns x decisions, and the intercept; or a change of both."""

    coef: Floats
    intercept: Floats

    def moved(self, step: "State", length: float) -> "State":
        """Return the state moved along a step by this factor."""
        return State(self.coef + length * step.coef, self.intercept + length * step.intercept)

    def move(self, step: "State", length: float) -> None:
        """Move along a step by this factor."""
        self.coef += length * step.coef
        self.intercept += length * step.intercept


class Descent:
    """The objective at a state: its value, its gradient, and how far it can be above its minimum.

    Parameters
    ----------
    loss : RowLoss
    state : State
    """

    def __init__(self, loss: RowLoss, state: State) -> None:
        self._loss, self.state = loss, state
        self._value = loss.value(state.coef, state.intercept)
        coef, intercept = loss.gradient()
        coef += state.coef
        self._gradient = State(coef, intercept)
        self.squares = dot(state.coef, state.coef) / 2
        self.objective = self._value + self.squares
        # The dual at these probabilities is that much lower; and what a step of the intercept alone would gain.
        variance = loss.variance()
        gains = np.divide(intercept**2, variance, out=np.zeros_like(variance), where=variance > 0)
        self.gap = dot(coef, coef) / 2 + float(gains.sum())

    def step(self, shared: "SharedDirections", accuracy: float) -> State | None:
        """Return the next state, or None if rounding hides any progress."""
        return self._search(self._solve(SharedSolver(shared, self._loss), accuracy))

    def _solve(self, solver: "SharedSolver", accuracy: float) -> State:
        """Solve (Hessian) step = -gradient by preconditioned conjugate gradients."""
        residual = State(-self._gradient.coef, -self._gradient.intercept)
        step = State(np.zeros_like(residual.coef), np.zeros_like(residual.intercept))
        direction = solver.solve(residual)
        size = first_size = _inner(residual, direction)
        for _ in range(MAX_INNER):
            curved = State(*self._loss.curvature(direction.coef, direction.intercept))
            curved.coef += direction.coef
            curvature = _inner(direction, curved)
            if not (curvature > 0 and size > 0):  # rounding is all that is left
                break
            length = size / curvature
            step.move(direction, length)
            residual.move(curved, -length)
            solved = solver.solve(residual)
            new_size = _inner(residual, solved)
            if not new_size > accuracy**2 * first_size:
                break
            solved.move(direction, new_size / size)
            direction, size = solved, new_size
        return step

    def _search(self, step: State) -> State | None:
        """Halve the step until the objective falls by some of what its slope promises."""
        state, loss, value = self.state, self._loss, self._value
        linear, quadratic = dot(state.coef, step.coef), dot(step.coef, step.coef)
        slope = _inner(self._gradient, step)
        if not slope < 0:
            return None
        # So small a promise cannot be seen in the objective, but is kept: the model behind the step is exact there.
        hidden = ROUNDING * self.objective if -slope <= ROUNDING * self.objective else 0.0
        length = 1.0
        while length > 1e-8:
            moved = state.moved(step, length)
            rise = loss.value(moved.coef, moved.intercept) - value + length * linear + length**2 / 2 * quadratic
            if rise <= 1e-4 * length * slope + hidden:
                return moved
            length /= 2
        return None


class SharedDirections:
    """The longest directions of X, by a randomised eigendecomposition of X X'.

    Attributes
    ----------
    directions : ndarray of shape (n_columns, n_directions)
    decisions : ndarray of shape (n_documents, n_directions)
        X times the directions.
    """

    def __init__(self, directions: Floats, decisions: Floats) -> None:
        self.directions, self.decisions = directions, decisions

    @classmethod
    def find(cls, rows: Rows) -> "SharedDirections":
        """Find the directions of rows."""
        n_directions = min(N_DIRECTIONS, rows.n_rows)
        basis = np.random.default_rng(0).standard_normal((rows.n_rows, n_directions))
        for _ in range(2):
            basis = np.linalg.qr(rows.multiply(rows.combine(basis)))[0]
        along = rows.combine(basis)
        squares, rotation = np.linalg.eigh(along.T @ along)
        kept = squares > 1e-5 * max(squares.max(initial=0.0), np.finfo(float).tiny)
        directions = along @ (rotation[:, kept] / np.sqrt(squares[kept]))
        return cls(directions, rows.multiply(directions))

    def scaled(self, factor: float) -> "SharedDirections":
        """Return the directions of X times the root of a factor."""
        return SharedDirections(self.directions, self.decisions * np.sqrt(factor))


class SharedSolver:
    """Inverts the Hessian within the shared directions and the intercept, class by class; leaves the rest as it is."""

    def __init__(self, shared: SharedDirections, loss: RowLoss) -> None:
        self._directions, self._n = shared.directions, shared.directions.shape[1]
        columns = np.hstack([shared.decisions, np.ones((len(shared.decisions), 1))])
        variances = (loss.weights * p * (1 - p) for p in loss.p.T)
        blocks = np.stack([columns.T @ (by_row[:, np.newaxis] * columns) for by_row in variances])
        within = np.arange(self._n)
        blocks[:, within, within] += 1
        blocks[:, -1, -1] = np.maximum(blocks[:, -1, -1] * (1 + 1e-10), np.finfo(float).tiny)
        self._inverses = np.linalg.inv(blocks)

    def solve(self, residual: State) -> State:
        """Return the approximate solution for a residual."""
        along = self._directions.T @ residual.coef
        given = np.vstack([along, residual.intercept]).T
        solved = np.einsum("kij,kj->ik", self._inverses, given)
        coef = self._directions @ (solved[: self._n] - along)
        coef += residual.coef
        return State(coef, solved[self._n])


def _inner(left: State, right: State) -> float:
    """Return the inner product of coefficients and intercepts."""
    return dot(left.coef, right.coef) + dot(left.intercept, right.intercept)


def dot(left: Floats, right: Floats) -> float:
    """Return the sum of products. Not by BLAS: its sums depend on its number of threads."""
    return float(np.einsum("i,i->", left.ravel(), right.ravel()))
