"""Named settings: the formulas that they stand for, written out, and one line from text to labels."""

import numpy as np
import pytest
from made_up_texts import made_up_texts
from sklearn.feature_extraction.text import CountVectorizer

from troenpy import ClassProfile, TermWeighter, TextKNeighborsClassifier, TroenpyClassifier, settings


def made_up(n_documents, seed=0):
    """Add a copy of a text, and one of shared words only."""
    texts, labels = made_up_texts(n_documents, seed=seed, n_shared=30)
    return [*texts, texts[0], "word1 word1"], np.array([*labels, labels[0], "sport"])


TEXTS, LABELS = made_up(60)
COUNTS = CountVectorizer().fit_transform(TEXTS)
PAIRS = CountVectorizer(token_pattern=r"(?u)\w+|[^\w\s]", ngram_range=(1, 2)).fit_transform(TEXTS)  # noqa: S106
PIECES = CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)).fit_transform(TEXTS)


def weighted(scheme, counts=COUNTS, **how):
    return TermWeighter(scheme, **how).fit_transform(counts, LABELS).toarray()


def linear(counts):
    return [
        weighted("sqrt(certainty*idf)", counts, tf="log"),
        weighted("pcf_boost*idf", counts, tf="log"),
        ClassProfile(leave_out="copies").fit_transform(counts, LABELS),
    ]


def neighbours(counts):
    return [
        weighted("sqrt(certainty*idf)", counts, norm="hellinger"),
        2 * ClassProfile().fit_transform(counts, LABELS),
    ]


FORMULAS = {
    "paper": lambda: [weighted("pi")],
    "paper_2b": lambda: [
        weighted("pi"),
        weighted(lambda counts: np.ones(COUNTS.shape[1]), tf="binary"),
        weighted("cib_ncf"),
        weighted("cib_pcf"),
    ],
    "knn": lambda: neighbours(COUNTS),
    "knn_views": lambda: [*neighbours(PAIRS), *neighbours(PIECES)],
    "linear": lambda: linear(COUNTS),
    "views": lambda: [*linear(PAIRS), *linear(PIECES)],
    "auto": lambda: [*linear(COUNTS), *linear(PAIRS), *linear(PIECES)],
    "plain": lambda: [weighted("pcf_boost*idf", tf="log")],
}


@pytest.mark.parametrize("name", settings.SETTINGS)
def test_the_features_are_the_formulas(name):
    result = settings.features(name, dtype=np.float64).fit_transform(TEXTS, LABELS)
    np.testing.assert_allclose(result.toarray(), np.hstack(FORMULAS[name]()), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", settings.SETTINGS)
def test_one_line_to_labels(name):
    model = settings.classifier(name, stop_words=["word1"]).fit(TEXTS, LABELS)
    texts, labels = made_up(40, seed=1)
    assert (model.predict(texts[:40]) == labels[:40]).mean() > 0.7
    if settings.SETTINGS[name].model == "linear":
        assert isinstance(model, TroenpyClassifier)
        words = [view for view in model.features_.views_ if view.name != "pieces"]
        assert all("word1" not in view.counter.vocabulary_ for view in words)
    else:
        assert isinstance(model, TextKNeighborsClassifier)
        assert model.n_neighbors == 7


def test_options_replace_what_a_setting_has():
    assert settings.features("linear", leave_out="document").leave_out == "document"
    assert settings.features("paper", words="counts").fit_transform(COUNTS, LABELS).shape == COUNTS.shape


def test_options_go_to_whom_they_belong():
    model = settings.classifier("linear", C=10, ngram_range=(1, 2), min_df=2, smoothing=0.5, n_jobs=2)
    assert (model.C, model.n_jobs, model.features.smoothing) == (10, 2, 0.5)
    assert model.get_params()["features__words__ngram_range"] == (1, 2)
    assert model.get_params()["features__words__blocks"] == ("certainty", "boost", "profile")
    knn = settings.classifier("knn", n_neighbors=3, stop_words="english", words__binary=True)
    assert (knn.n_neighbors, knn.get_params()["features__words__binary"]) == (3, True)
    with pytest.raises(TypeError, match="unknown option 'ngram_rage': did you mean ngram_range"):
        settings.classifier("linear", ngram_rage=(1, 2))


def test_options_of_several_views_go_to_all_that_have_them():
    params = settings.classifier("auto", min_df=2, stop_words=["word1"], C=3).get_params()
    assert [params[f"features__{view}__min_df"] for view in ("words", "pairs", "pieces")] == [2, 2, 2]
    assert [params[f"features__{view}__stop_words"] for view in ("words", "pairs")] == [["word1"]] * 2
    assert params["features__pieces__stop_words"] is None
    expected = (
        "the views differ in ngram_range: set that of one of them, features__pairs__ngram_range or features__pieces"
    )
    with pytest.raises(TypeError, match=expected):
        settings.classifier("views", ngram_range=(1, 3))


def test_settings_do_not_share_what_they_return():
    settings.features("knn").set_params(words__ngram_range=(1, 2))
    assert settings.features("knn").get_params()["words__ngram_range"] == (1, 1)


def test_an_unknown_setting_lists_the_known():
    with pytest.raises(
        ValueError,
        match="unknown setting 'knnn'; choose one of paper, paper_2b, knn, knn_views, linear, views, auto, plain",
    ):
        settings.features("knnn")
