"""In an executor: count the documents of a partition, and add the sums of all partitions, a bucket of terms each.

Sums of the same bucket add, so a partition may be counted in several tallies: that is how its memory is bounded.
"""

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from troenpy.counts.labels import Labels, read_label_sets, read_labels
from troenpy.features.batches import add_documents
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.streams import KernelStream, PlainStream, Stream
from troenpy.features.tallies import Tally
from troenpy.features.term_list import TermList
from troenpy.spark.columns import LABEL, TEXT, WEIGHT
from troenpy.spark.local_files import from_bytes
from troenpy.spark.sums import TOTALS, add_in_turn, buckets_of, from_rows, parts_of, to_batch, to_rows

#: A tally of this size is written out, and the next one begins; see `_size`.
MOST_TERMS = 1 << 21


def count_partition(
    batches: Iterator[Any], counters: list[bytes], kind: str, n_buckets: int, most_terms: int = MOST_TERMS
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
    n_buckets : int
    most_terms : int
    """
    return to_rows(_counted(batches, counters, kind, n_buckets, most_terms))


def add_partition(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sums of all rows of each view and bucket; they come one view and bucket after another."""
    return to_rows(
        (view, bucket, part)
        for (view, bucket), parts in groupby(from_rows(batches), key=itemgetter(0, 1))
        for part in parts_of(add_in_turn(part for _, _, part in parts))
    )


def _counted(
    batches: Iterator[Any], counters: list[bytes], kind: str, n_buckets: int, most_terms: int
) -> Iterator[tuple[int, int, Any]]:
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
        if max(map(_size, streams)) >= most_terms:
            yield from _parts(streams, ready, kind, n_buckets)
            streams = [PlainStream()] * len(ready)
    if streams[0].n_batches:
        yield from _parts(streams, ready, kind, n_buckets)


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


def _size(stream: Stream) -> int:
    """Return the number of terms; four pairs of a term and a class, which take as much memory, count as one."""
    if isinstance(stream, KernelStream):
        return int(stream.native.n_terms + stream.native.n_cells // 4)
    tallies = stream.tallies if isinstance(stream, PlainStream) else []
    return sum(len(tally.frequency) + tally.counts.doc_freq.nnz // 4 for tally in tallies)


def _parts(
    streams: list[Stream], counters: list[CountVectorizer], kind: str, n_buckets: int
) -> Iterator[tuple[int, int, Any]]:
    """Yield the sums of each view, by bucket."""
    of_class = pa.string() if kind in ("string", "sets") else pa.int64()
    for view, (stream, counter) in enumerate(zip(streams, counters, strict=True)):
        tally = stream.tally()
        classes = pa.array(tally.counts.classes.tolist(), of_class)
        yield view, TOTALS, _totals(tally, classes)
        terms = tally.terms
        if terms is None:  # the columns of a given vocabulary
            terms = TermList.of(counter.get_feature_names_out().tolist())
        for bucket, batch in _buckets(tally, terms, classes, n_buckets):
            for part in parts_of(batch):
                yield view, bucket, part


def _totals(tally: Tally, classes: Any) -> Any:
    """Return the sums of all documents."""
    counts = tally.counts
    numbers = [np.array([value]) for value in (counts.n_documents, tally.n_documents, tally.total_length)]
    numbers[0] = numbers[0].astype(counts.n_docs.dtype)
    n_classes = len(counts.n_docs)
    places = np.arange(n_classes), np.array([0, n_classes])
    sizes = sparse.csc_array((counts.n_docs, *places), shape=(n_classes, 1))  # with classes of size 0
    return to_batch(pa.nulls(1, pa.large_binary()), classes, numbers, sizes)


def _buckets(tally: Tally, terms: TermList, classes: Any, n_buckets: int) -> Iterator[tuple[int, Any]]:
    """Yield the sums of the terms of each bucket."""
    counts, ends = tally.counts, terms.ends
    present = np.flatnonzero((tally.frequency > 0) | (counts.term_docs > 0))
    if not len(present):
        return
    buckets = buckets_of(terms.text, ends, n_buckets)[present]
    order = np.argsort(buckets, kind="stable")
    buckets, columns = buckets[order], present[order]
    offsets = np.concatenate([[0], ends])
    names = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(terms.text)]
    )
    occurrences = np.zeros(len(columns)) if tally.terms is None else tally.occurrences[columns]
    numbers = counts.term_docs[columns], tally.frequency[columns], occurrences
    batch = to_batch(names.take(pa.array(columns)), classes, numbers, counts.doc_freq[:, columns])
    borders = np.flatnonzero(np.diff(buckets, prepend=-1, append=n_buckets)).tolist()
    for first, end in pairwise(borders):
        yield int(buckets[first]), batch.slice(first, end - first)
