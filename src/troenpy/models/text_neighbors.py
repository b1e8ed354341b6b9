"""TextKNeighborsClassifier: text in, label out, by a vote of the nearest documents. TermFeatures and neighbours."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from troenpy.counts.labels import read_single_labels
from troenpy.features.term_features import TermFeatures
from troenpy.features.views import view_of_words
from troenpy.files.saved import Saved
from troenpy.fitting.jobs import job_count
from troenpy.fitting.transaction import all_or_nothing
from troenpy.models.explanation import NeighborExplanation
from troenpy.models.has_features import HasFeatures, checked_features
from troenpy.models.neighbors import SparseKNeighborsClassifier, check_count


class TextKNeighborsClassifier(HasFeatures, ClassifierMixin, BaseEstimator):
    """Classify text by a vote of the k nearest training documents, with defaults that need no tuning.

    A training document without any weighted term counts as one that shares no term with any other. As a row of zeros it
    would be nearer to most documents than all but the most similar, and a handful of them would decide many votes.

    The fitted model keeps the training rows, and with them whatever they tell of the documents: do not share one
    whose documents are private.

    Parameters
    ----------
    features : TermFeatures or None, default=None
        How documents become features; None is the setting "knn" of `troenpy.settings`: words under the Hellinger norm
        beside twice the class profile; its parameters can be set as ``features__words__ngram_range``.
    n_neighbors : int, default=7
        How many neighbours vote.
    weights : {"uniform", "distance"}, default="uniform"
        Whether every neighbour has one vote, or one divided by its distance.
    n_jobs : int or None, default=None
        Threads, also of `features` that say none: None is one, -1 is all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    features_ : TermFeatures
        Fitted.
    neighbors_ : SparseKNeighborsClassifier
        Fitted on the training rows, with one more column (`with_full_length`).

    Examples
    --------
    >>> from troenpy import TextKNeighborsClassifier
    >>> texts = ["late goal", "own goal", "late vote", "close vote", "no vote"]
    >>> model = TextKNeighborsClassifier(n_neighbors=1)
    >>> model.fit(texts, ["sport", "sport", "politics", "politics", "politics"]).predict(["another own goal"])
    array(['sport'], dtype=object)
    >>> model.kneighbors(["another own goal"], return_distance=False)  # the text that decided: "own goal"
    array([[1]])
    """

    # `raw_documents` is data, not routable metadata.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__predict = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"raw_documents": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        features: TermFeatures | None = None,
        *,
        n_neighbors: int = 7,
        weights: str = "uniform",
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.n_jobs = n_jobs

    @staticmethod
    def default_features() -> TermFeatures:
        """Return the features if none are given, unfitted: the setting "knn"."""
        return TermFeatures(view_of_words("certainty_hellinger", "profile"), profile_scale=2.0)

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn features, and keep the rows of the documents and their labels.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        y : array-like of shape (n_documents,)
            The labels, one per document.

        Returns
        -------
        self
        """
        job_count(self.n_jobs)
        neighbors = SparseKNeighborsClassifier(self.n_neighbors, weights=self.weights, n_jobs=self.n_jobs)
        neighbors._check_parameters()
        features = self.new_features()
        labels = read_single_labels(y, "TextKNeighborsClassifier")
        rows = features._training_rows(raw_documents, labels)
        if self.n_neighbors > len(labels):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the {len(labels)} training documents: ask for fewer"
                " neighbours, or fit more documents"
            )
        rows = with_full_length(rows, *features.weights_.shape)
        neighbors.fit(rows, labels.classes[labels.indicator.indices])
        self.features_, self.neighbors_ = features, neighbors
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes."""
        check_is_fitted(self, "neighbors_")
        return self.neighbors_.classes_

    def kneighbors(self, raw_documents: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training documents, nearest first.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        n_neighbors : int or None
            None takes the estimator's.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_documents, n_neighbors)
            Only if `return_distance`.
        documents : ndarray of shape (n_documents, n_neighbors)
            Numbers of training documents.
        """
        queries = self._rows(raw_documents)
        if not queries.shape[0]:
            shape = 0, check_count("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors)
            return (np.empty(shape), np.empty(shape, np.int64)) if return_distance else np.empty(shape, np.int64)
        return self.neighbors_.kneighbors(queries, n_neighbors, return_distance)

    def predict(self, raw_documents: Any) -> NDArray[Any]:
        """Return the class with most votes, of tied ones that of the nearest neighbour.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        ndarray of shape (n_documents,)
        """
        queries = self._rows(raw_documents)
        return self.neighbors_.predict(queries) if queries.shape[0] else self.classes_[:0]

    def predict_proba(self, raw_documents: Any) -> NDArray[np.float64]:
        """Return each class's share of the votes.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
        """
        queries = self._rows(raw_documents)
        return self.neighbors_.predict_proba(queries) if queries.shape[0] else np.empty((0, len(self.classes_)))

    def explain(self, text: str) -> NeighborExplanation:
        """Return the training documents that vote on a text, and what each shares with it.

        Parameters
        ----------
        text : str

        Returns
        -------
        NeighborExplanation

        Examples
        --------
        >>> from troenpy import TextKNeighborsClassifier
        >>> model = TextKNeighborsClassifier(n_neighbors=2)
        >>> model = model.fit(["late goal", "own goal", "late vote", "no vote"], ["s", "s", "p", "p"])
        >>> explanation = model.explain("another own goal")
        >>> explanation.documents.tolist(), explanation.labels.tolist(), explanation.terms.tolist()
        ([1, 0], ['s', 's'], ['goal', 'own'])
        """
        check_is_fitted(self, "neighbors_")
        self.explained_counter(text, self.features_)
        query, neighbors = self._rows([text]), self.neighbors_
        distances, documents = neighbors.kneighbors(query)
        rows = neighbors._spaces[0].rows[documents[0]]
        numbers, shared, apart, profile = compare_rows(query, rows, *self.features_.weights_.shape)
        return NeighborExplanation(
            text=text,
            label=neighbors.predict(query)[0],
            documents=documents[0],
            labels=neighbors.classes_[neighbors._codes[documents[0]]],
            distances=distances[0],
            votes=neighbors.vote_weights(distances)[0],
            terms=self.features_.terms()[numbers],
            shared=shared,
            apart=apart,
            profile=profile,
        )

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "neighbors_"):
            return None
        return Saved({}, {}, {"features": self.features_, "neighbors": self.neighbors_})

    def _restore(self, saved: Saved) -> None:
        """Take back what `_saved` returned; everything is checked."""
        self.features_ = checked_features(saved.parts["features"])
        self.neighbors_ = saved.parts["neighbors"]
        if not isinstance(self.neighbors_, SparseKNeighborsClassifier):
            raise TypeError(f"expected SparseKNeighborsClassifier, got {type(self.neighbors_).__name__}")
        if self.neighbors_.n_features_in_ != self.features_.n_columns_ + 1:
            raise ValueError("features and neighbours differ in columns")

    def _rows(self, raw_documents: Any) -> Any:
        check_is_fitted(self, "neighbors_")
        return with_zero_column(self.features_._rows_of(raw_documents))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def with_full_length(rows: Any, n_blocks: int, n_terms: int) -> Any:
    """Add a column that gives training rows the length that their empty blocks lack.

    Blocks of terms have length 1, or 0 without any weighted term. Rows of different lengths are not near for what they
    share: with this column, an empty block is as far from another as one that shares no term with it.

    Parameters
    ----------
    rows : CSR of shape (n_documents, n_columns)
        Blocks of terms, then other columns.
    n_blocks, n_terms : int

    Returns
    -------
    CSR of shape (n_documents, n_columns + 1)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> with_full_length(csr_array([[0.6, 0.8, 0.5], [0.0, 0.0, 0.5]]), 1, 2).toarray()
    array([[0.6, 0.8, 0.5, 0. ],
           [0. , 0. , 0.5, 1. ]])
    """
    is_term = (rows.data != 0) & (rows.indices < n_blocks * n_terms)
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[is_term]
    is_held = np.zeros((rows.shape[0], n_blocks), dtype=bool)
    is_held[row, rows.indices[is_term] // max(1, n_terms)] = True
    lacking = np.sqrt(n_blocks - is_held.sum(axis=1))
    return sparse.hstack([rows, sparse.csr_array(lacking[:, np.newaxis].astype(rows.dtype))], format="csr")


def with_zero_column(rows: Any) -> Any:
    """Add a column of zeros, for rows to be compared with those of `with_full_length`."""
    shape = rows.shape[0], rows.shape[1] + 1
    return type(rows)((rows.data, rows.indices, rows.indptr), shape=shape)


def compare_rows(
    query: Any, rows: Any, n_blocks: int, n_terms: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Take the squared distance of a row from others apart: what the terms bring, and the rest.

    Parameters
    ----------
    query : CSR of shape (1, n_columns + 1)
        From `with_zero_column`.
    rows : CSR of shape (n_rows, n_columns + 1)
        From `with_full_length`.
    n_blocks, n_terms : int

    Returns
    -------
    numbers : ndarray of shape (n_shared,)
        Of the terms that the query shares with any row, those that bring most first.
    shared : ndarray of shape (n_shared, n_rows)
        By how much each term reduces the squared distance.
    apart : ndarray of shape (n_rows,)
        The squared length of both rows, without the profile.
    profile : ndarray of shape (n_rows,)
        The squared distance in the columns between the blocks of terms and the last column.

    Examples
    --------
    >>> query, row = sparse.csr_array([[0.6, 0.8, 0.5, 0.0]]), sparse.csr_array([[0.0, 1.0, 0.2, 0.0]])
    >>> numbers, shared, apart, profile = compare_rows(query, row, 1, 2)
    >>> numbers.tolist(), shared.round(2), apart.round(2), profile.round(2)  # 1.6 = 2 * 0.8 * 1
    ([1], array([[1.6]]), array([2.]), array([0.09]))
    """
    first, last = n_blocks * n_terms, query.shape[1] - 1
    is_term = query.indices < first
    columns, values = query.indices[is_term], query.data[is_term].astype(np.float64)
    numbers, place = np.unique(columns % max(1, n_terms), return_inverse=True)
    shared = np.zeros((len(numbers), rows.shape[0]))
    np.add.at(shared, place, (2 * values * rows[:, columns].toarray()).T)
    order = np.argsort(-shared.sum(axis=1), kind="stable")
    order = order[shared[order].any(axis=1)]
    of_rows, of_query = (part[:, first:last].toarray().astype(np.float64) for part in (rows, query))
    apart = values @ values + rows.multiply(rows).sum(axis=1) - (of_rows**2).sum(axis=1)
    return numbers[order], shared[order], apart, ((of_rows - of_query) ** 2).sum(axis=1)
