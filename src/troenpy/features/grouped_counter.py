"""Count documents by class and group in one pass, batch by batch: every pair of class and group is counted as a class.

So counting by groups is what counting by classes is: in the kernel, in parallel, with bounded memory.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.fields import class_array
from troenpy.counts.grouped_counts import GroupedCounts
from troenpy.counts.labels import Labels
from troenpy.features.batches import add_documents, check_counter
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.streams import PlainStream, Stream
from troenpy.features.term_list import TermList
from troenpy.fitting.jobs import job_count

#: Groups of a jackknife: errors with 19 degrees of freedom.
N_GROUPS = 20


def text_hashes(texts: Iterable[str]) -> NDArray[np.uint64]:
    """Return a number for each text that is the same on every machine, and for texts that differ only in outer space.

    Examples
    --------
    >>> first, second, third = text_hashes(["goal", " goal", "vote"])
    >>> bool(first == second), bool(first == third)
    (True, False)
    """
    digests = [blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


@dataclass
class GroupedCounter:
    """Counts batches of documents.

    Parameters
    ----------
    counter : CountVectorizer
        How to count.
    has_sets : bool
        Whether documents may have any number of labels.
    n_groups : int, default=20
    n_jobs : int or None
    """

    counter: CountVectorizer
    has_sets: bool = False
    n_groups: int = N_GROUPS
    n_jobs: int | None = None
    _numbers: dict[Any, int] = field(default_factory=dict)
    _stream: Stream = field(default_factory=PlainStream)

    def __post_init__(self) -> None:
        self.counter = clone(self.counter)
        self.counter.n_jobs = job_count(self.n_jobs)
        check_counter(self.counter, "terms")
        if self.counter.vocabulary is not None:
            raise ValueError("a counter with a vocabulary cannot be used with terms: leave the vocabulary out")

    @property
    def n_documents(self) -> int:
        """The number of documents so far."""
        return self._stream.n_documents

    @property
    def names(self) -> list[Any]:
        """The classes so far, in order of appearance."""
        return list(self._numbers)

    def add(self, texts: Any, labels: Labels, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Count a batch; the hash of a text decides its group. Return the number of the class of each label."""
        codes = [self._numbers.setdefault(name, len(self._numbers)) for name in labels.classes.tolist()]
        numbers = np.array(codes, dtype=np.int64)[labels.indicator.indices]
        pairs = self._pairs(labels.indicator.indptr, numbers, (hashes % np.uint64(self.n_groups)).astype(np.int64))
        counter = object.__new__(type(self.counter))
        counter.__dict__.update(vars(self.counter))  # adding documents may change its parameters
        self._stream = add_documents(self._stream, counter, texts, pairs, None)
        return numbers

    def _pairs(self, starts: NDArray[Any], numbers: NDArray[np.int64], groups: NDArray[np.int64]) -> Labels:
        """Return labels that are numbers of pairs of class and group; of each group if there are sets of labels."""
        n = len(groups)
        rows = np.repeat(np.arange(n), np.diff(starts))
        codes = (numbers + 1) * self.n_groups + groups[rows]
        if self.has_sets:
            rows, codes = np.concatenate([rows, np.arange(n)]), np.concatenate([codes, groups])
        classes, columns = np.unique(codes, return_inverse=True)
        entries = np.ones(len(codes), dtype=np.int64), (rows, columns)
        return Labels(classes, sparse.csr_array(entries, shape=(n, len(classes))), is_list=False)

    def end(self) -> tuple[ClassCounts, TermList]:
        """Return the counts of all pairs, and the terms; the memory of the counter is freed."""
        tally = self._stream.tally(self.counter.n_jobs or 1)
        self._stream = PlainStream()
        return tally.counts, tally.terms or TermList.of([])

    def grouped(self, pairs: ClassCounts, terms: TermList, columns: NDArray[np.int64]) -> GroupedCounts:
        """Return the counts of some terms by class and group, from those of all pairs."""
        chosen = pairs.select(columns)
        return GroupedCounts.from_pairs(
            chosen, self.names, self.n_groups, terms.names(columns.tolist()), has_all=self.has_sets
        )

    def total(self, pairs: ClassCounts) -> ClassCounts:
        """Return the counts of all terms by class, without their names, from those of all pairs."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        numbers = pairs.classes.astype(np.int64) // self.n_groups - 1
        is_class = np.flatnonzero(numbers >= 0)
        rows = place[numbers[is_class]]
        ones = np.ones(len(rows), dtype=np.int64)
        sums = sparse.csr_array((ones, (rows, is_class)), shape=(len(order), len(numbers)))
        doc_freq = sparse.csc_array(sums @ pairs.doc_freq)
        doc_freq.sort_indices()
        return ClassCounts.from_sums(
            classes=class_array([self.names[number] for number in order]),
            n_documents=pairs.n_documents,
            n_docs=sums @ pairs.n_docs,
            doc_freq=doc_freq,
            term_docs=pairs.term_docs.copy(),
            errors=None if pairs.errors is None else pairs.errors.copy(),
            kept_above=pairs.kept_above,
        )
