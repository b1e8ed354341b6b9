"""The kernel's counter of terms: its scans, its workers, and the arrays and streams it is given."""

from functools import partial

import numpy as np
import pytest
from kernel_switch import needs_kernel
from sklearn.feature_extraction.text import CountVectorizer as Reference

from troenpy import CountVectorizer
from troenpy._kernel import native

TEXTS = ["late goal", "own goal", "late vote", "close vote"]


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
        assert counts.vocabulary() == reference.vocabulary_


@needs_kernel
@pytest.mark.parametrize("names", [np.empty(3, dtype=object), np.empty(2), np.empty((2, 2), dtype=object)[:, 0]])
def test_names_go_to_an_array_of_objects_only(names):
    with pytest.raises((ValueError, BufferError)):
        native.names_by_column({"a": 0, "b": 1}, names)


@needs_kernel
def test_a_capsule_is_read_once():
    pa = pytest.importorskip("pyarrow")
    capsule = pa.chunked_array([["ab"]]).__arrow_c_stream__()
    assert len(native.ArrowTexts.from_stream(capsule)) == 1
    with pytest.raises(ValueError, match="this Arrow data has been read before"):
        native.ArrowTexts.from_stream(capsule)


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
    assert counts.finish().vocabulary() == CountVectorizer(ngram_range=(1, 2)).fit(TEXTS).vocabulary_


@needs_kernel
def test_there_are_no_more_workers_than_chunks_or_threads(counter):
    chunk = [f"word{number} " * 600 for number in range(1000)]  # about 6 MB: at least ten chunks
    few, many = counter(n_threads=3), counter(n_threads=1000)
    few.add(chunk)
    assert few.n_workers == 3
    many.add(chunk)
    assert 3 < many.n_workers < 20
    many.add(TEXTS)
    expected = CountVectorizer(ngram_range=(1, 2)).fit([*chunk, *TEXTS]).vocabulary_
    assert many.n_workers < 20
    assert many.finish().vocabulary() == expected
    few.add(TEXTS)
    rows = few.match(expected)
    assert (rows.n_documents, rows.n_columns) == (1004, len(expected))
