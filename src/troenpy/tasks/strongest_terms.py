"""The strongest terms of each class: those that many of its documents have, and few others."""

import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts

#: Views of pieces of words are only shown if there is no other.
WHOLE_TERMS = ("word", "text")
#: Of so many times as many terms as asked for, those that say something new are shown.
TIMES_AS_MANY = 6


def strongest_terms(model: Any, n_terms: int = 8) -> dict[str, list[str]]:
    """Return the strongest terms of each class, strongest first, from the counts that a classifier learnt from.

    Terms with punctuation are left out, and those that repeat a word of a stronger one.

    Parameters
    ----------
    model : TroenpyClassifier or TextKNeighborsClassifier
        Fitted on text.
    n_terms : int, default=8

    Examples
    --------
    >>> from troenpy import settings
    >>> model = settings.classifier("linear").fit(["own goal", "late goal", "late vote", "vote"], ["s", "s", "p", "p"])
    >>> strongest_terms(model, 1)
    {'p': ['vote'], 's': ['goal']}
    """
    views = model.features_.views_
    whole = [view for view in views if getattr(view.counter, "analyzer", None) in WHOLE_TERMS]
    view = (whole or views)[0]
    found = strongest_columns(view.counts, TIMES_AS_MANY * n_terms)
    names = [str(name) for name in view.counts.classes.tolist()]
    return {
        name: without_repetition(map(str, view.terms_of(columns)))[:n_terms]
        for name, columns in zip(names, found, strict=True)
    }


def strongest_columns(counts: ClassCounts, n_terms: int) -> list[NDArray[np.int64]]:
    """Return the columns of the strongest terms of each class.

    The strength is n_iw log(n_iw n / (n_w C_i)) log(n / n_w): what the term adds to the divergence of the class from
    all documents, times how rare it is. Columns with the same strength are in order.
    """
    by_class = counts.doc_freq.tocsr()
    n_documents, found = float(counts.n_documents), []
    for number, size in enumerate(counts.n_docs.tolist()):
        of_class = slice(by_class.indptr[number], by_class.indptr[number + 1])
        columns, held = by_class.indices[of_class], by_class.data[of_class].astype(np.float64)
        rarity = n_documents / counts.term_docs[columns]
        strengths = held * np.log(held * rarity / max(size, 1)) * np.log(np.maximum(rarity, 1.0))
        strongest = np.lexsort((columns, -strengths))[:n_terms]
        found.append(columns[strongest[strengths[strongest] > 0]].astype(np.int64))
    return found


def without_repetition(terms: Iterable[str]) -> list[str]:
    """Return terms, in order, without those that repeat a word of an earlier one or contain punctuation.

    Examples
    --------
    >>> without_repetition(["oil", "crude oil", "crude", "u . s"])
    ['oil', 'crude']
    >>> without_repetition(["差 ，", "差"])
    ['差']
    """
    shown, seen = list[str](), set[str]()
    for term in terms:
        words = term.split()
        if seen.isdisjoint(words) and not any(map(_is_punctuation, words)):
            seen.update(words)
            shown.append(term)
    return shown


def _is_punctuation(word: str) -> bool:
    if word.isascii():
        return not any(map(str.isalnum, word))
    return all(unicodedata.category(character).startswith("P") for character in word)
