"""Documents with equal rows, of more documents than fit in memory: a class profile leaves all of them out together."""

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.models.document_passes import LABEL_BITS, LABEL_MASK, Keys

#: Keys that are compared at a time: 8 MB.
KEYS_AT_ONCE = 1 << 20
#: An odd number that mixes the bits of a hash.
MIXING = np.uint64(0x9E3779B97F4A7C15)


class RowHash:
    """Keys of rows: 44 bits of a hash of the row above, 20 bits of the number of its labels below.

    Of ten million different rows about three pairs have the same hash; they leave each other out for nothing.

    Parameters
    ----------
    n_columns : int
    """

    def __init__(self, n_columns: int) -> None:
        self._directions = np.random.default_rng(0).random(n_columns)

    def keys(self, rows: sparse.csr_array, numbers: NDArray[np.int64]) -> Keys:
        """Return the key of each row of a canonical matrix; `numbers` are those of its labels."""
        projections = np.asarray(rows @ self._directions, dtype=np.float64)  # of equal rows they are bitwise equal
        hashes = projections.view(np.uint64) * MIXING
        return (hashes & ~LABEL_MASK) | numbers.astype(np.uint64)


class CopyFinder:
    """Finds equal rows; the keys of all rows wait in a temporary file until they are sorted.

    Parameters
    ----------
    n_columns : int
    """

    def __init__(self, n_columns: int) -> None:
        self._hash, self._n_rows = RowHash(n_columns), 0
        self._file = tempfile.TemporaryFile(prefix="troenpy-")  # noqa: SIM115 (closed by its owner)

    def add(self, rows: sparse.csr_array, numbers: NDArray[np.int64]) -> None:
        """Add rows with the numbers of their labels."""
        self._file.write(self._hash.keys(rows, numbers).data)
        self._n_rows += len(numbers)

    def find(self, indicator: sparse.csr_array) -> "Copies":
        """Return the copies among all rows; `indicator` has the classes of each number of labels."""
        keys = np.empty(self._n_rows, dtype=np.uint64)
        self._file.seek(0)
        self._file.readinto(keys.data)
        keys.sort()
        return Copies(self._hash, keys, indicator)

    def close(self) -> None:
        """Delete the file."""
        self._file.close()


class Copies:
    """How many documents of each class have the same row.

    Parameters
    ----------
    hash_ : RowHash
    ordered : ndarray of uint64
        The keys of all rows, in order.
    indicator : CSR of shape (n_sets, n_classes)
        The classes of each number of labels.
    """

    def __init__(self, hash_: RowHash, ordered: Keys, indicator: sparse.csr_array) -> None:
        blocks = [(ordered[:0], np.empty(0, dtype=np.int64)), *_repeated(ordered)]
        keys, counts = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        self._hash, self._indicator = hash_, indicator.astype(np.float64)
        self._rows, group = np.unique(keys >> np.uint64(LABEL_BITS), return_inverse=True)
        sets, shape = (keys & LABEL_MASK).astype(np.int64), (len(self._rows), indicator.shape[0])
        members = sparse.csr_array((counts.astype(np.float64), (group.ravel(), sets)), shape=shape)
        self._labels = sparse.csr_array(members @ self._indicator)

    def left_out(self, rows: sparse.csr_array, numbers: NDArray[np.int64]) -> sparse.csr_array:
        """Return how many documents of each class have the row of each of these, itself included."""
        own = sparse.csr_array(self._indicator[numbers])
        if not len(self._rows):
            return own
        hashes = self._hash.keys(rows, numbers) >> np.uint64(LABEL_BITS)
        at = np.minimum(np.searchsorted(self._rows, hashes), len(self._rows) - 1)
        is_copy = self._rows[at] == hashes
        if not is_copy.any():
            return own
        alone = sparse.diags_array((~is_copy).astype(np.float64))
        chosen = sparse.csr_array(
            (np.ones(is_copy.sum()), (np.flatnonzero(is_copy), at[is_copy])), shape=(len(numbers), len(self._rows))
        )
        return sparse.csr_array(alone @ own + chosen @ self._labels)


def _repeated(ordered: Keys) -> Iterator[tuple[Keys, NDArray[Any]]]:
    """Yield the distinct keys of rows that occur several times, and how often; a block at a time, to save memory."""
    start = 0
    while start < len(ordered):
        last = min(start + KEYS_AT_ONCE, len(ordered)) - 1
        end = int(np.searchsorted(ordered, ordered[last] | LABEL_MASK, side="right"))  # equal rows are in one block
        keys, counts = np.unique(ordered[start:end], return_counts=True)
        _, group = np.unique(keys >> np.uint64(LABEL_BITS), return_inverse=True)
        is_repeated = np.bincount(group.ravel(), counts)[group.ravel()] > 1
        yield keys[is_repeated], counts[is_repeated]
        start = end
