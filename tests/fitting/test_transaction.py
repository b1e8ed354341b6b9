"""An estimator that fails to fit answers as before, wherever the failure comes from."""

import inspect

import numpy as np
import pytest
from interruptions import Interrupted, answers, answers_or_not_fitted
from kernel_switch import needs_kernel
from sklearn.base import clone
from some_views import counted, words

from troenpy import (
    ClassProfile,
    CountVectorizer,
    SparseKNeighborsClassifier,
    TermFeatures,
    TermWeighter,
    TextKNeighborsClassifier,
    TfPiVectorizer,
    TroenpyClassifier,
)
from troenpy.fitting.transaction import all_or_nothing
from troenpy.transport.classifier import TransportClassifier
from troenpy.transport.embeddings import WordVectors

TEXTS = ["late goal", "own goal", "late vote", "close vote"] * 2
LABELS = list("sspp") * 2
# As many terms, other words and other classes: a mixture of both fits would go unnoticed.
OTHERS = ["close coal", "old coal", "close note", "late note", "late coal", "old note"]
OTHER_LABELS = list("ppssps")
COUNTS = np.array([[1, 0, 1], [2, 0, 0], [0, 1, 1], [0, 3, 0]] * 2)
OTHER_COUNTS = np.array([[0, 1, 1], [0, 2, 0], [1, 0, 1], [3, 0, 0], [0, 1, 0], [1, 0, 0]])
VECTORS = WordVectors(("goal", "vote", "coal", "note", "late"), np.eye(5))

ON_TEXT = [
    CountVectorizer(),
    TfPiVectorizer(),
    TfPiVectorizer(cv=2, random_state=0),
    TermFeatures(words("certainty", "boost", "profile")),
    TroenpyClassifier(),
    TextKNeighborsClassifier(n_neighbors=1),
    TransportClassifier("wmd", vectors=VECTORS, n_neighbors=1),
]
ON_COUNTS = [
    TermWeighter(),
    ClassProfile(),
    SparseKNeighborsClassifier(1),
    TermFeatures(counted("pi", "btf", "profile")),
]
CASES = [
    *((model, TEXTS, LABELS, OTHERS, OTHER_LABELS) for model in ON_TEXT),
    *((model, COUNTS, LABELS, OTHER_COUNTS, OTHER_LABELS) for model in ON_COUNTS),
]
each_estimator = pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case[0])[:50])


def count_calls(fit):
    """Count the calls that a fit takes when nothing is to be cached any more."""
    fit()
    with Interrupted(-1) as calls:
        fit()
    return calls.n_calls


def places(n_calls):
    """Return some calls to fail at: the first, the last twelve, and twelve between."""
    return sorted({1, *np.linspace(1, n_calls, 12).astype(int).tolist(), *range(max(1, n_calls - 11), n_calls + 1)})


@each_estimator
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_an_interrupted_refit_changes_no_answer(case, method):
    model, X, y, others, other_y = case
    if not hasattr(model, method):
        pytest.skip("has no such method")
    model = clone(model).fit(X, y)
    before = answers(model, X)
    fresh = clone(model)
    n_calls = count_calls(lambda: getattr(fresh, method)(others, other_y))
    for at in places(n_calls):
        with pytest.raises(KeyboardInterrupt), Interrupted(at):
            getattr(model, method)(others, other_y)
        assert answers(model, X) == before, f"call {at} of {n_calls}"
    getattr(model, method)(others, other_y)
    assert answers(model, X) != before


@each_estimator
def test_an_interrupted_first_fit_leaves_an_unfitted_estimator(case):
    model, X, y, _, _ = case
    fresh = clone(model)
    n_calls = count_calls(lambda: fresh.fit(X, y))
    for at in places(n_calls):
        fresh = clone(model)
        with pytest.raises(KeyboardInterrupt), Interrupted(at):
            fresh.fit(X, y)
        assert vars(fresh).keys() == vars(clone(model)).keys()
        assert answers_or_not_fitted(fresh, X) == "not fitted"


@pytest.mark.parametrize(
    ("model", "X", "others"),
    [
        (TfPiVectorizer(), TEXTS, OTHERS),
        # Without the kernel, the number of calls depends on the terms that come and go.
        pytest.param(TfPiVectorizer(max_terms=4), TEXTS, OTHERS, marks=needs_kernel),
        (TermFeatures(words("certainty", "boost", "profile")), TEXTS, OTHERS),
        (TermFeatures(counted("pi", "btf", "profile")), COUNTS, OTHER_COUNTS),
        (TermWeighter(), COUNTS, OTHER_COUNTS),
        (ClassProfile(), COUNTS, OTHER_COUNTS),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_an_interrupted_batch_is_not_there(model, X, others):
    reference = clone(model).partial_fit(X, LABELS)
    fresh = clone(model).partial_fit(X, LABELS)
    n_calls = count_calls(lambda: fresh.partial_fit(others, OTHER_LABELS))
    for at in places(n_calls):
        added = clone(model).partial_fit(X, LABELS)
        before = answers(reference, X)
        with pytest.raises(KeyboardInterrupt), Interrupted(at):
            added.partial_fit(others, OTHER_LABELS)
        assert answers(added, X) == before
        added.partial_fit(others, OTHER_LABELS)
        assert added.counts_.n_documents == 14


@pytest.mark.parametrize(
    ("model", "parameters", "message"),
    [
        (TroenpyClassifier(), {"class_weight": {"typo": 2}}, "class_weight must name classes, got 'typo'"),
        (TextKNeighborsClassifier(n_neighbors=1), {"n_neighbors": 0}, "n_neighbors"),
    ],
)
def test_the_example_of_a_wrong_model(model, parameters, message):
    model = clone(model).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters).fit(OTHERS, OTHER_LABELS)
    model.set_params(**{name: getattr(type(model)(), name) for name in parameters})
    assert model.predict(["own goal", "close vote"]).tolist() == ["s", "p"]


def test_signatures_and_docstrings_stay():
    assert list(inspect.signature(TroenpyClassifier.fit).parameters) == ["self", "raw_documents", "y", "sample_weight"]
    assert TroenpyClassifier.fit.__doc__.startswith("Learn features")


def test_what_was_there_before_is_there_after_a_failure():
    class Model:
        @all_or_nothing
        def fit(self, value):
            self.new_, self.old_ = value, value
            raise OSError("full")

    model = Model()
    model.old_ = 1
    with pytest.raises(OSError, match="full"):
        model.fit(2)
    assert vars(model) == {"old_": 1}
