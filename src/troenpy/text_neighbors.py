"""TextKNeighborsClassifier: text in, label out, by a vote of the nearest documents. TermFeatures and neighbours."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from troenpy.features import TermFeatures
from troenpy.labels import read_required_labels
from troenpy.neighbors import Metric, SparseKNeighborsClassifier

#: The parameters of TermFeatures that a classifier has if none are given.
DEFAULT_FEATURES: dict[str, Any] = {"blocks": ("certainty_hellinger", "profile"), "profile_scale": 2.0}


class TextKNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """Classify text by a vote of the k nearest training documents, with defaults that need no tuning.

    A training document without any weighted term is nobody's neighbour: its row of zeros would be nearer to most
    documents than all but the most similar, and a handful of such documents would decide many votes.

    The fitted model keeps the training rows, and with them whatever they tell of the documents: do not share one
    whose documents are private.

    Parameters
    ----------
    features : TermFeatures or None, default=None
        How documents become features; None is the setting "knn" of `troenpy.settings`: terms under the Hellinger norm
        beside twice the class profile.
    n_neighbors : int, default=7
        How many neighbours vote.
    metric, weights
        As in :class:`SparseKNeighborsClassifier`.
    n_jobs : int or None, default=None
        Threads: None is one, -1 is all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    features_ : TermFeatures
        Fitted.
    neighbors_ : SparseKNeighborsClassifier
        Fitted, on the documents that can be neighbours.
    documents_ : ndarray of int
        The numbers of these documents.

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

    # The documents are no metadata to route, whatever their parameter is called.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__predict = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"raw_documents": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        features: TermFeatures | None = None,
        *,
        n_neighbors: int = 7,
        metric: Metric = "euclidean",
        weights: str = "uniform",
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.n_jobs = n_jobs

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
        labels = read_required_labels(y, "TextKNeighborsClassifier")
        if not (labels.is_single and labels.is_list):
            raise ValueError("TextKNeighborsClassifier takes one label per document: use TroenpyClassifier for several")
        default = TermFeatures(**DEFAULT_FEATURES, n_jobs=self.n_jobs)
        self.features_ = default if self.features is None else clone(self.features)
        rows = self.features_.fit_transform(raw_documents, labels)
        self.documents_ = _with_terms(rows, self.features_.weights_.size or rows.shape[1])
        self.neighbors_ = SparseKNeighborsClassifier(
            self.n_neighbors, metric=self.metric, weights=self.weights, n_jobs=self.n_jobs
        ).fit(rows[self.documents_], labels.classes[labels.indicator.indices][self.documents_])
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the documents that can be neighbours."""
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
        distances, rows = self.neighbors_.kneighbors(queries, n_neighbors)
        documents = self.documents_[rows]
        return (distances, documents) if return_distance else documents

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
        return self.neighbors_.predict(queries)

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
        return self.neighbors_.predict_proba(queries)

    def _rows(self, raw_documents: Any) -> Any:
        check_is_fitted(self, "neighbors_")
        return self.features_.transform(raw_documents)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _with_terms(rows: Any, n_columns: int) -> NDArray[np.int64]:
    """Return the numbers of the rows that have any value in the first columns."""
    is_value = (rows.data != 0) & (rows.indices < n_columns)
    return np.unique(np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[is_value])
