"""The terms of a vocabulary as UTF-8 bytes: strings, a dict or an index are made when someone asks."""

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy import _kernel
from troenpy.files.archive import Arrays, pack_strings

#: At most this many terms lie next to each other in an index, so that they stay in the cache.
MOST_FREQUENT = 1 << 14


class IndexKind(NamedTuple):
    """What an index depends on: whether n-grams consist of words, and the stop words."""

    has_words: bool
    stop_words: tuple[object, ...] = ()


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
    >>> len(terms), terms.columns(), terms.names([1])
    (2, {'goal': 0, 'vote': 1}, array(['vote'], dtype=object))
    """

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._packed: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = (text, ends)
        self._learned: Any = None
        self._index: tuple[IndexKind, Any] | None = None
        self._lock = Lock()
        #: Documents per term, if known: frequent terms are found faster then.
        self.frequencies: NDArray[Any] | None = None

    @classmethod
    def of(cls, names: Sequence[str]) -> "TermList":
        """Return the list of these terms."""
        text, lengths = pack_strings(np.array([*names, ""], dtype=object)[:-1])
        return cls(text, np.cumsum(lengths))

    @classmethod
    def learned(cls, terms: Any, kind: IndexKind) -> "TermList":
        """Return the list of the kernel's LearnedTerms."""
        result = cls(np.empty(0, np.uint8), np.empty(0, np.int64))
        result._packed, result._learned = None, (terms, kind)
        return result

    @classmethod
    def from_arrays(cls, text: NDArray[Any], lengths: NDArray[Any]) -> "TermList":
        """Rebuild the list from arrays of a file; everything is validated."""
        if text.dtype != np.uint8 or text.ndim != 1 or lengths.ndim != 1 or lengths.dtype.kind not in "iu":
            raise TypeError("the terms must be bytes and their lengths whole numbers")
        ends = np.cumsum(lengths, dtype=np.int64)
        if (lengths < 0).any() or (ends[-1] if len(ends) else 0) != len(text):
            raise ValueError("the lengths of the terms must sum to the number of bytes")
        text.tobytes().decode("utf-8", "surrogatepass")
        starts = ends[lengths > 0] - lengths[lengths > 0].astype(np.int64)
        if (text[starts] & 0xC0 == 0x80).any():
            raise ValueError("a term begins in the middle of a character")
        terms = cls(text, ends)
        if not terms._ascends() and len(set(terms.names())) < len(terms):
            raise ValueError("the vocabulary has duplicate terms")
        return terms

    def to_arrays(self) -> Arrays:
        """Return the arrays for a file."""
        text, ends = self._bytes()
        return {"terms_bytes": text, "terms_lengths": np.diff(ends, prepend=0)}

    def __len__(self) -> int:
        return len(self._learned[0]) if self._packed is None else len(self._packed[1])

    @property
    def text(self) -> NDArray[np.uint8]:
        """The UTF-8 bytes of all terms."""
        return self._bytes()[0]

    @property
    def ends(self) -> NDArray[np.int64]:
        """Where each term ends."""
        return self._bytes()[1]

    def select(self, kept: NDArray[np.bool_]) -> "TermList":
        """Return the terms of a mask."""
        text, ends = self._bytes()
        lengths = np.diff(ends, prepend=0)
        return TermList(text[np.repeat(kept, lengths)], np.cumsum(lengths[kept]))

    def __getstate__(self) -> dict[str, Any]:
        return {"packed": self._bytes(), "frequencies": self.frequencies}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(*state["packed"])  # type: ignore[misc]
        self.frequencies = state["frequencies"]

    def names(self, columns: Iterable[int] | None = None) -> NDArray[np.object_]:
        """Return the terms, or those of some columns, as an array of str objects."""
        text, ends = self._bytes()
        if columns is None and _kernel.native is not None:
            every = np.empty(len(ends), dtype=object)
            _kernel.native.write_names(text, ends, every)
            return every
        chosen = np.arange(len(ends)) if columns is None else np.asarray(columns, dtype=np.int64)
        last = ends[chosen].tolist()
        first = np.where(chosen > 0, ends[chosen - 1], 0).tolist()
        names = [text[i:j].tobytes().decode("utf-8", "surrogatepass") for i, j in zip(first, last, strict=True)]
        return np.array([*names, ""], dtype=object)[:-1]

    def columns(self) -> dict[str, int]:
        """Return the column of each term."""
        if _kernel.native is not None:
            columns: dict[str, int] = _kernel.native.columns_by_name(*self._bytes())
            return columns
        return {name: column for column, name in enumerate(self.names().tolist())}

    def index(self, kind: IndexKind) -> Any:
        """Return the kernel's index, by which the terms are found in documents."""
        found = self._index
        if found is not None and found[0] == kind:
            return found[1]
        with self._lock:
            index = None
            if self._learned is not None and self._learned[1] == kind:
                index = self._learned[0].take_index()
            if index is None:
                index = self._new_index(kind)
            self._index = kind, index
            return index

    def _new_index(self, kind: IndexKind) -> Any:
        assert _kernel.native is not None  # noqa: S101
        frequent = np.empty(0, dtype=np.int64) if self.frequencies is None else _frequent(self.frequencies)
        text, ends = self._pack()
        return _kernel.native.TermIndex(text, ends, kind.has_words, list(kind.stop_words), frequent)

    def _bytes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        with self._lock:
            return self._pack()

    def _pack(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        if self._packed is None:
            self._packed = self._learned[0].pack()
        return self._packed

    def _ascends(self) -> bool:
        """Whether the terms are known to be in order, and so distinct."""
        return _kernel.native is not None and _kernel.native.terms_ascend(*self._bytes())


def _frequent(frequencies: NDArray[Any]) -> NDArray[np.int64]:
    """Return the columns of frequent terms, at most MOST_FREQUENT; a sort would take longer than all else."""
    limit = 1
    while np.count_nonzero(frequencies > limit) > MOST_FREQUENT:
        limit *= 2
    return np.flatnonzero(frequencies > limit)


def terms_of(vocabulary: Mapping[Any, Any]) -> TermList | None:
    """Return the terms of a dict whose columns are 0, 1, 2, ..., in any order; None for any other."""
    columns = sorted(vocabulary.items(), key=lambda item: item[1])
    is_whole = [column for _, column in columns] == list(range(len(columns)))
    if not is_whole or not all(isinstance(term, str) for term, _ in columns):
        return None
    return TermList.of([term for term, _ in columns])
