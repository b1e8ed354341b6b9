"""TransportClassifier: nearest-neighbour classification of documents under an optimal transport distance."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from troenpy.counts.labels import check_labels_fit, read_single_labels
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_count
from troenpy.fitting.transaction import all_or_nothing
from troenpy.models.votes import vote
from troenpy.transport.couplings import Floats
from troenpy.transport.distances import (
    DISTANCES,
    TOPIC_DISTANCES,
    DocumentDistance,
    count_words,
    topic_distance,
    word_distance,
)
from troenpy.transport.pruning import NearestDocuments
from troenpy.transport.topics import Topics
from troenpy.transport.vectors import WordVectors


class TransportClassifier(ClassifierMixin, BaseEstimator):
    """Classify documents by a vote of the k nearest training documents, with distances by optimal transport.

    Neighbours are exact: lower bounds rule out most training documents, and distances to the rest are computed in full.
    Of equally near documents, the one that comes first in the training data wins. Training documents without a known
    word do not vote; a document to classify without one is equally far from all of them.

    Parameters
    ----------
    distance : {"wmd", "wfr", "hott", "hoftt"}, default="wmd"
        Each is documented as a function of the same name in `troenpy.transport`.
    vectors : WordVectors
        From `troenpy.embeddings.load`. Words without a vector are ignored.
    n_neighbors : int, default=7
    ties : {"nearest", "again"}, default="nearest"
        How to break a tie: "nearest" picks the tied class with the nearest neighbour; "again" repeats the vote without
        the two farthest neighbours, as HOTT's authors do.
    stop_words : {"english"}, list or None, default="english"
        As in `CountVectorizer`. Applies only to documents given as text.
    coef, tolerance : float, default=1.0 and 0.001
        For "wfr" only, as in `transport.wfr`.
    n_topics, n_topic_words, n_steps : int, default=70, 20 and 1000
        For "hott" and "hoftt" only: topics, words per topic, and rounds of Gibbs sampling.
    random_state : int, default=0
        Seed for learning the topics.
    prune : bool, default=True
        False computes every distance in full: the same neighbours, but slower.
    n_jobs : int or None, default=None
        Number of processes: None means one, -1 one per processor. Results do not depend on it. Worker processes take a
        few seconds to start, and are reused by later searches.
    progress : callable, optional
        Called with the number of documents classified so far, and the total.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    topics_ : Topics
        For "hott" and "hoftt" only.

    Examples
    --------
    >>> from troenpy.transport.embeddings import WordVectors
    >>> vectors = WordVectors(("goal", "cup", "vote", "law"), [[0, 0], [0, 1], [9, 0], [9, 1]])
    >>> knn = TransportClassifier("wmd", vectors=vectors, n_neighbors=1)
    >>> knn.fit(["a goal", "the vote"], ["sport", "politics"]).predict(["the cup", "a new law"])
    array(['sport', 'politics'], dtype=object)
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        distance: str = "wmd",
        *,
        vectors: WordVectors | None = None,
        n_neighbors: int = 7,
        ties: str = "nearest",
        stop_words: Any = "english",
        coef: float = 1.0,
        tolerance: float = 1e-3,
        n_topics: int = 70,
        n_topic_words: int = 20,
        n_steps: int = 1000,
        random_state: int = 0,
        prune: bool = True,
        n_jobs: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.distance = distance
        self.vectors = vectors
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.stop_words = stop_words
        self.coef = coef
        self.tolerance = tolerance
        self.n_topics = n_topics
        self.n_topic_words = n_topic_words
        self.n_steps = n_steps
        self.random_state = random_state
        self.prune = prune
        self.n_jobs = n_jobs
        self.progress = progress

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Store the documents and labels, and learn topics if the distance needs them.

        Parameters
        ----------
        X : iterable of str, or of mappings of words to counts
        y : array-like of shape (n_documents,)

        Returns
        -------
        self
        """
        self._check_parameters()
        labels = read_single_labels(y, "TransportClassifier")
        self._vectors: Any = self.vectors
        counts = self._counts(X)
        check_labels_fit(labels, counts.shape[0], whole=False)
        if not counts.nnz:
            raise ValueError(
                f"none of the {counts.shape[0]} documents has a word with a vector: "
                "use vectors that cover their vocabulary"
            )
        self.classes_, self._codes = labels.classes, labels.indicator.indices
        self._distance = self._learn_distance(counts)
        self._nearest = NearestDocuments(self._distance.space, self._distance.shares(counts), prune=bool(self.prune))
        return self

    def kneighbors(self, X: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training documents, nearest first.

        Parameters
        ----------
        X : iterable of str, or of mappings of words to counts
        n_neighbors : int, optional
            Defaults to the estimator's `n_neighbors`.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_documents, n_neighbors)
            Only if `return_distance`.
        rows : ndarray of shape (n_documents, n_neighbors)
            Row numbers of training documents.
        """
        distances, rows = self._search(X, self.n_neighbors if n_neighbors is None else n_neighbors)
        return (distances, rows) if return_distance else rows

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes.

        Parameters
        ----------
        X : iterable of str, or of mappings of words to counts

        Returns
        -------
        ndarray of shape (n_documents,)
        """
        _, rows = self._search(X, self.n_neighbors)
        return self.classes_[vote(self._codes[rows], len(self.classes_), ties=self.ties)]

    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of the votes.

        Parameters
        ----------
        X : iterable of str, or of mappings of words to counts

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
        """
        _, rows = self._search(X, self.n_neighbors)
        is_class = self._codes[rows][:, :, np.newaxis] == np.arange(len(self.classes_))
        return np.asarray(is_class.mean(axis=1), dtype=np.float64)

    def _search(self, X: Any, n_neighbors: Any) -> tuple[Floats, NDArray[np.int64]]:
        check_is_fitted(self)
        shares = self._distance.shares(self._counts(X))
        k = check_count("n_neighbors", n_neighbors)
        return self._nearest.search(shares, k, n_jobs=job_count(self.n_jobs), on_query=self.progress)

    def _check_parameters(self) -> None:
        if self.distance not in DISTANCES:
            raise ValueError(f"distance must be one of {', '.join(DISTANCES)}, got {self.distance!r}")
        if not isinstance(self.vectors, WordVectors):
            raise TypeError(
                f"vectors must be WordVectors, got {type(self.vectors).__name__}: "
                "try troenpy.embeddings.load('glove-50d')"
            )
        if self.ties not in ("nearest", "again"):
            raise ValueError(f"ties must be 'nearest' or 'again', got {self.ties!r}")
        check_count("n_neighbors", self.n_neighbors)

    def _learn_distance(self, counts: sparse.csr_array) -> DocumentDistance:
        if self.distance not in TOPIC_DISTANCES:
            return word_distance(self.distance, self._vectors, coef=self.coef, tolerance=self.tolerance)
        self.topics_ = Topics.learn(
            counts,
            self._vectors,
            n_topics=self.n_topics,
            n_words=self.n_topic_words,
            n_steps=self.n_steps,
            seed=self.random_state,
        )
        return topic_distance(self.distance, self.topics_)

    def _counts(self, X: Any) -> sparse.csr_array:
        vectors = self._vectors
        X = list(X) if isinstance(X, Iterator) else X
        if isinstance(X, Iterable) and isinstance(next(iter(X), None), Mapping):
            return count_words(list(X), vectors)
        counter = CountVectorizer(vocabulary=vectors.places, stop_words=self.stop_words, dtype=np.float64)
        counts = sparse.csr_array(counter.transform(X))
        counts.sort_indices()
        return counts

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
