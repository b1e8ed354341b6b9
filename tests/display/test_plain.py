"""What a stranger's text may do to a terminal: nothing."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troenpy.display.plain import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("knn: tf*pi", "knn: tf*pi"),
        ("naïve 日本 🙂", "naïve 日本 🙂"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),  # a joiner is part of how a script is written
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("a\x00\x07\x7f\x9bb", r"a\x00\x07\x7f\x9bb"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\u2066\u2069\u200e\u200f\u061c", r"\u2066\u2069\u200e\u200f\u061c"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\x85d"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text, shown):
    assert printable(text) == shown


def test_every_control_character_is_covered():
    left = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Zl", "Zp", "Cs") and printable(chr(code)) == chr(code)
    ]
    assert left == []


@given(st.text(st.characters(exclude_categories=())))
def test_it_is_one_line_that_can_be_encoded_and_is_not_changed_again(text):
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")
    assert printable(shown) == shown
