"""The terms of a vocabulary as UTF-8 bytes: strings or a dict are made when someone asks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from troenpy.files.archive import Arrays, pack_strings, unpack_strings


class TermList:
    """Terms in column order.

    Parameters
    ----------
    text : uint8 array
        The UTF-8 bytes of all terms, including lone surrogates.
    ends : int64 array of shape (n_terms,)
        Where each term ends.

    Examples
    --------
    >>> terms = TermList.of(["goal", "vote"])
    >>> len(terms), terms.columns(), terms.select(np.array([False, True])).names()
    (2, {'goal': 0, 'vote': 1}, array(['vote'], dtype=object))
    """

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.text, self.ends = text, ends

    @classmethod
    def of(cls, names: Sequence[str]) -> "TermList":
        """Return the list of these terms."""
        text, lengths = pack_strings(np.array([*names, ""], dtype=object)[:-1])
        return cls(text, np.cumsum(lengths))

    @classmethod
    def from_arrays(cls, text: NDArray[np.uint8], lengths: NDArray[np.int64]) -> "TermList":
        """Rebuild the list from arrays of a file; everything is validated."""
        terms = unpack_strings(text, lengths)
        if len(set(terms)) < len(terms):
            raise ValueError("the vocabulary has duplicate terms")
        return cls(text, np.cumsum(lengths))

    def to_arrays(self) -> Arrays:
        """Return the arrays for a file."""
        return {"terms_bytes": self.text, "terms_lengths": self._lengths()}

    def __len__(self) -> int:
        return len(self.ends)

    def names(self) -> NDArray[np.object_]:
        """Return the terms as an array of str objects."""
        return unpack_strings(self.text, self._lengths())

    def columns(self) -> dict[str, int]:
        """Return the column of each term."""
        return {name: column for column, name in enumerate(self.names().tolist())}

    def select(self, kept: NDArray[np.bool_]) -> "TermList":
        """Return the terms of a mask."""
        lengths = self._lengths()
        return TermList(self.text[np.repeat(kept, lengths)], np.cumsum(lengths[kept]))

    def _lengths(self) -> NDArray[np.int64]:
        return np.diff(self.ends, prepend=0)
