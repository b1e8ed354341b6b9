"""The first pass over documents, which draws a sample to choose settings from."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from troenpy.models.copies import MIXING
from troenpy.models.document_passes import LABEL_BITS, Chunk, DocumentPasses, Keys

#: A sample has at most so many texts, and characters.
MOST_SAMPLED, MOST_CHARACTERS = 20_000, 1 << 24


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


def survey(passes: DocumentPasses, seed: int) -> Sample:
    """Read all documents for the first time; return a sample of them."""
    sample = Sample(seed)
    for chunk, keys in passes.first():
        sample.add(chunk, keys)
    sample.shrink()
    return sample


def _length(text: Any) -> int:
    return len(text) if isinstance(text, str | bytes) else 64
