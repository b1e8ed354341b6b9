"""One pass over documents: counts by class and group, and a sample of the texts for examples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.grouped_counts import GroupedCounts
from troenpy.counts.labels import Labels
from troenpy.features.grouped_counter import GroupedCounter, text_hashes
from troenpy.tasks.term_views import TermView
from troenpy.tasks.text_sample import TextSample

#: With a bound on the number of terms: test a term if at most this part of its documents may be missing.
MOST_MISSING = 0.05


@dataclass(frozen=True, eq=False)
class CountedTerms:
    """What one pass over the documents has found.

    Parameters
    ----------
    total : ClassCounts
        Of all terms.
    exact : ndarray of bool
        The terms whose counts are exact, or nearly so.
    by_group : callable
        Returns the GroupedCounts of some terms.
    sample : TextSample
    numbers : ndarray
        The number of each class of `total` in the sample.
    """

    total: ClassCounts
    exact: NDArray[np.bool_]
    by_group: Callable[[NDArray[np.int64]], GroupedCounts]
    sample: TextSample
    numbers: NDArray[np.int64]


@dataclass
class TermCounting:
    """Counts documents, batch by batch.

    Parameters
    ----------
    view : TermView
    has_sets : bool
        Whether documents may have any number of labels.
    jobs : int or None
    """

    view: TermView
    has_sets: bool
    jobs: int | None = None
    sample: TextSample = field(default_factory=TextSample)

    def __post_init__(self) -> None:
        self._counter = GroupedCounter(self.view.counter, has_sets=self.has_sets, n_jobs=self.jobs)

    @property
    def n_documents(self) -> int:
        """The number of documents so far."""
        return self._counter.n_documents

    @property
    def names(self) -> list[Any]:
        """The classes so far."""
        return self._counter.names

    def add(self, texts: Sequence[str], labels: Labels) -> None:
        """Count documents."""
        if not len(texts):
            return
        hashes = text_hashes(texts)
        numbers = self._counter.add(texts, labels, hashes).tolist()
        starts = labels.indicator.indptr.tolist()
        of_texts = [numbers[i:j] for i, j in pairwise(starts)]
        self.sample.add(texts, hashes.tolist(), of_texts)

    def end(self) -> CountedTerms:
        """Return the counts of all documents."""
        pairs, terms = self._counter.end()
        total = self._counter.total(pairs)
        order = {name: number for number, name in enumerate(self._counter.names)}
        missing = 0 if total.errors is None else total.errors
        return CountedTerms(
            total=total,
            exact=missing <= MOST_MISSING * total.term_docs,
            by_group=partial(self._counter.grouped, pairs, terms),
            sample=self.sample,
            numbers=np.array([order[name] for name in total.classes.tolist()], dtype=np.int64),
        )
