"""A list of rows whose label is doubted: the row with both labels, its text, the reasons; with search and filters.

Rows are drawn in Python; some are shown at first, and more on demand: all without a script. To hide thousands of rows
by script would take seconds. What is too long is cut by who makes the
list: this part shows all it is given.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from troenpy.report.parts.shell import Part

#: Scripts from here on write words without spaces between them.
UNSPACED = "\u2e80"
N_FIRST = 300  # characters of a text that are shown before it is unfolded
N_ROWS = 25  # rows that are shown at first, and added each time


@dataclass(frozen=True)
class NearText:
    """A near text: its row, its labels, how near it is, from 0 to 1, and how it begins."""

    row: int
    labels: str
    similarity: float
    text: str = ""


@dataclass(frozen=True)
class Doubt:
    """A row of the list; probabilities are from 0 to 1, terms come with their weight against the label."""

    row: int
    label: str
    suggested: str
    p_label: float
    p_suggested: float
    text: str
    is_likely: bool = False
    against: Sequence[tuple[str, float]] = ()
    nearest: Sequence[NearText] = ()
    copies: str = ""

    @property
    def begins(self) -> list[tuple[str, bool]]:
        """How the text begins, in pieces; a term that speaks against the label is marked."""
        return marked(self.text[: self._cut], [term for term, _ in self.against])

    @property
    def rest(self) -> list[tuple[str, bool]]:
        """The rest of the text, in pieces; empty for short texts."""
        return marked(self.text[self._cut :], [term for term, _ in self.against])

    @property
    def _cut(self) -> int:
        """Where the beginning ends: at a space, if one is near."""
        if len(self.text) <= N_FIRST * 1.2:
            return len(self.text)
        space = self.text.rfind(" ", int(N_FIRST * 0.8), N_FIRST)
        return N_FIRST if space < 0 else space


@dataclass(frozen=True)
class DoubtList(Part):
    """The list; `name` is unique on the page."""

    template: ClassVar[str] = "parts/doubts.html"

    name: str
    label: str
    doubts: Sequence[Doubt]

    @cached_property
    def codes(self) -> dict[str, int]:
        """Numbers of the classes."""
        names = dict.fromkeys([name for one in self.doubts for name in (one.label, one.suggested)])
        return {name: code for code, name in enumerate(names)}

    @property
    def given(self) -> list[tuple[int, str, int]]:
        """Number, name and rows of each label that is doubted, by name."""
        return self._counted([one.label for one in self.doubts])

    @property
    def suggested(self) -> list[tuple[int, str, int]]:
        """Number, name and rows of each label that is suggested, by name."""
        return self._counted([one.suggested for one in self.doubts])

    @property
    def n_rows(self) -> int:
        """Rows that are shown at first, and added each time."""
        return N_ROWS

    def _counted(self, names: Sequence[str]) -> list[tuple[int, str, int]]:
        return [(self.codes[name], name, n) for name, n in sorted(Counter(names).items())]


def marked(text: str, terms: Sequence[str]) -> list[tuple[str, bool]]:
    """Return a text in pieces, with those marked that are one of the terms: whole words, whatever their case.

    Examples
    --------
    >>> marked("My goal, my goals", ["goal", "my"])
    [('My', True), (' ', False), ('goal', True), (', ', False), ('my', True), (' goals', False)]
    """
    patterns = [_pattern(term.split()) for term in sorted(terms, key=len, reverse=True) if term.strip()]
    if not patterns:
        return [(text, False)] if text else []
    pieces = re.split(f"({'|'.join(patterns)})", text, flags=re.IGNORECASE)
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]


def _pattern(words: Sequence[str]) -> str:
    first, last = words[0][0], words[-1][-1]
    before = r"(?<!\w)" if first.isalnum() and first < UNSPACED else ""
    after = r"(?!\w)" if last.isalnum() and last < UNSPACED else ""
    return before + r"\W{0,3}".join(map(re.escape, words)) + after
