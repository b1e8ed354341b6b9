"""TextKNeighborsClassifier: the pipeline it stands for, documents without terms, and the neighbours by number."""

import pickle

import numpy as np
import pytest
from bad_calls import bad_calls
from made_up_texts import TOPICS, made_up_texts
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from some_views import words

from troenpy import (
    SparseKNeighborsClassifier,
    TermFeatures,
    TextKNeighborsClassifier,
    kernel_available,
    settings,
)
from troenpy.features import counted_rows

TEXTS, LABELS = made_up_texts(90)
NEW_TEXTS, NEW_LABELS = made_up_texts(60, seed=1)


@pytest.mark.parametrize("features", [None, TermFeatures(words("pi")), TermFeatures(words("profile"))])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_is_the_pipeline_of_features_and_neighbours(features, weights):
    chosen = settings.features("knn_views") if features is None else features
    pipeline = make_pipeline(clone(chosen), SparseKNeighborsClassifier(5, weights=weights)).fit(TEXTS, LABELS)
    model = TextKNeighborsClassifier(features, n_neighbors=5, weights=weights).fit(TEXTS, LABELS)
    assert model.predict(NEW_TEXTS).tolist() == pipeline.predict(NEW_TEXTS).tolist()
    np.testing.assert_array_equal(model.predict_proba(NEW_TEXTS), pipeline.predict_proba(NEW_TEXTS))
    expected = pipeline[-1].kneighbors(pipeline[0].transform(NEW_TEXTS))
    for ours, theirs in zip(model.kneighbors(NEW_TEXTS), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert model.classes_.tolist() == sorted(TOPICS)


@pytest.mark.parametrize("features", [None, TermFeatures(words("btf")), TermFeatures(words("btf", "boost", "profile"))])
def test_a_document_without_terms_is_as_far_as_one_that_shares_none(features):
    """The query shares one term of five with the documents it shares any with: nearer to zeros than to those."""
    texts = ["", "goal late own cup final", "?", "vote close law tax bill", "goal cup match shot", "vote tax bill"]
    labels = ["empty", "sport", "empty", "politics", "sport", "politics"]
    model = TextKNeighborsClassifier(features, n_neighbors=2).fit(texts, labels)
    assert model.predict(["goal"]).tolist() == ["sport"]
    assert set(model.kneighbors(["goal"], return_distance=False)[0]) == {1, 4}
    assert set(model.kneighbors(["vote"], return_distance=False)[0]) == {3, 5}


def test_neighbours_are_those_of_the_largest_inner_product_of_rows():
    """Where all rows are equally long, the nearest is the most similar; documents without terms are no exception."""
    rng = np.random.default_rng(3)
    texts = [*TEXTS, "", "?", "word1 word1", "never"]
    labels = [*LABELS, *rng.choice(LABELS, 4)]
    features = settings.features("knn", min_df=2)
    train, queries = features.fit_transform(texts, labels), features.transform(NEW_TEXTS)
    assert (np.diff(train.indptr) == len(TOPICS)).sum() >= 3  # nothing but a profile
    similarity = (queries @ train.T).toarray()
    model = TextKNeighborsClassifier(settings.features("knn", min_df=2), n_neighbors=1).fit(texts, labels)
    nearest = model.kneighbors(NEW_TEXTS, return_distance=False)[:, 0]
    best = similarity.max(axis=1)
    np.testing.assert_allclose(similarity[np.arange(len(NEW_TEXTS)), nearest], best, rtol=1e-12)


def test_clone_pickle_grid_search_and_threads():
    model = TextKNeighborsClassifier(TermFeatures(words("pi", ngram_range=(1, 2))), n_neighbors=3)
    assert clone(model).get_params()["features__words__ngram_range"] == (1, 2)
    assert not hasattr(model, "classes_")
    again = pickle.loads(pickle.dumps(model.fit(TEXTS, LABELS)))
    assert again.predict(NEW_TEXTS).tolist() == model.predict(NEW_TEXTS).tolist()
    search = GridSearchCV(TextKNeighborsClassifier(), {"n_neighbors": [1, 7]}, cv=2).fit(TEXTS, LABELS)
    assert search.score(NEW_TEXTS, NEW_LABELS) > 0.8
    assert cross_val_score(TextKNeighborsClassifier(n_jobs=2), TEXTS, LABELS, cv=3).mean() > 0.8


@pytest.mark.parametrize("labels", [[3, 1, 3, 1], [True, False, True, False], ["b", "a", "b", "a"]])
def test_labels_of_any_kind_come_back_as_they_were(labels):
    texts = ["goal cup", "vote law", "goal team", "vote party"]
    assert TextKNeighborsClassifier(n_neighbors=1).fit(texts, labels).predict(texts).tolist() == labels


def test_refitting_forgets_and_the_given_features_stay_unfitted():
    features = TermFeatures(words("pi"))
    model = TextKNeighborsClassifier(features, n_neighbors=1)
    assert model.fit(TEXTS, LABELS) is model
    assert not hasattr(features, "weights_")
    assert model.fit(["goal", "vote", "cup goal"], ["a", "b", "a"]).classes_.tolist() == ["a", "b"]


@bad_calls(
    ("not fitted", lambda: TextKNeighborsClassifier().predict(TEXTS), NotFittedError, "not fitted yet"),
    (
        "no labels",
        lambda: TextKNeighborsClassifier().fit(TEXTS),
        ValueError,
        "TextKNeighborsClassifier learns from labels",
    ),
    (
        "several labels",
        lambda: TextKNeighborsClassifier().fit(["a goal", "a vote"], [[1, 0], [1, 1]]),
        ValueError,
        "takes one label per document, got an indicator matrix: use TroenpyClassifier for several",
    ),
    (
        "weights",
        lambda: TextKNeighborsClassifier(weights="near").fit(TEXTS, LABELS),
        ValueError,
        "weights must be 'uniform' or 'distance', got 'near'",
    ),
    (
        "n_neighbors",
        lambda: TextKNeighborsClassifier().fit(["goal", "vote", "vote"], ["a", "b", "b"]),
        ValueError,
        "n_neighbors=7 is more than the 3 training documents",
    ),
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.skipif(not kernel_available(), reason="no kernel, no room for it")
def test_room_is_made_for_what_a_sparse_profile_holds_only(monkeypatch):
    """A profile of more than 256 classes is sparse: no documents x classes are reserved for it."""
    rooms = []
    arrays = counted_rows._csr_arrays
    monkeypatch.setattr(counted_rows, "_csr_arrays", lambda *given: rooms.append(given[-1]) or arrays(*given))
    labels = [f"c{i % 300}" for i in range(600)]
    texts = [f"word{i % 300} word{i % 7}" for i in range(600)]
    model = settings.classifier("knn", n_neighbors=1).fit(texts, labels)
    model.predict(texts[:3])
    settings.classifier("knn", n_neighbors=1).fit(texts[:6] * 2, labels[:6] * 2)
    assert [room.per_row for room in rooms] == [0, 0, 6]
