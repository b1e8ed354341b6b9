"""SparseKNeighborsClassifier: classify sparse rows by a vote of their exact nearest neighbours.

The module is long because every parameter and method is documented where scikit-learn users expect it.
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy._kernel.neighbors import LARGEST_INT32, Space, build_index, nearest_rows
from troenpy.counts.counting import matrix_errors
from troenpy.counts.labels import labels_for_sklearn
from troenpy.files import archive
from troenpy.files.saved import Saved, add_prefix, check_classes, check_rows, check_size, index_type, select_prefix
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_count
from troenpy.fitting.transaction import all_or_nothing
from troenpy.models.metrics import METRICS, Metric
from troenpy.models.metrics import read_metric as read_metric
from troenpy.models.votes import count_votes, inverse_distances


class SparseKNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """Classify sparse rows, such as weighted terms, by a vote of the k nearest training rows, found exactly.

    Neighbours are the same as by brute force in float64, with any number of threads. Of equally near rows, the one that
    comes first in the training data wins; of classes with equally many votes, the one with the nearest neighbour.

    The fitted model stores the training rows, which reveal much of the documents: do not share a model that was fitted
    on private documents.

    Parameters
    ----------
    n_neighbors : int, default=7
        Number of neighbours that vote.
    metric : {"euclidean", "cosine", "manhattan", "hellinger"} or dict, default="euclidean"
        "cosine" is 1 minus the cosine, and 1 for a row of zeros. On rows of length 1 it finds the same neighbours as
        "euclidean". "hellinger" compares rows as shares of their sum: the Euclidean distance of the square roots of
        the shares (the rows of ``TermWeighter(norm="hellinger")``), divided by sqrt(2). It is 0 for equal shares and 1
        for rows without a common column; a row of zeros is at distance sqrt(1/2) from all others; negative values are
        an error. A dict ``{name: (columns, metric)}`` sums the distances in several blocks of columns, given as slices:
        ``{"tfidf": (slice(0, 5000), "euclidean"), "btf": (slice(5000, None), "euclidean")}``.
    weights : {"uniform", "distance"}, default="uniform"
        Whether each vote counts 1, or 1 / distance; in the latter case neighbours at distance 0 outvote all others.
    n_jobs : int or None, default=None
        Number of threads: None means one, -1 one per processor. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_samples_fit_ : int
        Number of training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if fitted on a data frame with string column names.

    Examples
    --------
    >>> from troenpy import SparseKNeighborsClassifier
    >>> X = [[3, 0], [2, 1], [0, 4], [1, 5]]
    >>> knn = SparseKNeighborsClassifier(3, metric="cosine").fit(X, ["sport", "sport", "tech", "tech"])
    >>> knn.predict([[5, 1], [0, 1]])
    array(['sport', 'tech'], dtype='<U5')
    >>> knn.kneighbors([[0, 1]], n_neighbors=2)[1]
    array([[2, 3]])

    A tie: row 0 at distance 1 and row 2 at distance 2 have one vote each, and row 0 is nearer.

    >>> knn = SparseKNeighborsClassifier(2).fit([[1], [9], [4]], ["b", "a", "a"])
    >>> knn.predict([[2]])
    array(['b'], dtype='<U1')
    >>> knn.predict_proba([[2]])  # for a and b: the winner's share is raised by one float64 step
    array([[0.5, 0.5]])
    >>> knn.predict_proba([[2]]).argmax()
    np.int64(1)
    """

    classes_: NDArray[Any]
    n_samples_fit_: int

    def __init__(
        self, n_neighbors: int = 7, *, metric: Metric = "euclidean", weights: str = "uniform", n_jobs: int | None = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Store the rows and their labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any kind.

        Returns
        -------
        self
        """
        self._check_parameters()
        y = labels_for_sklearn(y)
        with matrix_errors():
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self._blocks = read_metric(self.metric, X.shape[1])
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self._spaces = [Space(rows, metric) for rows, (_, metric) in zip(self._cut(X), self._blocks, strict=True)]
        self._index = build_index(self._spaces)
        self.n_samples_fit_ = X.shape[0]
        return self

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training rows, nearest first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or None
            None finds the neighbours of every training row among the others.
        n_neighbors : int or None
            Defaults to the estimator's `n_neighbors`.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Only if `return_distance`.
        rows : ndarray of shape (n_queries, n_neighbors)
            Numbers of the training rows.
        """
        check_is_fitted(self)
        distances, rows = self._nearest(None if X is None else self._read(X), n_neighbors)
        return (distances, rows) if return_distance else rows

    def _nearest(self, X: Any, n_neighbors: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and rows as `kneighbors` does, without checking X: float64 array, CSR matrix or None."""
        k = check_count("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors)
        is_training = X is None
        queries = [space.rows for space in self._spaces] if is_training else self._cut(X)
        if k + is_training > self.n_samples_fit_:
            relation = "<" if is_training else "<="
            raise ValueError(
                f"Expected n_neighbors {relation} n_samples_fit, but n_neighbors = {k}, n_samples_fit ="
                f" {self.n_samples_fit_}, n_samples = {queries[0].shape[0]}"
            )
        if self._index is None:
            self._index = build_index(self._spaces)  # loaded from a file, or fitted without the kernel
        n_threads = job_count(self.n_jobs)
        return nearest_rows(self._spaces, self._index, queries, k, skip_own_row=is_training, n_threads=n_threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes; a tie goes to the class of the nearest neighbour.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or None
            None predicts every training row, excluding it from its own neighbours.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        return self._winners(*self.kneighbors(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return each class's share of the votes.

        In a tie, the winner's share is raised by one float64 step, so that the largest share is always that of the
        predicted class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or None
            None predicts every training row, excluding it from its own neighbours.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        return self._shares(*self.kneighbors(X))

    def _winners(self, distances: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the class with the most votes of these neighbours."""
        return self.classes_[np.concatenate([winner for _, winner in self._votes(distances, rows)])]

    def _shares(self, distances: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return each class's share of the votes of these neighbours."""
        blocks = []
        for votes, winner in self._votes(distances, rows):
            shares = votes / votes.sum(axis=1, keepdims=True)
            place = np.arange(len(shares)), winner
            own = shares[place]
            shares[place] = -1
            rival = shares.max(axis=1)
            shares[place] = np.where(own > rival, own, np.nextafter(rival, np.inf))
            blocks.append(shares)
        return np.concatenate(blocks)

    def _check_parameters(self) -> None:
        """Raise for parameters that are invalid for any data."""
        job_count(self.n_jobs)
        check_count("n_neighbors", self.n_neighbors)
        if self.weights not in ("uniform", "distance"):
            raise ValueError(f"weights must be 'uniform' or 'distance', got {self.weights!r}")

    def _votes(
        self, distances: NDArray[np.float64], rows: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        """Yield the votes by query and class, and the winning classes, block by block."""
        yield from count_votes(self._codes[rows], self.vote_weights(distances), len(self.classes_))

    def vote_weights(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each neighbour's vote.

        Parameters
        ----------
        distances : ndarray of shape (n_queries, n_neighbors)

        Returns
        -------
        ndarray of shape (n_queries, n_neighbors)
        """
        return np.ones_like(distances) if self.weights == "uniform" else inverse_distances(distances)

    def _read(self, X: Any) -> Any:
        with matrix_errors():
            return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _cut(self, X: Any) -> list[sparse.csr_array]:
        """Return the rows of each block, prepared for its metric, as copies."""
        if sparse.issparse(X):
            index = np.int32 if max(X.nnz, *X.shape) <= LARGEST_INT32 else np.int64
            # New arrays, because flags of the old ones may wrongly say "sorted".
            X = sparse.csr_array((X.data.copy(), X.indices.astype(index), X.indptr.astype(index)), shape=X.shape)
        else:
            X = sparse.csr_array(X)
        X.sum_duplicates()
        X.eliminate_zeros()
        return [METRICS[metric](X if columns is None else X[:, columns]) for columns, metric in self._blocks]

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "classes_"):
            return None
        dtype = self.classes_.dtype
        has_strings = dtype.kind == "U"
        if not has_strings and (dtype.kind not in "Obiuf" or dtype.itemsize > 8):
            raise TypeError(f"classes of type {dtype} cannot be saved: use strings or numbers, or pickle the model")
        arrays = archive.pack("classes", self.classes_.astype(object) if has_strings else self.classes_)
        arrays["codes"] = self._codes.astype(np.int64)
        for number, space in enumerate(self._spaces):
            indptr, indices, data = space.rows.indptr, space.rows.indices, space.rows.data
            index = index_type(space.rows.shape, len(data))
            rows = {"indptr": indptr.astype(index), "indices": indices.astype(index), "data": data}
            arrays |= add_prefix(f"rows{number}.", rows)
        if hasattr(self, "feature_names_in_"):
            arrays |= archive.pack("names", self.feature_names_in_)
        blocks = [[columns and {"slice": _bounds(columns)}, metric] for columns, metric in self._blocks]
        state = {"blocks": blocks, "n_features": int(self.n_features_in_), "has_strings": has_strings}
        return Saved(state, arrays)

    def _restore(self, saved: Saved) -> None:
        """Restore and check what `_saved` returned."""
        self._check_parameters()
        state, arrays = saved.state, saved.arrays
        self.n_features_in_ = n_features = check_size(state["n_features"])
        blocks = [(columns and _slice(columns["slice"]), metric) for columns, metric in state["blocks"]]
        is_whole = [columns for columns, _ in blocks] == [None]
        self._blocks = read_metric(blocks[0][1] if is_whole else dict(enumerate(blocks)), n_features)
        self.classes_ = check_classes(archive.unpack("classes", arrays), has_strings=state["has_strings"])
        self._codes = codes = arrays["codes"]
        self.n_samples_fit_ = check_size(len(codes))
        if codes.ndim != 1 or codes.dtype != np.int64 or codes.min() < 0 or codes.max() >= len(self.classes_):
            raise ValueError("the class numbers of the rows must be below the number of classes")
        self._spaces = []
        for number, (columns, metric) in enumerate(self._blocks):
            n_columns = n_features if columns is None else len(range(*columns.indices(n_features)))
            rows = check_rows(select_prefix(f"rows{number}.", arrays), (len(codes), n_columns))
            self._spaces.append(Space(rows, metric))
        self._index = None  # built on first use
        if archive.is_packed("names", arrays):
            self.feature_names_in_ = archive.unpack("names", arrays)
            if self.feature_names_in_.shape != (n_features,) or self.feature_names_in_.dtype != object:
                raise ValueError(f"expected {n_features} column names, got shape {self.feature_names_in_.shape}")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_index" in state:
            state["_index"] = None  # rebuilt from the rows
        return state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = "hellinger" in str(self.metric)
        tags.classifier_tags.poor_score = self.metric == "hellinger"  # shares do not separate scikit-learn's test blobs
        return tags


def _bounds(columns: slice) -> list[int | None]:
    return [columns.start, columns.stop, columns.step]


def _slice(bounds: Any) -> slice:
    if len(bounds) != 3 or not all(bound is None or type(bound) is int for bound in bounds):
        raise TypeError(f"a slice must have three whole numbers or None, got {bounds!r}")
    return slice(*bounds)
