"""What an explanation shows: the terms of a document, with pieces of words folded into the words they stand in."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.models.places import occurrences

#: Analyzers whose terms are words, and pieces of words.
WORDS, PIECES = ("word", "text"), ("char", "char_wb")


@dataclass(frozen=True, eq=False)
class ShownTerms:
    """Names and contributions as they are shown, and the characters of the text behind each.

    Parameters
    ----------
    names : list of str
    values : ndarray of shape (n_shown, n_classes)
    places : list of sets of int
    """

    names: list[str]
    values: NDArray[np.float64]
    places: list[set[int]]

    def sort(self, column: int) -> "ShownTerms":
        """Return the largest contributions to a class first."""
        order = np.argsort(-np.abs(self.values[:, column]), kind="stable")
        return ShownTerms([self.names[i] for i in order], self.values[order], [self.places[i] for i in order])


@dataclass(frozen=True, eq=False)
class ViewTerms:
    """The known terms of a text in one view, and their contributions.

    Parameters
    ----------
    name : str
    counter : CountVectorizer
    text : str
    terms : ndarray of str
    values : ndarray of shape (n_terms, n_classes)
    """

    name: str
    counter: CountVectorizer
    text: str
    terms: NDArray[np.object_]
    values: NDArray[np.float64]

    @cached_property
    def occurrences(self) -> dict[str, list[Sequence[int]]] | None:
        """The characters of every occurrence of each term; None if the analyzer does not report them."""
        return occurrences(self.text, self.counter)

    @cached_property
    def places(self) -> dict[str, set[int]] | None:
        """The characters that each term covers; None if the analyzer does not report them."""
        if self.occurrences is None:
            return None
        return {term: set(chain.from_iterable(places)) for term, places in self.occurrences.items()}

    def shown(self, name: str = "") -> ShownTerms:
        """Return the terms, followed by the name of the view if one is given."""
        names = [f"{term} ({name})" if name else str(term) for term in self.terms]
        return ShownTerms(names, self.values, [(self.places or {}).get(term, set()) for term in self.terms])


def shown_terms(views: Sequence[ViewTerms]) -> ShownTerms:
    """Return the terms of all views; pieces of words become part of the words, by the characters they cover.

    The contribution of a piece is divided among its occurrences, and each of these among its characters.
    """
    words = next((view for view in views if view.counter.analyzer in WORDS and view.places is not None), None)
    pieces = [view for view in views if view.counter.analyzer in PIECES and view.places is not None]
    if len(views) == 1:
        return views[0].shown()
    if words is None or not pieces:
        return _join([view.shown(view.name) for view in views])
    return _join([_fold(words, pieces), *(v.shown(v.name) for v in views if v is not words and v not in pieces)])


def _join(parts: list[ShownTerms]) -> ShownTerms:
    return ShownTerms(
        [name for part in parts for name in part.names],
        np.concatenate([part.values for part in parts]),
        [place for part in parts for place in part.places],
    )


def _fold(words: ViewTerms, pieces: list[ViewTerms]) -> ShownTerms:
    """Return the terms of words with what the pieces contribute; words that only pieces know are added."""
    by_character, rest = _by_character(len(words.text), pieces)
    single = copy(words.counter)
    single.ngram_range = (1, 1)
    known = words.shown()
    number = {name: i for i, name in enumerate(known.names)}
    values, new = known.values.copy(), list[tuple[str, NDArray[np.float64], set[int]]]()
    is_left = np.ones(len(words.text), dtype=bool)
    for word, places in (occurrences(words.text, single) or {}).items():
        covered = set(chain.from_iterable(places))
        characters = [i for i in covered if is_left[i]]  # one character may stand for several words, such as a fraction
        is_left[characters] = False
        added = by_character[characters].sum(axis=0)
        if word in number:
            values[number[word]] += added
        elif added.any():
            new.append((word, added, covered))
    rest = rest + by_character[is_left].sum(axis=0)
    if rest.any():
        new.append(("outside the words", rest, set()))
    added_values = np.array([value for _, value, _ in new]).reshape(-1, values.shape[1])
    return _join([
        ShownTerms(known.names, values, known.places),
        ShownTerms([name for name, _, _ in new], added_values, [place for _, _, place in new]),
    ])  # fmt: skip


def _by_character(n_characters: int, pieces: list[ViewTerms]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the contributions of pieces by character, and of those that cover none."""
    shares, characters, terms = list[float](), list[int](), list[int]()
    values: Any = np.concatenate([view.values for view in pieces])
    covers_none = []
    found = [(view.occurrences or {}).get(term, ()) for view in pieces for term in view.terms]
    for number, places in enumerate(found):
        covering = [set(place) for place in places if len(place)]
        if not covering:
            covers_none.append(number)
        for place in covering:
            shares += [1 / (len(covering) * len(place))] * len(place)
            characters += place
            terms += [number] * len(place)
    portions = sparse.csr_array((shares, (characters, terms)), shape=(n_characters, len(values)))
    return portions @ values, values[covers_none].sum(axis=0)
