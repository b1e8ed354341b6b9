"""What the weight of a term is made of: one term or several, under any scheme, safe to show."""

import math
import sys

import numpy as np
import pandas as pd
import pytest

from troenpy import WEIGHTS, TermWeighter, TfPiVectorizer, weights

TEXTS = ["late goal", "own goal", "goal today", "late vote", "close vote", "own goal vote"]
LABELS = ["sport", "sport", "sport", "politics", "politics", "politics"]


def fitted(scheme="pi", **options):
    return TfPiVectorizer(scheme=scheme, **options).fit(TEXTS, LABELS)


def test_several_terms_are_a_sequence_of_the_single_ones():
    vectorizer = fitted()
    table = vectorizer.explain(["vote", "goal", "vote"])
    assert list(table) == [vectorizer.explain(term) for term in ("vote", "goal", "vote")]
    assert [explanation.term for explanation in vectorizer.explain(range(2))] == ["close", "goal"]
    assert vectorizer.explain(np.array(["goal"], dtype=object)) == vectorizer.explain(pd.Series(["goal"]))
    assert len(vectorizer.explain([])) == 0
    assert str(vectorizer.explain(())) == "no terms"
    assert vectorizer.explain([]).to_frame().columns.tolist() == ["term", "weight", "rank", "documents", "low", "high"]
    with pytest.raises(ValueError, match=r"unknown term 'goals': did you mean goal\?"):
        vectorizer.explain(["vote", "goals"])


def test_several_terms_print_as_a_table():
    lines = str(fitted().explain(["vote", "goal"])).splitlines()
    assert lines[0].split() == ["term", "weight", "rank", "documents", "most", "in", "PCF_1", "PCF_*", "IDF"]
    assert [line.split()[0] for line in lines[1:]] == ["vote", "goal"]
    assert lines[1].split()[2:6] == ["1", "3", "politics", "3"]
    assert len({len(line) for line in lines}) == 1


def test_weights_have_intervals_if_counts_tell():
    explanation = fitted().explain("goal")
    assert explanation.low < explanation.weight < explanation.high
    low, high = f"{explanation.low:.3g}", f"{explanation.high:.3g}"
    assert f"\n  95 % interval        {low} to {high}\n" in str(explanation)
    assert f"<td>{low} to {high}</td>" in explanation._repr_html_()
    frame = fitted().explain(["goal", "vote"]).to_frame()
    assert frame["low"][0] == explanation.low
    assert fitted("nb").explain("goal").low is None
    assert "interval" not in str(fitted("nb").explain("goal"))
    indicator = np.array([[label == "sport", True] for label in LABELS]).astype(int)
    assert TfPiVectorizer().fit(TEXTS, indicator).explain("goal").high is None


def test_a_weighter_explains_several_columns_too():
    weighter = TermWeighter("rf").fit(pd.DataFrame({"goal": [1, 1, 0], "vote": [0, 0, 2]}), ["s", "s", "p"])
    assert [explanation.documents for explanation in weighter.explain(["goal", 1])] == [2, 1]


def test_a_table_becomes_a_data_frame():
    frame = fitted().explain(["vote", "goal"]).to_frame()
    assert frame["term"].tolist() == ["vote", "goal"]
    assert frame["documents in politics"].tolist() == [3, 1]
    assert frame["documents in sport"].tolist() == [0, 3]
    np.testing.assert_allclose((frame["PCF_1"] - frame["PCF_*"]) * frame["IDF"], frame["weight"])


def test_without_pandas_an_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        fitted().explain(["vote"]).to_frame()


@pytest.mark.parametrize("name", [name for name in WEIGHTS if name not in ("pi", "pcf", "pcf_present", "idf")])
def test_the_part_of_a_named_scheme_is_its_weight(name):
    for explanation in fitted(name).explain(["goal", "late", "vote"]):
        assert list(explanation.parts) == [name]
        assert explanation.parts[name] == explanation.weight


@pytest.mark.parametrize(
    ("scheme", "parts", "weight"),
    [
        ("pi", ["PCF_1", "PCF_*", "IDF"], lambda pcf_1, pcf_all, idf: (pcf_1 - pcf_all) * idf),
        (weights.pi, ["PCF_1", "PCF_*", "IDF"], lambda pcf_1, pcf_all, idf: (pcf_1 - pcf_all) * idf),
        ("pcf", ["PCF_1", "PCF_*"], lambda pcf_1, pcf_all: pcf_1 - pcf_all),
        ("rf*idf", ["rf", "IDF"], lambda rf, idf: rf * idf),
        ("sqrt(certainty*idf)", ["certainty", "IDF"], lambda certainty, idf: math.sqrt(certainty * idf)),
        (" pcf_boost * idf * idf", ["pcf_boost", "IDF"], lambda boost, idf: boost * idf * idf),
        ("sqrt(pcf_present)*chi2", ["PCF_1", "chi2"], lambda pcf_1, chi2: math.sqrt(pcf_1) * chi2),
    ],
)
def test_the_parts_are_those_of_the_scheme(scheme, parts, weight):
    explanation = fitted(scheme, smoothing=0.5).explain("goal")
    assert list(explanation.parts) == parts
    assert weight(*explanation.parts.values()) == pytest.approx(explanation.weight)
    shown = str(explanation)
    assert [name for name in ("PCF_1", "PCF_*", "IDF", "rf", "certainty") if name in shown] == [
        name for name in ("PCF_1", "PCF_*", "IDF", "rf", "certainty") if name in parts
    ]


def test_of_a_function_only_the_weight_and_the_counts_are_shown():
    explanation = fitted(lambda counts: np.sqrt(counts.term_docs)).explain("goal")
    assert (explanation.weight, explanation.parts) == (2.0, {})
    assert str(explanation).splitlines()[1:] == [
        "  weight               2",
        "  rank                 1 of 6",
        "  documents (n_w)      4 of 6",
        "    in class sport     3",
        "    in class politics  1",
    ]


def test_terms_and_classes_are_shown_and_never_run():
    evil, label = "a\x1b[2J\n<b>", "s\x1b[2J\n<i>"
    vectorizer = TfPiVectorizer(analyzer=lambda text: text.split("|")).fit([f"{evil}|x", "x", "y"], [label, label, "p"])
    one, several = vectorizer.explain(evil), vectorizer.explain([evil, "x"])
    assert str(one).splitlines()[0] == r"a\x1b[2J\n<b>"
    assert r"  in class s\x1b[2J\n<i>" in str(one)
    assert len(str(several).splitlines()) == 3
    for shown in (str(one), str(several)):
        assert "\x1b" not in shown
    for page in (one._repr_html_(), several._repr_html_()):
        assert "\x1b" not in page
        assert "<b>" not in page
        assert "<i>" not in page
        assert "&lt;b&gt;" in page
        assert "&lt;i&gt;" in page
