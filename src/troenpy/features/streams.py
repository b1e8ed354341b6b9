"""Streams: the counts behind `partial_fit`, in the kernel or as plain tallies.

A stream is never changed: adding a batch returns a new one, so that a `partial_fit` that fails leaves the estimator as
it was. The kernel's tally does change, but its last batch only counts once the new stream has been used.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy import _kernel
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.labels import Labels
from troenpy.features.row_streams import RowStream
from troenpy.features.seen_labels import SeenLabels
from troenpy.features.space_saving import SpaceSaving
from troenpy.features.summary import Summary
from troenpy.features.tallies import Tally, add_tallies
from troenpy.features.term_list import TermList

Weights: TypeAlias = NDArray[np.float64] | None
NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True, eq=False)
class PlainStream:
    """A stream of plain tallies: without the kernel, for settings it does not know, and in copies and files."""

    tallies: tuple[Tally, ...] = ()

    @property
    def n_batches(self) -> int:
        """The number of batches."""
        return sum(tally.n_batches for tally in self.tallies)

    @property
    def n_documents(self) -> int:
        """The number of documents, unweighted."""
        return sum(tally.n_documents for tally in self.tallies)

    def tally(self, n_threads: int = 1) -> Tally:
        """Return the counts of all batches."""
        return sum(self.tallies[1:], start=self.tallies[0])

    def copy(self, n_threads: int = 1) -> "PlainStream":
        """Return the stream itself."""
        return self

    def add(self, batch: Tally) -> "PlainStream":
        """Return the stream with another batch."""
        return PlainStream(add_tallies((*self.tallies, batch)))

    def add_bounded(
        self, documents: list[Counter[str]], labels: Labels, weights: Weights, max_terms: int
    ) -> "PlainStream":
        """Return the stream with another batch, of which at most `max_terms` terms are kept."""
        if self.tallies:
            tally = self.tally()
            table, seen = SpaceSaving.of(tally), SeenLabels.of(tally.counts, _largest_weight(tally))
        else:
            table, seen = SpaceSaving(max_terms), SeenLabels.none()
        seen, codes = seen.add(labels, weights)
        starts = labels.indicator.indptr
        for i, counts in enumerate(documents):
            table.add(counts, codes[starts[i] : starts[i + 1]].tolist(), 1.0 if weights is None else float(weights[i]))
        tally = table.tally(seen, self.n_documents + len(documents), self.n_batches + 1)
        return PlainStream((tally,))


@dataclass(frozen=True, eq=False)
class KernelStream:
    """A stream in the kernel.

    Parameters
    ----------
    native : TermTally of the kernel
    seen : SeenLabels
    n_held : int
        How many batches the native tally has if the last one belongs to this stream.
    n_batches, n_documents : int
        Of the stream.
    max_terms : int or None
    """

    native: Any
    seen: SeenLabels
    n_held: int = 0
    n_batches: int = 0
    n_documents: int = 0
    max_terms: int | None = None

    @classmethod
    def of(cls, before: PlainStream, max_terms: int | None) -> "KernelStream":
        """Return a stream of texts that continues another one."""
        assert _kernel.native is not None  # noqa: S101
        tally = _kernel.native.TermTally(max_terms or 0)
        if not before.tallies:
            return cls(tally, SeenLabels.none(), max_terms=max_terms)
        old = before.tally()
        assert old.terms is not None  # noqa: S101
        n_terms = len(old.terms)
        errors, order, kept_above = np.empty(0, dtype=np.int64), np.arange(n_terms), 0
        if old.summary is not None:
            errors, order, kept_above = old.summary.errors, old.summary.order, old.summary.kept_above
        text, ends = np.ascontiguousarray(old.terms.text), np.ascontiguousarray(old.terms.ends)
        sizes = len(old.counts.classes), old.n_documents, kept_above
        tally.restore(text, ends, errors, np.argsort(order), _saved_counts(old), *sizes, old.counts.is_weighted)
        seen = SeenLabels.of(old.counts, _largest_weight(old))
        return cls(tally, seen, 0, old.n_batches, old.n_documents, max_terms)

    def add_texts(
        self, count: Callable[[], Any], labels: Labels, weights: Weights, *, binary: bool, n_threads: int
    ) -> "KernelStream":
        """Return the stream with another batch, whose texts `count` returns in a TermCounter."""
        self.native.settle(self.n_held, n_threads)
        counter = count()
        seen, codes = self.seen.add(labels, weights)
        starts = labels.indicator.indptr.astype(np.int64)
        weight = NO_WEIGHTS if weights is None else weights
        self.native.hold(counter, starts, codes, weight, len(seen.classes), binary)
        return self._with(seen, len(labels))

    def _with(self, seen: SeenLabels, n_documents: int) -> "KernelStream":
        return replace(
            self,
            seen=seen,
            n_held=self.n_held + 1,
            n_batches=self.n_batches + 1,
            n_documents=self.n_documents + n_documents,
        )

    def tally(self, n_threads: int = 1) -> Tally:
        """Return the counts of all batches."""
        self.native.settle(self.n_held, n_threads)
        text, ends, errors, order, arrays = self.native.counts(self.seen.ranks(), n_threads)
        summary = None
        if self.max_terms is not None:
            ranks, kept_above = np.argsort(np.argsort(order)), self.native.kept_above
            summary = Summary(self.max_terms, errors.view(np.int64), ranks, kept_above, self.seen.largest_weight)
        return Tally(
            counts=self._counts(arrays, summary),
            terms=TermList(text, ends.view(np.int64)),
            n_documents=self.n_documents,
            frequency=arrays[0].view(np.int64),
            occurrences=arrays[2],
            n_batches=self.n_batches,
            summary=summary,
        )

    def _counts(self, arrays: Any, summary: Summary | None) -> ClassCounts:
        frequency, weights, _, indptr, classes, counts = arrays
        dtype = self.seen.n_docs.dtype
        is_weighted = dtype.kind == "f"
        return ClassCounts.from_sums(
            classes=self.seen.classes.copy(),
            n_documents=self.seen.n_documents,
            n_docs=self.seen.n_docs[self.seen.codes],
            doc_freq=sparse.csc_array(
                (counts.astype(dtype, copy=False), classes, indptr),
                shape=(len(self.seen.classes), len(frequency)),
            ),
            term_docs=weights if is_weighted else frequency.view(np.int64).copy(),
            **({} if summary is None else summary.for_counts(is_weighted)),
        )

    def copy(self, n_threads: int = 1) -> PlainStream:
        """Return an independent stream that goes on from here."""
        return PlainStream((self.tally(n_threads),))


Stream: TypeAlias = PlainStream | KernelStream | RowStream


@dataclass(frozen=True, eq=False)
class ViewStreams:
    """The streams of several views, to which the same batches are added.

    Parameters
    ----------
    streams : tuple of streams
    kinds : tuple or None
        What decides the terms of each view; None if it is not known, as in files.
    """

    streams: tuple[Stream, ...]
    kinds: tuple[Any, ...] | None = None

    def check(self, names: Sequence[str], kinds: tuple[Any, ...]) -> None:
        """Raise if the batches so far were counted for other views."""
        if len(self.streams) != len(kinds):
            raise ValueError(
                f"the batches so far had {len(self.streams)} views, got {len(kinds)}: clone the features first"
            )
        for name, before, now in zip(names, self.kinds or kinds, kinds, strict=True):
            if before != now:
                raise ValueError(
                    f"the batches so far were counted with other settings than those of the view {name!r}: clone the"
                    " features first"
                )

    @property
    def n_batches(self) -> int:
        """The number of batches."""
        return self.streams[0].n_batches

    @property
    def n_documents(self) -> int:
        """The number of documents, unweighted."""
        return self.streams[0].n_documents

    def copy(self, n_threads: int = 1) -> "ViewStreams":
        """Return independent streams that go on from here."""
        return ViewStreams(tuple(stream.copy(n_threads) for stream in self.streams), self.kinds)


def _saved_counts(tally: Tally) -> Any:
    """Return the counts as the kernel takes them."""
    assert _kernel.native is not None  # noqa: S101
    doc_freq = tally.counts.doc_freq
    return _kernel.native.SavedCounts(
        tally.frequency.astype(np.int64),
        tally.counts.term_docs.astype(np.float64),
        tally.occurrences.astype(np.float64),
        doc_freq.indptr.astype(np.int64),
        doc_freq.indices.astype(np.int32),
        doc_freq.data.astype(np.float64),
    )


def _largest_weight(tally: Tally) -> float:
    return 1.0 if tally.summary is None else tally.summary.largest_weight


def row_stream(stream: Stream, n_columns: int) -> RowStream:
    """Return a stream of rows that continues another one; its columns must be the same."""
    if isinstance(stream, RowStream):
        return stream
    if isinstance(stream, PlainStream) and not stream.tallies:
        return RowStream.empty(n_columns)
    tally = stream.tally()  # a file may have names of columns, which are not needed
    return RowStream.of_counts(tally.counts, tally.total_length, tally.n_batches, tally.n_documents)
