"""Word vectors, and how much of a text they cover."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Coverage:
    """How much of a text has word vectors, by distinct words and by occurrences.

    Parameters
    ----------
    n_words, n_covered : int
        Distinct words, and how many of them have a vector.
    n_occurrences, n_covered_occurrences : float
        The same, counting every occurrence.
    """

    n_words: int
    n_covered: int
    n_occurrences: float
    n_covered_occurrences: float

    def __str__(self) -> str:
        share = self.n_covered_occurrences / self.n_occurrences if self.n_occurrences else 1.0
        return f"{self.n_covered} of {self.n_words} words have vectors, {100 * share:.2f} % of all occurrences"


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """Words, each with a vector.

    Parameters
    ----------
    words : tuple of str
        Without repetitions.
    vectors : array-like of shape (n_words, n_dimensions)
        Stored as float32.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup", "vote"), [[1, 0], [2, 0], [0, 3]])
    >>> vectors
    <WordVectors: 3 words, 2 dimensions>
    >>> print(vectors.coverage(["goal", "vote", "zzz"], [5, 3, 2]))
    2 of 3 words have vectors, 80.00 % of all occurrences
    >>> vectors.normalize().vectors
    array([[1., 0.],
           [1., 0.],
           [0., 1.]], dtype=float32)
    """

    words: tuple[str, ...]
    vectors: Vectors

    def __init__(self, words: Iterable[str], vectors: ArrayLike) -> None:
        object.__setattr__(self, "words", tuple(map(str, words)))
        object.__setattr__(self, "vectors", np.asarray(vectors, dtype=np.float32))
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            raise ValueError(
                f"vectors must have one row per word, got {self.vectors.shape} for {len(self.words)} words"
            )
        if len(self.places) < len(self.words):
            raise ValueError(f"words must be distinct, got {len(self.words) - len(self.places)} repeated")
        if not np.isfinite(self.vectors).all():
            broken = self.words[int(np.flatnonzero(~np.isfinite(self.vectors).all(axis=1))[0])]
            raise ValueError(f"vectors must be finite, got NaN or infinity for {broken[:40]!r}")

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self.words)} words, {self.vectors.shape[1]} dimensions>"

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word, or -1 if it has no vector."""
        return np.array([self.places.get(word, -1) for word in words], dtype=np.int64)

    def select(self, words: Sequence[str]) -> "tuple[NDArray[np.int64], WordVectors]":
        """Return the positions of the words that have vectors, and the vectors of those words, in the same order.

        Examples
        --------
        >>> places, vectors = WordVectors(("goal", "cup"), [[1, 0], [2, 0]]).select(["cup", "zzz", "goal"])
        >>> places, vectors.words
        (array([0, 2]), ('cup', 'goal'))
        """
        rows = self.rows(words)
        places = np.flatnonzero(rows >= 0)
        return places, WordVectors([words[place] for place in places.tolist()], self.vectors[rows[places]])

    def coverage(self, words: Iterable[str], counts: ArrayLike | None = None) -> Coverage:
        """Return how many of these distinct words have vectors, and how many of their occurrences.

        Parameters
        ----------
        words : iterable of str
        counts : array-like of shape (n_words,), optional
            Occurrences of each word; 1 by default.
        """
        found = self.rows(words) >= 0
        weights = np.ones(len(found)) if counts is None else np.asarray(counts, dtype=np.float64)
        if weights.shape != found.shape:
            raise ValueError(f"counts must have one number per word, got {weights.shape} for {len(found)} words")
        return Coverage(len(found), int(found.sum()), float(weights.sum()), float(weights[found].sum()))

    def __deepcopy__(self, memo: Any) -> "WordVectors":
        return self  # immutable, and large: clones of an estimator share it

    def normalize(self) -> "WordVectors":
        """Return the same words with vectors scaled to length 1; zero vectors stay zero."""
        lengths = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return WordVectors(self.words, self.vectors / np.where(lengths > 0, lengths, 1))
