"""The default features of both classifiers: views of a text, and the blocks of each."""

import numpy as np

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.term_features import TermFeatures

#: The blocks of every view: two weightings of its terms, and the class profile.
BLOCKS = ("certainty", "boost", "profile")
#: The blocks of every view for neighbours: terms under the Hellinger norm, and the class profile.
NEIGHBOUR_BLOCKS = ("certainty_hellinger", "profile")
#: The sets of views that TroenpyClassifier chooses from.
CANDIDATES = (("words",), ("pairs",), ("pairs", "pieces"))


def default_counters() -> dict[str, CountVectorizer]:
    """Return what each view counts: words; tokens of any script and their pairs; pieces of words."""
    return {
        "words": CountVectorizer(),
        "pairs": CountVectorizer(analyzer="text", ngram_range=(1, 2)),
        "pieces": CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
    }


def linear_features(*names: str) -> TermFeatures:
    """Return features of these views for a linear model, unfitted; by default of all views."""
    counters = default_counters()
    views = [(name, counters[name], BLOCKS) for name in names or counters]
    return TermFeatures(views, leave_out="copies", dtype=np.float32)


def neighbour_features(*names: str) -> TermFeatures:
    """Return features of these views for nearest neighbours, unfitted."""
    counters = default_counters()
    return TermFeatures([(name, counters[name], NEIGHBOUR_BLOCKS) for name in names], profile_scale=2.0)


def read_candidates(candidates: object, names: list[str]) -> list[tuple[str, ...]]:
    """Return the sets of views to choose from, of features that have views of these names; None means the usual ones.

    Examples
    --------
    >>> read_candidates(None, ["words", "pairs", "pieces"])
    [('words',), ('pairs',), ('pairs', 'pieces')]
    >>> read_candidates(None, ["words", "symbols"])
    [('words', 'symbols')]
    >>> read_candidates([["words"], ["words", "symbols"]], ["words", "symbols"])
    [('words',), ('words', 'symbols')]
    """
    if candidates is None:
        return list(CANDIDATES) if names == [*default_counters()] else [tuple(names)]
    known = ", ".join(map(repr, names))
    advice = f"give a list of tuples of names, such as [{(names[0],)!r}]; the views are {known}"
    if not isinstance(candidates, list | tuple) or not candidates:
        raise ValueError(f"candidates must be None or sets of views, got {candidates!r}: {advice}")
    read = []
    for views in candidates:
        if not isinstance(views, list | tuple) or not views or not all(isinstance(name, str) for name in views):
            raise ValueError(f"candidates must be None or sets of views, got {views!r} among them: {advice}")
        unknown = [name for name in views if name not in names]
        if unknown or len(set(views)) < len(views):
            problem = f"unknown view {unknown[0]!r}" if unknown else f"a view twice, {views!r}"
            raise ValueError(f"candidates has {problem}: {advice}")
        read.append(tuple(sorted(views, key=names.index)))
    return list(dict.fromkeys(read))
