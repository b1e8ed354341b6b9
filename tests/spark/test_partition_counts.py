"""What an executor does with a partition, in this process: its sums add to the counts, in bounded pieces."""

from collections import Counter

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")

import pyarrow.compute as pc  # noqa: E402
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from troenpy import ClassCounts, CountVectorizer  # noqa: E402
from troenpy.features.term_list import TermList  # noqa: E402
from troenpy.spark import sums  # noqa: E402
from troenpy.spark.local_files import to_bytes  # noqa: E402
from troenpy.spark.partition_counts import add_partition, count_partition  # noqa: E402
from troenpy.spark.sums import TOTALS, add, add_in_turn, buckets_of, from_rows, pack, parts_of, unpack  # noqa: E402


def batches(texts, labels, n_batches=5):
    step = -(-len(texts) // n_batches)
    for first in range(0, len(texts), step):
        part = slice(first, first + step)
        yield pa.RecordBatch.from_pydict({"text": texts[part], "label": labels[part]})


def counted(texts, labels, n_buckets=4, **options):
    counters = [to_bytes(CountVectorizer(ngram_range=(1, 2)))]
    return list(count_partition(batches(texts, labels), counters, "string", n_buckets, **options))


def plain(batch):
    """Return the documents by term and class, and those of a term by (term, None)."""
    found = Counter()
    for row in batch.to_pylist():
        found[row["term"], None] += row["documents"]
        found.update({(row["term"], cell["class"]): cell["documents"] for cell in row["classes"]})
    return found


def total(rows):
    return sum((plain(sums) for _, _, sums in from_rows(rows)), start=Counter())


def test_a_tally_with_many_terms_is_written_out_and_begun_again(texts_and_labels):
    whole, pieces = counted(*texts_and_labels), counted(*texts_and_labels, most_terms=100)
    n_totals = [sum(bucket == TOTALS for _, bucket, _ in from_rows(found)) for found in (whole, pieces)]
    assert n_totals == [1, 3]  # the kernel notices after the next batch
    assert total(pieces) == total(whole)


def test_parts_and_batches_are_of_bounded_bytes(texts_and_labels, monkeypatch):
    whole = total(counted(*texts_and_labels))
    monkeypatch.setattr(sums, "BYTES_PER_PART", 3000)
    found = counted(*texts_and_labels)
    assert len(found) > 10
    assert total(found) == whole
    sizes = [part.nbytes for _, _, part in from_rows(found) if part.num_rows > 1]
    assert 2000 < max(sizes) < 4000
    assert max(len(batch) for batch in found) == 1 or max(batch.nbytes for batch in found) < 10_000


def test_a_tally_with_many_pairs_of_a_term_and_a_class_is_written_out_too():
    words = " ".join(f"word{i}" for i in range(5000))
    texts, labels = [words] * 500, [f"class {i}" for i in range(500)]  # the kernel gathers two million pairs first
    counter = [to_bytes(CountVectorizer())]
    found = list(from_rows(count_partition(batches(texts, labels, 50), counter, "string", 1, most_terms=100_000)))
    assert sum(bucket == TOTALS for _, bucket, _ in found) == 2
    n_pairs = sum(pc.sum(part["documents"]).as_py() for _, bucket, part in found if bucket != TOTALS)
    assert n_pairs == 500 * 5000


def test_a_part_has_only_its_own_classes(without_kernel):
    texts, labels = [f"word{i} again" for i in range(400)], [f"class {i:03}" for i in range(400)]
    parts = list(from_rows(counted(texts, labels, n_buckets=50)))
    for _, bucket, part in parts:
        named = part["classes"].flatten().field("class")
        assert len(named.dictionary) == len(set(named.to_pylist())), bucket
    n_classes = sorted(len(part["classes"].values.field("class").dictionary) for _, _, part in parts)
    assert n_classes[len(n_classes) // 2] < 20
    assert n_classes[-1] == 400  # all documents


def test_a_class_whose_documents_weigh_nothing_is_kept():
    rows = {"text": ["a goal", "a vote"], "label": ["sport", "politics"], "weight": [2.0, 0.0]}
    found = list(count_partition(iter([pa.RecordBatch.from_pydict(rows)]), [to_bytes(CountVectorizer())], "string", 1))
    (added,) = [part for _, bucket, part in from_rows(add_partition(iter(found))) if bucket == TOTALS]
    assert added["classes"].to_pylist() == [
        [{"class": "politics", "documents": 0.0}, {"class": "sport", "documents": 2.0}]
    ]


def test_a_batch_without_rows_is_passed_over():
    empty = pa.RecordBatch.from_pydict({"text": pa.array([], pa.string()), "label": pa.array([], pa.string())})
    assert list(count_partition(iter([empty]), [to_bytes(CountVectorizer())], "string", 2)) == []


def test_the_sums_of_one_document():
    (rows,) = count_partition(batches(["goal goal own"], ["sport"], 1), [to_bytes(CountVectorizer())], "string", 1)
    assert rows["place"].to_pylist() == [0, 1]
    (view, bucket, totals), (_, other, terms) = from_rows([rows])
    assert (view, bucket, other) == (0, TOTALS, 0)
    classes = [{"class": "sport", "documents": 1}]
    assert totals.to_pylist() == [
        {"term": None, "documents": 1, "frequency": 1, "occurrences": 3.0, "classes": classes}
    ]
    assert terms.to_pylist() == [
        {"term": b"goal", "documents": 1, "frequency": 1, "occurrences": 2.0, "classes": classes},
        {"term": b"own", "documents": 1, "frequency": 1, "occurrences": 1.0, "classes": classes},
    ]


def test_a_term_is_in_one_bucket_whatever_the_partition(texts_and_labels):
    texts, labels = texts_and_labels
    bucket_of = {}
    for part in (slice(0, 100), slice(100, None)):
        for _, bucket, found in from_rows(counted(texts[part], labels[part], n_buckets=7)):
            for term in found["term"].to_pylist():
                assert bucket_of.setdefault(term, bucket) == bucket
    sizes = Counter(bucket_of.values())
    assert set(sizes) == {TOTALS, *range(7)}
    assert max(sizes.values()) < 1.3 * len(bucket_of) / 7


def test_partitions_are_added_by_bucket(texts_and_labels):
    texts, labels = texts_and_labels
    rows = [*counted(texts[:100], labels[:100]), *counted(texts[100:], labels[100:], most_terms=100)]
    table = pa.Table.from_batches(rows).sort_by([("view", "ascending"), ("bucket", "ascending")])
    found = list(add_partition(iter(table.to_batches(max_chunksize=3))))
    keys = [(view, bucket) for view, bucket, _ in from_rows(found)]
    assert keys == [(0, bucket) for bucket in (TOTALS, 0, 1, 2, 3)]
    assert total(found) == total(counted(texts, labels))


documents = st.lists(
    st.tuples(st.lists(st.text("abcé", min_size=1, max_size=3), max_size=5), st.sampled_from(["x", "y", "z\x00"])),
    min_size=1,
    max_size=8,
)


def batch_of(rows):
    """Return sums as a batch, by plain Python."""
    classes = sorted({label for _, label in rows})
    terms = sorted({term for words, _ in rows for term in words})
    cells = np.array([[sum(t in words and c == label for words, label in rows) for t in terms] for c in classes])
    from scipy import sparse

    in_all = cells.sum(axis=0)
    named = pa.array([term.encode() for term in terms], pa.large_binary())
    numbers = in_all, in_all, in_all.astype(float)
    return sums.to_batch(named, pa.array(classes), numbers, sparse.csc_array(cells.reshape(len(classes), len(terms))))


@given(st.lists(documents, min_size=1, max_size=5))
def test_sums_add_as_the_documents_do(parts):
    found = add([unpack(pack(batch_of(part))) for part in parts])
    assert len(set(found["term"].to_pylist())) == found.num_rows
    assert +plain(found) == +plain(batch_of([row for part in parts for row in part]))


@given(documents, st.integers(1, 200))
def test_parts_are_the_whole(rows, n_bytes):
    batch = batch_of(rows)
    before, sums.BYTES_PER_PART = sums.BYTES_PER_PART, n_bytes
    try:
        found = [unpack(pack(part)) for part in parts_of(batch)]
    finally:
        sums.BYTES_PER_PART = before
    assert [row for part in found for row in part.to_pylist()] == batch.to_pylist()


def test_sums_are_added_while_they_come(texts_and_labels, monkeypatch):
    monkeypatch.setattr(sums, "BYTES_TO_ADD", 5000)
    added = []
    monkeypatch.setattr(sums, "add", lambda parts: added.append(len(parts)) or add(parts))
    texts, labels = texts_and_labels
    rows = [row for i in range(0, 300, 10) for row in counted(texts[i : i + 10], labels[i : i + 10], n_buckets=1)]
    of_terms = [part for _, bucket, part in from_rows(rows) if bucket != TOTALS]
    found = add_in_turn(of_terms)
    assert len(added) > 3
    assert plain(found) == plain(add(of_terms))


@given(st.lists(st.text(max_size=20)), st.integers(1, 50))
def test_buckets_are_below_their_number(terms, n_buckets):
    packed = TermList.of(terms)
    found = buckets_of(packed.text, packed.ends, n_buckets)
    assert len(found) == len(terms)
    assert set(found.tolist()) <= set(range(n_buckets))
    for term, bucket in zip(terms, found, strict=True):
        one = TermList.of([term])
        assert buckets_of(one.text, one.ends, n_buckets).tolist() == [bucket]


@pytest.mark.parametrize("form", ["https://www.example.org/{:07}/index.html", "reuters {:05} limited company", "{}"])
@pytest.mark.parametrize("n_buckets", [8, 200])
def test_terms_of_one_form_are_spread(form, n_buckets):
    packed = TermList.of([form.format(i) for i in range(20_000)])
    sizes = np.bincount(buckets_of(packed.text, packed.ends, n_buckets), minlength=n_buckets)
    assert sizes.max() < 2 * 20_000 / n_buckets


def test_the_twin_counts_the_same(texts_and_labels, without_kernel):
    texts, labels = texts_and_labels
    counter = CountVectorizer(ngram_range=(1, 2))
    X = counter.fit_transform(texts)
    expected = ClassCounts.from_matrix(X, labels, terms=counter.get_feature_names_out())
    found = total(counted(texts, labels, most_terms=100))
    by_term = {term.decode(): n for (term, of_class), n in found.items() if term is not None and of_class is None}
    assert by_term == dict(zip(expected.terms, expected.term_docs.tolist(), strict=True))
