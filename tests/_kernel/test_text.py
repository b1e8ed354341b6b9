"""The kernel's counter of terms: its scans, its workers, and the arrays and streams it is given."""

from functools import partial

import numpy as np
import pytest
from kernel_switch import needs_kernel
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer as Reference

from troenpy import CountVectorizer
from troenpy._kernel import native

TEXTS = ["late goal", "own goal", "late vote", "close vote"]


def vocabulary(counts):
    return native.columns_by_name(*counts.take_terms().pack())


@pytest.mark.parametrize("portable", [True, False])
@needs_kernel
def test_both_block_scans_know_every_byte(portable):
    texts = ["".join(chr((start + i) % 128) for i in range(200)) for start in range(128)]
    for analyzer in ("word", "char"):
        counter = native.TermCounter(
            analyzer=analyzer, lowercase=True, min_n=1, max_n=2, stop_words=[], n_threads=1, portable=portable
        )
        counter.add(texts)
        counts = counter.finish()
        reference = Reference(analyzer=analyzer, ngram_range=(1, 2)).fit(texts)
        assert vocabulary(counts) == reference.vocabulary_


@needs_kernel
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_rows_of_any_length_in_a_wide_vocabulary(n_jobs):
    # Large documents move from block to block, and so many columns are found by regions.
    rng = np.random.default_rng(0)
    sizes = [0, 1, 70_000, 3, 0, 150_000, *[40_000] * 12, 2, 300_000, 0]
    columns = [np.arange(600_000), *(rng.integers(0, 600_000, size) for size in sizes)]
    texts = [" ".join(map("{:06d}".format, part.tolist())) for part in columns]
    indptr = np.cumsum([0, *map(len, columns)])
    indices = np.concatenate(columns)
    expected = sparse.csr_array((np.ones(len(indices), np.int64), indices, indptr), shape=(len(texts), 600_000))
    expected.sum_duplicates()
    vectorizer = CountVectorizer(n_jobs=n_jobs)
    for X in (vectorizer.fit_transform(texts), vectorizer.transform(texts)):
        np.testing.assert_array_equal(X.indptr, expected.indptr)
        np.testing.assert_array_equal(X.indices, expected.indices)
        np.testing.assert_array_equal(X.data, expected.data)


@needs_kernel
@pytest.mark.parametrize("names", [np.empty(3, dtype=object), np.empty(2), np.empty((2, 2), dtype=object)[:, 0]])
def test_names_go_to_an_array_of_objects_only(names):
    with pytest.raises((ValueError, BufferError)):
        native.names_by_column({"a": 0, "b": 1}, names)


@needs_kernel
def test_a_capsule_is_read_once():
    pa = pytest.importorskip("pyarrow")
    capsule = pa.chunked_array([["ab"]]).__arrow_c_stream__()
    source = native.ArrowSource(capsule)
    assert len(source.read()) == 1
    assert source.read() is None
    with pytest.raises(ValueError, match="this Arrow data has been read before"):
        native.ArrowSource(capsule)


@needs_kernel
def test_a_source_is_read_in_parts_of_some_bytes():
    pa = pytest.importorskip("pyarrow")
    chunks = pa.chunked_array([["ab"], [None, ""], [], ["a", None, None], ["abc"] * 7], pa.string())
    source = native.ArrowSource(chunks.__arrow_c_stream__())
    assert source.columns is None
    parts = []
    while (part := source.read(4)) is not None:
        parts.append((part.to_list(), part.n_missing, part.first_missing))
    assert parts == [
        (["ab", None, ""], 1, [1]),
        (["a", None, None], 2, [1, 2]),
        (["abc"] * 7, 0, []),
    ]
    empty = native.ArrowSource(pa.chunked_array([], pa.string()).__arrow_c_stream__())
    assert [len(empty.read()), empty.read()] == [0, None]


@needs_kernel
def test_missing_and_binary_documents_are_not_counted_by_mistake(counter):
    pa = pytest.importorskip("pyarrow")
    texts = native.ArrowSource(*pa.array([None] * 7).cast(pa.string()).__arrow_c_array__()).read()
    assert (texts.n_missing, texts.first_missing) == (7, [0, 1, 2, 3, 4])
    with pytest.raises(ValueError, match="a document is missing"):
        counter(n_threads=1).add(texts)
    texts.fill_missing()
    assert (texts.n_missing, texts.first_missing, texts.to_list()) == (0, [], [""] * 7)
    counter(n_threads=1).add(texts)
    with pytest.raises(TypeError, match="documents must be str"):
        counter(n_threads=1).add(native.ArrowSource(*pa.array([b"ab"]).__arrow_c_array__()).read())


@pytest.fixture
def counter():
    settings = {"analyzer": "word", "lowercase": True, "min_n": 1, "max_n": 2, "stop_words": []}
    return partial(native.TermCounter, **settings)


@needs_kernel
def test_a_thousand_threads_for_two_documents_are_one_worker(counter):
    counts = counter(n_threads=1000)
    assert counts.n_workers == 0
    counts.add(TEXTS[:2])
    assert counts.n_workers == 1
    counts.add(TEXTS[2:])
    assert counts.n_workers == 1
    assert vocabulary(counts.finish()) == CountVectorizer(ngram_range=(1, 2)).fit(TEXTS).vocabulary_


@needs_kernel
def test_there_are_no_more_workers_than_chunks_or_threads(counter):
    chunk = [f"word{number} " * 600 for number in range(1000)]  # about 5 MB: chunks of 64 kB with many threads
    few, many = counter(n_threads=3), counter(n_threads=1000)
    few.add(chunk)
    assert few.n_workers == 3
    many.add(chunk)
    assert 3 < many.n_workers < 100
    many.add(TEXTS)
    expected = CountVectorizer(ngram_range=(1, 2)).fit([*chunk, *TEXTS]).vocabulary_
    assert many.n_workers < 100
    assert vocabulary(many.finish()) == expected
    few.add(TEXTS)
    rows = few.match(expected)
    assert (rows.n_documents, rows.n_columns) == (1004, len(expected))


@pytest.fixture
def counts(counter):
    counted = counter(n_threads=1)
    counted.add(TEXTS)  # each text is two words and their pair
    return counted.finish()


BAD_ROOM = {
    "indices too short": (np.empty(11, dtype=np.int32), np.empty(12)),
    "indices too long": (np.empty(13, dtype=np.int32), np.empty(12)),
    "data too short": (np.empty(12, dtype=np.int32), np.empty(11)),
    "data too long": (np.empty(12, dtype=np.int32), np.empty(13)),
    "both too short": (np.empty(11, dtype=np.int32), np.empty(11)),
    "both too long": (np.empty(13, dtype=np.int32), np.empty(13)),
    "nothing": (np.empty(0, dtype=np.int64), np.empty(0)),
}


@needs_kernel
@pytest.mark.parametrize(("indices", "data"), BAD_ROOM.values(), ids=BAD_ROOM)
def test_rows_are_written_to_arrays_of_their_size_only(counts, indices, data):
    message = f"room for 12 values, got {len(indices)} and {len(data)}: row_borders"
    with pytest.raises(ValueError, match=message):
        counts.write_rows(indices, data, False)


READ_ONLY = np.empty(12)
READ_ONLY.flags.writeable = False
BAD_ARRAYS = {
    "indices of floats": (np.empty(12), np.empty(12)),
    "indices of 16 bits": (np.empty(12, dtype=np.int16), np.empty(12)),
    "data of 16 bits": (np.empty(12, dtype=np.int32), np.empty(12, dtype=np.int16)),
    "data of objects": (np.empty(12, dtype=np.int32), np.empty(12, dtype=object)),
    "every other place": (np.empty(12, dtype=np.int32), np.empty(24)[::2]),
    "two dimensions": (np.empty(12, dtype=np.int32), np.empty((12, 1))),
    "read only": (np.empty(12, dtype=np.int32), READ_ONLY),
}


@needs_kernel
@pytest.mark.parametrize(("indices", "data"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_rows_are_written_to_plain_arrays_only(counts, indices, data):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        counts.write_rows(indices, data, False)


@needs_kernel
def test_rows_are_written_at_their_borders(counts):
    assert counts.row_borders().tolist() == [0, 3, 6, 9, 12]
    indices, data = np.full(14, -1, dtype=np.int32), np.full(14, -1.0)
    counts.write_rows(indices[1:-1], data[1:-1], False)
    names = sorted(vocabulary(counts))
    rows = [[names[column] for column in row] for row in indices[1:-1].reshape(4, 3)]
    assert rows == [sorted([*text.split(), text]) for text in TEXTS]
    assert (indices[[0, -1]] == -1).all()
    assert data.tolist() == [-1, *[1] * 12, -1]


@needs_kernel
def test_borders_follow_the_terms_that_are_kept(counts):
    assert counts.row_borders()[-1] == 12
    names = sorted({term for text in TEXTS for term in (*text.split(), text)})
    counts.keep(np.array([name == "goal" for name in names]))
    assert counts.row_borders().tolist() == [0, 1, 2, 2, 2]
    with pytest.raises(ValueError, match="room for 2 values, got 12 and 12"):
        counts.write_rows(np.empty(12, dtype=np.int32), np.empty(12), False)
    indices, data = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.float32)
    counts.write_rows(indices, data, True)
    assert (indices.tolist(), data.tolist()) == ([0, 0], [1, 1])


@needs_kernel
@pytest.mark.parametrize("n_threads", [1, 3])
def test_documents_that_could_not_be_counted_have_no_rows(counter, n_threads):
    pa = pytest.importorskip("pyarrow")
    broken = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    counted = counter(n_threads=n_threads)
    counted.add(TEXTS)
    with pytest.raises(ValueError, match="document 4 is not valid UTF-8"):
        counted.add(native.ArrowSource(*broken.__arrow_c_array__()).read())
    counts = counted.finish()
    assert (counts.n_documents, counts.row_borders().tolist()) == (4, [0, 3, 6, 9, 12])
