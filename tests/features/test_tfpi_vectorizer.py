"""TfPiVectorizer: equal to counting then weighting, in batches too, and kind to newcomers."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bad_calls import bad_calls
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import kernel_off, needs_kernel
from scipy import sparse
from sklearn import set_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from troenpy import ClassCounts, ClassProfile, CountVectorizer, TermWeighter, TfPiVectorizer
from troenpy.features import rows

TEXTS = [
    "late goal wins the cup",
    "the striker scores a late goal",
    "a goal, the cup",
    "the vote was close",
    "parliament will vote today: vote!",
    "no vote, no parliament",
    "atoms and électrons",
    "an atom today",
]
LABELS = ["sport"] * 3 + ["politics"] * 3 + ["science"] * 2


def by_hand(texts, labels, counting=None, sample_weight=None, **weighting):
    """Count with scikit-learn, then weight."""
    vectorizer = SklearnCountVectorizer(**(counting or {}))
    X = vectorizer.fit_transform(texts)
    weighter = TermWeighter(**weighting)
    return vectorizer, weighter, weighter.fit_transform(X, labels, sample_weight)


def assert_same(X, Y):
    assert sparse.issparse(X)
    assert X.format == Y.format == "csr"
    assert X.has_sorted_indices
    assert X.shape == Y.shape
    np.testing.assert_allclose(X.toarray(), Y.toarray(), rtol=1e-12, atol=1e-15)


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize(
    ("counting", "weighting"),
    [
        ({}, {}),
        ({"ngram_range": (1, 2), "stop_words": "english"}, {"scheme": "sqrt(pcf_present)*idf", "norm": "hellinger"}),
        ({"analyzer": "char_wb", "ngram_range": (2, 3)}, {"scheme": "rf", "tf": "log", "norm": "l1"}),
        ({"min_df": 2, "max_df": 0.6}, {"tf": "bm25", "norm": None}),
        ({"max_features": 5}, {"tf": "sqrt", "smoothing": 0.5}),
        ({"binary": True}, {"scheme": "idf"}),
        ({"vocabulary": ["vote", "goal", "never"]}, {"tf": "binary"}),
        ({"token_pattern": r"\w+"}, {"scheme": "chi2"}),
        ({}, {"cv": 2, "random_state": 3}),
    ],
)
def test_equals_counting_then_weighting(counting, weighting):
    vectorizer, weighter, expected = by_hand(TEXTS, LABELS, counting, **weighting)
    for n_jobs in (None, 2):
        ours = TfPiVectorizer(**counting, **weighting, n_jobs=n_jobs)
        assert_same(ours.fit_transform(TEXTS, LABELS), expected)
        assert ours.vocabulary_ == vectorizer.vocabulary_
        assert ours.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()
        np.testing.assert_allclose(ours.weights_, weighter.weights_, rtol=1e-12)
        unseen = ["goal vote", "", "nothing known", "late late goal atom"]
        assert_same(ours.transform(unseen), weighter.transform(vectorizer.transform(unseen)))
        fitted = clone(ours).fit(TEXTS, LABELS)
        assert_same(fitted.transform(TEXTS), weighter.transform(vectorizer.transform(TEXTS)))


def test_counts_are_named_class_counts():
    vectorizer = TfPiVectorizer().fit(TEXTS, LABELS)
    X = SklearnCountVectorizer().fit_transform(TEXTS)
    assert vectorizer.counts_ == ClassCounts.from_matrix(X, LABELS, terms=vectorizer.get_feature_names_out())


def test_parameters_are_those_of_both_with_their_defaults():
    ours = TfPiVectorizer().get_params()
    expected = {**CountVectorizer().get_params(), **TermWeighter().get_params(), "dtype": np.float64}
    assert ours == expected


def test_float32_is_kept():
    X = TfPiVectorizer(dtype=np.float32).fit_transform(TEXTS, LABELS)
    assert X.dtype == np.float32
    np.testing.assert_allclose(X.toarray(), TfPiVectorizer().fit_transform(TEXTS, LABELS).toarray(), rtol=1e-6)


def test_documents_from_where_users_have_them():
    expected = TfPiVectorizer().fit_transform(TEXTS, LABELS)
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    for texts, labels in (
        (tuple(TEXTS), tuple(LABELS)),
        (np.array(TEXTS), np.array(LABELS)),
        (frame["text"], frame["label"]),
        (frame["text"], frame["label"].astype("category")),
        (pl.Series(TEXTS), pl.Series(LABELS)),
        (pa.chunked_array([TEXTS[:3], TEXTS[3:]]), pa.array(LABELS).to_pylist()),
        (iter(TEXTS), LABELS),
        ([text.encode() for text in TEXTS], LABELS),
    ):
        assert_same(TfPiVectorizer().fit_transform(texts, labels), expected)


@given(
    order=st.permutations(range(len(TEXTS))),
    cuts=st.lists(st.integers(1, len(TEXTS) - 1), max_size=3),
    counting=st.sampled_from(
        [{}, {"min_df": 2}, {"max_df": 0.5, "ngram_range": (1, 2)}, {"vocabulary": ["vote", "goal", "atom", "never"]}]
    ),
    tf=st.sampled_from(rows.TERM_FREQUENCIES),
    weighted=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_partial_fit_over_any_batches_equals_fit(order, cuts, counting, tf, weighted):
    texts, labels = [TEXTS[i] for i in order], [LABELS[i] for i in order]
    weight = (1 + np.arange(len(texts)) % 3) / 2 if weighted else None
    whole = TfPiVectorizer(**counting, tf=tf).fit(texts, labels, weight)
    parts = TfPiVectorizer(**counting, tf=tf)
    edges = sorted({0, *cuts, len(texts)})
    for start, end in pairwise(edges):
        batch_weight = None if weight is None else weight[start:end]
        parts.partial_fit(texts[start:end], labels[start:end], batch_weight)
    assert parts.vocabulary_ == whole.vocabulary_
    assert parts.counts_ == whole.counts_
    np.testing.assert_array_equal(parts.weights_, whole.weights_)
    unseen = [*TEXTS, "goal vote", ""]
    assert_same(parts.transform(unseen), whole.transform(unseen))


def test_partial_fit_grows_terms_and_classes_and_waits_until_it_can_weight():
    vectorizer = TfPiVectorizer(min_df=2).partial_fit(["goal cup"], ["sport"])
    with pytest.raises(
        NotFittedError, match="no weights yet: the 1 documents so far are of one class, or no term is within min_df"
    ):
        vectorizer.transform(["goal"])
    vectorizer.partial_fit(["goal vote", "", "vote cup"], ["politics", "science", "politics"])
    assert vectorizer.vocabulary_ == {"cup": 0, "goal": 1, "vote": 2}
    assert vectorizer.counts_.classes.tolist() == ["politics", "science", "sport"]
    vectorizer.partial_fit(["", ""], ["sport", "sport"])  # no term at all in this batch
    assert vectorizer.counts_.n_documents == 6
    assert vectorizer.transform(["goal goal"]).shape == (1, 3)


@bad_calls(
    (
        "max_features",
        lambda: TfPiVectorizer(max_features=3).partial_fit(TEXTS, LABELS),
        ValueError,
        "max_features cannot be used with partial_fit: a term that is rare",
    ),
    (
        "cv",
        lambda: TfPiVectorizer(cv=3).partial_fit(TEXTS, LABELS),
        ValueError,
        "cv cannot be used with partial_fit: folds need all documents",
    ),
)
def test_partial_fit_refuses_what_needs_all_documents(call, error, message):
    with pytest.raises(error, match=message):
        call()


class Stemming(TfPiVectorizer):
    """Replace a step of the parent's."""

    def build_analyzer(self):
        analyze = super().build_analyzer()
        return lambda document: [token[:2] for token in analyze(document)]


def test_partial_fit_takes_the_steps_of_a_subclass():
    whole, parts = Stemming().fit(TEXTS, LABELS), Stemming().partial_fit(TEXTS, LABELS)
    assert whole.vocabulary_ == parts.vocabulary_
    assert max(map(len, parts.vocabulary_)) == 2


def test_a_batch_that_fails_is_not_counted():
    vectorizer = TfPiVectorizer().partial_fit(TEXTS[:4], LABELS[:4])
    for parameters in ({"scheme": "nope"}, {"tf": "nope"}, {"norm": "nope"}, {"smoothing": 0}, {"min_df": -3}):
        with pytest.raises(ValueError, match=r"nope|smoothing|min_df"):
            clone(vectorizer).set_params(**parameters).partial_fit(TEXTS, LABELS)
        before = vectorizer.get_params()
        with pytest.raises(ValueError, match=r"nope|smoothing|min_df"):
            vectorizer.set_params(**parameters).partial_fit(TEXTS[4:], LABELS[4:])
        vectorizer.set_params(**before)
    for texts, labels in ((["", ""], ["a", "b", "b"]), (TEXTS[:2], ["a"]), ([None], ["a"])):
        with pytest.raises(ValueError, match=r"one label per document|is missing"):
            vectorizer.partial_fit(texts, labels)
    vectorizer.partial_fit(TEXTS[4:], LABELS[4:])
    assert vectorizer.counts_ == TfPiVectorizer().fit(TEXTS, LABELS).counts_


def test_a_refit_that_fails_leaves_no_mixture_behind():
    vectorizer = TfPiVectorizer().fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="got one class"):
        vectorizer.fit(["zz yy", "xx zz"], ["a", "a"])  # noticed before the text is read
    with pytest.raises(ValueError, match="empty vocabulary"):
        vectorizer.fit(["x", "y", "z"], ["a", "b", "a"])
    assert vectorizer.vocabulary_ == TfPiVectorizer().fit(TEXTS, LABELS).vocabulary_
    assert vectorizer.transform(["goal"]).nnz == 1


@pytest.mark.parametrize("has_kernel", [pytest.param(True, marks=needs_kernel), False])
def test_many_small_batches_are_weighted_once_and_added_up_on_the_way(monkeypatch, has_kernel):
    learnt, added = [], []
    learn, add = TermWeighter.learn, ClassCounts.__add__
    monkeypatch.setattr(TermWeighter, "learn", lambda *given: learnt.append(1) or learn(*given))
    monkeypatch.setattr(ClassCounts, "__add__", lambda *both: added.append(1) or add(*both))
    vectorizer = TfPiVectorizer()
    with nullcontext() if has_kernel else kernel_off():
        for i in range(40):
            vectorizer.partial_fit([f"word{i} goal", f"word{i} vote"], ["sport", "politics"])
        assert not added if has_kernel else 40 - 8 < len(added) < 40  # fewer than eight sums are kept
        assert not learnt
        assert vectorizer.counts_.n_documents == 80
        assert len(vectorizer.vocabulary_) == 42
        assert vectorizer.transform(["goal"]).nnz == 1
        assert (len(added), len(learnt)) == (0 if has_kernel else 39, 1)


def test_threads_that_add_batches_take_turns():
    vectorizer, weighter, profile = TfPiVectorizer(), TermWeighter(), ClassProfile()

    def add(number):
        for i in range(15):
            vectorizer.partial_fit([f"word{number * 15 + i} goal", "late vote"], ["sport", "politics"])
            weighter.partial_fit([[1, 0], [0, 1]], ["sport", "politics"])
            profile.partial_fit([[1, 0], [0, 1]], ["sport", "politics"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert vectorizer.counts_.n_documents == weighter.counts_.n_documents == profile.counts_.n_documents == 240
    assert len(vectorizer.vocabulary_) == 123


def test_fit_after_partial_fit_starts_anew():
    vectorizer = TfPiVectorizer().partial_fit(["other words", "again others"], ["a", "b"])
    assert vectorizer.fit(TEXTS, LABELS).counts_ == TfPiVectorizer().fit(TEXTS, LABELS).counts_


# A newcomer's mistakes.


def test_no_labels():
    for call in (TfPiVectorizer().fit_transform, TfPiVectorizer().fit, TfPiVectorizer().partial_fit):
        with pytest.raises(
            ValueError, match=r"TfPiVectorizer learns from labels: it requires y .* fit\(texts, labels\)"
        ):
            call(TEXTS)


def test_swapped_arguments():
    for times in (1, 5):
        with pytest.raises(ValueError, match=r"more distinct labels .* documents: are the arguments swapped"):
            TfPiVectorizer().fit_transform(LABELS * times, TEXTS * times)


def test_labels_of_another_length():
    with pytest.raises(ValueError, match="one label per document, got 7 labels for 8 documents"):
        TfPiVectorizer().fit_transform(TEXTS, LABELS[:-1])
    with pytest.raises(ValueError, match="one label per document, got 7 labels for 8 documents"):
        TfPiVectorizer().fit_transform(iter(TEXTS), LABELS[:-1])


def test_continuous_labels():
    with pytest.raises(ValueError, match=r"y must hold class labels, got continuous values such as 0\.5"):
        TfPiVectorizer().fit_transform(TEXTS, np.arange(8) / 2)


def test_all_labels_different():
    with pytest.raises(ValueError, match=r"all 8 labels are different .* no class has two documents"):
        TfPiVectorizer().fit_transform(TEXTS, [f"id {i}" for i in range(8)])


@bad_calls(
    (
        "a frame",
        lambda: TfPiVectorizer().fit(pd.DataFrame({"text": TEXTS}), LABELS),
        ValueError,
        "pass the column that holds the text",
    ),
    (
        "a number",
        lambda: TfPiVectorizer().fit([*TEXTS[:2], 5, *TEXTS[3:]], LABELS),
        TypeError,
        "documents must be str or bytes, got int for document 2",
    ),
)
def test_a_frame_and_a_number_are_no_texts(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_not_fitted_and_wrong_dtype():
    with pytest.raises(NotFittedError, match="not fitted yet: call fit with texts and labels first"):
        TfPiVectorizer().transform(TEXTS)
    assert not hasattr(TfPiVectorizer(), "weights_")
    assert not hasattr(TfPiVectorizer(), "counts_")
    with pytest.raises(ValueError, match=r"dtype must be float32 or float64, got .*int64"):
        TfPiVectorizer(dtype=np.int64).fit(TEXTS, LABELS)


# As a scikit-learn citizen: what parametrize_with_checks does not check for estimators on text.


def test_fit_returns_self_and_refitting_forgets():
    vectorizer = TfPiVectorizer()
    assert vectorizer.fit(TEXTS, LABELS) is vectorizer
    vectorizer.fit(["one two", "two three", "three one"], ["a", "b", "a"])
    assert vectorizer.vocabulary_ == {"one": 0, "three": 1, "two": 2}
    assert vectorizer.counts_.classes.tolist() == ["a", "b"]


def test_input_and_parameters_are_not_changed():
    texts, labels, vocabulary = list(TEXTS), list(LABELS), ["goal", "vote"]
    vectorizer = TfPiVectorizer(vocabulary=vocabulary)
    before = vectorizer.get_params()
    vectorizer.fit_transform(texts, labels)
    assert (texts, labels, vocabulary) == (TEXTS, LABELS, ["goal", "vote"])
    assert vectorizer.get_params() == before


def test_clone_set_params_and_pickle():
    vectorizer = TfPiVectorizer(scheme="rf*idf", ngram_range=(1, 2), norm="hellinger", n_jobs=2)
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    assert vectorizer.set_params(tf="log").get_params()["tf"] == "log"
    vectorizer.fit(TEXTS, LABELS)
    again = pickle.loads(pickle.dumps(vectorizer))
    assert_same(again.transform(TEXTS), vectorizer.transform(TEXTS))
    assert again.explain("goal") == vectorizer.explain("goal")


def test_pipeline_grid_search_and_cross_validation():
    texts, labels = TEXTS * 3, LABELS * 3
    model = make_pipeline(TfPiVectorizer(), LogisticRegression())
    search = GridSearchCV(model, {"tfpivectorizer__scheme": ["pi", "idf", "rf*idf"]}, cv=3).fit(texts, labels)
    assert search.best_score_ == 1.0
    assert cross_val_score(model, texts, labels, cv=3).mean() == 1.0


def test_sample_weight_equals_repetition():
    times = np.array([2, 1, 3, 1, 1, 2, 1, 2])
    weighted = TfPiVectorizer(tf="bm25").fit(TEXTS, LABELS, sample_weight=times)
    repeated = TfPiVectorizer(tf="bm25").fit(np.repeat(TEXTS, times), np.repeat(LABELS, times))
    assert_same(weighted.transform(TEXTS), repeated.transform(TEXTS))


def test_sample_weight_is_routed_through_a_pipeline():
    set_config(enable_metadata_routing=True)
    try:
        vectorizer = TfPiVectorizer().set_fit_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        times = np.arange(1, 9)
        fitted = make_pipeline(vectorizer, model).fit(TEXTS, LABELS, sample_weight=times)
        assert fitted[0].counts_.n_documents == times.sum()
        TfPiVectorizer().set_partial_fit_request(sample_weight=True)
    finally:
        set_config(enable_metadata_routing=False)


def test_indicator_matrices():
    indicator = np.array([[label == name for name in ("sport", "politics")] for label in LABELS], dtype=int)
    vectorizer = TfPiVectorizer().fit(TEXTS, indicator)
    assert vectorizer.counts_.n_docs.tolist() == [3, 3]
    assert vectorizer.counts_.n_documents == 8


def test_explain_by_name():
    vectorizer = TfPiVectorizer().fit(TEXTS, LABELS)
    explanation = vectorizer.explain("goal")
    assert explanation.term == "goal"
    assert explanation.documents_by_class == {"politics": 0, "science": 0, "sport": 3}
    assert explanation.weight == vectorizer.weights_[vectorizer.vocabulary_["goal"]]
    column = vectorizer.vocabulary_["goal"]
    assert vectorizer.explain(column) == explanation
    assert str(vectorizer.explain(column)).startswith("goal\n")
    with pytest.raises(ValueError, match=r"unknown term 'goals': did you mean goal\?"):
        vectorizer.explain("goals")
    unseen = TfPiVectorizer(vocabulary=["goal", "never"]).fit(TEXTS, LABELS)
    assert unseen.explain("never").pcf_all == unseen.explain("goal").pcf_all == explanation.pcf_all


def test_html_and_repr_and_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "TfPiVectorizer" in TfPiVectorizer(scheme="rf")._repr_html_()
        assert repr(TfPiVectorizer(scheme="rf")) == "TfPiVectorizer(scheme='rf')"


# Coming from TfidfVectorizer: what the table in the docstring and in the guide says.


def ones(counts):
    return np.ones(len(counts.term_docs))


def scikit_learns_idf(counts):
    return np.log((1 + counts.n_documents) / (1 + counts.term_docs)) + 1


def bare_idf(counts):
    return np.log(counts.n_documents / counts.term_docs) + 1


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"use_idf": False}, {"scheme": ones}),
        ({"use_idf": False, "sublinear_tf": True}, {"scheme": ones, "tf": "log"}),
        ({"use_idf": False, "norm": "l1"}, {"scheme": ones, "norm": "l1"}),
        ({"use_idf": False, "norm": None, "binary": True}, {"scheme": ones, "norm": None, "binary": True}),
        ({"use_idf": False, "norm": None, "binary": True}, {"scheme": ones, "norm": None, "tf": "binary"}),
        ({}, {"scheme": scikit_learns_idf}),
        ({"smooth_idf": False, "stop_words": "english"}, {"scheme": bare_idf, "stop_words": "english"}),
    ],
)
def test_coming_from_tfidf_vectorizer(theirs, ours):
    texts = [*TEXTS, "goal goal goal vote"]
    ours, theirs = TfPiVectorizer(**ours).fit(texts, [*LABELS, "sport"]), TfidfVectorizer(**theirs).fit(texts)
    np.testing.assert_allclose(ours.transform(texts).toarray(), theirs.transform(texts).toarray())
    if theirs.use_idf:
        np.testing.assert_allclose(ours.weights_, theirs.idf_)


@pytest.mark.parametrize("scheme", ["pcf_present*idf", "sqrt(certainty*idf)", "pcf_boost*idf"])
def test_the_schemes_for_models_that_refuse_negative_features(scheme):
    # "late" is in both classes: less certain than the classes themselves, of which one is the larger.
    texts = ["late goal", "own goal", "late vote", "close vote", "no vote", "a late vote"] * 3
    labels = ["sport", "sport", "politics", "politics", "politics", "politics"] * 3
    assert TfPiVectorizer().fit(texts, labels).explain("late").weight < 0
    model = make_pipeline(TfPiVectorizer(), MultinomialNB())
    with pytest.raises(ValueError, match="Negative values in data passed to MultinomialNB"):
        model.fit(texts, labels)
    model.set_params(tfpivectorizer__scheme=scheme).fit(texts, labels)
    assert model.predict(["the goal", "the vote"]).tolist() == ["sport", "politics"]
    chosen = make_pipeline(TfPiVectorizer(scheme=scheme), SelectKBest(chi2, k=2)).fit(texts, labels)
    assert chosen.get_feature_names_out().tolist() == ["goal", "vote"]
