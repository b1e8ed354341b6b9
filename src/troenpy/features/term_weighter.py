"""TermWeighter: weights a matrix of counts. `fit` learns the class counts, `transform` multiplies.

The module is long because every parameter and method is documented in place, as in scikit-learn.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import canonical_counts, check_row_labels, has_only_counts, matrix_errors, read_weights
from troenpy.counts.labels import read_labels
from troenpy.counts.left_out import restored_counts, saved_counts
from troenpy.features.folds import folds
from troenpy.features.kept_streams import LearnedLater, LearnsLater, errors_of_batch
from troenpy.features.rows import Norm, TermFrequency, check_tf_and_norm, total_length, weighted_rows
from troenpy.features.tallies import Tally
from troenpy.features.term_explanation import TermExplanation, TermExplanations, explain_terms
from troenpy.files import archive
from troenpy.files.saved import Saved, check_array
from troenpy.fitting.transaction import all_or_nothing
from troenpy.weights.schemes import Weight, term_weights


class TermWeighter(LearnsLater, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Weight a matrix of term counts by how much each term tells about the class; TF-PI by default.

    Parameters
    ----------
    scheme : str or callable, default="pi"
        A name in `troenpy.WEIGHTS` ("pi" = PCF x IDF, "idf", "rf", "chi2", ...), an expression of names with `*` and
        `sqrt()` such as "sqrt(pcf_present)*idf", or a function of `ClassCounts` that returns one number per term.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        How to transform the count of a term in a document: unchanged, 1 + log, square root, presence, or BM25's
        saturated count (k1 = 1.2, b = 0.75, with the average length from `fit`).
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        How to normalise each row. "l1": absolute values sum to 1. "hellinger": sign(x) sqrt(|x| / sum |x|), so that
        the Euclidean distance of two non-negative rows is sqrt(2) times the Hellinger distance of the original rows.
        The nearest neighbours are those of `SparseKNeighborsClassifier(metric="hellinger")`. Rows of zeros stay zero.
    smoothing : float, default=1.0
        Passed to the weights that have this parameter; see `troenpy.weights`.
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting, in `fit_transform` only; see Notes. An int is a number of shuffled folds, stratified unless `y`
        is an indicator matrix. Each document must be in exactly one test fold. For grouped documents pass the splits:
        `list(GroupKFold().split(X, y, groups))`.
    random_state : int, RandomState instance or None, default=None
        Seed for shuffling, if `cv` is an int.

    Attributes
    ----------
    counts_ : ClassCounts
        Documents per class and term.
    weights_ : ndarray of shape (n_terms,)
        One weight per column; zero for a term in no training document.
    total_length_ : float
        Sum of all term counts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if fitted on a data frame with string column names.

    Notes
    -----
    **Leakage.** The weights depend on the training labels, so a training row weighted with them contains information
    about its own label. A term that occurs in a single document, for example, looks like a certain sign of its class
    because of that very document. A model trained on such rows trusts the weights too much on new documents. With `cv`,
    `fit_transform` weights each training row with the labels of the other folds only, so that training rows look like
    new ones. `transform` always uses the weights from all training data. So with `cv`, ``fit_transform(X, y)`` differs
    from ``fit(X, y).transform(X)``: use the first to train a model, as `Pipeline.fit` does.

    **Negative weights.** PI is negative for a term whose documents are spread more evenly over the classes than all
    documents are: PCF_1 is then less than PCF_*. Nearest neighbours, logistic regression and SVMs accept negative
    features; models and tests for counts, such as scikit-learn's MultinomialNB and chi2, reject them. For those, use
    ``scheme="pcf_present*idf"`` or ``scheme="sqrt(certainty*idf)"``, which are never negative without sample weights
    and with the default smoothing.

    Examples
    --------
    >>> from troenpy import TermWeighter
    >>> X = [[1, 0, 1], [2, 0, 1], [0, 1, 1], [0, 3, 1]]
    >>> weighter = TermWeighter(norm=None).fit(X, ["sport", "sport", "tech", "tech"])
    >>> weighter.weights_.round(3)  # n_w = 2, 2, 4: (log 2/1 - log 4/3) * (1 + log 4/3), twice; (log 4/3 - log 4/3)
    array([0.522, 0.522, 0.   ])
    >>> weighter.transform([[3, 0, 5]]).round(3)
    array([[1.566, 0.   , 0.   ]])
    """

    weights_: Any = LearnedLater()
    total_length_: Any = LearnedLater()

    def __init__(
        self,
        scheme: str | Weight = "pi",
        *,
        tf: TermFrequency = "raw",
        norm: Norm | None = "l2",
        smoothing: float = 1.0,
        cv: Any = None,
        random_state: Any = None,
    ) -> None:
        self.scheme = scheme
        self.tf = tf
        self.norm = norm
        self.smoothing = smoothing
        self.cv = cv
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the class counts and the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Non-negative counts.
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each document counts as.

        Returns
        -------
        self
        """
        X = self._read(X, y, reset=True)
        return self.learn(*self._count(X, y, sample_weight))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Add a batch of documents; new classes may appear, the columns must stay the same.

        Fitting in batches gives the same result as one `fit` on all documents. Until two classes have been seen there
        are no weights, and `transform` raises an error.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        stream = self._stream_so_far()
        with errors_of_batch(stream.n_batches + 1, X):
            X = self._read(X, y, reset=stream.n_batches == 0)
            rows, labels = canonical_counts(X), read_labels(y)
            check_row_labels(labels, rows.shape[0])
            self._add_rows(rows, labels, read_weights(sample_weight, rows.shape[0]))
        return self

    def transform(self, X: Any) -> Any:
        """Weight counts with the weights from all training documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Non-negative counts; not changed.

        Returns
        -------
        {ndarray, CSR matrix} of shape (n_documents, n_terms)
            Sparse if X is, indices sorted; float32 if X is, otherwise float64.
        """
        check_is_fitted(self, "counts_")
        if not hasattr(self, "weights_"):
            raise ValueError(
                "all documents so far are of one class: call partial_fit with another class before transform"
            )
        return self.weigh(self._read(X, None, reset=False))

    @all_or_nothing
    def fit_transform(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then weight the same documents; with `cv`, each with the labels of the other folds only (see Notes).

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        {ndarray, CSR matrix} of shape (n_documents, n_terms)
        """
        X = self._read(X, y, reset=True)
        self.learn(*self._count(X, y, sample_weight))
        if self.cv is None:
            return self.weigh(X)
        return self.weigh_by_folds(X, y, sample_weight)

    def weigh_by_folds(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Weight each training row with the labels of the other folds only."""
        sample_weight = read_weights(sample_weight, X.shape[0])
        labels = read_labels(y)
        blocks, order = [], []
        for number, (train, test) in enumerate(folds(self.cv, self.random_state, X, labels)):
            train_weight = None if sample_weight is None else sample_weight[train]
            counts, length = self._count(X[train], labels.part(train), train_weight)
            try:
                weights = term_weights(counts, self.scheme, smoothing=self.smoothing)
            except ValueError as error:
                raise ValueError(f"fold {number} of cv: {error}") from None
            blocks.append(self._rows(X[test], weights, length / counts.n_documents))
            order.append(test)
        place = np.argsort(np.concatenate(order))
        rows = sparse.vstack(blocks, format="csr") if sparse.issparse(X) else np.concatenate(blocks)
        return rows[place]

    @all_or_nothing
    def learn(self, counts: ClassCounts, total_length: float) -> Self:
        """Fit from existing counts, e.g. the sum of counts from several machines.

        Parameters
        ----------
        counts : ClassCounts
        total_length : float
            The sum of all term counts over all documents; only used by "bm25".

        Returns
        -------
        self
        """
        self.__dict__.pop("_stream", None)
        return self._learn(counts, total_length)

    def _learn(self, counts: ClassCounts, total_length: float) -> Self:
        check_tf_and_norm(self.tf, self.norm)
        self.weights_ = term_weights(counts, self.scheme, smoothing=self.smoothing)
        self.counts_, self.total_length_, self.n_features_in_ = counts, total_length, counts.doc_freq.shape[1]
        return self

    def _learn_stream(self, tally: Tally) -> None:
        counts = tally.counts
        if hasattr(self, "feature_names_in_"):
            counts = counts.with_terms(self.feature_names_in_)
        if np.count_nonzero(counts.n_docs) > 1:
            self._learn(counts, tally.total_length)
        else:
            self.counts_, self.total_length_ = counts, tally.total_length

    def weigh(self, X: Any, *, copy: bool = True, n_threads: int = 1) -> Any:
        """Weight a float matrix as `transform` does, without any checks.

        Parameters
        ----------
        X : ndarray or CSR of shape (n_documents, n_terms), float32 or float64
        copy : bool, default=True
            If False, X may be overwritten.
        n_threads : int, default=1

        Returns
        -------
        {ndarray, CSR matrix} of shape (n_documents, n_terms)
        """
        average = self.total_length_ / self.counts_.n_documents
        return self._rows(X, self.weights_, average, copy=copy, n_threads=n_threads)

    def explain(self, term: Any) -> TermExplanation | TermExplanations:
        """Explain the weight of a term: its documents per class, the quantities in the scheme, and its rank.

        Parameters
        ----------
        term : str or int, or an iterable of them
            A column name (if fitted on a data frame) or number; or several of them.

        Returns
        -------
        TermExplanation, or TermExplanations for several terms
            Both are shown as a table in a terminal or notebook; TermExplanations has `to_frame`.

        Examples
        --------
        >>> from troenpy import TermWeighter
        >>> weighter = TermWeighter().fit([[1, 0], [2, 0], [0, 1]], ["sport", "sport", "tech"])
        >>> print(weighter.explain(0))
        x0
          weight            0.422837
          rank              1 of 2
          documents (n_w)   2 of 3
            in class sport  2
          PCF_1             0.693147
          PCF_*             0.27031
          IDF               1
        """
        check_is_fitted(self, "weights_")
        options: dict[str, Any] = {"scheme": self.scheme, "smoothing": self.smoothing}
        return explain_terms(term, self.get_feature_names_out(), self.counts_, self.weights_, **options)

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "counts_"):
            return None
        is_named = hasattr(self, "feature_names_in_")
        arrays = {"total_length": np.array([self.total_length_]), "n_documents": np.array([self.counts_.n_documents])}
        if is_named:
            arrays |= archive.pack("names", self.feature_names_in_)
        counts = saved_counts(self.counts_, without_terms=is_named)
        if not hasattr(self, "weights_"):
            return Saved({"is_named": is_named}, arrays | counts)
        return Saved({"is_named": is_named}, arrays | {"weights": self.weights_}, for_learning=counts)

    def _restore(self, saved: Saved) -> None:
        """Restore the result of `_saved`; everything is validated."""
        arrays, names = saved.arrays, None
        if archive.is_packed("names", arrays):
            names = archive.unpack("names", arrays)
        self.counts_ = restored_counts(arrays, names)
        self.total_length_ = float(arrays["total_length"].item())
        is_whole = isinstance(self.counts_, ClassCounts)
        self.n_features_in_ = len(self.counts_.term_docs if is_whole else arrays["weights"])
        if saved.state["is_named"]:
            self.feature_names_in_ = np.array(self.counts_.terms if names is None else names)  # None in older files
            if self.feature_names_in_.shape != (self.n_features_in_,):
                raise ValueError("column names and weights differ in number")
        if "weights" in arrays:
            self.weights_ = check_array(arrays["weights"], (self.n_features_in_,)).astype(np.float64, copy=False)

    def _read(self, X: Any, y: Any, *, reset: bool) -> Any:
        is_known = not reset and not hasattr(self, "feature_names_in_")
        if is_known and has_only_counts(X, self.n_features_in_):
            return X
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        if reset and y is None:
            raise ValueError(
                "TermWeighter requires y to be passed, but the target y is None: pass one label per document"
            )
        return X

    def _count(self, X: Any, y: Any, sample_weight: Any) -> tuple[ClassCounts, float]:
        """Return the class counts and the sum of all counts."""
        weights = read_weights(sample_weight, X.shape[0])
        terms = getattr(self, "feature_names_in_", None)
        counts = ClassCounts.from_matrix(X, y, sample_weight=weights, terms=terms)
        return counts, total_length(X, weights)

    def _rows(self, X: Any, weights: NDArray[np.float64], average_length: float, **options: Any) -> Any:
        return weighted_rows(X, weights, tf=self.tf, norm=self.norm, average_length=average_length, **options)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
