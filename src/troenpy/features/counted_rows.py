"""Count matrices in over-allocated arrays, which TermFeatures expands in place."""

from typing import Any, NamedTuple

from numpy.typing import NDArray


class Capacity(NamedTuple):
    """How much to over-allocate: `times` the number of values, plus `per_row` values for every row."""

    times: int = 1
    per_row: int = 0


class CountedRows(NamedTuple):
    """A matrix of counts, and the arrays at whose end its values and column indices are stored."""

    matrix: Any
    data: NDArray[Any]
    indices: NDArray[Any]


def sort_columns(X: Any) -> CountedRows:
    """Sort the column indices of scikit-learn's matrix."""
    # scikit-learn reorders the columns and leaves has_sorted_indices as it was.
    X.has_sorted_indices = False
    X.sort_indices()
    return CountedRows(X, X.data, X.indices)
