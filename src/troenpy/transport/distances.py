"""Distances between documents by optimal transport: WMD, HOTT, HOFTT and WFR.

A document is a bag of words: a mapping of words to counts, or an iterable of words. Words without a vector are left
out. A document of which nothing is left is at distance 0 from another such one; from all others it is infinitely far
by WMD, HOTT and HOFTT, and at distance 1 by WFR, which can destroy mass.
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
from troenpy.transport.grounds import Words, shared_places
from troenpy.transport.pruning import Space
from troenpy.transport.topics import Topics, kept_proportions
from troenpy.transport.unbalanced import Unbalanced
from troenpy.transport.vectors import WordVectors

Bag = Mapping[str, float] | Iterable[str]

WORD_DISTANCES, TOPIC_DISTANCES = ("wmd", "wfr"), ("hott", "hoftt")
DISTANCES = (*WORD_DISTANCES, *TOPIC_DISTANCES)
COEF, TOLERANCE = 1.0, 1e-3
MOST_TIMES = 1e30  # the least count of a word that the largest may be: beyond, products of shares vanish


@dataclass(frozen=True, eq=False)
class DocumentDistance:
    """A distance between documents: what they are distributions over, and how mass goes from one to another.

    Parameters
    ----------
    space : Space
    shares : callable
        From counts of words, one row per document, to the distributions; a row without a word stays empty.
    """

    space: Space
    shares: Callable[[sparse.csr_array], sparse.csr_array]

    def between(self, counts: sparse.csr_array) -> float:
        """Return the distance between the two rows of a matrix."""
        (p, points), (q, others) = _rows(self.shares(counts))
        if not (len(p) and len(q)):
            return self.space.coupling.lone_cost() if len(p) or len(q) else 0.0
        costs = self.space.costs_from(others)(points)
        return self.space.coupling.solve(p, q, costs, shared_places(points, others)).cost


def word_distance(
    name: str, vectors: WordVectors, *, coef: float = COEF, tolerance: float = TOLERANCE
) -> DocumentDistance:
    """Return "wmd" or "wfr" as a distance between rows of counts, whose columns are the words of the vectors."""
    if not (0 < coef < np.inf and 0 < tolerance < np.inf):
        raise ValueError(f"coef and tolerance must be positive numbers, got {coef} and {tolerance}")
    coupling: Coupling = Balanced() if name == "wmd" else Unbalanced(coef, tolerance)
    return DocumentDistance(Space(Words(vectors.vectors), coupling), _word_shares)


def topic_distance(name: str, topics: Topics) -> DocumentDistance:
    """Return "hott" or "hoftt" as a distance between rows of counts, whose columns are the words of the topics."""
    shares = partial(_topic_shares, topics, is_whole=name == "hoftt")
    return DocumentDistance(Space(topics.ground, Balanced()), shares)


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
        raise ValueError(f"counts of words must be positive numbers, got {data[~is_count][0]:g}")
    for start, end in itertools.pairwise(indptr):
        of = data[start:end]
        if len(of) and of.max() / MOST_TIMES > of.min():
            raise ValueError(f"counts of words differ too much to be reckoned with: from {of.min():g} to {of.max():g}")
    counts = sparse.csr_array((data, columns, indptr), shape=(len(bags), len(vectors)))
    counts.sort_indices()
    return counts


def wmd(bag: Bag, other: Bag, vectors: WordVectors) -> float:
    """Word Mover's Distance: what it costs to move the words of one document to those of another (Kusner et al. 2015).

    Every word has its share of the document's words; a move costs the Euclidean distance between the vectors. The
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
    One of two words has to go from "cup" to "vote", 4 away:

    >>> vectors = WordVectors(("goal", "cup", "vote"), [[0, 0], [3, 0], [3, 4]])
    >>> wmd(["goal", "cup"], ["goal", "vote"], vectors)
    2.0
    """
    return word_distance("wmd", vectors).between(count_words([bag, other], vectors))


def relaxed_wmd(bag: Bag, other: Bag, vectors: WordVectors) -> float:
    """Relaxed Word Mover's Distance: every word goes to the nearest of the other document; never above `wmd`.

    The larger of both directions. A document without known words is infinitely far from others.

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
    """Wasserstein-Fisher-Rao distance, squared: words are moved, or destroyed and made where that is cheaper.

    A move over a distance d costs -2 log cos(min(coef d, pi/2)), a change of mass its Kullback-Leibler divergence.
    Between 0, for equal documents, and 2, for those too far apart for any move; never above the squared Hellinger
    distance of the shares of words.

    Parameters
    ----------
    bag, other, vectors
        As in `wmd`.
    coef : float, default=1.0
        Mass is not moved further than pi / (2 coef): choose it for the lengths that the vectors have.
    tolerance : float, default=0.001
        How far the result may be above the least cost. If coef is small, costs shrink with its square: lower this too.

    Examples
    --------
    Too far to move a word, and near enough: a move by 0.5 costs more than it gains only in part.

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
        n_topics=70, n_words=20, n_steps=1000, seed=0: see `Topics.learnt`.

    Returns
    -------
    Topics
    """
    return Topics.learnt(count_words(list(bags), vectors), vectors, **settings)


def hott(bag: Bag, other: Bag, topics: Topics) -> float:
    """Hierarchical Optimal Topic Transport: move one document's topics to another's (Yurochkin et al. 2019).

    A move costs the Word Mover's Distance between the heaviest words of the topics. Topics with less than their part,
    1 / (n_topics + 1), are left out.

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
    """Hierarchical Optimal Full Topic Transport: `hott` with all topics of a document, the smallest included.

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
    scaled = near_one(counts)  # no sum is infinite
    sums = np.repeat(sum_rows(counts.indptr, scaled), np.diff(counts.indptr))
    return sparse.csr_array((scaled / sums, counts.indices, counts.indptr), shape=counts.shape)


def _topic_shares(topics: Topics, counts: sparse.csr_array, *, is_whole: bool) -> sparse.csr_array:
    proportions = topics.proportions(counts)
    return sparse.csr_array(proportions if is_whole else kept_proportions(proportions))


def _rows(shares: sparse.csr_array) -> list[tuple[Floats, Any]]:
    """Return the shares and the points of each row."""
    ends = zip(shares.indptr[:-1], shares.indptr[1:], strict=True)
    return [(shares.data[start:end], shares.indices[start:end].astype(np.int64)) for start, end in ends]


def _counted(bag: Bag) -> Mapping[str, float]:
    if isinstance(bag, str | bytes):
        raise TypeError(
            f"a bag of words must be a mapping or an iterable of words, got the text {bag[:40]!r}: split it"
        )
    if not isinstance(bag, Iterable):
        raise TypeError(f"a bag of words must be a mapping or an iterable of words, got {bag!r}")
    counted = bag if isinstance(bag, Mapping) else Counter(bag)
    for word in counted:
        if not isinstance(word, str):
            raise TypeError(f"a bag of words must hold words, got {word!r}: words with counts go into a mapping")
    return counted
