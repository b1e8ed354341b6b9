"""Explanations as they are shown: only what matters is coloured, nothing in a text or a label is run."""

import re
import sys

import numpy as np
import pytest
from some_views import words

from troenpy import CountVectorizer, TermFeatures, TextKNeighborsClassifier, TroenpyClassifier, settings
from troenpy.models.explanation import Explanation
from troenpy.models.folding import ViewTerms

TEXTS = ["late goal wins the cup", "the striker scores a goal", "the vote was close", "parliament will vote today"] * 3
LABELS = ["sport", "sport", "politics", "politics"] * 3


def explained(text, contributions, places):
    """An explanation of class "a" by the given contributions to it, of two classes."""
    values = np.array([[value, -value] for value in contributions.values()]).reshape(-1, 2)
    return Explanation(
        text=text,
        label="a",
        prediction="a",
        probability=0.75,
        classes=np.array(["a", "b"]),
        decision=values.sum(axis=0),
        intercept=np.zeros(2),
        shown_views=[view_terms(text, [*contributions], values, places)],
    )


def view_terms(text, terms, values, places):
    """Terms that stand in these places, whatever a counter would say."""
    view = ViewTerms("words", CountVectorizer(), text, np.array(terms, dtype=object), values)
    found = None if places is None else {term: [sorted(place)] for term, place in places.items()}
    vars(view)["occurrences"] = found
    return view


def coloured(page):
    """The pieces of text that are coloured, with the first number of the colour's strength."""
    return re.findall(r"<span style='background:rgba\((\d+),.*?title='(.*?)'>(.*?)</span>", page)


def test_a_term_that_adds_next_to_nothing_is_not_coloured():
    places = {"one": {0, 1, 2}, "two": {4, 5, 6}, "six": {8, 9, 10}}
    page = explained("one two six", {"one": 2.0, "two": -1.0, "six": 0.01}, places)._repr_html_()
    assert coloured(page) == [("0", "one +2.0000", "one"), ("200", "two -1.0000", "two")]
    page = explained("one two six", {"one": 10.0, "two": -1.0, "six": 0.5}, places)._repr_html_()
    assert [piece for *_, piece in coloured(page)] == ["one"]
    assert coloured(explained("one two six", {"one": 0.0, "two": 0.0, "six": 0.0}, places)._repr_html_()) == []
    assert coloured(explained("", {}, {})._repr_html_()) == []


def test_terms_that_overlap_are_added():
    places = {"one": {0, 1, 2}, "one two": {0, 1, 2, 4, 5, 6}}
    page = explained("one two six", {"one": 1.0, "one two": 1.0}, places)._repr_html_()
    assert coloured(page) == [("0", "one +1.0000, one two +1.0000", "one"), ("0", "one two +1.0000", "two")]
    strengths = re.findall(r",(0\.\d\d)\)", page)
    assert strengths == ["0.70", "0.40"]


def test_without_places_the_text_is_plain_and_the_table_says_it():
    page = explained("one two", {"one": 1.0}, None)._repr_html_()
    assert coloured(page) == []
    assert "<td>one</td><td>+1.0000</td>" in page


def test_the_n_grams_of_the_fitted_analyzer_are_highlighted():
    for options in [
        {"ngram_range": (2, 2)},
        {"token_pattern": r"(?u)\S+"},
        {"analyzer": "char_wb", "ngram_range": (4, 4)},
    ]:
        model = TroenpyClassifier(TermFeatures(words("pi", **options))).fit(TEXTS, LABELS)
        page = model.explain("They will vote today.", label="politics")._repr_html_()
        assert "vote" in "".join(text for *_, text in coloured(page)), options


def test_an_explanation_becomes_a_data_frame(monkeypatch):
    explanation = TroenpyClassifier(settings.features("linear")).fit(TEXTS, LABELS).explain("a goal today")
    frame = explanation.to_frame()
    assert frame.columns.tolist() == ["term", "politics", "sport"]
    assert frame["term"].tolist() == explanation.terms.tolist()
    np.testing.assert_array_equal(frame[["politics", "sport"]].to_numpy(), explanation.contributions)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        explanation.to_frame()


EVIL = "\x1b[2J<b>\n"


@pytest.mark.parametrize("model", [TroenpyClassifier, TextKNeighborsClassifier])
def test_what_is_in_terms_and_labels_is_shown_and_never_run(model):
    features = TermFeatures(words("certainty_hellinger", token_pattern=r"(?s)(?:[^|])+"))  # noqa: S106 (no password)
    texts = [f"goal{EVIL}|own", f"goal{EVIL}|late", "vote|own", "vote|late"] * 3
    explanation = model(features).fit(texts, [f"s{EVIL}", f"s{EVIL}", "p", "p"] * 3).explain(f"goal{EVIL}|\ud800")
    shown, page = str(explanation), explanation._repr_html_()
    assert "\x1b" not in shown
    assert r"goal\x1b[2j<b>\n" in shown
    assert r"label: s\x1b[2J<b>\n" in shown
    assert "<b>" not in page.replace("<p><b>", "")
    assert "&lt;b&gt;" in page
    page.encode("utf-8")


# Neighbours.


@pytest.fixture(scope="module", params=["uniform", "distance"])
def neighbours(request):
    return TextKNeighborsClassifier(n_neighbors=5, weights=request.param).fit(TEXTS, LABELS)


@pytest.mark.parametrize("text", ["a goal in the cup", "vote for the striker", "nothing known", ""])
def test_the_neighbours_are_those_that_vote(neighbours, text):
    explanation = neighbours.explain(text)
    distances, documents = neighbours.kneighbors([text])
    np.testing.assert_array_equal(explanation.documents, documents[0])
    np.testing.assert_array_equal(explanation.distances, distances[0])
    assert explanation.labels.tolist() == [LABELS[i] for i in documents[0]]
    assert explanation.label == neighbours.predict([text])[0]
    votes = [explanation.votes[explanation.labels == name].sum() for name in neighbours.classes_]
    np.testing.assert_allclose(votes / np.sum(votes), neighbours.predict_proba([text])[0])


@pytest.mark.parametrize("blocks", [("certainty_hellinger", "profile"), ("pi", "btf"), ("profile",), ("btf", "boost")])
@pytest.mark.parametrize("text", ["a goal in the cup", "vote for the striker", "nothing known", ""])
def test_the_parts_make_up_the_squared_distance(blocks, text):
    model = TextKNeighborsClassifier(TermFeatures(words(*blocks)), n_neighbors=6).fit([*TEXTS, "!"], [*LABELS, "sport"])
    explanation = model.explain(text)
    squared = explanation.apart + explanation.profile - explanation.shared.sum(axis=0)
    np.testing.assert_allclose(squared, explanation.distances**2, atol=1e-12)
    assert ("profile" in blocks) or not explanation.profile.any()
    known = set(TermFeatures(words(*blocks)).fit(TEXTS, LABELS).vocabulary_) & set(text.split())
    assert set(explanation.terms.tolist()) <= known
    assert explanation.shared.shape == (len(explanation.terms), 6)


def test_what_a_neighbour_shares_by_hand():
    model = TextKNeighborsClassifier(TermFeatures(words("btf")), n_neighbors=1).fit(
        ["ab cd", "ef gh", "ef"], ["x", "y", "y"]
    )
    explanation = model.explain("cd zz")
    assert explanation.terms.tolist() == ["cd"]
    assert explanation.shared == pytest.approx(2 * np.sqrt(0.5))  # 2 * 1 * 1/sqrt(2)
    assert explanation.apart == pytest.approx(2)
    assert str(explanation).splitlines()[0] == "label: x"
    assert str(explanation).splitlines()[-1].split() == ["0", "x", "0.7654", "1", "0.0000", "1.4142", "cd", "1.414"]


def test_neighbours_become_a_data_frame_and_a_page(neighbours):
    explanation = neighbours.explain("a goal in the cup")
    frame = explanation.to_frame()
    assert frame["document"].tolist() == explanation.documents.tolist()
    assert frame["terms"][0][0] == "goal (pairs)"
    np.testing.assert_allclose(frame["apart"] + frame["profile"] - frame["shared"], frame["distance"] ** 2)
    assert explanation._repr_html_().count("<tr>") == 6


def test_only_one_text_is_explained(neighbours):
    with pytest.raises(TypeError, match="explain takes one string, got list"):
        neighbours.explain(["goal"])
