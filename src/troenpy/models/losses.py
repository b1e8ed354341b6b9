"""Log losses of a logistic regression: as functions of the decisions, and of the coefficients of some rows."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from troenpy._kernel.solver import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: Rows x decisions computed at a time without the kernel: 8 MB per array.
DECISIONS_AT_ONCE = 2**20


class Loss(Protocol):
    """A weighted sum of log losses."""

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

    def __init__(self, codes: Codes, weights: Floats) -> None:
        self._weights = weights[:, np.newaxis]
        self._is_second = (codes == 1).astype(np.float64)[:, np.newaxis]

    def value(self, decisions: Floats) -> float:
        """Return the sum of weighted log losses."""
        return float((self._weights * (np.logaddexp(0, decisions) - self._is_second * decisions)).sum())

    def probabilities(self, decisions: Floats) -> Floats:
        """Return the probability of the second class."""
        return special.expit(decisions)

    def gradient(self, p: Floats) -> Floats:
        """Return weighted probability minus truth."""
        return self._weights * (p - self._is_second)

    def curvature(self, p: Floats, change: Floats) -> Floats:
        """Return the weighted variance times the change."""
        return self._weights * p * (1 - p) * change


class Multinomial:
    """One decision per class, softmax over them."""

    def __init__(self, codes: Codes, weights: Floats) -> None:
        self._weights, self._own_weights = weights[:, np.newaxis], weights
        self._own = np.arange(len(codes)), codes

    def value(self, decisions: Floats) -> float:
        """Return the sum of weighted log losses."""
        top = decisions.max(axis=1, keepdims=True)
        logs = np.log(np.exp(decisions - top).sum(axis=1)) + top[:, 0] - decisions[self._own]
        return float((self._own_weights * logs).sum())

    def probabilities(self, decisions: Floats) -> Floats:
        """Return the probability of each class."""
        p = np.exp(decisions - decisions.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return p

    def gradient(self, p: Floats) -> Floats:
        """Return weighted probabilities minus truth."""
        out = self._weights * p
        out[self._own] -= self._own_weights
        return out

    def curvature(self, p: Floats, change: Floats) -> Floats:
        """Return the weighted covariance of the classes times the change."""
        out = change - np.einsum("rk,rk->r", p, change)[:, np.newaxis]
        out *= p
        out *= self._weights
        return out


class RowLoss:
    """The log loss of rows as a function of coefficients, columns x decisions.

    Probabilities, rows x decisions, are all of that size that is held between two calls; and one more array within.

    Parameters
    ----------
    rows : Rows
    codes, weights : ndarrays of shape (n_rows,)
    n_classes : int
    scale : float
        What every value of the rows is multiplied by.
    """

    def __init__(self, rows: Rows, codes: Codes, weights: Floats, n_classes: int, scale: float) -> None:
        self._rows, self._codes, self.weights, self._scale = rows, codes, weights, scale
        self._loss = Binary if n_classes == 2 else Multinomial
        #: Where `value` was last called.
        self.p = np.empty((rows.n_rows, 1 if n_classes == 2 else n_classes))

    def value(self, coef: Floats, intercept: Floats) -> float:
        """Return the weighted sum of losses; note the probabilities."""
        native, n_threads = self._rows.native, self._rows.n_threads
        if native is not None:
            return native.log_loss(self._codes, self.weights, self._scale, coef, intercept, self.p, n_threads)
        total = 0.0
        for part in self._parts():
            loss = self._loss(self._codes[part], self.weights[part])
            decisions = self._decisions(part, coef, intercept)
            self.p[part] = loss.probabilities(decisions)
            total += loss.value(decisions)
        return total

    def gradient(self) -> tuple[Floats, Floats]:
        """Return the derivatives by coefficients and intercept, at the probabilities."""
        return self._combined(self._loss(self._codes, self.weights).gradient(self.p))

    def curvature(self, direction: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """Return the second derivative times a direction, at the probabilities."""
        native, n_threads = self._rows.native, self._rows.n_threads
        out = np.empty_like(self.p)
        if native is not None:
            given = self._codes, self.weights, self._scale, self.p, direction, intercept
            native.curve(*given, out, n_threads)
            return self._combined(out)
        for part in self._parts():
            loss = self._loss(self._codes[part], self.weights[part])
            out[part] = loss.curvature(self.p[part], self._decisions(part, direction, intercept))
        return self._combined(out)

    def variance(self) -> Floats:
        """Return the sum of weighted variances of each decision."""
        return self.weights @ self.p - np.einsum("r,rk,rk->k", self.weights, self.p, self.p)

    def _parts(self) -> list[slice]:
        n_rows, step = len(self._codes), max(1, DECISIONS_AT_ONCE // self.p.shape[1])
        return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]

    def _decisions(self, part: slice, coef: Floats, intercept: Floats) -> Floats:
        return self._scale * self._rows.multiply(coef, part) + intercept

    def _combined(self, by_decision: Floats) -> tuple[Floats, Floats]:
        combined = self._rows.combine(by_decision)
        combined *= self._scale
        return combined, by_decision.sum(axis=0)


def first_intercept(codes: Codes, weights: Floats, n_classes: int) -> Floats:
    """Return the best decisions that are the same for all documents.

    The log odds of the second of two classes; of more, the logs of their weighted frequencies, with mean zero.
    """
    totals = np.bincount(codes, weights, n_classes).astype(np.float64)
    # A class without weight gets one so small that it does not count.
    logs = np.log(np.maximum(totals / totals.sum(), 1e-10))
    return logs[1:] - logs[:1] if n_classes == 2 else logs - logs.mean()
