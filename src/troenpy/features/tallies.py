"""Tallies: the running totals of `partial_fit` over all terms; they add."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.files.archive import Arrays
from troenpy.files.saved import add_prefix, check_array, select_prefix


@dataclass(frozen=True)
class Tally:
    """Counts of all terms seen by `partial_fit`, because later batches may move a term into `min_df` to `max_df`."""

    counts: ClassCounts
    n_documents: int
    frequency: NDArray[np.int64]  # documents per term, unweighted
    occurrences: NDArray[np.float64]  # weighted sum of counts per term

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
        """Return the arrays for a file, everything but the number of documents."""
        counts = add_prefix("counts.", self.counts.to_arrays())
        return {**counts, "frequency": self.frequency, "occurrences": self.occurrences}

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_documents: int) -> "Tally":
        """Rebuild the tally from the result of `to_arrays`; everything is validated."""
        counts = ClassCounts.from_arrays(select_prefix("counts.", arrays))
        shape = counts.term_docs.shape
        frequency, occurrences = (check_array(arrays[name], shape) for name in ("frequency", "occurrences"))
        return cls(counts, n_documents, frequency, occurrences)


def add_tallies(tallies: list[Tally]) -> list[Tally]:
    """Merge the last tallies while they are of similar size, so that many small batches stay cheap."""
    while len(tallies) > 1 and len(tallies[-2].frequency) <= 2 * len(tallies[-1].frequency):
        tallies = [*tallies[:-2], tallies[-2] + tallies[-1]]
    return tallies
