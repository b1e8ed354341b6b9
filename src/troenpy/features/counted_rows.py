"""Matrices of counts that leave room for what they become."""

from typing import Any, NamedTuple

from numpy.typing import NDArray


class Room(NamedTuple):
    """How far the arrays of a matrix are over-allocated, so that TermFeatures can expand them in place."""

    times: int = 1
    by_row: int = 0  # values a row more


class CountedRows(NamedTuple):
    """A matrix of counts, and the arrays, over-allocated or not, at whose end its values and column indices are."""

    matrix: Any
    data: NDArray[Any]
    indices: NDArray[Any]


def in_order(X: Any) -> CountedRows:
    """Return scikit-learn's matrix with its column indices in order."""
    # scikit-learn renames the columns after it has sorted them, and leaves the flag as it was.
    X.has_sorted_indices = False
    X.sort_indices()
    return CountedRows(X, X.data, X.indices)
