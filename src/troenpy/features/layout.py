"""Which column of a matrix of features belongs to which view, block and term."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Layout:
    """The columns of several views: of each, its blocks of terms one after the other, then its class profile.

    Blocks and terms are numbered over all views.

    Parameters
    ----------
    sizes : sequence of (n_blocks, n_terms, n_classes)
        Of each view; n_classes is 0 without a profile.

    Examples
    --------
    >>> layout = Layout([(2, 3, 2), (1, 4, 0)])
    >>> layout.n_columns, layout.n_blocks, layout.n_terms
    (12, 3, 7)
    >>> blocks, terms = layout.locate(np.array([0, 4, 7, 8, 11]))
    >>> blocks.tolist(), terms.tolist()  # column 7 is one of the profile
    ([0, 1, -1, 2, 2], [0, 1, -1, 3, 6])
    """

    def __init__(self, sizes: Sequence[tuple[int, int, int]]) -> None:
        self._sizes = np.array(sizes, dtype=np.int64).reshape(-1, 3)
        n_blocks, n_terms, n_classes = self._sizes.T
        self._columns = np.cumsum([0, *(n_blocks * n_terms + n_classes)])
        self._blocks, self._terms = np.cumsum([0, *n_blocks]), np.cumsum([0, *n_terms])
        self.n_columns, self.n_blocks = int(self._columns[-1]), int(self._blocks[-1])
        self.n_terms = int(self._terms[-1])

    def columns(self, view: int) -> slice:
        """Return the columns of a view."""
        return slice(int(self._columns[view]), int(self._columns[view + 1]))

    def terms(self, view: int) -> slice:
        """Return the terms of a view."""
        return slice(int(self._terms[view]), int(self._terms[view + 1]))

    def profile_columns(self) -> NDArray[np.int64]:
        """Return the columns of all class profiles."""
        ends, n_classes = self._columns[1:], self._sizes[:, 2]
        return np.concatenate([np.arange(end - n, end) for end, n in zip(ends, n_classes, strict=True)])

    def view_of(self, terms: NDArray[Any]) -> NDArray[np.int64]:
        """Return the view of each term."""
        return np.searchsorted(self._terms, terms, side="right") - 1

    def locate(self, columns: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the block and the term of each column; both -1 for a column of a profile."""
        view = np.searchsorted(self._columns, columns, side="right") - 1
        n_blocks, n_terms, _ = self._sizes[view].T
        within = columns - self._columns[view]
        is_term = within < n_blocks * n_terms
        block, term = np.divmod(within, np.maximum(n_terms, 1))
        return np.where(is_term, self._blocks[view] + block, -1), np.where(is_term, self._terms[view] + term, -1)
