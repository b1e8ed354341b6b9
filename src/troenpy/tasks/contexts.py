"""Examples of terms in context, from a sample of the documents."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.models.places import occurrences
from troenpy.tasks.text_sample import SampledText, TextSample

#: Characters before a term, and after it.
WIDTH = 60


class Example(NamedTuple):
    """Where a document has a term; the words around it are cut off, which an ellipsis shows."""

    before: str
    term: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}{self.term}{self.after}"


class Wanted(NamedTuple):
    """Terms for which examples are wanted: of documents of a class, or of others than those of a class."""

    number: int
    is_inside: bool
    terms: tuple[str, ...]


def find_examples(
    sample: TextSample, counter: CountVectorizer, wanted: Iterable[Wanted]
) -> dict[tuple[int, bool, str], Example]:
    """Return examples by class, side and term; a term that no document of the sample has is left out."""
    asked = list(wanted)
    texts, terms = sample.all_texts(), sorted({term for one in asked for term in one.terms})
    if not texts or not terms:
        return {}
    ready = clone(counter).set_params(vocabulary=terms, min_df=1, max_df=1.0, min_class_df=None, max_terms=None)
    present = ready.transform([one.text for one in texts]).tocsc()
    columns = {term: column for column, term in enumerate(terms)}
    numbers = [set(one.numbers) for one in texts]
    chosen = dict[tuple[int, bool, str], int]()
    for one in asked:
        is_meant = np.array([(one.number in found) == one.is_inside for found in numbers])
        for term in one.terms:
            rows = present.indices[present.indptr[columns[term]] : present.indptr[columns[term] + 1]]
            rows = rows[is_meant[rows]]
            if len(rows):
                chosen[one.number, one.is_inside, term] = int(rows.min())
    return _cut_out(chosen, texts, counter)


def _cut_out(chosen: Mapping[Any, int], texts: list[SampledText], counter: CountVectorizer) -> dict[Any, Example]:
    by_text = defaultdict[int, list[Any]](list)
    for key, row in chosen.items():
        by_text[row].append(key)
    found = {}
    for row, keys in by_text.items():
        text = texts[row].text
        places = occurrences(text, counter) or {}
        for key in keys:
            covered = places.get(key[-1])
            span = (min(covered[0]), max(covered[0]) + 1) if covered and len(covered[0]) else None
            found[key] = in_context(text, span)
    return {key: found[key] for key in chosen}


def in_context(text: str, span: tuple[int, int] | None, width: int = WIDTH) -> Example:
    r"""Return what lies around a part of a text; the beginning of the text if the part is not known.

    Examples
    --------
    >>> in_context("A very\nlate goal decided the match.", (7, 16), width=8)
    Example(before='A very ', term='late goal', after=' decide…')
    >>> in_context("late goal", None)
    Example(before='late goal', term='', after='')
    """
    start, end = span or (0, 0)
    before, after = _one_line(text[max(0, start - 4 * width) : start]), _one_line(text[end : end + 4 * width])
    if span is None:
        return Example(_first(after, 2 * width), "", "")
    is_cut = len(before) > width or start > 4 * width
    before = f"…{before[len(before) - width + 1 :]}" if is_cut else before
    return Example(before, _one_line(text[start:end]), _first(after, width))


def _first(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _one_line(text: str) -> str:
    r"""Return text with a space for each run of white space.

    Examples
    --------
    >>> _one_line("\n own  goal ")
    ' own goal '
    """
    words = " ".join(text.split())
    before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
    return f"{before}{words}{after}" if words else " " * bool(text)
