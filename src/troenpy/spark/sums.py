"""Sums of documents by class and term, as Arrow batches: made from a tally, added, cut, and packed into bytes.

A batch has a row for each term: its documents, weighted and not, its occurrences, and its documents of each class. In a
row without a term they are those of all documents: their number, their total length, and the sizes of the classes.

In Spark they travel as rows (view, bucket, place, sums): the packed sums of the terms of a bucket of a view. The bucket
TOTALS has those of all documents. Sums are added in the order of places, so that sums of weights are the same again if
the rows of each partition come in the same order.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark import TaskContext
from scipy import sparse

#: The columns of rows, and the bucket of the sums of all documents.
SCHEMA = "view int, bucket int, place long, sums binary"
TOTALS = -1
#: Bytes of a part; a single term may be larger.
BYTES_PER_PART = 1 << 24
#: Parts of fewer bytes are collected before they are added.
BYTES_TO_ADD = 1 << 25
#: What a row takes besides its term, and each of its classes.
_PER_ROW, _PER_CELL = 32, 12


def to_batch(terms: Any, classes: Any, numbers: Sequence[NDArray[Any]], doc_freq: Any) -> Any:
    """Return a batch of sums.

    Parameters
    ----------
    terms, classes : pyarrow.Array
    numbers : sequence of ndarray
        Documents, documents without weights, and occurrences of each term.
    doc_freq : csc_array of shape (n_classes, n_terms)
    """
    documents, frequency, occurrences = numbers
    codes = pa.array(doc_freq.indices, pa.int32())
    cells = pa.StructArray.from_arrays(
        [pa.DictionaryArray.from_arrays(codes, classes), pa.array(doc_freq.data)], ["class", "documents"]
    )
    columns = {
        "term": terms,
        "documents": pa.array(documents),
        "frequency": pa.array(frequency, pa.int64()),
        "occurrences": pa.array(occurrences, pa.float64()),
        "classes": pa.LargeListArray.from_arrays(pa.array(doc_freq.indptr, pa.int64()), cells),
    }
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def add(batches: Sequence[Any]) -> Any:
    """Return the sums of several batches, with each term once, in the order in which they first occur."""
    if len(batches) == 1:
        return batches[0]
    named = pa.chunked_array([batch["term"] for batch in batches]).combine_chunks().dictionary_encode("encode")
    terms, places = named.dictionary, named.indices.to_numpy()
    classes = all_classes(batches)
    numbers = []
    for name in ("documents", "frequency", "occurrences"):
        values = np.concatenate([batch[name].to_numpy() for batch in batches])
        numbers.append(np.zeros(len(terms), dtype=values.dtype))
        np.add.at(numbers[-1], places, values)
    rows, codes, values = zip(*(cells_of(batch, classes) for batch in batches), strict=True)
    borders = np.cumsum([0, *(batch.num_rows for batch in batches)])
    columns = np.concatenate([places[border:][of_batch] for border, of_batch in zip(borders, rows, strict=False)])
    cells = np.concatenate(values), (np.concatenate(codes), columns)
    return to_batch(terms, classes, numbers, sparse.coo_array(cells, shape=(len(classes), len(terms))).tocsc())


def add_in_turn(batches: Iterable[Any]) -> Any:
    """Return the sums of batches that come one by one; only some wait to be added."""
    waiting, n_bytes, most = [], 0, BYTES_TO_ADD
    for batch in batches:
        waiting.append(batch)
        n_bytes += batch.nbytes
        if n_bytes > most and len(waiting) > 1:
            waiting = [add(waiting)]
            n_bytes = waiting[0].nbytes
            most = max(BYTES_TO_ADD, 2 * n_bytes)
    return add(waiting)


def all_classes(batches: Sequence[Any]) -> Any:
    """Return all classes of the batches, sorted."""
    parts = [batch["classes"].values.field("class").dictionary for batch in batches]
    classes = pc.unique(pa.chunked_array(parts))
    return classes.take(pc.array_sort_indices(classes))


def cells_of(batch: Any, classes: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the row, the class as an index into `classes`, and the documents of each cell."""
    named, documents = batch["classes"].flatten().flatten()
    code_of = pc.index_in(named.dictionary, value_set=classes).to_numpy()
    rows = np.repeat(np.arange(batch.num_rows), pc.list_value_length(batch["classes"]).to_numpy())
    return rows, code_of[named.indices.to_numpy()], documents.to_numpy()


def buckets_of(text: NDArray[np.uint8], ends: NDArray[np.int64], n_buckets: int) -> NDArray[np.int64]:
    """Return a number below `n_buckets` for each term, the same for the same term everywhere.

    Parameters
    ----------
    text : uint8 array
        The UTF-8 bytes of all terms.
    ends : int64 array
        Where each ends.
    n_buckets : int
    """
    content, borders = text.tobytes(), pairwise([0, *ends.tolist()])
    numbers = (crc32(content[first:end]) for first, end in borders)
    return np.fromiter(numbers, dtype=np.int64, count=len(ends)) % n_buckets


def parts_of(batch: Any) -> Iterator[Any]:
    """Yield slices of bounded size, each with only the classes that its terms occur in."""
    lengths = pc.binary_length(batch["term"]).fill_null(0).to_numpy()
    sizes = np.cumsum(lengths + _PER_ROW + _PER_CELL * pc.list_value_length(batch["classes"]).to_numpy())
    first = 0
    while first < batch.num_rows:
        before = sizes[first - 1] if first else 0
        end = max(first + 1, int(np.searchsorted(sizes, before + BYTES_PER_PART, side="right")))
        yield _with_own_classes(batch.slice(first, end - first))
        first = end


def _with_own_classes(batch: Any) -> Any:
    cells, lengths = batch["classes"].flatten(), pc.list_value_length(batch["classes"]).to_numpy()
    named, documents = cells.flatten()
    own = named.indices.dictionary_encode()
    named = pa.DictionaryArray.from_arrays(own.indices, named.dictionary.take(own.dictionary))
    cells = pa.StructArray.from_arrays([named, documents], ["class", "documents"])
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int64())
    at = batch.schema.get_field_index("classes")
    return batch.set_column(at, "classes", pa.LargeListArray.from_arrays(offsets, cells))


def to_rows(parts: Iterable[tuple[int, int, Any]]) -> Iterator[Any]:
    """Yield the rows of (view, bucket, sums), in batches of bounded size."""
    task = TaskContext.get()
    place = 0 if task is None else task.partitionId() << 32
    rows, n_bytes = list[tuple[int, int, int, bytes]](), 0
    for view, bucket, sums in parts:
        rows.append((view, bucket, place, pack(sums)))
        place, n_bytes = place + 1, n_bytes + len(rows[-1][-1])
        if n_bytes >= BYTES_PER_PART:
            yield _row_batch(rows)
            rows, n_bytes = [], 0
    if rows:
        yield _row_batch(rows)


def _row_batch(rows: list[tuple[int, int, int, bytes]]) -> Any:
    types = {"view": pa.int32(), "bucket": pa.int32(), "place": pa.int64(), "sums": pa.binary()}
    columns = zip(types.values(), zip(*rows, strict=True), strict=True)
    return pa.RecordBatch.from_arrays([pa.array(values, kind) for kind, values in columns], names=list(types))


def from_rows(batches: Iterable[Any]) -> Iterator[tuple[int, int, Any]]:
    """Yield (view, bucket, sums) of rows; each is unpacked when it is its turn."""
    for batch in batches:
        for view, bucket, sums in zip(batch["view"], batch["bucket"], batch["sums"], strict=True):
            yield view.as_py(), bucket.as_py(), unpack(sums.as_buffer())


def pack(sums: Any) -> bytes:
    """Return sums as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, sums.schema) as writer:
        writer.write_batch(sums)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def unpack(content: Any) -> Any:
    """Return packed sums, which share the memory of `content`."""
    (sums,) = pa.ipc.open_stream(content)
    return sums
