"""Where terms stand in a text: the fitted analyzer's own terms, or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troenpy import CountVectorizer
from troenpy.models.places import occurrences


def term_places(text, counter):
    """The characters that all occurrences of a term cover."""
    found = occurrences(text, counter)
    return None if found is None else {term: {i for place in places for i in place} for term, places in found.items()}


SETTINGS = {
    "words": {},
    "n-grams": {"ngram_range": (1, 3)},
    "stop words": {"ngram_range": (2, 2), "stop_words": ["the", "is"]},
    "case": {"lowercase": False},
    "accents": {"strip_accents": "unicode"},
    "ascii": {"strip_accents": "ascii", "lowercase": False},
    "pattern": {"token_pattern": r"(?u)\S+"},
    "group": {"token_pattern": r"(?u)\b(\w)\w*\b", "ngram_range": (1, 2)},
    "text": {"analyzer": "text", "ngram_range": (1, 2), "stop_words": ["-"]},
    "characters": {"analyzer": "char", "ngram_range": (1, 4)},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (2, 5)},
}


def covered_text(text, covered):
    return "".join(text[i] for i in sorted(covered))


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("A Late goal", {}, {"late": "Late", "goal": "goal"}),
        ("goal, goal", {}, {"goal": "goalgoal"}),
        ("late  goal", {"ngram_range": (2, 2)}, {"late goal": "lategoal"}),
        ("goal in the cup", {"ngram_range": (2, 2), "stop_words": ["in", "the"]}, {"goal cup": "goalcup"}),
        ("goal-kick c++", {"token_pattern": r"\S+"}, {"goal-kick": "goal-kick", "c++": "c++"}),
        ("id:7 id:8", {"token_pattern": r"id:(\d)"}, {"7": "7", "8": "8"}),
        ("Éa cafe\u0301", {"strip_accents": "unicode"}, {"ea": "Éa", "cafe": "cafe"}),
        ("Don't! 東", {"analyzer": "text"}, {"don": "Don", "'": "'", "t": "t", "!": "!", "東": "東"}),
        ("a \t b", {"analyzer": "char", "ngram_range": (3, 3)}, {"a b": "a b"}),
        ("ab c", {"analyzer": "char_wb", "ngram_range": (3, 3)}, {" ab": "ab", "ab ": "ab", " c ": "c"}),
    ],
)
def test_the_characters_of_a_term(text, settings, expected):
    places = term_places(text, CountVectorizer(**settings))
    assert {term: covered_text(text, covered) for term, covered in places.items()} == expected


@pytest.mark.parametrize("name", SETTINGS)
@given(text=st.text(alphabet=st.sampled_from("aAbéÉe\u0301ßİΣσ \t\n.,-ﬁ日xy"), max_size=40))
def test_the_terms_are_those_of_the_analyzer(name, text):
    counter = CountVectorizer(**SETTINGS[name])
    places = term_places(text, counter)
    if places is None:  # lower case that does not go character by character
        assert "İ" in text
    else:
        assert set(places) == set(counter.build_analyzer()(text))
        assert all(0 <= i < len(text) for covered in places.values() for i in covered)


class Backwards(CountVectorizer):
    def build_analyzer(self):
        return lambda text: [word[::-1] for word in text.split()]


@pytest.mark.parametrize(
    "counter",
    [
        CountVectorizer(tokenizer=str.split, token_pattern=None),
        CountVectorizer(preprocessor=str.upper),
        CountVectorizer(analyzer=str.split),
        CountVectorizer(input="filename"),
        Backwards(),
    ],
)
def test_where_the_analyzer_does_not_tell_nothing_is_guessed(counter):
    assert term_places("late goal", counter) is None
