"""Log losses of a logistic regression as functions of the decisions, one row per document."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Loss(Protocol):
    """A weighted sum of log losses."""

    weights: Floats

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
        self.weights = weights[:, np.newaxis]
        self._is_second = (codes == 1).astype(np.float64)[:, np.newaxis]

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
    """One decision per class, softmax over them; or the decisions of some classes while the others stay.

    Parameters
    ----------
    codes : ndarray of shape (n_documents,)
        The class of each document.
    weights : ndarray of shape (n_documents,)
    first : int, default=0
        The decisions are those of this class and the following.
    others : ndarray of shape (n_documents,), optional
        The log of the sum of the exponentials of all other decisions, which do not change.
    n_classes : int
        How many decisions there are.
    """

    def __init__(
        self, codes: Codes, weights: Floats, n_classes: int, *, first: int = 0, others: Floats | None = None
    ) -> None:
        self.weights = weights[:, np.newaxis]
        self._rows = np.flatnonzero((codes >= first) & (codes < first + n_classes))
        self._codes = codes[self._rows] - first
        self._own_weights = weights[self._rows]
        self._others = np.full((len(codes), 1), -np.inf) if others is None else others[:, np.newaxis]

    def value(self, decisions: Floats) -> float:
        """Return the sum of weighted log losses, without the fixed part of documents of other classes."""
        top, sums, _ = self._exponentials(decisions)
        logs = self.weights * (np.log(sums) + top)
        return float(logs.sum() - (self._own_weights * decisions[self._rows, self._codes]).sum())

    def probabilities(self, decisions: Floats) -> Floats:
        """Return the probability of each class."""
        _, sums, p = self._exponentials(decisions)
        p /= sums
        return p

    def gradient(self, p: Floats) -> Floats:
        """Return weighted probabilities minus truth."""
        out = self.weights * p
        out[self._rows, self._codes] -= self._own_weights
        return out

    def curvature(self, p: Floats, change: Floats) -> Floats:
        """Return the weighted covariance of the classes times the change."""
        out = change - np.einsum("rk,rk->r", p, change)[:, np.newaxis]
        out *= p
        out *= self.weights
        return out

    def _exponentials(self, decisions: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the largest decision of each row, and relative to it the sum of exponentials and our own."""
        top = np.maximum(decisions.max(axis=1, keepdims=True), self._others)
        own = np.exp(decisions - top)
        return top, own.sum(axis=1, keepdims=True) + np.exp(self._others - top), own


def first_intercept(codes: Codes, weights: Floats, n_classes: int) -> Floats:
    """Return the best decisions that are the same for all documents.

    The log odds of the second of two classes; of more, the logs of their weighted frequencies, with mean zero.
    """
    totals = np.bincount(codes, weights, n_classes).astype(np.float64)
    # A class without weight gets one so small that it does not count.
    logs = np.log(np.maximum(totals / totals.sum(), 1e-10))
    return logs[1:] - logs[:1] if n_classes == 2 else logs - logs.mean()
