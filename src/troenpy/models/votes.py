"""Count the votes of nearest neighbours."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

VOTES_PER_BLOCK = 2**22  # votes counted at a time: 32 MB


def count_votes(
    codes: NDArray[np.int64], weights: NDArray[np.float64], n_classes: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Yield the votes by query and class, and the winning classes, block by block.

    Parameters
    ----------
    codes : ndarray of shape (n_queries, k)
        The class of each neighbour in [0, n_classes), nearest first.
    weights : ndarray of shape (n_queries, k)
        The weight of each vote.
    n_classes : int

    Yields
    ------
    votes : ndarray of shape (n_queries in the block, n_classes)
    winner : ndarray of shape (n_queries in the block,)
        The class with the most votes; a tie goes to the class of the nearest neighbour.
    """
    step = max(1, VOTES_PER_BLOCK // n_classes)
    for first in range(0, len(codes), step):
        block = codes[first : first + step]
        numbers = np.arange(len(block))[:, None]
        places = (numbers * n_classes + block).ravel()
        votes: NDArray[Any] = np.bincount(
            places, weights[first : first + step].ravel(), minlength=len(block) * n_classes
        )
        votes = votes.reshape(len(block), n_classes)
        is_tied = votes[numbers, block] == votes.max(axis=1, keepdims=True)
        yield votes, block[numbers[:, 0], is_tied.argmax(axis=1)]


def vote(codes: NDArray[np.int64], n_classes: int, *, ties: str = "nearest") -> NDArray[np.int64]:
    """Return the class that wins among the neighbours of each query.

    Parameters
    ----------
    codes : ndarray of shape (n_queries, k)
        The class of each neighbour, nearest first.
    n_classes : int
    ties : {"nearest", "again"}, default="nearest"
        How to break a tie: "nearest" picks the tied class with the nearest neighbour; "again" repeats the vote without
        the two farthest neighbours.

    Examples
    --------
    Classes 0 and 1 have two votes each, class 2 has one. Without the two farthest neighbours, class 1 wins.

    >>> codes = np.array([[0, 1, 1, 0, 2]])
    >>> vote(codes, 3), vote(codes, 3, ties="again")
    (array([0]), array([1]))
    """
    winners = np.empty(len(codes), dtype=np.int64)
    open_queries = np.arange(len(codes))
    for k in range(codes.shape[1], 0, -2):
        if not len(open_queries):
            break
        nearest = codes[open_queries, :k]
        blocks = list(count_votes(nearest, np.ones(nearest.shape), n_classes))
        votes, first = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        winners[open_queries] = first
        is_tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
        open_queries = open_queries[is_tied]
        if ties == "nearest":
            break
    return winners


def inverse_distances(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / distance; if any neighbours are at distance 0, only those vote."""
    with np.errstate(divide="ignore", over="ignore"):
        weights = 1 / distances
    is_infinite = np.isinf(weights)
    has_infinite = is_infinite.any(axis=1)
    weights[has_infinite] = is_infinite[has_infinite]
    return weights
