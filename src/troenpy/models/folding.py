"""What an explanation shows: the terms of a document, with pieces of words folded into the words they stand in."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.models.places import occurrences

#: Analyzers whose terms are words, and pieces of words.
WORDS, PIECES = ("word", "text"), ("char", "char_wb")


@dataclass(frozen=True, eq=False)
class Lines:
    """Named contributions, and the characters of the text behind each.

    Parameters
    ----------
    names : list of str
    values : ndarray of shape (n_lines, n_classes)
    places : list of sets of int
    """

    names: list[str]
    values: NDArray[np.float64]
    places: list[set[int]]

    def sort(self, column: int) -> "Lines":
        """Return the lines with the largest contributions to a class first."""
        order = np.argsort(-np.abs(self.values[:, column]), kind="stable")
        return Lines([self.names[i] for i in order], self.values[order], [self.places[i] for i in order])


@dataclass(frozen=True, eq=False)
class TermsOfView:
    """The known terms of a document in one view, and their contributions, of shape (n_terms, n_classes)."""

    name: str
    counter: CountVectorizer
    terms: NDArray[np.object_]
    values: NDArray[np.float64]
    occurrences: dict[str, list[Sequence[int]]] | None = field(repr=False)

    def all_places(self) -> dict[str, set[int]] | None:
        """Return the characters that each term of the text covers; None if the analyzer does not report them."""
        if self.occurrences is None:
            return None
        return {term: {i for place in places for i in place} for term, places in self.occurrences.items()}

    def place(self, term: Any) -> set[int]:
        """Return the characters that a term covers."""
        return {i for places in (self.occurrences or {}).get(term, ()) for i in places}


def display_lines(text: str, views: Sequence[TermsOfView]) -> Lines:
    """Return the terms of all views; pieces of words are part of the words, by the characters they cover.

    The contribution of a piece is divided among its occurrences, and each of these among its characters.
    """
    words = next((view for view in views if view.counter.analyzer in WORDS and view.occurrences is not None), None)
    pieces = [view for view in views if view.counter.analyzer in PIECES and view.occurrences is not None]
    if words is None or len(views) == 1 or not pieces:
        return _join([_lines_of(view, len(views) > 1) for view in views])
    others = [_lines_of(view, True) for view in views if view is not words and view not in pieces]
    return _join([_fold(text, words, pieces), *others])


def _lines_of(view: TermsOfView, is_named: bool) -> Lines:
    names = [f"{term} ({view.name})" if is_named else str(term) for term in view.terms]
    return Lines(names, view.values, [view.place(term) for term in view.terms])


def _join(parts: list[Lines]) -> Lines:
    return Lines(
        [name for part in parts for name in part.names],
        np.concatenate([part.values for part in parts]),
        [place for part in parts for place in part.places],
    )


def _fold(text: str, words: TermsOfView, pieces: list[TermsOfView]) -> Lines:
    """Return the terms of words with what the pieces contribute; words that only pieces know are added."""
    by_character, elsewhere = _by_character(len(text), pieces, words.values.shape[1])
    single = copy(words.counter)
    single.ngram_range = (1, 1)
    tokens = occurrences(text, single) or {}
    lines = {
        str(term): [value.copy(), words.place(term)] for term, value in zip(words.terms, words.values, strict=True)
    }
    is_left = np.ones(len(text), dtype=bool)
    for token, places in tokens.items():
        covered = {i for place in places for i in place}
        added = by_character[sorted(covered)].sum(axis=0)
        is_left[sorted(covered)] = False
        if token in lines:
            lines[token][0] += added
        elif added.any():
            lines[token] = [added, covered]
    elsewhere = elsewhere + by_character[is_left].sum(axis=0)
    if elsewhere.any():
        lines["between words"] = [elsewhere, set()]
    values = np.array([value for value, _ in lines.values()]).reshape(-1, words.values.shape[1])
    return Lines(list(lines), values, [place for _, place in lines.values()])


def _by_character(
    n_characters: int, pieces: list[TermsOfView], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the contributions of pieces by character, and of those that cover none."""
    by_character, elsewhere = np.zeros((n_characters, n_classes)), np.zeros(n_classes)
    for view in pieces:
        for term, value in zip(view.terms, view.values, strict=True):
            covering = [[*place] for place in (view.occurrences or {}).get(term, ()) if len(place)]
            if not covering:
                elsewhere += value
            for place in covering:
                by_character[place] += value / (len(covering) * len(place))
    return by_character, elsewhere
