"""Terms in context: what stands around them in documents of a class."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.datasets.corpora import Corpus

N_CONTEXTS = 2  # per term and class
N_AROUND = 45  # characters of context on each side


def quotes(
    corpus: Corpus, train: NDArray[np.int64], classes: Sequence[str], marked: Mapping[int, Sequence[str]]
) -> dict[str, list[list[Any]]]:
    """Quote the terms that mark a class from the first training documents of the class that have them.

    Parameters
    ----------
    corpus : Corpus
    train : ndarray of int
        Numbers of its training documents.
    classes : sequence of str
    marked : mapping
        Terms by class, as an index into `classes`.

    Returns
    -------
    dict
        By term, pairs of class and text.
    """
    code_of = {name: code for code, name in enumerate(classes)}
    wanted = {code: dict.fromkeys(terms, N_CONTEXTS) for code, terms in marked.items()}
    found: dict[str, list[list[Any]]] = {}
    for number in train.tolist():
        code = code_of.get(str(corpus.labels[number]))
        if code is None or not wanted[code]:
            continue
        text = corpus.texts[number]
        words = set(re.findall(r"\w+", text.lower()))
        for term in [term for term in wanted[code] if term in words]:
            quoted = _quote(text, term)
            if quoted is None:
                continue
            found.setdefault(term, []).append([code, quoted])
            wanted[code][term] -= 1
            if not wanted[code][term]:
                del wanted[code][term]
    return found


def _quote(text: str, term: str) -> str | None:
    """Return a term with what stands around it, on one line.

    Examples
    --------
    >>> _quote("The minister said that parliament will vote on the tax after the summer, and not before.", "vote")
    'The minister said that parliament will vote on the tax after the summer, and not before.'
    >>> _quote("x " * 50 + "Vote" + " y" * 50, "vote")
    '… x x x x x x x x x x x x x x x x x x x x x x Vote y y y y y y y y y y y y y y y y y y y y y y …'
    """
    match = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, flags=re.IGNORECASE)
    if match is None:
        return None
    before, after = text[max(0, match.start() - 4 * N_AROUND) : match.start()], text[match.end() :][: 4 * N_AROUND]
    before, after = " ".join(before.split()), " ".join(after.split())
    if len(before) > N_AROUND:
        before = "… " + (before[-N_AROUND:].partition(" ")[2] or before[-N_AROUND:])
    if len(after) > N_AROUND:
        after = (after[:N_AROUND].rpartition(" ")[0] or after[:N_AROUND]) + " …"
    return " ".join(part for part in (before, match[0], after) if part)
