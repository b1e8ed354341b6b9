"""What batches of documents have told so far, over all their terms; it adds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.files.archive import Arrays
from troenpy.files.saved import arrays_at, below, checked


@dataclass(frozen=True)
class Tally:
    """What partial_fit has seen, over all terms: `min_df` and `max_df` may let in later what they keep out now."""

    counts: ClassCounts
    n_documents: int
    frequency: NDArray[np.int64]  # documents by term, each counted once whatever its weight
    occurrences: NDArray[np.float64]  # weighted sum of counts by term

    def __add__(self, other: "Tally") -> "Tally":
        counts = self.counts + other.counts
        assert counts.terms is not None  # noqa: S101
        place = {term: i for i, term in enumerate(counts.terms)}

        def total(name: str) -> Any:
            values = np.zeros(len(place), dtype=getattr(self, name).dtype)
            for tally in (self, other):
                values[[place[term] for term in tally.counts.terms]] += getattr(tally, name)  # type: ignore[union-attr]
            return values

        return Tally(counts, self.n_documents + other.n_documents, total("frequency"), total("occurrences"))

    def to_arrays(self) -> Arrays:
        """Return everything but the number of documents as arrays, for a file."""
        counts = below("counts.", self.counts.to_arrays())
        return {**counts, "frequency": self.frequency, "occurrences": self.occurrences}

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_documents: int) -> "Tally":
        """Undo `to_arrays`; everything is checked."""
        counts = ClassCounts.from_arrays(arrays_at("counts.", arrays))
        shape = counts.term_docs.shape
        frequency, occurrences = (checked(arrays[name], shape) for name in ("frequency", "occurrences"))
        return cls(counts, n_documents, frequency, occurrences)


def add_tallies(tallies: list[Tally]) -> list[Tally]:
    """Add up the last tallies while they are of like size, so that many small batches cost little each."""
    while len(tallies) > 1 and len(tallies[-2].frequency) <= 2 * len(tallies[-1].frequency):
        tallies = [*tallies[:-2], tallies[-2] + tallies[-1]]
    return tallies
