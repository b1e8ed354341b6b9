"""The first pass over documents: which texts occur several times, and a sample to choose settings from."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from troenpy.models.document_passes import LABEL_BITS, LABEL_MASK, Chunk, DocumentPasses, Keys

#: A sample has at most so many texts, and characters.
MOST_SAMPLED, MOST_CHARACTERS = 20_000, 1 << 24
#: Keys that are compared at a time: 8 MB.
KEYS_AT_ONCE = 1 << 20
#: An odd number that mixes the bits of a hash with the seed.
MIXING = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class Sample:
    """Documents with the least mixed hashes: all copies of a text are in it, or none is.

    Parameters
    ----------
    seed : int
    """

    seed: int
    texts: list[Any] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    lots: list[int] = field(default_factory=list)
    #: Lots above it are not sampled; below zero if not even the first text fits.
    _limit: int = 2**64 - 1
    _n_characters: int = 0

    def add(self, chunk: Chunk, keys: Keys) -> None:
        """Add the documents of a chunk that belong to the sample."""
        lots = ((keys >> np.uint64(LABEL_BITS)) ^ np.uint64(self.seed)) * MIXING
        if self._limit < 0:
            return
        for i in np.flatnonzero(lots <= np.uint64(self._limit)).tolist():
            self.texts.append(chunk.texts[i])
            self.numbers.append(int(chunk.numbers[i]))
            self.lots.append(int(lots[i]))
            self._n_characters += _length(chunk.texts[i])
        if len(self.texts) > 2 * MOST_SAMPLED or self._n_characters > 2 * MOST_CHARACTERS:
            self.shrink()

    def shrink(self) -> None:
        """Keep what fits within the limits."""
        order = np.argsort(self.lots, kind="stable")
        lengths = np.cumsum([_length(self.texts[i]) for i in order.tolist()])
        n_kept = min(len(order), MOST_SAMPLED, int(np.searchsorted(lengths, MOST_CHARACTERS, side="right")))
        if n_kept == len(order):
            return
        self._limit = self.lots[order[n_kept]] - 1  # the first text that does not fit, with all its copies
        kept = [i for i, lot in enumerate(self.lots) if lot <= self._limit]
        self.texts, self.numbers, self.lots = (
            [values[i] for i in kept] for values in (self.texts, self.numbers, self.lots)
        )
        self._n_characters = sum(map(_length, self.texts))


class Copies:
    """How many documents of each class have the same text.

    Parameters
    ----------
    keys : ndarray of uint64
        Of all documents.
    indicator : CSR of shape (n_sets, n_classes)
        The classes of each label set.
    """

    def __init__(self, keys: Keys, indicator: sparse.csr_array) -> None:
        copies = _in_copies(np.sort(keys))
        self._texts, group = np.unique(copies >> np.uint64(LABEL_BITS), return_inverse=True)
        sets = (copies & LABEL_MASK).astype(np.int64)
        shape = len(self._texts), indicator.shape[0]
        members = sparse.csr_array((np.ones(len(sets)), (group.ravel(), sets)), shape=shape)
        self._indicator = indicator.astype(np.float64)
        self._labels = sparse.csr_array(members @ self._indicator)

    def left_out(self, chunk: Chunk, keys: Keys) -> sparse.csr_array:
        """Return how many documents of each class have the text of each document, itself included."""
        own = sparse.csr_array(self._indicator[chunk.numbers])
        if not len(self._texts):
            return own
        texts = keys >> np.uint64(LABEL_BITS)
        at = np.minimum(np.searchsorted(self._texts, texts), len(self._texts) - 1)
        is_copy = self._texts[at] == texts
        if not is_copy.any():
            return own
        alone = sparse.diags_array((~is_copy).astype(np.float64))
        chosen = sparse.csr_array(
            (np.ones(is_copy.sum()), (np.flatnonzero(is_copy), at[is_copy])), shape=(len(keys), len(self._texts))
        )
        return sparse.csr_array(alone @ own + chosen @ self._labels)


def _in_copies(ordered: Keys) -> Keys:
    """Return the keys of texts that occur several times; a block at a time, as there may be many documents."""
    found = [ordered[:0]]
    for first in range(0, len(ordered), KEYS_AT_ONCE):
        start, end = max(0, first - 1), min(len(ordered), first + KEYS_AT_ONCE + 1)
        texts = ordered[start:end] >> np.uint64(LABEL_BITS)
        is_same = np.concatenate([[False], texts[1:] == texts[:-1], [False]])
        own = slice(first - start, first - start + min(KEYS_AT_ONCE, len(ordered) - first))
        found.append(ordered[start:end][own][(is_same[1:] | is_same[:-1])[own]])
    return np.concatenate(found)


def survey(passes: DocumentPasses, seed: int) -> Sample:
    """Read all documents for the first time; return a sample of them."""
    sample = Sample(seed)
    for chunk, keys in passes.first():
        sample.add(chunk, keys)
    sample.shrink()
    return sample


def _length(text: Any) -> int:
    return len(text) if isinstance(text, str | bytes) else 64
