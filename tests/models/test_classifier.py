"""TroenpyClassifier: predictions, probabilities, several labels, and explanations that sum to the decision."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from bad_calls import bad_calls
from kernel_switch import kernel_off, needs_kernel
from made_up_texts import TOPICS, made_up_texts
from scipy import special
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from some_views import words

from troenpy import ClassProfile, TermFeatures, TroenpyClassifier, kernel_available, settings
from troenpy.fitting import memory
from troenpy.models import classifier, coefficients, logistic
from troenpy.models.coefficients import by_feature

TEXTS, LABELS = made_up_texts(120, n_words=12)
TEST_TEXTS, TEST_LABELS = made_up_texts(60, seed=1, n_words=12)
MODEL = TroenpyClassifier().fit(TEXTS, LABELS)


def test_learns():
    assert MODEL.score(TEST_TEXTS, TEST_LABELS) == 1.0
    assert MODEL.classes_.tolist() == ["politics", "science", "sport"]


def test_predicts_as_an_exact_solver_on_the_same_features():
    features = settings.features("linear")
    exact = LogisticRegression(C=3.0, tol=1e-8, max_iter=10_000).fit(features.fit_transform(TEXTS, LABELS), LABELS)
    close = TroenpyClassifier(features, C=3, tol=1e-6, max_iter=10_000).fit(TEXTS, LABELS)
    expected = exact.predict_proba(features.transform(TEST_TEXTS))
    np.testing.assert_allclose(close.predict_proba(TEST_TEXTS), expected, atol=2e-3)
    assert (MODEL.predict(TEST_TEXTS) == exact.predict(features.transform(TEST_TEXTS))).all()


def test_the_default_chooses_from_the_setting_auto():
    with_setting = settings.classifier("auto").fit(TEXTS, LABELS)
    assert str(MODEL.features_) == str(with_setting.features_)
    np.testing.assert_array_equal(MODEL.coef_, with_setting.coef_)
    assert all(view.profile.leave_out == "copies" for view in MODEL.features_.views_)


def test_probabilities_sum_to_one_and_agree_with_decisions_and_predictions():
    probability, decision = MODEL.predict_proba(TEST_TEXTS), MODEL.decision_function(TEST_TEXTS)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_allclose(probability, special.softmax(decision, axis=1))
    assert (MODEL.classes_[probability.argmax(axis=1)] == MODEL.predict(TEST_TEXTS)).all()


def test_two_balanced_classes_need_no_tuning_and_give_no_warning():
    texts, labels = made_up_texts(80, ("sport", "politics"), n_words=12)
    model = TroenpyClassifier().fit(texts, labels)
    new_texts, new_labels = made_up_texts(40, ("sport", "politics"), seed=2, n_words=12)
    assert model.score(new_texts, new_labels) == 1.0
    assert model.coef_.shape[0] == 1
    decision = model.decision_function(new_texts)
    assert decision.shape == (40,)
    np.testing.assert_allclose(model.predict_proba(new_texts)[:, 1], special.expit(decision))


@pytest.mark.parametrize(
    "labels", [[3, 1, 3, 1], [True, False, True, False], ["b", "a", "b", "a"], [1.0, 0.0, 1.0, 0.0]]
)
def test_labels_of_any_kind_come_back_as_they_were(labels):
    texts = ["goal cup", "vote law", "goal team", "vote party"]
    predicted = TroenpyClassifier().fit(texts, labels).predict(texts)
    assert predicted.tolist() == labels


def test_several_labels_are_decided_column_by_column():
    texts = [f"{a} {b}" for a in ("goal", "vote") for b in ("late", "early", "cheap", "dear")] * 5
    indicator = np.array([["goal" in t, "late" in t or "early" in t, True, False] for t in texts]).astype(int)
    model = TroenpyClassifier(TermFeatures(words("btf")), C=100).fit(texts, indicator)
    np.testing.assert_array_equal(model.predict(texts), indicator)
    probability = model.predict_proba(["goal cheap"])[0]
    assert probability[0] > 0.5 > probability[1]
    assert probability[2:].tolist() == [1.0, 0.0]
    assert model.explain("goal late").prediction == [0, 1, 2]
    default = TroenpyClassifier(C=100).fit(texts, indicator)
    np.testing.assert_array_equal(default.predict(texts), indicator)
    explanation = default.explain("goal late")
    np.testing.assert_allclose(explanation.decision, default.decision_function(["goal late"])[0], rtol=1e-5)


def test_several_labels_share_one_copy_of_the_features(monkeypatch):
    made = []

    class Counted(logistic.Rows):
        def __init__(self, *parts, **options):
            made.append(parts)
            super().__init__(*parts, **options)

    monkeypatch.setattr(logistic, "Rows", Counted)
    features = settings.features("linear")
    TroenpyClassifier(features, C=3).fit(TEXTS, np.column_stack([topic == LABELS for topic in TOPICS]).astype(int))
    assert len(made) == 1


@needs_kernel
def test_the_solver_that_ran_is_named(monkeypatch):
    assert MODEL.solver_ == "ascent"
    assert TroenpyClassifier().fit(FOUR, TWO_CLASSES).solver_ == "newton"  # so few texts
    monkeypatch.setattr(logistic, "LEAST_CLIMBED", 0)
    assert TroenpyClassifier(C=1e6).fit(TEXTS, LABELS).solver_ == "ascent, newton"  # by way of a smaller C
    assert TroenpyClassifier(tol=1e-6).fit(TEXTS, LABELS).solver_ == "ascent, newton"
    with kernel_off():
        assert TroenpyClassifier().fit(TEXTS, LABELS).solver_ == "newton"
    indicator = np.column_stack([topic == LABELS for topic in TOPICS]).astype(int)
    assert TroenpyClassifier().fit(TEXTS, indicator).solver_ == "ascent"


def test_a_solver_that_took_no_step_is_not_named_and_the_warning_points_here():
    with pytest.warns(ConvergenceWarning, match="not converged after 1 iterations") as seen:
        assert TroenpyClassifier(max_iter=1).fit(TEXTS, LABELS).solver_ == (
            "ascent" if kernel_available() else "newton"
        )
    assert seen[0].filename == __file__


def test_sample_weight_and_class_weight_reach_the_solver():
    heavy = TroenpyClassifier(class_weight={"sport": 50.0}).fit(TEXTS, LABELS)
    column = MODEL.classes_.tolist().index("sport")
    assert heavy.predict_proba(["word1"])[0, column] > MODEL.predict_proba(["word1"])[0, column]
    times = np.where(LABELS == "sport", 3, 1)
    precise = TroenpyClassifier(tol=1e-6, max_iter=10_000)
    weighted = clone(precise).fit(TEXTS, LABELS, sample_weight=times).predict_proba(TEST_TEXTS)
    repeated = clone(precise).fit(np.repeat(TEXTS, times), np.repeat(LABELS, times)).predict_proba(TEST_TEXTS)
    np.testing.assert_allclose(weighted, repeated, atol=1e-3)
    assert not np.allclose(weighted, clone(precise).fit(TEXTS, LABELS).predict_proba(TEST_TEXTS), atol=1e-3)
    assert TroenpyClassifier(class_weight="balanced").fit(TEXTS, LABELS).score(TEXTS, LABELS) == 1.0
    with pytest.raises(ValueError, match=r"class_weight must name classes, got 'sprot'; the classes are"):
        TroenpyClassifier(class_weight={"sprot": 2}).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="class_weight does not support multi-label targets"):
        TroenpyClassifier(class_weight="balanced").fit(["a goal", "a vote"], [[1, 0], [1, 1]])


def test_cv_is_passed_through():
    crossed, plain = (TroenpyClassifier(settings.features("linear"), C=3, cv=cv).fit(TEXTS, LABELS) for cv in (4, None))
    assert crossed.features_.cv == 4
    assert not np.allclose(crossed.coef_, plain.coef_)
    np.testing.assert_array_equal(crossed.features_.weights_, plain.features_.weights_)


def test_the_same_twice():
    np.testing.assert_array_equal(TroenpyClassifier().fit(TEXTS, LABELS).coef_, MODEL.coef_)


# Explanations.


@pytest.mark.parametrize("text", ["a goal for the team", "vote vote law goal word3", "nothing known", ""])
def test_contributions_sum_to_the_decision_value(text):
    explanation = MODEL.explain(text)
    decision = MODEL.decision_function([text])[0]
    np.testing.assert_allclose(explanation.intercept + explanation.contributions.sum(axis=0), decision, rtol=1e-6)
    np.testing.assert_allclose(explanation.decision, decision, rtol=1e-6)
    assert explanation.label == MODEL.predict([text])[0]
    assert explanation.contributions.shape == (len(explanation.terms), 3)


WITH_PROFILE = TroenpyClassifier(TermFeatures(words("certainty", "boost", "profile")), tol=1e-6).fit(TEXTS, LABELS)


@pytest.mark.parametrize("blocks", [("certainty", "boost", "profile"), ("profile",)])
def test_with_a_profile_predicts_as_an_exact_solver_on_the_same_features(blocks):
    features = TermFeatures(words(*blocks))
    exact = LogisticRegression(tol=1e-8, max_iter=10_000, C=3).fit(features.fit_transform(TEXTS, LABELS), LABELS)
    close = TroenpyClassifier(features, tol=1e-6, C=3).fit(TEXTS, LABELS)
    expected = exact.predict_proba(features.transform(TEST_TEXTS))
    np.testing.assert_allclose(close.predict_proba(TEST_TEXTS), expected, atol=2e-3)
    np.testing.assert_allclose(close.coef_, exact.coef_, atol=2e-3)


@pytest.mark.parametrize("text", ["a goal for the team", "vote vote law goal word3", "nothing known", ""])
def test_contributions_through_the_profile_are_traced_to_the_terms(text):
    explanation = WITH_PROFILE.explain(text)
    decision = WITH_PROFILE.decision_function([text])[0]
    np.testing.assert_allclose(explanation.intercept + explanation.contributions.sum(axis=0), decision, rtol=1e-9)
    np.testing.assert_allclose(explanation.decision, decision, rtol=1e-9)
    assert explanation.label == WITH_PROFILE.predict([text])[0]
    if "goal for" in text:
        assert set(explanation.terms[:2]) == {"goal", "team"}
        alone = TroenpyClassifier(TermFeatures(words("profile"))).fit(TEXTS, LABELS).explain(text)
        assert set(alone.terms.tolist()) == set(explanation.terms.tolist())


def test_the_terms_that_decided_come_first():
    explanation = MODEL.explain("word1 word2 goal word3")
    assert explanation.terms[0] == "goal"
    assert explanation.label == "sport"


def test_an_explanation_is_a_table_in_a_terminal():
    lines = str(MODEL.explain("word1 goal")).splitlines()
    assert lines[0] == "label: sport"
    assert lines[1].startswith("probability of sport: 0.")
    assert lines[3].split()[0] == "goal"
    assert lines[-1].split()[:2] == ["decision", "value"]
    shown = [float(line.split()[-1]) for line in lines[3:]]
    assert sum(shown[:-1]) == pytest.approx(shown[-1], abs=1e-3)


def test_an_explanation_is_escaped_text_in_a_notebook():
    page = MODEL.explain("<script>alert('goal')</script> & Goal")._repr_html_()
    assert "<script>" not in page
    assert "&lt;" in page
    assert page.count("<span") == 2
    two = TroenpyClassifier().fit(["goal <b>", "vote"] * 4, ["<i>x</i>", "y"] * 4)
    assert "<i>" not in two.explain("goal")._repr_html_()


def test_explaining_with_two_classes():
    texts, labels = made_up_texts(40, ("sport", "politics"), n_words=12)
    model = TroenpyClassifier().fit(texts, labels)
    explanation = model.explain("goal vote word1")
    assert explanation.classes.tolist() == ["politics", "sport"]
    decision = model.decision_function(["goal vote word1"])[0]
    np.testing.assert_allclose(explanation.decision, [-decision, decision], rtol=1e-6)
    np.testing.assert_array_equal(explanation.contributions[:, 0], -explanation.contributions[:, 1])
    np.testing.assert_allclose(explanation.intercept + explanation.contributions.sum(axis=0), explanation.decision)
    proba = model.predict_proba(["goal vote word1"])[0]
    for column, label in enumerate(["politics", "sport"]):
        explained = model.explain("goal vote word1", label=label)
        assert (explained.label, explained.prediction) == (label, model.predict(["goal vote word1"])[0])
        assert explained.probability == pytest.approx(proba[column], rel=1e-6)
        assert f"decision value of {label}" in str(explained)


def test_any_class_can_be_explained_with_its_probability():
    text = "vote vote law goal word3"
    proba = MODEL.predict_proba([text])[0]
    for column, label in enumerate(MODEL.classes_):
        explanation = MODEL.explain(text, label=label)
        assert explanation.label == label
        assert explanation.prediction == MODEL.predict([text])[0]
        assert explanation.probability == pytest.approx(proba[column], rel=1e-6)
        assert f"probability of {label}: {explanation.probability:.4f}" in str(explanation)
        assert f"probability of {label}: {explanation.probability:.4f}" in explanation._repr_html_()
        magnitudes = np.abs(explanation.contributions[:, column])
        assert (np.diff(magnitudes) <= 0).all()
    assert MODEL.explain(text).label == MODEL.predict([text])[0]


def test_a_label_that_is_none_of_the_classes_is_an_error_that_lists_them():
    message = r"^label must be one of the classes 'politics', 'science', 'sport', got {}$"
    for wrong, shown in [
        ("sports", "'sports'"),
        (0, "0"),
        (["sport"], r"\['sport'\]"),
        (np.array(["sport"]), "array.*"),
    ]:
        with pytest.raises(ValueError, match=message.format(shown)):
            MODEL.explain("goal", label=wrong)


def test_of_several_labels_a_column_is_explained():
    texts = ["goal late", "goal own", "vote late", "vote close", "goal vote"] * 4
    indicator = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [1, 1, 1]] * 4)
    model = TroenpyClassifier().fit(texts, indicator)
    proba = model.predict_proba(["goal late"])[0]
    for column in range(3):
        explanation = model.explain("goal late", label=column)
        assert explanation.probability == pytest.approx(proba[column])
        assert "nan" not in str(explanation)  # all documents have the last label: its intercept is infinite
    assert model.explain("goal late").label == int(proba.argmax())
    with pytest.raises(ValueError, match="label must be one of the classes 0, 1, 2, got 3"):
        model.explain("goal late", label=3)


# As a scikit-learn citizen.


def test_clone_pickle_grid_search_and_series():
    model = TroenpyClassifier(TermFeatures(words("pi", ngram_range=(1, 2))), C=5.0)
    assert clone(model).get_params()["features__words__ngram_range"] == (1, 2)
    again = pickle.loads(pickle.dumps(MODEL))
    np.testing.assert_array_equal(again.decision_function(TEST_TEXTS), MODEL.decision_function(TEST_TEXTS))
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    search = GridSearchCV(
        TroenpyClassifier(TermFeatures()), {"C": [1, 10], "features__words__blocks": [("pi",), ("btf",)]}, cv=2
    )
    assert search.fit(frame["text"], frame["label"]).best_score_ > 0.9
    assert cross_val_score(TroenpyClassifier(), TEXTS, LABELS, cv=3).mean() > 0.9


def test_refitting_forgets_and_the_given_features_stay_unfitted():
    features = TermFeatures(words("pi"))
    model = TroenpyClassifier(features)
    assert model.fit(TEXTS, LABELS) is model
    assert not hasattr(features, "weights_")
    assert model.fit(["goal", "vote", "cup goal"], ["a", "b", "a"]).classes_.tolist() == ["a", "b"]


@bad_calls(
    ("no labels", lambda: TroenpyClassifier().fit(TEXTS), ValueError, "TroenpyClassifier learns from labels"),
    ("not fitted", lambda: TroenpyClassifier().predict(TEXTS), NotFittedError, "not fitted yet"),
    ("explain a list", lambda: MODEL.explain(["goal"]), TypeError, "explain takes one string, got list"),
    (
        "a label missing",
        lambda: TroenpyClassifier().fit(TEXTS, LABELS[:-1]),
        ValueError,
        "got 119 labels for 120 documents",
    ),
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


FOUR = ["late goal", "own goal", "late vote", "close vote"] * 2
TWO_CLASSES = list("sspp") * 2


@pytest.mark.parametrize("weight", [0.5, 1e3, 1e6, 1e9, 1e12, 1e99])
def test_weights_of_any_size_give_the_right_labels(weight):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = TroenpyClassifier().fit(FOUR, TWO_CLASSES, sample_weight=[weight] * 8)
    assert model.predict(FOUR).tolist() == TWO_CLASSES


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_document_that_weighs_too_much_does_not_silence_the_others():
    weights = np.ones(len(TEXTS))
    weights[5] = 1e12
    assert TroenpyClassifier().fit(TEXTS, LABELS, sample_weight=weights).score(TEXTS, LABELS) > 0.95


def test_weights_that_sum_to_less_than_a_document_are_an_error():
    with pytest.raises(ValueError, match=r"sample_weight must sum to at least 1, got 0.008: .* scale"):
        TroenpyClassifier().fit(FOUR, TWO_CLASSES, sample_weight=[1e-3] * 8)


@pytest.mark.parametrize("C", [1e-3, 3e6, 3e9, 3e100])
def test_any_C_gives_the_right_labels(C):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = TroenpyClassifier(C=C).fit(FOUR, TWO_CLASSES)
    assert model.predict(FOUR).tolist() == TWO_CLASSES


def test_a_C_that_cannot_be_solved_for_is_said():
    with pytest.warns(ConvergenceWarning, match=r"C=3e\+100 times the largest sample weight, 1, makes the penalty too"):
        TroenpyClassifier(C=3e100).fit(FOUR, TWO_CLASSES)


def test_a_large_C_is_solved_in_double_precision(monkeypatch):
    precisions = []
    design = classifier.Design
    noted = lambda *parts, **options: precisions.append(parts[0].X.dtype) or design(*parts, **options)  # noqa: E731
    monkeypatch.setattr(classifier, "Design", noted)
    TroenpyClassifier(C=1e7).fit(FOUR, TWO_CLASSES)
    TroenpyClassifier(C=3).fit(FOUR, TWO_CLASSES)
    assert precisions == [np.float32, np.float64, np.float32]


def test_what_cannot_be_held_is_an_early_error(monkeypatch):
    monkeypatch.setattr(memory, "memory_size", lambda: 100)
    monkeypatch.setattr(TermFeatures, "_count", lambda *_: pytest.fail("not so early"))
    message = r"TroenpyClassifier needs 0.0 GB for 8 documents and 2 classes, but this machine has 0.0 GB"
    with pytest.raises(MemoryError, match=message):
        TroenpyClassifier().fit(FOUR, TWO_CLASSES)


def test_coefficients_that_cannot_be_held_are_an_error_before_they_are_solved_for(monkeypatch):
    monkeypatch.setattr(memory, "memory_size", lambda: 8 * 8 * 2 * 2 + 1)
    monkeypatch.setattr(classifier, "Design", lambda *_, **__: pytest.fail("not so early"))
    labels = ["a", "b", "c", "a"] * 2
    with pytest.raises(MemoryError, match="for 8 documents and 3 classes"):
        TroenpyClassifier(TermFeatures(words("btf"))).fit(FOUR, labels)


def test_a_million_documents_of_five_thousand_classes_are_refused_at_once():
    labels = np.arange(1_000_000) % 5000
    with pytest.raises(MemoryError, match=r"needs 80.0 GB for 1,000,000 documents and 5,000 classes, but this machine"):
        TroenpyClassifier().fit(iter([]), labels)


def test_decisions_come_by_blocks_of_documents(monkeypatch):
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    expected = model.decision_function(TEXTS), model.predict_proba(TEXTS), model.predict(TEXTS)
    monkeypatch.setattr(classifier, "DECISIONS_PER_BLOCK", 2 * len(model.classes_))
    for found, whole in zip((model.decision_function, model.predict_proba, model.predict), expected, strict=True):
        np.testing.assert_array_equal(found(TEXTS), whole)
    assert [len(values) for values in model._decisions(TEXTS)] == [2] * (len(TEXTS) // 2)


def test_several_labels_are_never_one_dense_matrix(monkeypatch):
    Y = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 2))
    expected = TroenpyClassifier().fit(FOUR, Y.toarray())
    toarray = sp.csr_array.toarray
    monkeypatch.setattr(
        sp.csr_array, "toarray", lambda self: pytest.fail("dense") if self.dtype.kind == "i" else toarray(self)
    )
    model = TroenpyClassifier().fit(FOUR, Y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


# Prediction in the time of the document: all that depends on the model alone is prepared before.


def test_coefficients_are_stored_by_feature_in_float32():
    for labels in (LABELS, np.eye(len(TEXTS), 3, dtype=int)):
        model = TroenpyClassifier().fit(TEXTS, labels)
        again = pickle.loads(pickle.dumps(model))
        for fitted in (model, again, copy.deepcopy(model)):
            assert fitted.coef_.dtype == np.float32
            assert fitted.coef_.T.flags.c_contiguous


@pytest.mark.parametrize("scale", [1e-45, 1e-20, 1.0, 1e20, 1e45])
def test_coefficients_out_of_the_range_of_float32_are_kept(scale):
    coef = scale * np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 1e-3]])
    stored = by_feature(coef)
    assert stored.dtype == (np.float32 if 1e-30 < scale < 1e30 else np.float64)
    assert stored.T.flags.c_contiguous
    np.testing.assert_allclose(stored, coef, rtol=1e-7)


def test_labels_may_need_coefficients_of_other_types(monkeypatch):
    monkeypatch.setattr(coefficients, "LARGEST_FLOAT32", 2.0)  # the coefficients of some labels are larger
    labels = np.array([[1, 0], [1, 1], [1, 0], [0, 1], [0, 0], [0, 1]])
    texts = ["late goal", "own goal", "goal", "late vote", "vote", "close vote"]
    model = TroenpyClassifier(C=100.0).fit(texts, labels)
    monkeypatch.undo()
    assert model.coef_.dtype == np.float64
    small = TroenpyClassifier(C=100.0).fit(texts, labels)
    assert small.coef_.dtype == np.float32
    np.testing.assert_allclose(model.decision_function(texts), small.decision_function(texts), rtol=1e-5)


def test_coefficients_that_a_user_sets_are_used():
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    expected = model.decision_function(TEXTS)
    model.coef_ = np.ascontiguousarray(model.coef_.astype(np.float64))
    np.testing.assert_array_equal(model.decision_function(TEXTS), expected)


@needs_kernel
def test_the_table_of_the_profile_is_built_once_per_fit():
    model = TroenpyClassifier().fit(TEXTS, LABELS)
    table = model.features_.views_[0].profile._table.native
    for call in (model.predict, model.predict_proba, lambda texts: model.explain(texts[0])):
        call(TEXTS)
        assert model.features_.views_[0].profile._table.native is table
    model.fit(TEXTS[::-1], LABELS[::-1])
    assert model.features_.views_[0].profile._table.native is not table


def test_a_refitted_profile_forgets_its_table():
    X, y = np.array([[2, 0, 1], [1, 1, 0], [0, 2, 1], [0, 1, 3]]), ["a", "a", "b", "b"]
    profile = ClassProfile().fit(X, y)
    first = profile.transform(X)
    other = profile.fit(X[::-1], y).transform(X)
    assert not np.allclose(first, other)
    np.testing.assert_array_equal(other, ClassProfile().fit(X[::-1], y).transform(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(profile)).transform(X), other)
