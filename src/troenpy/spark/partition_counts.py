"""In an executor: count the documents of a partition, and yield its sums as rows of bounded batches.

A row is (view, term, class, documents, frequency, occurrences). Without a class it has the totals of a term, without a
term those of a class, and without both those of all documents. Rows of the same keys add, so a partition may be counted
in several tallies: that is how its memory is bounded.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from troenpy.counts.labels import Labels, read_label_sets, read_labels
from troenpy.features.batches import add_documents
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.streams import KernelStream, PlainStream, Stream
from troenpy.features.tallies import Tally
from troenpy.features.term_list import TermList
from troenpy.spark.columns import LABEL, TEXT, WEIGHT
from troenpy.spark.local_files import from_bytes

#: A tally with this many terms is written out, and the next one begins.
MOST_TERMS = 1 << 21
#: Rows of a batch that is sent back to Spark, and bytes of their terms.
ROWS_PER_BATCH, BYTES_PER_BATCH = 1 << 16, 1 << 24
#: The columns of the sums.
SUM_COLUMNS = ("view", "term", "class", "documents", "frequency", "occurrences")


def count_partition(
    batches: Iterator[Any], counters: list[bytes], kind: str, most_terms: int = MOST_TERMS
) -> Iterator[Any]:
    """Yield the sums of a partition.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        With the columns of `Columns.select`.
    counters : list of bytes
        A saved CountVectorizer for each view.
    kind : str
        Of the labels; see `Columns`.
    most_terms : int
    """
    ready = [from_bytes(counter) for counter in counters]
    streams: list[Stream] = [PlainStream()] * len(ready)
    for batch in batches:
        if not batch.num_rows:
            continue
        documents, labels, weights = read_batch(batch, kind, ready)
        for view, counter in enumerate(ready):
            copy = object.__new__(type(counter))
            copy.__dict__.update(vars(counter))  # adding documents may change its parameters
            streams[view] = add_documents(streams[view], copy, documents, labels, weights)
        if max(map(_n_terms, streams)) >= most_terms:
            yield from _rows(streams, ready, kind)
            streams = [PlainStream()] * len(ready)
    if streams[0].n_batches:
        yield from _rows(streams, ready, kind)


def read_batch(batch: Any, kind: str, counters: list[CountVectorizer]) -> tuple[Any, Labels, Any]:
    """Return the documents, labels and weights of a batch."""
    documents, weights = batch.column(TEXT), None
    check_texts(documents, counters)
    if WEIGHT in batch.schema.names:
        column = batch.column(WEIGHT)
        if column.null_count:
            raise ValueError("a weight is missing (null): fill it with 1, or drop the row")
        weights = column.to_numpy(zero_copy_only=False)
    return documents, read_label_column(batch.column(LABEL), kind), weights


def check_texts(documents: Any, counters: list[CountVectorizer]) -> None:
    """Raise for nulls, if a counter does not read them as empty texts."""
    if documents.null_count and any(counter.nulls == "error" for counter in counters):
        raise ValueError(
            "a text is missing (null): drop such rows, fill them with '', or set nulls='empty' in every counter"
        )


def read_label_column(column: Any, kind: str) -> Labels:
    """Return the labels of a column."""
    is_missing = column.null_count or (kind == "sets" and column.flatten().null_count)
    if is_missing:
        raise ValueError("a label is missing (null): drop such rows, or give them a class")
    if kind == "sets":
        return read_label_sets(column.to_pylist())
    return read_labels(column.to_pylist() if kind == "string" else column.to_numpy(zero_copy_only=False))


def _n_terms(stream: Stream) -> int:
    if isinstance(stream, KernelStream):
        return int(stream.native.n_terms)
    return sum(len(tally.frequency) for tally in stream.tallies) if isinstance(stream, PlainStream) else 0


def _rows(streams: list[Stream], counters: list[CountVectorizer], kind: str) -> Iterator[Any]:
    for view, (stream, counter) in enumerate(zip(streams, counters, strict=True)):
        tally = stream.tally()
        terms = tally.terms
        if terms is None:  # the columns of a given vocabulary
            terms = TermList.of(counter.get_feature_names_out().tolist())
        yield from _TallyRows(view, tally, terms, kind).batches()


class _TallyRows:
    """The rows of a tally."""

    def __init__(self, view: int, tally: Tally, terms: TermList, kind: str) -> None:
        self._view, self._tally = view, tally
        self._text, self._ends = terms.text, terms.ends
        of_class = pa.string() if kind in ("string", "sets") else pa.int64()
        self._classes = pa.array(tally.counts.classes.tolist(), of_class)
        self._number = pa.float64() if tally.counts.is_weighted else pa.int64()

    def batches(self) -> Iterator[Any]:
        tally, counts = self._tally, self._tally.counts
        yield self._batch(None, None, [counts.n_documents], [tally.n_documents], [tally.total_length])
        yield self._batch(None, self._classes, counts.n_docs)
        has_occurrences = tally.terms is not None
        present = np.flatnonzero((tally.frequency > 0) | (counts.term_docs > 0))
        for part in self._parts(present):
            terms = present[part]
            occurrences = tally.occurrences[terms] if has_occurrences else None
            yield self._batch(self._names(terms), None, counts.term_docs[terms], tally.frequency[terms], occurrences)
        doc_freq, columns = counts.doc_freq, counts.columns()
        for part in self._parts(columns):
            classes = self._classes.take(pa.array(doc_freq.indices[part]))
            yield self._batch(self._names(columns[part]), classes, doc_freq.data[part])

    def _parts(self, columns: NDArray[Any]) -> Iterator[slice]:
        """Yield slices of columns whose terms are of bounded number and size, if they are more than one."""
        sizes = np.cumsum(np.diff(self._ends, prepend=0)[columns])
        first = 0
        while first < len(columns):
            before = sizes[first - 1] if first else 0
            end = int(np.searchsorted(sizes, before + BYTES_PER_BATCH, side="right"))
            end = max(first + 1, min(end, first + ROWS_PER_BATCH))
            yield slice(first, end)
            first = end

    def _names(self, columns: NDArray[Any]) -> Any:
        """Return the UTF-8 bytes of the terms of ascending columns, which may repeat."""
        first = np.where(columns > 0, self._ends[columns - 1], 0)
        lengths = self._ends[columns] - first
        ends = np.cumsum(lengths)
        at = np.repeat(first - (ends - lengths), lengths) + np.arange(ends[-1])
        offsets = np.zeros(len(columns) + 1, dtype=np.int32)
        offsets[1:] = ends
        return pa.BinaryArray.from_buffers(
            pa.binary(), len(columns), [None, pa.py_buffer(offsets), pa.py_buffer(self._text[at])]
        )

    def _batch(self, terms: Any, classes: Any, documents: Any, frequency: Any = None, occurrences: Any = None) -> Any:
        n = len(documents)
        arrays = [
            pa.array(np.full(n, self._view, dtype=np.int32)),
            pa.nulls(n, pa.binary()) if terms is None else terms,
            pa.nulls(n, self._classes.type) if classes is None else classes,
            pa.array(documents, self._number),
            pa.nulls(n, pa.int64()) if frequency is None else pa.array(frequency, pa.int64()),
            pa.nulls(n, pa.float64()) if occurrences is None else pa.array(occurrences, pa.float64()),
        ]
        return pa.RecordBatch.from_arrays(arrays, names=list(SUM_COLUMNS))
