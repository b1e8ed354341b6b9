"""Predictions on Spark are those in memory."""

import numpy as np
import pytest

import troenpy
from troenpy import CountVectorizer, TextKNeighborsClassifier, TroenpyClassifier, settings
from troenpy import spark as on_spark


def predicted(model, df, **options):
    rows = on_spark.predict(model, df, **options).collect()
    by_text = {row["text"]: (row["prediction"], row["probability"]) for row in rows}
    assert len(by_text) == len(rows)
    return by_text


@pytest.mark.parametrize("kind", ["string", "int", "bool", "two classes", "neighbours", "sets"])
def test_predictions_equal_those_in_memory(df, texts_and_labels, kind):
    texts, labels = texts_and_labels
    y = {
        "int": [len(label) for label in labels],
        "bool": [label == "sport" for label in labels],
        "two classes": [str(label == "sport") for label in labels],
        "sets": np.array([[label == "sport", label != "science"] for label in labels]).astype(int),
    }.get(kind, labels)
    model = TextKNeighborsClassifier(n_neighbors=3) if kind == "neighbours" else TroenpyClassifier(C=1)
    model.fit(texts, y)
    found = predicted(model, df)
    expected = model.predict(texts)
    if kind == "sets":
        expected = [np.flatnonzero(row).tolist() for row in expected]
    for text, label, probabilities in zip(texts, expected, model.predict_proba(texts), strict=True):
        assert found[text][0] == label, text
        np.testing.assert_allclose(found[text][1], probabilities, rtol=1e-12)


def test_a_saved_model_and_other_columns(spark, texts_and_labels, tmp_path):
    model = settings.classifier("linear").fit(*texts_and_labels)
    troenpy.save(model, tmp_path / "model.safetensors")
    df = spark.createDataFrame([(1, "goal"), (2, "vote"), (3, "")], ["n", "a b"])
    found = on_spark.predict(tmp_path / "model.safetensors", df, text="a b", prediction="p", probability="q")
    assert found.columns == ["n", "a b", "p", "q"]
    assert [row.p for row in found.orderBy("n").collect()] == model.predict(["goal", "vote", ""]).tolist()


def test_mistakes(df, texts_and_labels):
    fitted = settings.classifier("linear").fit(*texts_and_labels)
    counts = CountVectorizer().fit_transform(texts_and_labels[0])
    of_counts = settings.classifier("linear", words="counts").fit(counts, texts_and_labels[1])
    cases = [
        (troenpy.TfPiVectorizer(), {}, TypeError, r"^model must be a TroenpyClassifier or a TextKNeighborsClassifier"),
        (TroenpyClassifier(), {}, ValueError, r"^the TroenpyClassifier is not fitted: call fit first$"),
        (of_counts, {}, TypeError, r"^the model was trained on a matrix of counts"),
        ("nowhere.safetensors", {}, FileNotFoundError, r"^file not found: nowhere"),
        (fitted, {"text": "body"}, ValueError, r"^text='body' names no column"),
        (fitted, {"prediction": "label"}, ValueError, r"^the DataFrame has a column 'label' already"),
        (fitted, {"prediction": "p", "probability": "p"}, ValueError, r"^prediction and probability must be names of"),
    ]
    for model, options, error, message in cases:
        with pytest.raises(error, match=message):
            on_spark.predict(model, df, **options)


def test_many_classes_are_predicted_in_parts(texts_and_labels, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    from troenpy.spark import row_features

    model = TroenpyClassifier(C=1).fit(*texts_and_labels)
    monkeypatch.setattr(row_features, "received", lambda *sent: model)
    batch = pa.RecordBatch.from_pydict({"text": texts_and_labels[0]})
    (whole,) = row_features.add_predictions(iter([batch]), ("name", None), "text", "p", "q")
    monkeypatch.setattr(row_features, "MOST_PROBABILITIES", 60)
    parts = list(row_features.add_predictions(iter([batch]), ("name", None), "text", "p", "q"))
    assert [part.num_rows for part in parts] == [20] * 15 + [6]
    assert pa.Table.from_batches(parts).combine_chunks() == pa.Table.from_batches([whole])
