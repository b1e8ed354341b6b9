"""Distances between documents by optimal transport: WMD, HOTT, HOFTT and WFR.

A document is a bag of words: a mapping of words to counts, or an iterable of words. Words without a vector are ignored.
Two documents without any known word are at distance 0. One such document is infinitely far from all others under WMD,
HOTT and HOFTT, and at distance 1 under WFR, which can destroy mass.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from troenpy._kernel.neighbors import sum_rows
from troenpy.models.metrics import near_one
from troenpy.transport.balanced import Balanced
from troenpy.transport.couplings import Coupling, Floats
from troenpy.transport.points import Words, shared_places
from troenpy.transport.pruning import Space
from troenpy.transport.topics import Topics, drop_small_topics
from troenpy.transport.unbalanced import Unbalanced
from troenpy.transport.vectors import WordVectors

Bag = Mapping[str, float] | Iterable[str]

WORD_DISTANCES, TOPIC_DISTANCES = ("wmd", "wfr"), ("hott", "hoftt")
DISTANCES = (*WORD_DISTANCES, *TOPIC_DISTANCES)
COEF, TOLERANCE = 1.0, 1e-3
MOST_TIMES = 1e30  # largest ratio of two counts in a document: beyond it, products of shares underflow


@dataclass(frozen=True, eq=False)
class DocumentDistance:
    """A distance between documents: the points they are distributions over, and how mass moves between them.

    Parameters
    ----------
    space : Space
    shares : callable
        Turns word counts, one row per document, into distributions. A row without words stays empty.
    """

    space: Space
    shares: Callable[[sparse.csr_array], sparse.csr_array]

    def between(self, counts: sparse.csr_array) -> float:
        """Return the distance between the two rows of a matrix."""
        (p, points), (q, others) = _rows(self.shares(counts))
        if not (len(p) and len(q)):
            return self.space.coupling.cost_to_empty() if len(p) or len(q) else 0.0
        costs = self.space.costs_from(others)(points)
        return self.space.coupling.solve(p, q, costs, shared_places(points, others)).cost


def word_distance(
    name: str, vectors: WordVectors, *, coef: float = COEF, tolerance: float = TOLERANCE
) -> DocumentDistance:
    """Return the distance "wmd" or "wfr" between rows of counts, with one column per word vector."""
    if not (0 < coef < np.inf and 0 < tolerance < np.inf):
        raise ValueError(f"coef and tolerance must be positive numbers, got {coef} and {tolerance}")
    coupling: Coupling = Balanced() if name == "wmd" else Unbalanced(coef, tolerance)
    return DocumentDistance(Space(Words(vectors.vectors), coupling), _word_shares)


def topic_distance(name: str, topics: Topics) -> DocumentDistance:
    """Return the distance "hott" or "hoftt" between rows of counts, with one column per word vector."""
    shares = partial(_topic_shares, topics, is_whole=name == "hoftt")
    return DocumentDistance(Space(topics.points, Balanced()), shares)


def count_words(bags: Sequence[Bag], vectors: WordVectors) -> sparse.csr_array:
    """Count the words that have vectors: one row per bag, one column per word.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup"), [[0, 0], [1, 0]])
    >>> count_words([["goal", "goal", "zzz"], {"cup": 2}], vectors).toarray()
    array([[2., 0.],
           [0., 2.]])
    """
    indptr, columns, values = [0], [], []
    for bag in bags:
        for word, count in _counted(bag).items():
            if word in vectors.places and count != 0:
                columns.append(vectors.places[word])
                values.append(count)
        indptr.append(len(columns))
    data = np.array(values, dtype=np.float64)
    is_count = np.isfinite(data) & (data > 0)
    if not is_count.all():
        raise ValueError(f"word counts must be positive numbers, got {data[~is_count][0]:g}")
    for start, end in itertools.pairwise(indptr):
        of = data[start:end]
        if len(of) and of.max() / MOST_TIMES > of.min():
            raise ValueError(
                f"word counts of a document must be within a factor of {MOST_TIMES:g}, "
                f"got {of.min():g} and {of.max():g}"
            )
    counts = sparse.csr_array((data, columns, indptr), shape=(len(bags), len(vectors)))
    counts.sort_indices()
    return counts


def wmd(bag: Bag, other: Bag, vectors: WordVectors) -> float:
    """Word Mover's Distance: the cost of moving the words of one document to those of another (Kusner et al. 2015).

    A word's mass is its share of the document; moving it costs the Euclidean distance between the word vectors. The
    result is exact.

    Parameters
    ----------
    bag, other : mapping of str to number, or iterable of str
    vectors : WordVectors

    Returns
    -------
    float

    Examples
    --------
    Half of the mass moves from "cup" to "vote", a distance of 4:

    >>> vectors = WordVectors(("goal", "cup", "vote"), [[0, 0], [3, 0], [3, 4]])
    >>> wmd(["goal", "cup"], ["goal", "vote"], vectors)
    2.0
    """
    return word_distance("wmd", vectors).between(count_words([bag, other], vectors))


def relaxed_wmd(bag: Bag, other: Bag, vectors: WordVectors) -> float:
    """Relaxed Word Mover's Distance: each word moves to the nearest word of the other document; never above `wmd`.

    The larger of the two directions. A document without known words is infinitely far from others.

    Parameters
    ----------
    bag, other, vectors
        As in `wmd`.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup", "vote"), [[0, 0], [3, 0], [3, 4]])
    >>> relaxed_wmd(["goal", "cup"], ["goal", "vote"], vectors)
    2.0
    """
    (p, points), (q, others) = _rows(_word_shares(count_words([bag, other], vectors)))
    if not (len(p) and len(q)):
        return np.inf if len(p) or len(q) else 0.0
    costs = Words(vectors.vectors).distances_from(others)(points)
    return float(max(p @ costs.min(axis=0), q @ costs.min(axis=1)))


def centroid_distance(bag: Bag, other: Bag, vectors: WordVectors) -> float:
    """Distance between the mean vectors of two documents; never above `wmd`.

    A document without known words is infinitely far from others.

    Parameters
    ----------
    bag, other, vectors
        As in `wmd`.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup", "vote"), [[0, 0], [3, 0], [3, 4]])
    >>> centroid_distance(["goal", "cup"], ["goal", "vote"], vectors)
    2.0
    """
    (p, points), (q, others) = _rows(_word_shares(count_words([bag, other], vectors)))
    if not (len(p) and len(q)):
        return np.inf if len(p) or len(q) else 0.0
    means = [share @ vectors.vectors[of].astype(np.float64) for share, of in ((p, points), (q, others))]
    return float(np.linalg.norm(means[0] - means[1]))


def wfr(bag: Bag, other: Bag, vectors: WordVectors, *, coef: float = COEF, tolerance: float = TOLERANCE) -> float:
    """Squared Wasserstein-Fisher-Rao distance: mass moves, or is destroyed and created where that is cheaper.

    Moving mass a distance d costs -2 log cos(min(coef d, pi/2)); changing it costs the Kullback-Leibler divergence. The
    result is between 0, for equal documents, and 2, for documents too far apart for any move. It never exceeds the
    squared Hellinger distance between the word shares.

    Parameters
    ----------
    bag, other, vectors
        As in `wmd`.
    coef : float, default=1.0
        Mass moves at most pi / (2 coef): choose it to suit the lengths of the vectors.
    tolerance : float, default=0.001
        How far the result may exceed the optimum. Costs shrink with the square of a small coef: lower this with it.

    Examples
    --------
    "vote" is too far from "goal" to move there, so all mass is destroyed and created; "cup" is near enough:

    >>> vectors = WordVectors(("goal", "cup", "vote"), [[0], [0.5], [9]])
    >>> round(wfr(["goal"], ["vote"], vectors), 3)
    2.0
    >>> round(wfr(["goal"], ["cup"], vectors), 3)  # 2 - 2 cos(0.5)
    0.245
    """
    return word_distance("wfr", vectors, coef=coef, tolerance=tolerance).between(count_words([bag, other], vectors))


def learn_topics(bags: Iterable[Bag], vectors: WordVectors, **settings: Any) -> Topics:
    """Learn topics from documents, for `hott` and `hoftt`.

    Parameters
    ----------
    bags : iterable of bags of words
    vectors : WordVectors
    **settings
        n_topics=70, n_words=20, n_steps=1000, seed=0: as in `Topics.learn`.

    Returns
    -------
    Topics
    """
    return Topics.learn(count_words(list(bags), vectors), vectors, **settings)


def hott(bag: Bag, other: Bag, topics: Topics) -> float:
    """Hierarchical Optimal Topic Transport: move one document's topics to another's (Yurochkin et al. 2019).

    A move costs the Word Mover's Distance between the heaviest words of the two topics. Topics with a proportion below
    1 / (n_topics + 1) are dropped.

    Parameters
    ----------
    bag, other : mapping of str to number, or iterable of str
    topics : Topics
        From `learn_topics`.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup", "vote", "law"), [[0, 0], [0, 1], [9, 0], [9, 1]])
    >>> topics = learn_topics([["goal", "cup"], ["vote", "law"]] * 20, vectors, n_topics=2, n_words=2)
    >>> round(hott(["goal"] * 9, ["vote"] * 9, topics), 1)
    9.0
    >>> hott(["goal", "law"], ["law", "goal"], topics)
    0.0
    """
    return topic_distance("hott", topics).between(count_words([bag, other], topics.vectors))


def hoftt(bag: Bag, other: Bag, topics: Topics) -> float:
    """Hierarchical Optimal Full Topic Transport: `hott` with all topics of a document, even the smallest.

    Parameters
    ----------
    bag, other, topics
        As in `hott`.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup", "vote", "law"), [[0, 0], [0, 1], [9, 0], [9, 1]])
    >>> topics = learn_topics([["goal", "cup"], ["vote", "law"]] * 20, vectors, n_topics=2, n_words=2)
    >>> hoftt(["goal"] * 9, ["vote"] * 9, topics) < hott(["goal"] * 9, ["vote"] * 9, topics)
    True
    """
    return topic_distance("hoftt", topics).between(count_words([bag, other], topics.vectors))


def _word_shares(counts: sparse.csr_array) -> sparse.csr_array:
    scaled = near_one(counts)  # so that no sum overflows
    sums = np.repeat(sum_rows(counts.indptr, scaled), np.diff(counts.indptr))
    return sparse.csr_array((scaled / sums, counts.indices, counts.indptr), shape=counts.shape)


def _topic_shares(topics: Topics, counts: sparse.csr_array, *, is_whole: bool) -> sparse.csr_array:
    proportions = topics.proportions(counts)
    return sparse.csr_array(proportions if is_whole else drop_small_topics(proportions))


def _rows(shares: sparse.csr_array) -> list[tuple[Floats, Any]]:
    """Return the shares and the point numbers of each row."""
    ends = zip(shares.indptr[:-1], shares.indptr[1:], strict=True)
    return [(shares.data[start:end], shares.indices[start:end].astype(np.int64)) for start, end in ends]


def _counted(bag: Bag) -> Mapping[str, float]:
    if isinstance(bag, str | bytes):
        raise TypeError(
            f"a bag of words must be a mapping or an iterable of words, got the string {bag[:40]!r}: split it"
        )
    if not isinstance(bag, Iterable):
        raise TypeError(f"a bag of words must be a mapping or an iterable of words, got {bag!r}")
    counted = bag if isinstance(bag, Mapping) else Counter(bag)
    for word in counted:
        if not isinstance(word, str):
            raise TypeError(f"a bag of words must hold strings, got {word!r}: pass counts as a mapping")
    return counted
