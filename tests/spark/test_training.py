"""A classifier trained by Spark's LogisticRegression is the one that we train in memory."""

import os

import numpy as np
import pytest
from made_up_texts import made_up_texts

import troenpy
from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier, datasets, settings
from troenpy import spark as on_spark

FEATURES = TermFeatures([("words", CountVectorizer(), ("certainty", "profile"))])


@pytest.mark.parametrize("kind", ["two classes", "weights"])
def test_coefficients_are_those_in_memory(spark, kind, tmp_path):
    texts, labels = made_up_texts(30, seed=7, n_shared=4, n_words=3, n_own=1)
    y = (labels == "sport").tolist() if kind == "two classes" else labels.tolist()
    weights = [1.0 + (i % 3 if kind == "weights" else 0) for i in range(len(texts))]
    df = spark.createDataFrame(list(zip(texts, y, weights, strict=True)), ["text", "label", "w"]).coalesce(1)
    expected = TroenpyClassifier(FEATURES, C=0.3, tol=1e-6).fit(texts, y, weights)
    found = on_spark.train(df, features=FEATURES, C=0.3, weight="w" if kind == "weights" else None)
    assert found.classes_.tolist() == expected.classes_.tolist()
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=5e-3)
    np.testing.assert_allclose(found.predict_proba(texts), expected.predict_proba(texts), atol=1e-3)
    troenpy.save(found, tmp_path / "model")
    assert troenpy.load(tmp_path / "model").predict(texts).tolist() == found.predict(texts).tolist()
    assert found.explain(texts[0]).label == found.predict(texts[:1])[0]


def test_mistakes(spark, df):
    sets = spark.createDataFrame([("a", ["x"])], "text string, label array<string>")
    for frame, options, error, message in [
        (df, {"C": 0}, ValueError, "^C must be"),
        (df, {"max_iter": 0}, ValueError, "^max_iter must be"),
        (df, {"features": CountVectorizer()}, TypeError, "^features must be TermFeatures, got CountVectorizer$"),
        (sets, {}, TypeError, "^train takes one label for each document, but 'label' is a column of arrays$"),
        (df, {"label": "kind"}, ValueError, "^label='kind' names no column"),
    ]:
        with pytest.raises(error, match=message):
            on_spark.train(frame, **options)


@pytest.mark.full_corpus
@pytest.mark.skipif(not os.environ.get("TROENPY_DATA"), reason="TROENPY_DATA names no folder of corpora")
def test_the_error_on_r8_after_50_iterations(spark):
    corpus = datasets.load("r8")
    is_train = corpus.split == "train"
    texts, labels = np.array(corpus.texts, dtype=object), corpus.labels
    rows = zip(texts[is_train].tolist(), labels[is_train].tolist(), strict=True)
    df = spark.createDataFrame(list(rows), ["text", "label"]).repartition(2).cache()
    found = on_spark.train(df, max_iter=50)
    expected = settings.classifier("linear", C=3).fit(texts[is_train], labels[is_train])
    errors = [100 * np.mean(model.predict(texts[~is_train]) != labels[~is_train]) for model in (found, expected)]
    assert errors[0] < errors[1] + 3  # it converges slowly: see docs/spark.md
