"""What an executor does with a partition, in this process: its sums add to the counts, in bounded pieces."""

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")

from troenpy import ClassCounts, CountVectorizer  # noqa: E402
from troenpy.spark import partition_counts  # noqa: E402
from troenpy.spark.local_files import to_bytes  # noqa: E402


def batches(texts, labels, n_batches=5):
    step = -(-len(texts) // n_batches)
    for first in range(0, len(texts), step):
        part = slice(first, first + step)
        yield pa.RecordBatch.from_pydict({"text": texts[part], "label": labels[part]})


def sums(texts, labels, **options):
    counters = [to_bytes(CountVectorizer(ngram_range=(1, 2)))]
    return list(partition_counts.count_partition(batches(texts, labels), counters, "string", **options))


def total(found):
    table = pa.Table.from_batches(found)
    rows = table.group_by(["term", "class"]).aggregate([("documents", "sum")]).to_pylist()
    return {(row["term"], row["class"]): row["documents_sum"] for row in rows}


def test_a_tally_with_many_terms_is_written_out_and_begun_again(texts_and_labels):
    whole, pieces = sums(*texts_and_labels), sums(*texts_and_labels, most_terms=100)
    n_totals = [sum(batch["term"].null_count for batch in found) for found in (whole, pieces)]
    assert n_totals == [4, 12]  # three classes and the totals; the kernel notices after the next batch
    assert total(pieces) == total(whole)


def test_batches_are_of_bounded_rows_and_bytes(texts_and_labels, monkeypatch):
    whole = total(sums(*texts_and_labels))
    monkeypatch.setattr(partition_counts, "ROWS_PER_BATCH", 50)
    monkeypatch.setattr(partition_counts, "BYTES_PER_BATCH", 200)
    found = sums(*texts_and_labels)
    assert max(batch.num_rows for batch in found) <= 50
    sizes = [sum(len(term) for term in batch["term"].to_pylist() if term) for batch in found if batch.num_rows > 1]
    assert 100 < max(sizes) <= 200
    assert total(found) == whole


def test_a_batch_without_rows_is_passed_over():
    empty = pa.RecordBatch.from_pydict({"text": pa.array([], pa.string()), "label": pa.array([], pa.string())})
    assert list(partition_counts.count_partition(iter([empty]), [to_bytes(CountVectorizer())], "string")) == []


def test_the_sums_of_one_document():
    (totals, sizes, terms, cells) = partition_counts.count_partition(
        batches(["goal goal own"], ["sport"], 1), [to_bytes(CountVectorizer())], "string"
    )
    assert totals.to_pylist() == [
        {"view": 0, "term": None, "class": None, "documents": 1, "frequency": 1, "occurrences": 3.0}
    ]
    assert sizes["class"].to_pylist() == ["sport"]
    assert terms.select(["term", "documents", "frequency", "occurrences"]).to_pylist() == [
        {"term": b"goal", "documents": 1, "frequency": 1, "occurrences": 2.0},
        {"term": b"own", "documents": 1, "frequency": 1, "occurrences": 1.0},
    ]
    assert cells.select(["term", "class", "documents"]).to_pylist() == [
        {"term": b"goal", "class": "sport", "documents": 1},
        {"term": b"own", "class": "sport", "documents": 1},
    ]


def test_the_twin_counts_the_same(texts_and_labels, without_kernel):
    texts, labels = texts_and_labels
    counter = CountVectorizer(ngram_range=(1, 2))
    X = counter.fit_transform(texts)
    expected = ClassCounts.from_matrix(X, labels, terms=counter.get_feature_names_out())
    found = total(sums(texts, labels, most_terms=100))
    by_term = {term.decode(): n for (term, of_class), n in found.items() if term is not None and of_class is None}
    assert by_term == dict(zip(expected.terms, expected.term_docs.tolist(), strict=True))
