"""Counts on a cluster are those in memory, bit for bit, whatever the partitions."""

import json
import os

import numpy as np
import pytest

from troenpy import ClassCounts, CountVectorizer, datasets
from troenpy import spark as on_spark


def in_memory(texts, y, weight=None, **options):
    counter = CountVectorizer(**options)
    X = counter.fit_transform(texts, y)
    return ClassCounts.from_matrix(X, y, sample_weight=weight, terms=counter.get_feature_names_out())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"analyzer": "text", "ngram_range": (1, 2)},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 4},
        {"min_df": 0.05, "max_df": 0.2},
        {"min_df": 2, "max_df": 60},
        {"min_class_df": 3},
        {"min_class_df": 0.1},
        {"min_df": 3, "min_class_df": 0.05, "max_features": 20, "ngram_range": (1, 2)},
        {"max_features": 9},
        {"vocabulary": ["vote", "not in any text", "goal"]},
        {"stop_words": ["goal", "vote"], "lowercase": False, "binary": True},
    ],
    ids=str,
)
def test_counts_equal_those_in_memory(df, texts_and_labels, options):
    found = on_spark.class_counts(df, counter=CountVectorizer(**options))
    expected = in_memory(*texts_and_labels, **options)
    if "max_features" in options:  # ties: see the next test
        assert len(found.terms) == options["max_features"]
        assert np.sort(found.term_docs)[-5:].tolist() == np.sort(expected.term_docs)[-5:].tolist()
    else:
        assert found == expected


def test_of_terms_with_equal_totals_max_features_keeps_the_first(spark):
    df = spark.createDataFrame([("b a c é e e", "x"), ("b a c é e", "y")], ["text", "label"])
    found = [
        on_spark.class_counts(df, counter=CountVectorizer(max_features=n, analyzer="text")).terms.tolist()
        for n in (1, 2, 3, 4, 9)
    ]
    assert found == [["e"], ["a", "e"], ["a", "b", "e"], ["a", "b", "c", "e"], ["a", "b", "c", "e", "é"]]


@pytest.mark.parametrize("n_partitions", [1, 7])
def test_counts_do_not_depend_on_partitions(df, texts_and_labels, n_partitions):
    assert on_spark.class_counts(df.repartition(n_partitions)) == in_memory(*texts_and_labels)


def test_skewed_and_empty_partitions(df, texts_and_labels):
    from pyspark.sql import functions

    skewed = df.repartition(5, functions.lit(1))
    sizes = sorted(
        row.n for row in skewed.groupBy(functions.spark_partition_id()).agg(functions.count("*").alias("n")).collect()
    )
    assert sizes == [306]
    assert on_spark.class_counts(skewed) == in_memory(*texts_and_labels)


def test_large_strings(spark, df, texts_and_labels):
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        assert on_spark.class_counts(df) == in_memory(*texts_and_labels)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_several_views_are_counted_in_one_pass(df, texts_and_labels):
    counters = {
        "words": CountVectorizer(min_df=2),
        "pieces": CountVectorizer(analyzer="char", ngram_range=(2, 2), min_class_df=0.2),
        "fixed": CountVectorizer(vocabulary=["goal"]),
    }
    found = on_spark.class_counts(df, counter=counters)
    assert list(found) == list(counters)
    for name, counter in counters.items():
        assert found[name] == in_memory(*texts_and_labels, **counter.get_params()), name


@pytest.mark.parametrize("kind", ["int", "tinyint", "boolean"])
def test_labels_of_other_types(df, texts_and_labels, kind):
    from pyspark.sql import functions

    texts, labels = texts_and_labels
    is_sport = np.array([label == "sport" for label in labels])
    cast = df.withColumn("label", (functions.col("label") == "sport").cast(kind))
    assert on_spark.class_counts(cast) == in_memory(texts, is_sport if kind == "boolean" else is_sport.astype(int))


def test_several_labels_for_a_document(spark):
    rows = [
        ("late goal", ["oil", "grain"]),
        ("own goal", []),
        ("late vote", ["oil"]),
        ("a b", ["</td>\x00", "oil", "oil"]),
    ]
    found = on_spark.class_counts(spark.createDataFrame(rows, "text string, label array<string>").repartition(3))
    assert found.classes.tolist() == ["</td>\x00", "grain", "oil"]
    assert (found.n_documents, found.n_docs.tolist()) == (4, [1, 1, 3])
    assert found.terms.tolist() == ["goal", "late", "own", "vote"]
    assert found.term_docs.tolist() == [2, 2, 1, 1]
    assert found.doc_freq.toarray().tolist() == [[0, 0, 0, 0], [1, 1, 0, 0], [1, 2, 0, 1]]


@pytest.mark.parametrize("options", [{}, {"min_df": 3, "min_class_df": 4}, {"vocabulary": ["goal", "vote"]}], ids=str)
def test_weights(spark, texts_and_labels, options):
    texts, labels = texts_and_labels
    weights = (np.arange(len(texts)) % 4 * 0.3).tolist()
    df = spark.createDataFrame(list(zip(texts, labels, weights, strict=True)), ["text", "label", "w"])
    found = on_spark.class_counts(df, weight="w", counter=CountVectorizer(**options))
    counter = CountVectorizer(**options)
    X = counter.fit_transform(texts, labels)
    expected = ClassCounts.from_matrix(X, labels, sample_weight=weights, terms=counter.get_feature_names_out())
    assert found.terms.tolist() == expected.terms.tolist()
    assert found.is_weighted
    np.testing.assert_allclose(found.term_docs, expected.term_docs, rtol=1e-12)
    np.testing.assert_allclose(found.doc_freq.toarray(), expected.doc_freq.toarray(), rtol=1e-12)
    np.testing.assert_allclose([found.n_documents, *found.n_docs], [expected.n_documents, *expected.n_docs])


def test_other_names_of_columns(spark):
    df = spark.createDataFrame([("late goal", "x", 2), ("own goal", "y", 1)], ["a.b", "c`d", "e f"])
    assert on_spark.class_counts(df, text="a.b", label="c`d", weight="e f").term_docs.tolist() == [3.0, 2.0, 1.0]


def test_nulls_are_an_error_or_empty_texts(spark):
    df = spark.createDataFrame([("late goal", "x"), (None, "y"), ("own goal", "y")], "text string, label string")
    with pytest.raises(ValueError, match=r"^a text is missing \(null\): drop such rows, fill them with '', or"):
        on_spark.class_counts(df)
    found = on_spark.class_counts(df, counter=CountVectorizer(nulls="empty"))
    assert (found.n_documents, found.n_docs.tolist(), found.term_docs.tolist()) == (3, [1, 2], [2, 1, 1])


@pytest.mark.parametrize(
    ("rows", "types", "message"),
    [
        ([("a", None)], "text string, label string", r"^a label is missing \(null\): drop such rows"),
        ([("a", None)], "text string, label array<string>", "^a label is missing"),
        ([("a", ["x", None])], "text string, label array<string>", "^a label is missing"),
        ([("a", 1, None)], "text string, label int, w double", r"^a weight is missing \(null\)"),
        ([("a", 1, -1.0)], "text string, label int, w double", "^sample_weight must be 0 or between"),
        ([], "text string, label int", "^there is no document in the DataFrame$"),
    ],
)
def test_wrong_rows(spark, rows, types, message):
    with pytest.raises(ValueError, match=message):
        on_spark.class_counts(spark.createDataFrame(rows, types), weight="w" if "w double" in types else None)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"text": "words"},
            ValueError,
            "^text='words' names no column of the DataFrame: it has 'id', 'text'",
        ),
        ({"label": "kind"}, ValueError, "^label='kind' names no column"),
        ({"weight": "w"}, ValueError, "^weight='w' names no column"),
        ({"text": None}, TypeError, "^text must be the name of a column, got None"),
        ({"text": "id"}, TypeError, "^text must be a column of strings, but 'id' is bigint: cast it, e.g. "),
        ({"label": "s"}, TypeError, "^label must be a column of strings.*'s' is double: bin it into classes"),
        ({"label": "d"}, TypeError, "^label must be a column of strings.*'d' is date: cast it to 'string'"),
        ({"weight": "text"}, TypeError, "^weight must be a column of numbers, but 'text' is string"),
        ({"label": "twice"}, ValueError, "^label='twice' names 2 columns"),
        ({"counter": "words"}, TypeError, "^counter must be a CountVectorizer, got str"),
        ({"counter": {}}, ValueError, "^counter must name at least one CountVectorizer"),
        ({"counter": CountVectorizer(max_terms=9)}, ValueError, "^max_terms cannot be used on Spark"),
        ({"counter": CountVectorizer(input="filename")}, ValueError, "^input='filename' cannot be used on Spark"),
        (
            {"counter": CountVectorizer(tokenizer=str.split, token_pattern=None)},
            TypeError,
            "^tokenizer of CountVectorizer is a function",
        ),
        ({"counter": CountVectorizer(max_features=0)}, ValueError, "^max_features must be"),
        ({"counter": CountVectorizer(min_df=-1)}, ValueError, "min_df"),
    ],
    ids=str,
)
def test_mistakes_are_found_on_the_driver_before_a_job_starts(spark, options, error, message):
    df = spark.createDataFrame(
        [(1, "a", "x", 0.5, None, 1, 2)],
        "id long, text string, label string, s double, d date, twice int, twice int",
    )
    with pytest.raises(error, match=message):
        on_spark.class_counts(df, **options)
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []


def test_something_else_than_a_data_frame():
    with pytest.raises(TypeError, match=r"^df must be a Spark DataFrame, got list"):
        on_spark.class_counts([("a", "b")])


def test_a_document_of_100_megabytes(spark):
    from pyspark.sql import functions

    df = spark.range(3).select(
        functions.when(functions.col("id") == 1, functions.expr("repeat('late goal ', 10000000 * id)"))
        .otherwise("own goal")
        .alias("text"),
        functions.col("id").alias("label"),
    )
    found = on_spark.class_counts(df)
    assert (found.terms.tolist(), found.term_docs.tolist()) == (["goal", "late", "own"], [3, 1, 2])


@pytest.mark.full_corpus
@pytest.mark.skipif(not os.environ.get("TROENPY_DATA"), reason="TROENPY_DATA names no folder of corpora")
@pytest.mark.parametrize("name", ["r8", "20news"])
def test_counts_of_a_corpus(spark, name, tmp_path):
    corpus = datasets.load(name)
    path = tmp_path / "corpus.jsonl"
    rows = zip(corpus.texts, corpus.labels.tolist(), strict=True)
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
    df = spark.read.schema("text string, label string").json(str(path)).repartition(3)
    counters = {"words": CountVectorizer(), "pairs": CountVectorizer(ngram_range=(1, 2), min_df=3, min_class_df=0.01)}
    found = on_spark.class_counts(df, counter=counters)
    for view, counter in counters.items():
        assert found[view] == in_memory(corpus.texts, corpus.labels, **counter.get_params()), view
