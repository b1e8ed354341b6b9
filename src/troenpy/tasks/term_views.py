"""What is a term: words, pairs of them or pieces of them; chosen by the script of the texts if nobody says."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from troenpy._kernel.characters import LETTERS, character_classes
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.models.default_views import default_counters
from troenpy.tasks.new_models import checked_ngrams

#: Texts that are looked at, and characters of each.
N_TEXTS, N_CHARACTERS = 1000, 1000


class TermView(NamedTuple):
    """What is counted: a name, and how."""

    name: str
    counter: CountVectorizer


def choose_view(view: Any, ngrams: tuple[int, int] | None, texts: Sequence[str]) -> TermView:
    """Return the view of a name, or for "auto": words, or pairs of letters if the texts have no spaces between words.

    Parameters
    ----------
    view : {"auto", "words", "pairs", "pieces"} or CountVectorizer
    ngrams : (int, int) or None
        Words in a term, or letters of a piece, instead of what the view has.
    texts : sequence of str
        Some of the texts.

    Examples
    --------
    >>> choose_view("auto", None, ["late goal"]).name, choose_view("auto", None, ["房间很大"]).name
    ('words', 'pairs')
    """
    known = default_counters()
    if isinstance(view, CountVectorizer):
        name, counter = "own", clone(view)
    elif not isinstance(view, str) or view not in ("auto", *known):
        raise ValueError(f"view must be auto, {', '.join(known)} or a CountVectorizer, got {view!r:.40}")
    else:
        name = view if view != "auto" else "pairs" if lacks_spaces(texts) else "words"
        counter = known[name]
    if ngrams is not None:
        counter.set_params(ngram_range=checked_ngrams(ngrams))
    return TermView(name, counter)


def lacks_spaces(texts: Sequence[str]) -> bool:
    """Whether at least a third of all letters is of scripts that are written without spaces between words.

    Examples
    --------
    >>> lacks_spaces(["late goal"]), lacks_spaces(["WiFi 很好，房间很大"]), lacks_spaces([])
    (False, True, False)
    """
    sample = "".join(text[:N_CHARACTERS] for text in texts[:N_TEXTS])
    points = np.frombuffer(sample.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    classes = np.bincount(character_classes()[points], minlength=len(LETTERS))
    n_letters, n_alone = classes[LETTERS.index("W")], classes[LETTERS.index("S")]
    return bool(3 * n_alone > n_letters + n_alone)
