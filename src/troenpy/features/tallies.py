"""Tallies: the counts of all documents that `partial_fit` has seen; they add."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.summary import Summary
from troenpy.features.term_list import TermList
from troenpy.files.archive import Arrays, is_packed
from troenpy.files.saved import add_prefix, check_array, check_size, select_prefix


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of all terms seen by `partial_fit`, because later batches may move a term into `min_df` to `max_df`.

    Parameters
    ----------
    counts : ClassCounts
        Without term names.
    terms : TermList or None
        None if the columns are fixed.
    n_documents : int
        Unweighted.
    frequency : ndarray of shape (n_terms,)
        Documents per term, unweighted.
    occurrences : ndarray of shape (n_terms,)
        Weighted sum of counts per term; if the columns are fixed, of shape (1,): the sum over all of them.
    n_batches : int
    summary : Summary or None
        What may be missing, if the number of terms is bounded.
    """

    counts: ClassCounts
    terms: TermList | None
    n_documents: int
    frequency: NDArray[np.int64]
    occurrences: NDArray[np.float64]
    n_batches: int = 1
    summary: Summary | None = None

    def __add__(self, other: "Tally") -> "Tally":
        named = [tally._named_counts() for tally in (self, other)]
        counts = named[0] + named[1]
        terms = counts.terms
        place = {} if terms is None else {term: i for i, term in enumerate(terms)}
        places = [[] if part.terms is None else [place[term] for term in part.terms] for part in named]

        def total(name: str) -> Any:
            ours, theirs = getattr(self, name), getattr(other, name)
            if terms is None:
                return ours + theirs
            values = np.zeros(len(terms), dtype=ours.dtype)
            values[places[0]] += ours
            values[places[1]] += theirs
            return values

        return Tally(
            counts=counts.without_terms(),
            terms=None if terms is None else TermList.of(terms.tolist()),
            n_documents=self.n_documents + other.n_documents,
            frequency=total("frequency"),
            occurrences=total("occurrences"),
            n_batches=self.n_batches + other.n_batches,
        )

    def _named_counts(self) -> ClassCounts:
        return self.counts if self.terms is None else self.counts.with_terms(self.terms.names())

    def select(self, kept: NDArray[np.bool_]) -> "Tally":
        """Return the tally of some of the terms."""
        if kept.all():
            return self
        return Tally(
            counts=self.counts.select(kept),
            terms=None if self.terms is None else self.terms.select(kept),
            n_documents=self.n_documents,
            frequency=self.frequency[kept],
            occurrences=self.occurrences[kept],
            n_batches=self.n_batches,
            summary=None if self.summary is None else self.summary.select(kept),
        )

    @property
    def total_length(self) -> float:
        """The weighted sum of all counts."""
        return float(self.occurrences.sum())

    def to_arrays(self) -> Arrays:
        """Return the arrays for a file."""
        numbers = {"frequency": self.frequency, "occurrences": self.occurrences}
        sizes = {"n_batches": np.array([self.n_batches]), "n_documents": np.array([self.n_documents])}
        terms = {} if self.terms is None else add_prefix("counts.", self.terms.to_arrays())
        summary = {} if self.summary is None else add_prefix("summary.", self.summary.to_arrays())
        return {**add_prefix("counts.", self.counts.to_arrays()), **terms, **numbers, **sizes, **summary}

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_documents: Any = None) -> "Tally":
        """Rebuild the tally from the result of `to_arrays`; everything is validated.

        Before version 3 of files, the number of documents was not among the arrays.
        """
        n_documents = check_size(arrays["n_documents"].item() if n_documents is None else n_documents)
        of_counts = select_prefix("counts.", arrays)
        terms = None
        if is_packed("terms", of_counts):
            terms = TermList.from_arrays(of_counts.pop("terms_bytes"), of_counts.pop("terms_lengths"))
        counts = ClassCounts.from_arrays(of_counts)
        n_terms = len(counts.term_docs)
        if terms is not None and len(terms) != n_terms:
            raise ValueError("terms and counts differ in size")
        frequency = check_array(arrays["frequency"], (n_terms,))
        if frequency.dtype.kind != "i" or ((frequency < 0) | (frequency > n_documents)).any():
            raise ValueError("the documents of a term must be between 0 and all documents")
        occurrences = check_array(arrays["occurrences"], (1 if terms is None else n_terms,))
        n_batches = check_size(arrays["n_batches"].item()) if "n_batches" in arrays else 1
        saved = select_prefix("summary.", arrays)
        summary = Summary.from_arrays(saved, n_terms) if saved else None
        return cls(counts, terms, n_documents, frequency, occurrences, n_batches, summary)


def add_tallies(tallies: tuple[Tally, ...]) -> tuple[Tally, ...]:
    """Merge the last tallies while they are of similar size, so that many small batches stay cheap."""
    while len(tallies) > 1 and len(tallies[-2].frequency) <= 2 * len(tallies[-1].frequency):
        tallies = *tallies[:-2], tallies[-2] + tallies[-1]
    return tallies
