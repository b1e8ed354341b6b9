"""Count documents in a bounded table of terms: the Space-Saving summary of Metwally et al. (2005), in plain Python.

The kernel's TermTally does the same, only faster. Documents come in order, and the terms of a document in the order
of their first occurrence. A term that does not fit takes the place of the one with the smallest upper bound, that is
its documents since it entered plus its error. Ties: the one that entered first. The newcomer's error is that bound.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.seen_labels import SeenLabels
from troenpy.features.summary import Summary
from troenpy.features.tallies import Tally
from troenpy.features.term_list import TermList


@dataclass
class Kept:
    """A term of the table: what was counted since it entered."""

    error: int
    order: int
    n_documents: int = 0
    weight: float = 0.0
    occurrences: float = 0.0
    by_class: dict[int, float] = field(default_factory=dict)

    @property
    def upper_bound(self) -> int:
        """The documents that the term may be in."""
        return self.n_documents + self.error


class SpaceSaving:
    """A table of at most `max_terms` terms, in the order in which they entered."""

    def __init__(self, max_terms: int) -> None:
        self.max_terms = max_terms
        self.kept: dict[str, Kept] = {}
        self.kept_above = self._n_entered = 0
        self._least: list[str] = []  # all terms with the smallest upper bound, the first to leave at the end
        self._least_bound = 0

    @classmethod
    def of(cls, tally: Tally) -> "SpaceSaving":
        """Return the table of a tally, to continue."""
        summary, terms = tally.summary, tally.terms
        assert summary is not None  # noqa: S101
        assert terms is not None  # noqa: S101
        table, names, doc_freq = cls(summary.max_terms), terms.names(), tally.counts.doc_freq
        table.kept_above, table._n_entered = summary.kept_above, int(summary.order.max(initial=-1)) + 1
        for i in np.argsort(summary.order).tolist():
            cells = slice(doc_freq.indptr[i], doc_freq.indptr[i + 1])
            by_class = dict(zip(doc_freq.indices[cells].tolist(), doc_freq.data[cells].tolist(), strict=True))
            table.kept[names[i]] = Kept(
                error=int(summary.errors[i]),
                order=int(summary.order[i]),
                n_documents=int(tally.frequency[i]),
                weight=float(tally.counts.term_docs[i]),
                occurrences=float(tally.occurrences[i]),
                by_class=by_class,
            )
        return table

    def add(self, counts: Counter[str], codes: Iterable[int], weight: float) -> None:
        """Count a document: its terms in order of first occurrence, the numbers of its classes, and its weight."""
        codes = list(codes)
        for term, n in counts.items():
            kept = self.kept.get(term) or self._enter(term)
            kept.n_documents += 1
            kept.weight += weight
            kept.occurrences += weight * n
            for code in codes:
                kept.by_class[code] = kept.by_class.get(code, 0.0) + weight

    def _enter(self, term: str) -> Kept:
        error = 0
        if len(self.kept) >= self.max_terms:
            error = self.kept_above = self._drop_least()
        self.kept[term] = kept = Kept(error, self._n_entered)
        self._n_entered += 1
        return kept

    def _drop_least(self) -> int:
        """Drop the term with the smallest upper bound, and return that bound."""
        # Bounds only grow, and no newcomer has the smallest: the list stays complete until it is used up.
        while self._least and self.kept[self._least[-1]].upper_bound > self._least_bound:
            self._least.pop()
        if not self._least:
            self._least_bound = min(kept.upper_bound for kept in self.kept.values())
            self._least = [term for term, kept in self.kept.items() if kept.upper_bound == self._least_bound][::-1]
        del self.kept[self._least.pop()]
        return self._least_bound

    def tally(self, seen: SeenLabels, n_documents: int, n_batches: int) -> Tally:
        """Return the counts as arrays."""
        names = sorted(self.kept)
        kept, ranks = [self.kept[name] for name in names], seen.ranks()
        cells = [
            (weight, ranks[code], i) for i, one in enumerate(kept) for code, weight in one.by_class.items() if weight
        ]
        data, rows, columns = (np.array(part) for part in zip(*cells, strict=True)) if cells else [np.empty(0)] * 3
        dtype = seen.n_docs.dtype
        shape = len(seen.classes), len(names)
        doc_freq = sparse.csc_array((data.astype(dtype), (rows.astype(int), columns.astype(int))), shape=shape)

        def numbers(values: Sequence[float], kind: type | np.dtype = np.int64) -> np.ndarray:
            return np.array(values, dtype=kind)

        errors, order = (numbers([getattr(one, name) for one in kept]) for name in ("error", "order"))
        ranks = np.argsort(np.argsort(order))  # the same however often the stream was continued from a copy
        summary = Summary(self.max_terms, errors, ranks, self.kept_above, seen.largest_weight)
        counts = ClassCounts(
            classes=seen.classes,
            n_documents=seen.n_documents,
            n_docs=seen.n_docs[seen.codes],
            doc_freq=doc_freq,
            term_docs=numbers([one.weight for one in kept], dtype),
            **summary.for_counts(seen.n_docs.dtype.kind == "f"),
        )
        return Tally(
            counts=counts,
            terms=TermList.of(names),
            n_documents=n_documents,
            frequency=numbers([one.n_documents for one in kept]),
            occurrences=numbers([one.occurrences for one in kept], np.float64),
            n_batches=n_batches,
            summary=summary,
        )
