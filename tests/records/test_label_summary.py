"""Labels that would give nonsense are one error, suspicious ones a warning, and good ones neither."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from troenpy.records import LabelSummary, label_summary


def checked(labels, texts=None, name="x.csv"):
    summary = LabelSummary("label")
    texts = texts or [f"text {i}" for i in range(len(labels))]
    summary.add(texts[: len(texts) // 2], labels[: len(texts) // 2])
    summary.add(texts[len(texts) // 2 :], labels[len(texts) // 2 :])
    return summary.check(name)


NUMBERS = np.random.default_rng(0)
NONSENSE = {
    "nothing": ([], r"x\.csv has no rows with text and label"),
    "one class": (["a"] * 30, r"all 30 documents of x\.csv have the label 'a': there must be two classes"),
    "one document": (["a"], r"the only document of x\.csv has the label 'a'"),
    "no labels": ([(), ()], r"no row of x\.csv has a label in column 'label': is this the column of labels\?"),
    "all different": (
        [f"id{i}" for i in range(10)],
        r"all 10 labels in column 'label' of x\.csv are different",
    ),
    "fractions": (
        [str(x) for x in NUMBERS.random(50).round(2)] * 20,
        "look like measurements: .* numbers, such",
    ),
    "prices": ([str(x) for x in NUMBERS.integers(0, 10_000, 1000)], "look like measurements"),
    "ids of rows": ([str(i % 900) for i in range(1000)], "look like measurements"),
    "dates in seconds": ([str(1.6e9 + i) for i in range(100)] + ["1600000000.0"], "look like measurements"),
}
GOOD = {
    "two documents": ["a", "b"],
    "nine different": [*"abcdefghi"],
    "ratings": [*"12345"] * 10,
    "ratings by halves": [str(i / 2) for i in range(21)] * 3,
    "ratings as floats": ["1.0", "2.0", "3.0"] * 4,
    "years": [str(year) for year in range(1990, 2024) if year % 3] * 3,
    "150 numbers": [str(i) for i in range(150)] * 3,
    "150 numbers, some rare": [str(i) for i in range(150)] * 2 + ["200", "201"],
    "sets": [("a",), ("a", "b"), ()],
    "one label or none": [("a",), ()] * 5,
    "all sets different": [tuple(f"{i:04b}") for i in range(12)],
    "numbers and words": [str(i) for i in range(30)] + ["none"] * 30,
    "not a number": ["nan", "inf", "1"] * 5,
}


@pytest.mark.parametrize("case", NONSENSE)
def test_nonsense_is_one_error(case):
    labels, message = NONSENSE[case]
    with pytest.raises(ValueError, match=message) as caught:
        checked(labels)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", GOOD)
def test_near_misses_are_no_errors(case):
    checked(GOOD[case])


@pytest.mark.parametrize(
    ("labels", "warnings"),
    [
        (["pos", "neg"] * 2, []),
        (["pos", "neg", "neg"], ["1 class has one document only: 'pos'"]),
        ([*"aabcdefg"], ["6 classes have one document each: 'b', 'c', 'd', 'e', 'f' and others"]),
        (["Pos", "pos", "neg"] * 2, ["'Pos' and 'pos' differ only by case or spaces: are they one class?"]),
        (["a", " a", "A ", "b"] * 2, ["' a', 'A ' and 'a' differ only by case or spaces: are they one class?"]),
        (
            ["new york", "new  york"] * 2,
            ["'new  york' and 'new york' differ only by case or spaces: are they one class?"],
        ),
        (["straße", "STRASSE"] * 2, ["'STRASSE' and 'straße' differ only by case or spaces: are they one class?"]),
    ],
)
def test_warnings(labels, warnings):
    assert checked(labels) == warnings


def test_many_similar_labels_are_counted():
    labels = [f(letter) for letter in "abcdefgh" for f in (str.lower, str.upper)] * 2
    assert checked(labels)[-1] == "3 more groups of labels differ only by case or spaces"
    assert len(checked(labels)) == 6


@pytest.mark.parametrize(
    ("texts", "labels", "warnings"),
    [
        (["a", "a", "b", "b"], ["x", "x", "y", "y"], []),
        (["a", "a", "b", "b"], ["x", "y", "y", "x"], ["2 texts occur with different labels (4 rows)"]),
        (
            ["a", "b", "a", "a", "c", "d"],
            ["x", "y", "x", "y", "x", "y"],
            ["1 text occurs with different labels (3 rows)"],
        ),
        (["a", "a", "b", "b"], [("x",), ("x", "y"), ("y",), ("y",)], ["1 text occurs with different labels (2 rows)"]),
    ],
)
def test_texts_with_different_labels(texts, labels, warnings):
    assert [line for line in checked(labels, texts) if "different labels" in line] == warnings


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=1))
def test_contradictions_are_counted_as_by_hand(rows):
    labels_of = {}
    for text, label in rows:
        labels_of.setdefault(text, set()).add(label)
    bad = {text for text, labels in labels_of.items() if len(labels) > 1}
    summary = LabelSummary("label")
    summary.add(*map(list, zip(*rows, strict=True)))
    found = summary._contradictions()
    n_rows = sum(text in bad for text, _ in rows)
    verb = "texts occur" if len(bad) > 1 else "text occurs"
    assert found == ([f"{len(bad)} {verb} with different labels ({n_rows} rows)"] if bad else [])


def test_counts():
    summary = LabelSummary("label")
    summary.add(["ab", "c"], ["x", "y"])
    summary.add(["def"], ["x"])
    assert (summary.n_documents, summary.n_characters, summary.n_by_class) == (3, 6, {"x": 2, "y": 1})


def test_far_too_many_labels_stop_early(monkeypatch):
    monkeypatch.setattr(label_summary, "MOST_LABELS", 1 << 4)
    summary = LabelSummary("id")
    with pytest.raises(ValueError, match="column 'id' has more than 16 different labels: is this the column of labels"):
        summary.add([""] * 17, [str(i) for i in range(17)])


def test_lone_surrogates_are_text():
    assert checked(["a", "b"] * 2, ["\ud800", "\ud801"] * 2) == []


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_texts_are_compared_in_blocks(monkeypatch, at_once):
    monkeypatch.setattr(label_summary, "KEYS_AT_ONCE", at_once)
    numbers = np.random.default_rng(1).integers(0, 12, size=(40, 2)).tolist()
    texts, labels = [f"text {i}" for i, _ in numbers], ["abcd"[j % 4] for _, j in numbers]
    of_text = {text: [y for one, y in zip(texts, labels, strict=True) if one == text] for text in texts}
    differ = [found for found in of_text.values() if len(set(found)) > 1]
    expected = f"{len(differ)} texts occur with different labels ({sum(map(len, differ))} rows)"
    assert checked(labels, texts)[-1] == expected


@pytest.mark.parametrize("separator", [";", "|", ","])
def test_labels_that_join_others_are_said(separator):
    joined = f"sport{separator} politics"
    assert checked(["sport", "politics", joined, f"a{separator}b", "food"] * 2)[0] == (
        f"1 label such as '{joined}' joins other labels: if rows have several labels, add"
        f" separator='{separator}' (--separator '{separator}' of train and terms)"
    )


def test_known_texts():
    learnt, tested, none = (LabelSummary("label") for _ in range(3))
    learnt.add(["a", "b", "b", "c"], ["x", "y", "x", "x"])
    tested.add(["b", "z", "b", "a"], ["y", "y", "q", "q"])
    assert (learnt.n_known(tested), tested.n_known(learnt)) == (3, 3)
    assert (none.n_known(tested), learnt.n_known(none)) == (0, 0)
    learnt.forget_texts()
    assert learnt.n_known(tested) == 0


def test_a_document_takes_few_bytes(peak_bytes, monkeypatch):
    monkeypatch.setattr(label_summary, "KEYS_AT_ONCE", 1000)
    texts, n = [f"text {i}" for i in range(1000)], 100

    def summarise():
        summary = LabelSummary("label")
        for number in range(n):
            summary.add([f"{number} {text}" for text in texts], ["a", "b"] * 500)
        summary.check("x.csv")

    assert peak_bytes(summarise) < 16 * 1000 * n + 500_000
