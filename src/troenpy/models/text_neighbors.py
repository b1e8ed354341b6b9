"""TextKNeighborsClassifier: classify text with TermFeatures and a vote of the nearest documents."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from troenpy.counts.labels import read_single_labels
from troenpy.features.term_features import TermFeatures
from troenpy.files.saved import Saved
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_count
from troenpy.fitting.transaction import all_or_nothing
from troenpy.models.default_views import neighbour_features
from troenpy.models.explanation import NeighborExplanation
from troenpy.models.full_length import compare_rows, with_full_length, with_zero_column
from troenpy.models.has_features import HasFeatures, check_explained, check_features
from troenpy.models.neighbors import SparseKNeighborsClassifier


class TextKNeighborsClassifier(HasFeatures, ClassifierMixin, BaseEstimator):
    """Classify text by a vote of the k nearest training documents, with defaults that need no tuning.

    A training document without a weighted term counts as one that shares no term with any other. As a row of zeros it
    would be nearer than all but the most similar documents, and a handful of them would decide many votes.

    The fitted model stores the training rows, which reveal much of the documents: do not share a model that was fitted
    on private documents.

    Parameters
    ----------
    features : TermFeatures or None, default=None
        How to turn documents into features. None means the setting "knn_views" of `troenpy.settings`: tokens of any
        script with their pairs, and pieces of words, each under the Hellinger norm and with twice the class profile;
        set their parameters as ``features__pairs__min_df``. The setting "knn" has words alone, and searches faster.
    n_neighbors : int, default=7
        Number of neighbours that vote.
    weights : {"uniform", "distance"}, default="uniform"
        Whether each vote counts 1, or 1 / distance.
    n_jobs : int or None, default=None
        Number of threads, also for `features` without an `n_jobs` of its own: None means one, -1 one per processor.
        Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    features_ : TermFeatures
        The fitted features.
    neighbors_ : SparseKNeighborsClassifier
        Fitted on the training rows with one extra column (`with_full_length`).

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
        """Return the default features, unfitted: the setting "knn_views"."""
        return neighbour_features("pairs", "pieces")

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the features, and store the rows and labels of the documents.

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
        rows = with_full_length(rows, features.layout_)
        neighbors.fit(rows, labels.classes[labels.indicator.indices])
        self.features_, self.neighbors_ = features, neighbors
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        check_is_fitted(self, "neighbors_")
        return self.neighbors_.classes_

    def kneighbors(self, raw_documents: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training documents, nearest first.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        n_neighbors : int or None
            Defaults to the estimator's `n_neighbors`.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_documents, n_neighbors)
            Only if `return_distance`.
        documents : ndarray of shape (n_documents, n_neighbors)
            Row numbers of training documents.
        """
        queries = self._rows(raw_documents)
        if not queries.shape[0]:
            shape = 0, check_count("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors)
            return (np.empty(shape), np.empty(shape, np.int64)) if return_distance else np.empty(shape, np.int64)
        distances, documents = self.neighbors_._nearest(queries, n_neighbors)
        return (distances, documents) if return_distance else documents

    def predict(self, raw_documents: Any) -> NDArray[Any]:
        """Return the class with the most votes; a tie goes to the class of the nearest neighbour.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        ndarray of shape (n_documents,)
        """
        queries = self._rows(raw_documents)
        if not queries.shape[0]:
            return self.classes_[:0]
        return self.neighbors_._winners(*self.neighbors_._nearest(queries))

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
        if not queries.shape[0]:
            return np.empty((0, len(self.classes_)))
        return self.neighbors_._shares(*self.neighbors_._nearest(queries))

    def explain(self, text: str) -> NeighborExplanation:
        """Return the training documents that vote on a text, and the terms that each shares with it.

        Parameters
        ----------
        text : str

        Returns
        -------
        NeighborExplanation

        Examples
        --------
        >>> from troenpy import settings
        >>> model = settings.classifier("knn", n_neighbors=2)
        >>> model = model.fit(["late goal", "own goal", "late vote", "no vote"], ["s", "s", "p", "p"])
        >>> explanation = model.explain("another own goal")
        >>> explanation.documents.tolist(), explanation.labels.tolist(), explanation.terms.tolist()
        ([1, 0], ['s', 's'], ['goal', 'own'])
        """
        check_is_fitted(self, "neighbors_")
        check_explained(text, self.features_)
        query, neighbors = self._rows([text]), self.neighbors_
        distances, documents = neighbors._nearest(query)
        rows = neighbors._spaces[0].rows[documents[0]]
        numbers, shared, apart, profile = compare_rows(query, rows, self.features_.layout_)
        return NeighborExplanation(
            text=text,
            label=neighbors._winners(distances, documents)[0],
            documents=documents[0],
            labels=neighbors.classes_[neighbors._codes[documents[0]]],
            distances=distances[0],
            votes=neighbors.vote_weights(distances)[0],
            terms=self._names_of(numbers),
            shared=shared,
            apart=apart,
            profile=profile,
        )

    def _names_of(self, numbers: NDArray[np.int64]) -> NDArray[np.object_]:
        """Return the names of terms, with the view of each if there are several."""
        terms, views = self.features_.terms_of(numbers), self.features_.views_
        if len(views) == 1:
            return terms
        of_view = self.features_.layout_.view_of(numbers).tolist()
        names = [f"{term} ({views[view].name})" for term, view in zip(terms, of_view, strict=True)]
        return np.array([*names, ""], dtype=object)[:-1]

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "neighbors_"):
            return None
        return Saved({}, {}, {"features": self.features_, "neighbors": self.neighbors_})

    def _restore(self, saved: Saved) -> None:
        """Restore and check what `_saved` returned."""
        self.features_ = check_features(saved.parts["features"])
        self.neighbors_ = saved.parts["neighbors"]
        if not isinstance(self.neighbors_, SparseKNeighborsClassifier):
            raise TypeError(f"expected SparseKNeighborsClassifier, got {type(self.neighbors_).__name__}")
        if self.neighbors_.n_features_in_ != self.features_.n_columns_ + 1:
            raise ValueError("features and neighbours must have the same number of columns")
        if self.features is None and [view.name for view in self.features_.views_] == ["words"]:
            self.features = neighbour_features("words")  # the default when the file was written

    def _rows(self, raw_documents: Any) -> Any:
        check_is_fitted(self, "neighbors_")
        return with_zero_column(self.features_._rows_of(raw_documents).astype(np.float64, copy=False))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
