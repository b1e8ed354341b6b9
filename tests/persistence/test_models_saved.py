"""save and load: the same model again, the same bytes for equal models, and nothing that can run."""

import copy
import functools
import json
import operator
import os
import pickle
import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from scipy.sparse import csc_array, csr_array
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from some_views import counted, words

from troenpy import (
    Block,
    ClassCounts,
    ClassProfile,
    CountVectorizer,
    SparseKNeighborsClassifier,
    TermFeatures,
    TermWeighter,
    TextKNeighborsClassifier,
    TfPiVectorizer,
    TroenpyClassifier,
    load,
    save,
    settings,
)
from troenpy.files import archive
from troenpy.persistence import models as persistence

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
    "profile": (lambda: ClassProfile(smoothing=0.5, leave_out="copies").fit(COUNTS, LABELS), COUNTS),
    "profile on a frame": (lambda: ClassProfile(max_dense=1).fit(FRAME, LABELS, np.arange(6) / 4 + 0.5), FRAME),
    "vectorizer": (lambda: TfPiVectorizer(min_df=2, max_df=0.9, smoothing=0.5, cv=2).fit(TEXTS, LABELS), TEXTS),
    "vectorizer in batches": (
        lambda: TfPiVectorizer(tf="bm25").partial_fit(TEXTS[:2], LABELS[:2]).partial_fit(TEXTS[2:], LABELS[2:]),
        TEXTS,
    ),
    "features": (lambda: TermFeatures(words("pi", "btf"), pcf=True).fit(TEXTS, LABELS), TEXTS),
    "features of counts": (lambda: TermFeatures(counted("btf", "ecib_abs")).fit(FRAME, LABELS), FRAME),
    "features with a profile": (
        lambda: TermFeatures(words("boost", "profile"), leave_out="copies", profile_scale=2.0).fit(TEXTS, LABELS),
        TEXTS,
    ),
    "classifier with a profile": (
        lambda: TroenpyClassifier(TermFeatures(words("certainty", "boost", "profile"))).fit(TEXTS, LABELS),
        TEXTS,
    ),
    "classifier": (lambda: TroenpyClassifier(C=2.0, class_weight={"sport": 2}).fit(TEXTS, LABELS), TEXTS),
    "classifier of numbers": (
        lambda: TroenpyClassifier(TermFeatures(words("pi", analyzer="char", ngram_range=(1, 3)))).fit(
            TEXTS, [1, 1, 2, 2, 3, 3]
        ),
        TEXTS,
    ),
    "classifier of several labels": (
        lambda: TroenpyClassifier(TermFeatures(words("btf"))).fit(
            TEXTS, [[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]]
        ),
        TEXTS,
    ),
    "neighbours": (lambda: SparseKNeighborsClassifier(3, metric="cosine", n_jobs=2).fit(COUNTS, LABELS), COUNTS),
    "neighbours of texts": (
        lambda: TextKNeighborsClassifier(n_neighbors=2, weights="distance").fit([*TEXTS, "a"], [*LABELS, "sport"]),
        TEXTS,
    ),
    "neighbours on a frame": (lambda: SparseKNeighborsClassifier(1, metric="manhattan").fit(FRAME, LABELS), FRAME),
    "neighbours by blocks": (
        lambda: SparseKNeighborsClassifier(
            2,
            metric={"first": (slice(0, 2), "euclidean"), "backwards": (slice(None, None, -2), "hellinger")},
            weights="distance",
        ).fit(COUNTS, np.array(LABELS, dtype=object)),
        COUNTS,
    ),
    "neighbours of bool": (lambda: SparseKNeighborsClassifier(2).fit(COUNTS, COUNTS[:, 0] > 0), COUNTS),
    "neighbours of float": (lambda: SparseKNeighborsClassifier(2).fit(COUNTS, COUNTS[:, 0] - 1.0), COUNTS),
    "neighbours of odd labels": (
        lambda: SparseKNeighborsClassifier(1).fit(COUNTS, ["", "\ud800", "日本", "a\0b", "a", "🙂"]),
        COUNTS,
    ),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def outcome(model, documents):
    if hasattr(model, "kneighbors"):
        return *model.kneighbors(documents), model.predict(documents), model.predict_proba(documents)
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
    "model",
    [
        CountVectorizer(),
        TermWeighter(),
        ClassProfile(),
        TfPiVectorizer(),
        TermFeatures(),
        TroenpyClassifier(),
        SparseKNeighborsClassifier(metric={"a": (slice(1, None), "cosine")}),
    ],
)
def test_an_unfitted_model_comes_back_unfitted(path, model):
    save(model, path)
    again = load(path)
    assert repr(again.get_params()) == repr(model.get_params())
    assert not hasattr(again, "weights_")
    assert not hasattr(again, "classes_")


def test_batches_go_on_after_loading(path):
    parts = TfPiVectorizer(min_df=2).partial_fit(TEXTS[:3], LABELS[:3])
    save(parts, path)
    again = load(path).partial_fit(TEXTS[3:], LABELS[3:])
    whole = TfPiVectorizer(min_df=2).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), whole.transform(TEXTS).toarray())


def test_batches_of_a_profile_go_on_after_loading(path):
    save(ClassProfile().partial_fit(COUNTS[:2], LABELS[:2]), path)  # of one class
    again = load(path).partial_fit(COUNTS[2:], LABELS[2:])
    np.testing.assert_array_equal(again.transform(COUNTS), ClassProfile().fit(COUNTS, LABELS).transform(COUNTS))


def test_an_explanation_is_the_same_after_loading(path):
    model = MODELS["classifier"][0]()
    save(model, path)
    assert str(load(path).explain("a late goal")) == str(model.explain("a late goal"))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TermWeighter(lambda counts: counts.term_docs), "scheme of TermWeighter is a function, which cannot be saved"),
        (CountVectorizer(tokenizer=str.split), "tokenizer of CountVectorizer is a function"),
        (
            TroenpyClassifier(TermFeatures(words("pi", "btf", "ecib", preprocessor=str.upper))),
            "preprocessor of CountVectorizer is a function",
        ),
        (TfPiVectorizer(cv=KFold(3)), "cv of TfPiVectorizer is a KFold, which cannot be saved"),
        (TermWeighter(random_state=np.random.RandomState(0)), "random_state of TermWeighter is a RandomState"),
        (
            SparseKNeighborsClassifier(metric={"a": (slice(str.upper), "cosine")}),
            "metric of SparseKNeighborsClassifier is a function",
        ),
        (KFold(3), "save takes one of CountVectorizer, .* got KFold: use pickle"),
    ],
)
def test_what_cannot_be_saved_says_so(path, model, message):
    with pytest.raises(TypeError, match=message):
        save(model, path)
    assert not path.exists()


def test_classes_of_an_odd_type_cannot_be_saved(path):
    model = SparseKNeighborsClassifier(1).fit(COUNTS[:2], [1, 2])
    model.classes_ = model.classes_.astype(complex)
    with pytest.raises(TypeError, match="classes of type complex128 cannot be saved: use strings or numbers"):
        save(model, path)


def test_a_subclass_is_not_saved_as_its_parent(path):
    class TermWeighter2(TermWeighter):
        pass

    TermWeighter2.__name__ = "TermWeighter"
    with pytest.raises(TypeError, match="save takes one of"):
        save(TermWeighter2(), path)


def test_coefficients_are_part_of_the_mapped_file(path):
    model = MODELS["classifier"][0]()
    save(model, path)
    again = load(path)
    assert again.coef_.dtype == np.float32
    assert again.coef_.T.flags.c_contiguous
    assert not again.coef_.flags.writeable
    assert not again.features_.views_[0].weights.flags.writeable
    copies = pickle.loads(pickle.dumps(again)), copy.deepcopy(again)
    expected = again.decision_function(TEXTS)
    save(MODELS["classifier of numbers"][0](), path)  # another model takes its place
    for model in (again, *copies):
        np.testing.assert_array_equal(model.decision_function(TEXTS), expected)
    np.testing.assert_array_equal(again.fit(TEXTS, LABELS).classes_, ["politics", "sport"])


# Saved for prediction.


def sizes(path, model):
    save(model, path)
    whole = path.stat().st_size
    save(model, path, for_prediction=True)
    return path.stat().st_size, whole


@pytest.mark.parametrize("name", MODELS)
def test_a_model_for_prediction_predicts_the_same(path, name):
    make, documents = MODELS[name]
    model = make()
    save(model, path, for_prediction=True)
    content, again = path.read_bytes(), load(path)
    for ours, theirs in zip(outcome(model, documents), outcome(again, documents), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    if hasattr(model, "get_feature_names_out"):
        assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    if hasattr(model, "explain") and hasattr(model, "predict"):
        assert str(again.explain("a late goal")) == str(model.explain("a late goal"))
    save(again, path)
    assert path.read_bytes() == content
    for copied in (pickle.loads(pickle.dumps(again)), copy.deepcopy(again)):
        for ours, theirs in zip(outcome(model, documents), outcome(copied, documents), strict=True):
            np.testing.assert_array_equal(ours, theirs)


#: What a model for prediction cannot do, by name in MODELS.
CANNOT = {
    "weighter": [lambda model: model.explain(0), lambda model: model.partial_fit(COUNTS, LABELS)],
    "weighter on a frame": [lambda model: model.explain("goal"), lambda model: model.counts_.doc_freq],
    "weighted weighter": [
        lambda model: model.counts_.select([0]),
        lambda model: model.counts_ + model.counts_,
        lambda model: ClassCounts.from_matrix(COUNTS, LABELS) + model.counts_,
    ],
    "vectorizer": [lambda model: model.counts_, lambda model: model.explain("goal")],
    "vectorizer in batches": [lambda model: model.counts_, lambda model: model.partial_fit(TEXTS, LABELS)],
    "features": [lambda model: model.counts_],
    "features of counts": [lambda model: model.counts_],
    "classifier of numbers": [lambda model: model.features_.counts_],
    "classifier of several labels": [lambda model: model.features_.counts_],
}


@pytest.mark.parametrize("name", CANNOT)
def test_a_model_for_prediction_says_what_it_lacks(path, name):
    model = MODELS[name][0]()
    less, whole = sizes(path, model)
    assert less < whole
    for call in CANNOT[name]:
        with pytest.raises(NotFittedError, match=r"saved with for_prediction=True, without its class counts: for coun"):
            call(load(path))


@pytest.mark.parametrize("name", sorted(MODELS.keys() - CANNOT.keys()))
def test_all_that_others_hold_is_for_prediction(path, name):
    less, whole = sizes(path, MODELS[name][0]())
    assert less == whole


@pytest.mark.parametrize("name", ["weighter", "vectorizer", "features", "classifier of numbers"])
def test_a_model_for_prediction_can_be_fitted_again(path, name):
    make, documents = MODELS[name]
    save(make(), path, for_prediction=True)
    again = load(path).fit(documents, LABELS)
    counts = again.features_.counts_ if name.startswith("classifier") else again.counts_
    assert counts.n_documents == len(documents)


def test_batches_of_one_class_are_saved_whole(path):
    for model, data in ((TermWeighter(), COUNTS), (TfPiVectorizer(), TEXTS)):
        save(model.partial_fit(data[:2], LABELS[:2]), path, for_prediction=True)  # there is nothing to predict with yet
        again = load(path).partial_fit(data[2:], LABELS[2:])
        assert again.counts_.n_documents == len(data)


# Files that others made.


def header_of(path):
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["troenpy"])


def arrays_of(path):
    return archive.read(path, "model", persistence.FILE_VERSION)[1]


def rewrite(path, header=None, arrays=None):
    """Write a file as somebody who knows the checksum would."""
    header, arrays = header or header_of(path), arrays or arrays_of(path)
    archive.write(path, {name: value for name, value in header.items() if name != "checksum"}, arrays)


@pytest.fixture
def saved(path):
    save(MODELS["classifier"][0](), path)
    return path


def test_a_newer_format_says_to_upgrade(saved):
    rewrite(saved, header={**header_of(saved), "version": 99})
    with pytest.raises(ValueError, match="has format version 99, this troenpy reads up to 3: upgrade troenpy"):
        load(saved)


@pytest.mark.parametrize("name", ["os.system", "Pipeline", "object", "TermWeighterr"])
def test_only_classes_of_the_table_are_built(saved, name):
    header = header_of(saved)
    header["state"]["class"] = name
    rewrite(saved, header=header)
    with pytest.raises(ValueError, match=f"unknown class '{name}': it must be one of CountVectorizer"):
        load(saved)


def test_tampered_files_are_errors_and_never_run_anything(saved, tmp_path):
    good_header, good = header_of(saved), arrays_of(saved)
    marker = tmp_path / "ran"
    changes = [
        {"coef_by_feature": good["coef_by_feature"][:-1]},
        {"coef_by_feature": np.full_like(good["coef_by_feature"], np.nan)},
        {"features.view0.weights": good["features.view0.weights"][:1]},
        {"features.view0.counts.indices": good["features.view0.counts.indices"] + 1000},
        {"features.view0.counts.data": -good["features.view0.counts.data"]},
        {"features.counter0.terms_lengths": good["features.counter0.terms_lengths"] + 1},
        {"classes_lengths": good["classes_lengths"][:-1]},
    ]
    for change in changes:
        rewrite(saved, header=good_header, arrays={**good, **change})
        with pytest.raises(ValueError, match="does not hold a valid model"):
            load(saved)
    for name in ("intercept", "features.view0.weights", "features.view0.counts.n_docs"):
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
        with pytest.raises(ValueError, match="does not hold a valid model"):
            load(saved)
    assert not marker.exists()


NEIGHBOUR_CHANGES = {
    "a column out of range": lambda good: {"rows0.indices": good["rows0.indices"] + 2},
    "a negative column": lambda good: {"rows0.indices": good["rows0.indices"] - 1},
    "columns that descend": lambda good: {"rows0.indices": good["rows0.indices"][::-1].copy()},
    "rows that go back": lambda good: {"rows0.indptr": good["rows0.indptr"][::-1].copy()},
    "rows that go back and forth": lambda good: {"rows0.indptr": good["rows0.indptr"][[0, 2, 1, 3, 4, 5, 6]]},
    "rows that begin late": lambda good: {"rows0.indptr": np.maximum(good["rows0.indptr"], 1)},
    "rows beyond the values": lambda good: {"rows0.indptr": good["rows0.indptr"] + np.int32(1)},
    "one row less": lambda good: {"rows1.indptr": good["rows1.indptr"][:-1]},
    "one value less": lambda good: {"rows1.data": good["rows1.data"][:-1]},
    "no number": lambda good: {"rows1.data": np.full_like(good["rows1.data"], np.nan)},
    "infinite values": lambda good: {"rows1.data": np.full_like(good["rows1.data"], np.inf)},
    "values of zero": lambda good: {"rows1.data": np.zeros_like(good["rows1.data"])},
    "values in float32": lambda good: {"rows1.data": good["rows1.data"].astype(np.float32)},
    "columns in int64": lambda good: {"rows1.indices": good["rows1.indices"].astype(np.int64)},
    "a table of values": lambda good: {"rows1.data": good["rows1.data"][:, None]},
    "a class too high": lambda good: {"codes": good["codes"] + 1},
    "a class below 0": lambda good: {"codes": good["codes"] - 1},
    "classes of fractions": lambda good: {"codes": good["codes"] + 0.5},
    "a table of classes": lambda good: {"codes": good["codes"][:, None]},
    "no rows": lambda good: {"codes": good["codes"][:0]},
    "one class twice": lambda _: {"classes_bytes": np.frombuffer(b"aa", np.uint8), "classes_lengths": np.array([1, 1])},
    "no class": lambda _: {"classes_bytes": np.zeros(0, np.uint8), "classes_lengths": np.zeros(0, np.int64)},
    "names of other columns": lambda _: {
        "names_bytes": np.frombuffer(b"ab", np.uint8), "names_lengths": np.array([1, 1])
    },
}  # fmt: skip


@pytest.mark.parametrize("change", NEIGHBOUR_CHANGES)
def test_tampered_rows_of_neighbours_are_errors(path, change):
    save(MODELS["neighbours by blocks"][0](), path)
    good = arrays_of(path)
    rewrite(path, arrays={**good, **NEIGHBOUR_CHANGES[change](good)})
    with pytest.raises(ValueError, match="does not hold a valid model"):
        load(path)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("fitted", {"n_features": 0}),
        ("fitted", {"n_features": 2**70}),
        ("fitted", {"n_features": True}),
        ("fitted", {"blocks": []}),
        ("fitted", {"blocks": [[None, "cosine"], [None, "cosine"]]}),
        ("fitted", {"blocks": [[{"slice": [0, 2, 0]}, "euclidean"], [{"slice": [None, None, -2]}, "hellinger"]]}),
        ("fitted", {"blocks": [[{"slice": [0, 2, None]}, "os.system"], [{"slice": [None, None, -2]}, "hellinger"]]}),
        ("fitted", {"blocks": [[{"slice": [0, "2", None]}, "euclidean"], [{"slice": [None, None, -2]}, "hellinger"]]}),
        ("fitted", {"blocks": [[{"slice": [0, 2]}, "euclidean"], [{"slice": [None, None, -2]}, "hellinger"]]}),
        ("parameters", {"n_neighbors": 0}),
        ("parameters", {"n_neighbors": "7"}),
        ("parameters", {"weights": "vote"}),
        ("parameters", {"metric": {"slice": [{"float": "0x1p0"}, None, None]}}),
        ("parameters", {"algorithm": "brute"}),
    ],
)
def test_a_tampered_header_of_neighbours_is_an_error(path, part, change):
    save(MODELS["neighbours by blocks"][0](), path)
    header = header_of(path)
    header["state"][part] |= change
    rewrite(path, header=header)
    with pytest.raises(ValueError, match="does not hold a valid model"):
        load(path)


def test_a_long_class_does_not_make_a_huge_array(path):
    save(MODELS["neighbours"][0](), path)
    names = [*(f"{number:06d}" for number in range(1000)), "z" * 100_000]  # 400 MB as numpy's strings
    content, lengths = np.frombuffer("".join(names).encode(), np.uint8), np.array([len(name) for name in names])
    rewrite(path, arrays={**arrays_of(path), "classes_bytes": content, "classes_lengths": lengths})
    with pytest.raises(ValueError, match="the classes must be strings, and not too long"):
        load(path)


# What a hostile file may have in place of any value of its header.
ODD_VALUES = [
    None, True, 0, -1, 2**31, 2**63, 10**400, 1.5, "", "a", "counts", "char", "<f8", [], [None], {},
    {"float": "0x1p99999"}, {"float": "nan"}, {"float": "inf"}, {"float": 5}, {"float": "x"},
    {"list": []}, {"list": 5}, {"tuple": [1]}, {"set": [{"list": []}]}, {"frozenset": ["a"]},
    {"dict": [[{"list": []}, 1]]}, {"dict": [1]}, {"slice": [0, 0, 0]}, {"slice": []},
    {"dtype": "O"}, {"dtype": "<U3"}, {"dtype": 5}, {"dtype": ["i4"]}, {"dtype": {"names": ["a"], "formats": ["i4"]}},
    {"estimator": None}, {"estimator": {"class": "TermFeatures", "parameters": {}}},
    {"estimator": {"class": "TroenpyClassifier", "parameters": {"features": 5}}},
]  # fmt: skip
ODD_ARRAYS = [
    lambda array: np.array(1),
    lambda array: array[:0],
    lambda array: array[:-1],
    lambda array: array[::-1],
    lambda array: np.concatenate([array, array]),
    lambda array: array.reshape(1, -1),
    lambda array: np.zeros((0, 3)),
    lambda array: array.astype(np.float16),
    lambda array: array.astype(bool),
    lambda array: array.astype(np.uint64),
    lambda array: np.full(array.shape, np.iinfo(np.int64).max),
    lambda array: np.full(array.shape, np.iinfo(np.int64).min),
    lambda array: np.full(array.shape, np.nan),
    lambda array: np.full(array.shape, np.inf),
]


def places(value, above=()):
    """Every place in JSON, as the keys that lead there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield *above, key
        yield from places(part, (*above, key))


def change_header(state, rng):
    """Put something odd in place of a value, drop it, or give it another name."""
    for _ in range(rng.choice([1, 1, 2])):
        *above, last = rng.choice(list(places(state)))
        parent = functools.reduce(operator.getitem, above, state)
        what = rng.random()
        if what < 0.1:
            del parent[last]
        elif what < 0.2 and isinstance(parent, dict):
            parent[rng.choice(["x", "input", "class", "list"])] = parent.pop(last)
        else:
            parent[last] = json.loads(json.dumps(rng.choice(ODD_VALUES)))


def change_arrays(arrays, rng):
    name = rng.choice(sorted(arrays))
    with np.errstate(all="ignore"):
        arrays[name] = rng.choice(ODD_ARRAYS)(arrays[name])


@pytest.mark.parametrize("name", MODELS)
def test_whatever_a_file_says_it_is_a_model_or_a_clear_error(path, name):
    save(MODELS[name][0](), path)
    good_header, good = header_of(path), arrays_of(path)
    outcomes = set()
    for seed in range(80):
        rng = random.Random(f"{name} {seed}")  # noqa: S311
        header, arrays = json.loads(json.dumps(good_header)), dict(good)
        if seed % 3:
            change_header(header["state"], rng)
        else:
            change_arrays(arrays, rng)
        rewrite(path, header, arrays)
        try:
            load(path)
            outcomes.add("a model")
        except ValueError as error:
            assert re.match(r".*model\.safetensors does not hold a valid model: .", str(error))  # noqa: PT017
            outcomes.add("an error")
    assert outcomes == {"a model", "an error"}


def nested(n_times):
    state = {"class": "TermFeatures", "parameters": {}}
    for _ in range(n_times):
        state = {"class": "TroenpyClassifier", "parameters": {"features": {"estimator": state}}}
    return state | {"fitted": None}


@pytest.mark.parametrize("n_times", [20, 100, 200])
def test_estimators_within_estimators_without_end(path, n_times):
    save(TroenpyClassifier(), path)
    rewrite(path, header_of(path) | {"state": nested(n_times)})
    with pytest.raises(ValueError, match="does not hold a valid model: its header must not be nested"):
        load(path)


def test_no_memory_for_a_model_is_said(saved, monkeypatch):
    def fail(*args):
        raise MemoryError

    monkeypatch.setattr(ClassCounts, "from_arrays", fail)
    with pytest.raises(ValueError, match="does not hold a valid model: MemoryError"):
        load(saved)


READERS = {
    "counter": lambda way: CountVectorizer(input=way),
    "vectorizer": lambda way: TfPiVectorizer(input=way),
    "features": lambda way: TermFeatures(words("pi", "btf", "ecib", input=way)),
    "classifier": lambda way: TroenpyClassifier(TermFeatures(words("pi", "btf", "ecib", input=way))),
    "neighbours of texts": lambda way: TextKNeighborsClassifier(TermFeatures(words("pi", "btf", "ecib", input=way))),
}


@pytest.mark.parametrize("way", ["filename", "file"])
@pytest.mark.parametrize("name", READERS)
def test_a_model_that_reads_files_is_loaded_on_demand_only(path, name, way):
    model = READERS[name](way)
    save(model, path)
    with pytest.raises(ValueError, match=f"input='{way}'.*file named in its input data: .*allow_reading_files=True"):
        load(path)
    assert repr(load(path, allow_reading_files=True)) == repr(model)


def test_a_fitted_model_that_reads_files_is_loaded_on_demand_only(path, tmp_path):
    names = []
    for number, text in enumerate(TEXTS[:5]):
        names.append(str(tmp_path / f"{number}.txt"))
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    model = TroenpyClassifier(TermFeatures(words("pi", input="filename"))).fit(names, LABELS[:5])
    save(model, path)
    header = header_of(path)
    header["state"]["parameters"]["features"]["estimator"]["parameters"]["input"] = "content"
    for rewritten in (None, header):  # what is fitted tells too
        rewrite(path, rewritten)
        with pytest.raises(ValueError, match="input='filename'"):
            load(path)
    save(model, path)
    again = load(path, allow_reading_files=True)
    assert again.predict(names).tolist() == model.predict(names).tolist()


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
    with pytest.raises(ValueError, match="must be a model file, got ClassCounts"):
        load(saved)
    with pytest.raises(FileNotFoundError, match="file not found:"):
        load(tmp_path / "nothing")


@pytest.mark.parametrize(
    "name", ["counter", "weighter", "profile", "vectorizer", "features", "classifier", "neighbours"]
)
def test_every_flipped_bit_is_an_error_or_changes_nothing(path, name):
    save(MODELS[name][0](), path)
    content = path.read_bytes()
    bits = np.random.default_rng(0).choice(8 * len(content), 1500, replace=False).tolist()
    unseen = []
    for bit in bits:
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            model = load(path)
        except ValueError as error:
            assert re.search("safetensors (is damaged|does not hold|must be a|has format version)", str(error))  # noqa: PT017
            continue
        save(model, path)
        if path.read_bytes() != content:
            unseen.append(bit)
    assert unseen == []


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
    classifier = TroenpyClassifier(TermFeatures(words("pi", min_df=2))).fit(texts, [*LABELS, "sport"])
    assert b"discardedterm" not in pickle.dumps(classifier)


def test_equal_rows_in_other_forms_give_equal_bytes(path):
    sparse = csr_array(COUNTS.astype(np.float64))
    unsorted = csr_array(sparse)
    unsorted.indices, unsorted.data = unsorted.indices.copy(), unsorted.data.copy()
    unsorted.indices[:2], unsorted.data[:2] = sparse.indices[1::-1], sparse.data[1::-1]
    wide = csr_array((sparse.data, sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)), shape=sparse.shape)
    contents = set()
    for X in (COUNTS, COUNTS.astype(np.float32), sparse, unsorted, wide, csc_array(sparse)):
        for y in (LABELS, np.array(LABELS, dtype="U20")):
            save(SparseKNeighborsClassifier(2).fit(X, y), path)
            contents.add(path.read_bytes())
    assert len(contents) == 1


def test_the_table_has_every_estimator_with_arrays():
    assert set(persistence._CLASSES) == {
        "CountVectorizer", "TermWeighter", "ClassProfile", "TfPiVectorizer", "TermFeatures", "TroenpyClassifier",
        "SparseKNeighborsClassifier", "TextKNeighborsClassifier",
    }  # fmt: skip


def test_the_steps_of_the_solver_are_kept(tmp_path):
    model = TroenpyClassifier().fit(["late goal", "own goal", "late vote", "close vote"], list("sspp"))
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").n_iter_ == model.n_iter_ > 0
    assert load(tmp_path / "model").solver_ == model.solver_


# Files of version 1, in which TermFeatures had no views: written by it, from these texts.

OLD = Path(__file__).parent / "version_1"
OLD_TEXTS = ["late goal", "own goal, the cup", "late vote", "the vote, elan", "a close vote", "cup final"]
#: TroenpyClassifier() before it chose C and views.
OLD_DEFAULT = TroenpyClassifier(settings.features("linear"), C=3.0, tol=1e-3)
OLD_MODELS = {
    "features": (TermFeatures(words("pi", "btf", ngram_range=(1, 2), stop_words=["the"]), pcf=True), OLD_TEXTS),
    "features_of_counts": (TermFeatures(counted("btf", "ecib_abs", "profile"), profile_scale=2.0), FRAME),
    "classifier": (OLD_DEFAULT, OLD_TEXTS),
    "neighbors": (
        TextKNeighborsClassifier(
            TermFeatures(words("certainty_hellinger", "profile", min_df=2), profile_scale=2.0), n_neighbors=3
        ),
        OLD_TEXTS,
    ),
}


@pytest.mark.parametrize("name", OLD_MODELS)
def test_files_of_version_1_are_the_models_that_they_were(name, path):
    model, data = OLD_MODELS[name]
    model.fit(data, LABELS)
    old = load(OLD / f"{name}.safetensors")
    save(old, path)
    for again in (old, load(path)):
        if name.startswith("features"):
            np.testing.assert_allclose(again.transform(data).toarray(), model.transform(data).toarray(), rtol=1e-12)
            assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
        else:
            np.testing.assert_allclose(
                again.predict_proba(data), model.predict_proba(data), rtol=2e-3
            )  # another solver
            assert again.explain("late goal").terms.tolist() == model.explain("late goal").terms.tolist()
        assert again.get_params(deep=False).keys() == model.get_params(deep=False).keys()


# Files of version 2, in which coefficients were in float64 and by decision, and integers were not packed.

VERSION_2 = Path(__file__).parent / "version_2"
SEVERAL = [[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]]
BY_BLOCKS = {"first": (slice(0, 2), "euclidean"), "backwards": (slice(None, None, -2), "hellinger")}
MODELS_2 = {
    "counter": lambda: CountVectorizer(ngram_range=(1, 2), stop_words=["the"]).fit(OLD_TEXTS),
    "weighter": lambda: TermWeighter("sqrt(pcf_present)*idf", tf="bm25").fit(FRAME, LABELS, np.arange(6) / 4 + 0.5),
    "profile": lambda: ClassProfile(smoothing=0.5, leave_out="copies").fit(COUNTS, LABELS),
    "vectorizer": lambda: TfPiVectorizer(min_df=2, smoothing=0.5).fit(OLD_TEXTS, LABELS),
    "features": lambda: OLD_MODELS["features"][0].fit(OLD_TEXTS, LABELS),
    "features_of_counts": lambda: OLD_MODELS["features_of_counts"][0].fit(FRAME, LABELS),
    "classifier": lambda: OLD_DEFAULT.fit(OLD_TEXTS, LABELS),
    "several_labels": lambda: TroenpyClassifier(TermFeatures(words("btf")), C=3.0, tol=1e-3).fit(OLD_TEXTS, SEVERAL),
    "rows": lambda: SparseKNeighborsClassifier(2, metric=BY_BLOCKS, weights="distance").fit(COUNTS, LABELS),
    "neighbors": lambda: OLD_MODELS["neighbors"][0].fit(OLD_TEXTS, LABELS),
}


@pytest.mark.parametrize("name", MODELS_2)
def test_files_of_version_2_are_the_models_that_they_were(name, path):
    model, old = MODELS_2[name](), load(VERSION_2 / f"{name}.safetensors")
    data = {"weighter": FRAME, "features_of_counts": FRAME, "profile": COUNTS, "rows": COUNTS}.get(name, OLD_TEXTS)
    save(old, path)
    for again in (old, load(path)):
        assert repr(again) == repr(model)
        for ours, theirs in zip(outcome(model, data), outcome(again, data), strict=True):
            assert ours.dtype == theirs.dtype
            if ours.dtype.kind == "f":
                np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)  # coefficients become float32
            else:
                np.testing.assert_array_equal(ours, theirs)
        if hasattr(model, "counts_"):
            assert again.counts_ == model.counts_


def test_batches_of_version_2_go_on():
    again = load(VERSION_2 / "batches.safetensors").partial_fit(OLD_TEXTS[3:], LABELS[3:])
    whole = TfPiVectorizer(min_df=2).fit(OLD_TEXTS, LABELS)
    np.testing.assert_array_equal(again.transform(OLD_TEXTS).toarray(), whole.transform(OLD_TEXTS).toarray())


def test_counts_of_version_1_are_read():
    expected = ClassCounts.from_matrix(COUNTS, LABELS, terms=["goal", "vote", "the"])
    assert ClassCounts.load(VERSION_2 / "counts.safetensors") == expected


def test_an_unfitted_file_of_version_1_can_be_fitted():
    model = load(OLD / "not_fitted.safetensors").fit(["Goal cup", "Vote", "Vote now"], ["s", "p", "p"])
    assert sorted(model.features_.vocabulary_) == ["Goal", "Vote", "cup", "now"]


def test_what_is_saved_is_what_was_fitted(path):
    features = TermFeatures(words("pi", "profile"), profile_scale=2.0).fit(TEXTS, LABELS)
    before = features.transform(TEXTS).toarray()
    features.set_params(words__lowercase=False, words__ngram_range=(2, 2), profile_scale=1.0, smoothing=9.0)
    save(features, path)
    for again in (load(path), pickle.loads(pickle.dumps(features))):
        np.testing.assert_array_equal(again.transform(TEXTS).toarray(), before)
        assert again.profile_scale == 1.0


def test_blocks_of_ones_own_are_saved(path):
    features = TermFeatures(words(Block("mine", "rf*idf", "bm25", None), "btf")).fit(TEXTS, LABELS)
    save(features, path)
    again = load(path)
    assert again.get_params()["words__blocks"] == features.get_params()["words__blocks"]
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), features.transform(TEXTS).toarray())
