"""The nearest of all texts to some of them, by TF-IDF of words and symbols: evidence that no label has a part in."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.models.neighbors import SparseKNeighborsClassifier


class Near(NamedTuple):
    """The place of a near text, and the cosine of the angle between both."""

    place: int
    similarity: float


def nearest_texts(
    texts: Sequence[str], group: NDArray[np.int64], places: Sequence[int], n_nearest: int
) -> list[list[Near]]:
    """Return the texts nearest to some of them, nearest first; copies count once, and a text is not near itself.

    Parameters
    ----------
    texts : sequence of str
    group : ndarray of int
        Copies of a text have the same number.
    places : sequence of int
        The texts whose neighbours are wanted.
    n_nearest : int

    Examples
    --------
    >>> texts = ["a late goal", "a late goal", "late goal", "vote"]
    >>> [[(near.place, round(near.similarity, 2)) for near in found] for found in
    ...  nearest_texts(texts, np.array([0, 0, 1, 2]), [0, 3], 2)]
    [[(2, 0.73)], []]
    """
    if not len(places):
        return []
    first = np.unique(group, return_index=True)[1]
    counts = CountVectorizer(analyzer="text", dtype=np.float64).fit_transform([texts[i] for i in first.tolist()])
    rows = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    n_wanted = min(n_nearest + 1, len(first))
    model = SparseKNeighborsClassifier(n_wanted, metric="cosine").fit(rows, np.arange(len(first)) % 2)
    own = np.searchsorted(group[first], group[list(places)])
    distances, found = model.kneighbors(rows[own])
    return [
        [
            Near(int(first[place]), float(1 - distance))
            for distance, place in zip(of_text, nearest, strict=True)
            if place != me and distance < 1 - 1e-6
        ][:n_nearest]
        for me, of_text, nearest in zip(own, distances, found, strict=True)
    ]
