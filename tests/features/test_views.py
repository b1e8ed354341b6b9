"""Views of TermFeatures: their parameters by name, blocks of one's own, and what scikit-learn asks of parameters."""

from functools import partial

import numpy as np
import pytest
from made_up_texts import made_up_texts
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.estimator_checks import (
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)
from some_views import counted, words

from troenpy import (
    Block,
    CountVectorizer,
    TermFeatures,
    TermWeighter,
    TextKNeighborsClassifier,
    TroenpyClassifier,
    settings,
)

TEXTS, LABELS = made_up_texts(60)
COUNTS = SklearnCountVectorizer().fit_transform(TEXTS).astype(float)


@pytest.mark.parametrize("make", [TermFeatures, TroenpyClassifier, TextKNeighborsClassifier])
@pytest.mark.parametrize(
    "check",
    [
        check_parameters_default_constructible,
        check_get_params_invariance,
        check_set_params,
        check_no_attributes_set_in_init,
    ],
)
def test_scikit_learns_rules_on_parameters(make, check):
    check(make.__name__, make())


def test_parameters_of_a_view_are_set_by_name():
    features = TermFeatures(words("pi", min_df=2))
    features.set_params(words__ngram_range=(1, 2), words__blocks=("btf",), smoothing=0.5)
    ((name, counter, blocks),) = features.views
    assert (name, counter.ngram_range, counter.min_df, blocks, features.smoothing) == (
        "words",
        (1, 2),
        2,
        ("btf",),
        0.5,
    )
    features.set_params(words=CountVectorizer(binary=True), words__min_df=3)
    assert features.get_params()["words__binary"] is True
    assert features.get_params()["words__min_df"] == 3
    assert features.set_params(words="counts").takes_counts
    with pytest.raises(ValueError, match="unknown parameter 'min_df' for the view 'words': 'counts' has no parameters"):
        features.set_params(words__min_df=3)
    with pytest.raises(ValueError, match="Invalid parameter 'word'"):
        features.set_params(word__min_df=3)
    assert features.set_params(views=words("pi"), words__min_df=4).get_params()["words__min_df"] == 4


@pytest.mark.parametrize(
    "make",
    [partial(TroenpyClassifier, candidates=[("words",)], C=3), partial(settings.classifier, "knn")],
    ids=["linear", "knn"],
)
def test_the_default_of_a_classifier_is_reached_by_name(make):
    model = make()
    assert model.get_params()["features__words__ngram_range"] == (1, 1)
    wishes = {"ngram_range": (1, 2), "stop_words": ["word1"], "min_df": 2}
    model.set_params(**{f"features__words__{name}": value for name, value in wishes.items()})
    assert make().get_params()["features__words__ngram_range"] == (1, 1)  # the default is nobody's to change
    model.fit(TEXTS, LABELS)
    expected = SklearnCountVectorizer(**wishes).fit(TEXTS)
    assert model.features_.vocabulary_ == expected.vocabulary_
    blocks = model.features_.get_params()["words__blocks"]
    assert blocks == make().get_params()["features__words__blocks"]
    search = GridSearchCV(make(), {"features__words__vocabulary": [["word1"], None]}, cv=2, error_score="raise")
    assert search.fit(TEXTS, LABELS).best_params_ == {"features__words__vocabulary": None}
    assert clone(TroenpyClassifier()).features is clone(TextKNeighborsClassifier()).features is None


def test_a_fitted_counter_is_the_models_own():
    counter = CountVectorizer()
    features = TermFeatures([("words", counter, ("pi",))], n_jobs=2).fit(TEXTS, LABELS)
    assert not hasattr(counter, "vocabulary_")
    (view,) = features.views_
    assert (view.counter.n_jobs, view.counter.dtype) == (2, np.float64)
    before = features.transform(TEXTS).toarray()
    features.set_params(words__lowercase=False, words__binary=True, profile_scale=9.0, smoothing=9.0)
    np.testing.assert_array_equal(features.transform(TEXTS).toarray(), before)


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("tf", ["raw", "log", "sqrt", "binary", "bm25"])
@pytest.mark.parametrize("norm", ["l2", "l1", "hellinger", None])
@pytest.mark.parametrize("view", [words, counted])
def test_a_block_of_ones_own_is_a_term_weighter(tf, norm, view):
    documents = TEXTS if view is words else COUNTS
    features = TermFeatures(view(Block("mine", "rf*idf", tf, norm), "btf", "profile"))
    X = features.fit_transform(documents, LABELS)
    weighter = TermWeighter("rf*idf", tf=tf, norm=norm)
    expected = weighter.fit_transform(COUNTS, LABELS).toarray()
    n_terms = COUNTS.shape[1]
    np.testing.assert_allclose(X.toarray()[:, :n_terms], expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(
        features.transform(documents[:9]).toarray()[:, :n_terms], weighter.transform(COUNTS[:9]).toarray(), rtol=1e-12
    )
    assert X.shape[1] == features.n_columns_ == len(features.get_feature_names_out())
    assert features.get_feature_names_out()[0].startswith("mine__")


def test_bm25_is_cross_fitted_with_the_lengths_of_the_other_folds():
    weights = np.random.default_rng(0).uniform(0.5, 2, len(LABELS))
    expected = TermWeighter("idf", tf="bm25", cv=KFold(3)).fit_transform(COUNTS, LABELS, weights).toarray()
    features = TermFeatures(counted(Block("bm25", "idf", "bm25")), cv=KFold(3))
    np.testing.assert_allclose(features.fit_transform(COUNTS, LABELS, weights).toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (Block("a", takes_pcf=1), "takes_pcf must be True or False, got 1"),
        (Block("a", abs), "the scheme of a block must be a name, an expression or None, got <built-in function abs>"),
    ],
)
def test_a_block_of_the_wrong_types(block, message):
    with pytest.raises(TypeError, match=message):
        TermFeatures(words(block)).fit(TEXTS, LABELS)


def test_a_class_in_the_place_of_a_counter_can_still_be_replaced_by_name():
    features = TermFeatures([("words", CountVectorizer, ("btf",))])
    assert "words__ngram_range" not in features.get_params()
    assert (
        features.set_params(words=CountVectorizer(), words__min_df=2).fit(TEXTS, LABELS).get_params()["words__min_df"]
        == 2
    )


def test_a_parameter_that_is_not_known_leaves_the_default_features():
    model = TroenpyClassifier()
    with pytest.raises(ValueError, match="Invalid parameter 'typo'"):
        model.set_params(features__typo=1)
    assert model.features is None
