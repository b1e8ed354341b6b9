"""Gram matrices made of another one: with more columns, or scaled."""

from typing import Any

import numpy as np

from troenpy.models.losses import Floats
from troenpy.models.newton import Gram


class TailGram:
    """The Gram matrix of rows with more columns at their end."""

    def __init__(self, gram: Gram, tail: Any) -> None:
        self._gram, self._tail = gram, tail.astype(np.float64, copy=False)

    def multiply(self, q: Floats) -> Floats:
        """Return X X' q."""
        out = self._gram.multiply(q)
        out += self._tail @ (self._tail.T @ q)
        return out

    def combine(self, q: Floats) -> Floats:
        """Return q' X."""
        return np.hstack([self._gram.combine(q), (self._tail.T @ q).T])


class ScaledGram:
    """The Gram matrix of X times the root of a factor."""

    def __init__(self, gram: Gram, factor: float) -> None:
        self._gram, self._factor = gram, factor

    def multiply(self, q: Floats) -> Floats:
        """Return X X' q."""
        out = self._gram.multiply(q)
        out *= self._factor
        return out

    def combine(self, q: Floats) -> Floats:
        """Return q' X."""
        return np.sqrt(self._factor) * self._gram.combine(q)
