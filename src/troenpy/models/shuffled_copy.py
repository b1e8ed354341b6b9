"""A temporary copy of documents in random order: learning in passes goes astray if one class comes after another."""

import pickle
import tempfile
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Neighbouring documents stay together in groups of at least so many characters, which are read at once, ...
GROUP_CHARACTERS = 1 << 14
#: ... and of at least so many documents, so that a group takes up few bytes for each.
GROUP_DOCUMENTS = 8


class ShuffledCopy:
    """Documents in a temporary file without a name, which is gone when the process ends.

    Examples
    --------
    >>> copy = ShuffledCopy()
    >>> copy.add(["one", "two"])
    >>> copy.shuffle(np.array([7, 8])).tolist()
    [7, 8]
    >>> list(copy.documents())
    ['one', 'two']
    >>> copy.close()
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="troenpy-")  # noqa: SIM115 (closed by its owner)
        self._ends, self._sizes = array("q", [0]), array("q")
        self._order = np.empty(0, dtype=np.int64)

    def add(self, texts: list[Any]) -> None:
        """Add documents."""
        first = n_characters = 0
        for number, text in enumerate(texts, start=1):
            n_characters += len(text) if isinstance(text, str | bytes) else 64
            is_full = n_characters >= GROUP_CHARACTERS and number - first >= GROUP_DOCUMENTS
            if is_full or number == len(texts):
                self._ends.append(self._ends[-1] + self._file.write(pickle.dumps(texts[first:number], protocol=5)))
                self._sizes.append(number - first)
                first, n_characters = number, 0

    def shuffle(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Draw the order, which is always the same, and return something about each document in this order."""
        self._file.flush()
        self._order = np.random.RandomState(0).permutation(len(self._sizes))
        ends = np.cumsum(np.frombuffer(self._sizes, dtype=np.int64)) if self._sizes else np.empty(0, dtype=np.int64)
        shuffled, start = np.empty_like(keys), 0
        for group in self._order:
            end = start + self._sizes[group]
            shuffled[start:end] = keys[ends[group] - self._sizes[group] : ends[group]]
            start = end
        return shuffled

    def documents(self) -> Iterator[Any]:
        """Read the documents in the new order."""
        for group in self._order:
            self._file.seek(self._ends[group])
            content = self._file.read(self._ends[group + 1] - self._ends[group])
            yield from pickle.loads(content)  # noqa: S301 (written above, by this object)

    def close(self) -> None:
        """Delete the file."""
        self._file.close()
