"""save and load: the same model again, the same bytes for equal models, and nothing that can run."""

import json
import os
import pickle

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from sklearn.model_selection import KFold

from troenpy import (
    CountVectorizer,
    TermFeatures,
    TermWeighter,
    TfPiVectorizer,
    TroenpyClassifier,
    load,
    persistence,
    save,
)

TEXTS = ["late goal", "own goal, the cup", "late vote", "the vote, élan", "a close vote", "cup \ud800 final"]
LABELS = ["sport", "sport", "politics", "politics", "politics", "sport"]
COUNTS = np.array([[1, 0, 2], [2, 1, 0], [0, 1, 1], [0, 2, 0], [1, 1, 1], [3, 0, 0]])
FRAME = pd.DataFrame(COUNTS, columns=["goal", "vote", "the"])

MODELS = {
    "counter": (lambda: CountVectorizer(ngram_range=(1, 2), stop_words=["the"]).fit(TEXTS), TEXTS),
    "counter with a vocabulary": (lambda: CountVectorizer(vocabulary=["vote", "goal"]).fit(TEXTS), TEXTS),
    "counter in float32": (lambda: CountVectorizer(stop_words="english", dtype=np.float32).fit(TEXTS), TEXTS),
    "weighter": (lambda: TermWeighter("sqrt(pcf_present)*idf", tf="bm25").fit(COUNTS, LABELS), COUNTS),
    "weighter on a frame": (lambda: TermWeighter(norm="hellinger").fit(FRAME, LABELS), FRAME),
    "weighted weighter": (lambda: TermWeighter().fit(COUNTS, LABELS, sample_weight=np.arange(6) / 4 + 0.5), COUNTS),
    "vectorizer": (lambda: TfPiVectorizer(min_df=2, max_df=0.9, smoothing=0.5, cv=2).fit(TEXTS, LABELS), TEXTS),
    "vectorizer in batches": (
        lambda: TfPiVectorizer(tf="bm25").partial_fit(TEXTS[:2], LABELS[:2]).partial_fit(TEXTS[2:], LABELS[2:]),
        TEXTS,
    ),
    "features": (lambda: TermFeatures(("pi", "btf"), pcf=True).fit(TEXTS, LABELS), TEXTS),
    "features of counts": (lambda: TermFeatures(("btf", "ecib_abs"), input="counts").fit(FRAME, LABELS), FRAME),
    "classifier": (lambda: TroenpyClassifier(C=2.0, class_weight={"sport": 2}).fit(TEXTS, LABELS), TEXTS),
    "classifier of numbers": (
        lambda: TroenpyClassifier(TermFeatures(("pi",), analyzer="char", ngram_range=(1, 3))).fit(
            TEXTS, [1, 1, 2, 2, 3, 3]
        ),
        TEXTS,
    ),
    "classifier of several labels": (
        lambda: TroenpyClassifier(TermFeatures(("btf",))).fit(
            TEXTS, [[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]]
        ),
        TEXTS,
    ),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def outcome(model, documents):
    if hasattr(model, "predict"):
        return model.decision_function(documents), model.predict(documents)
    result = model.transform(documents)
    return (result if isinstance(result, np.ndarray) else result.toarray(),)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_the_same(path, name):
    make, documents = MODELS[name]
    model = make()
    save(model, path)
    again = load(path)
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    for ours, theirs in zip(outcome(model, documents), outcome(again, documents), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    if hasattr(model, "get_feature_names_out"):
        assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    if hasattr(model, "counts_"):
        assert again.counts_ == model.counts_


@pytest.mark.parametrize("name", MODELS)
def test_equal_models_give_equal_bytes(path, name):
    make, _ = MODELS[name]
    save(make(), path)
    first = path.read_bytes()
    save(make(), path)
    assert path.read_bytes() == first
    save(load(path), path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "model", [CountVectorizer(), TermWeighter(), TfPiVectorizer(), TermFeatures(), TroenpyClassifier()]
)
def test_an_unfitted_model_comes_back_unfitted(path, model):
    save(model, path)
    again = load(path)
    assert repr(again.get_params()) == repr(model.get_params())
    assert not hasattr(again, "weights_")


def test_batches_go_on_after_loading(path):
    parts = TfPiVectorizer(min_df=2).partial_fit(TEXTS[:3], LABELS[:3])
    save(parts, path)
    again = load(path).partial_fit(TEXTS[3:], LABELS[3:])
    whole = TfPiVectorizer(min_df=2).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), whole.transform(TEXTS).toarray())


def test_an_explanation_is_the_same_after_loading(path):
    model = MODELS["classifier"][0]()
    save(model, path)
    assert str(load(path).explain("a late goal")) == str(model.explain("a late goal"))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TermWeighter(lambda counts: counts.term_docs), "scheme of TermWeighter is a function, which cannot be saved"),
        (CountVectorizer(tokenizer=str.split), "tokenizer of CountVectorizer is a function"),
        (TroenpyClassifier(TermFeatures(preprocessor=str.upper)), "preprocessor of TermFeatures is a function"),
        (TfPiVectorizer(cv=KFold(3)), "cv of TfPiVectorizer is a KFold, which cannot be saved"),
        (TermWeighter(random_state=np.random.RandomState(0)), "random_state of TermWeighter is a RandomState"),
        (KFold(3), "save takes one of CountVectorizer, .* got KFold: use pickle"),
    ],
)
def test_what_cannot_be_saved_says_so(path, model, message):
    with pytest.raises(TypeError, match=message):
        save(model, path)
    assert not path.exists()


def test_a_subclass_is_not_saved_as_its_parent(path):
    class TermWeighter2(TermWeighter):
        pass

    TermWeighter2.__name__ = "TermWeighter"
    with pytest.raises(TypeError, match="save takes one of"):
        save(TermWeighter2(), path)


# Files that others made.


def header_of(path):
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["troenpy"])


def rewrite(path, header=None, arrays=None):
    header, arrays = header or header_of(path), arrays or load_file(path)
    save_file(arrays, path, metadata={"troenpy": json.dumps(header)})


@pytest.fixture
def saved(path):
    save(MODELS["classifier"][0](), path)
    return path


def test_a_newer_format_says_to_upgrade(saved):
    rewrite(saved, header={**header_of(saved), "version": 99})
    with pytest.raises(ValueError, match="has format version 99, this troenpy reads up to 1: upgrade it"):
        load(saved)


@pytest.mark.parametrize("name", ["os.system", "Pipeline", "object", "TermWeighterr"])
def test_only_classes_of_the_table_are_built(saved, name):
    header = header_of(saved)
    header["state"]["class"] = name
    rewrite(saved, header=header)
    with pytest.raises(ValueError, match=f"it names the class '{name}'; known are CountVectorizer"):
        load(saved)


def test_tampered_files_are_errors_and_never_run_anything(saved, tmp_path):
    good_header, good = header_of(saved), load_file(saved)
    marker = tmp_path / "ran"
    changes = [
        {"coef": good["coef"][:, :-1]},
        {"coef": np.full_like(good["coef"], np.nan)},
        {"features.weights": good["features.weights"][:1]},
        {"features.counts.indices": good["features.counts.indices"] + 1000},
        {"features.counts.data": -good["features.counts.data"]},
        {"features.counter.terms_lengths": good["features.counter.terms_lengths"] + 1},
        {"classes_lengths": good["classes_lengths"][:-1]},
    ]
    for change in changes:
        rewrite(saved, header=good_header, arrays={**good, **change})
        with pytest.raises(ValueError, match="does not hold a sound model"):
            load(saved)
    for name in ("coef", "features.weights", "features.counts.n_docs"):
        rewrite(saved, header=good_header, arrays={key: array for key, array in good.items() if key != name})
        with pytest.raises(ValueError, match="is missing"):
            load(saved)
    bad_parameters = [
        {"C": {"__reduce__": [f"touch {marker}"]}},
        {"C": {"estimator": {"class": "os.system", "parameters": {}}}},
        {"unknown": 1},
        {"tol": {"dtype": "object()"}},
        {"C": {"float": "1", "list": []}},
    ]
    for change in bad_parameters:
        header = json.loads(json.dumps(good_header))
        header["state"]["parameters"] |= change
        rewrite(saved, header=header, arrays=good)
        with pytest.raises(ValueError, match="does not hold a sound model"):
            load(saved)
    assert not marker.exists()


def test_damaged_foreign_and_missing_files(saved, tmp_path):
    content = saved.read_bytes()
    for damaged in (content[:-10], content[:100], b"", b"\xff" * 64, (2**62).to_bytes(8, "little") + content[8:]):
        saved.write_bytes(damaged)
        with pytest.raises(ValueError, match="is damaged or not a safetensors file"):
            load(saved)
    saved.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ValueError, match="is damaged or not a safetensors file"):
        load(saved)
    TermWeighter().fit(COUNTS, LABELS).counts_.save(saved)
    with pytest.raises(ValueError, match="does not hold model but ClassCounts"):
        load(saved)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(tmp_path / "nothing")


def test_a_failed_write_leaves_the_old_file_and_no_litter(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(MODELS["vectorizer"][0](), saved)
    assert saved.read_bytes() == before
    assert [file.name for file in saved.parent.iterdir()] == [saved.name]


def test_a_fitted_model_holds_no_discarded_terms_and_no_documents(path):
    texts = [*TEXTS, "discardedterm goal"]
    model = TfPiVectorizer(min_df=2).fit(texts, [*LABELS, "sport"])
    save(model, path)
    assert b"discardedterm" not in path.read_bytes()
    assert b"discardedterm" not in pickle.dumps(model)
    classifier = TroenpyClassifier(TermFeatures(("pi",), min_df=2)).fit(texts, [*LABELS, "sport"])
    assert b"discardedterm" not in pickle.dumps(classifier)


def test_the_table_has_every_estimator_with_arrays():
    assert set(persistence._KINDS) == {
        "CountVectorizer", "TermWeighter", "TfPiVectorizer", "TermFeatures", "TroenpyClassifier",
    }  # fmt: skip
