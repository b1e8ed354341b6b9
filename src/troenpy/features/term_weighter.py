"""TermWeighter: counts in, weighted rows out. Fit learns class counts, transform multiplies.

It is long because every parameter and method is documented where users of scikit-learn look for it.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import matrix_errors, read_weights
from troenpy.counts.labels import read_labels
from troenpy.features.folds import folds
from troenpy.features.ledger import TermLedger, TermLedgers, explain_terms
from troenpy.features.rows import Norm, TermFrequency, check_names, row_sums, weighted_rows
from troenpy.files.saved import Saved, arrays_at, below, checked
from troenpy.fitting.transaction import all_or_nothing
from troenpy.weights.schemes import Weight, term_weights


class TermWeighter(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Weight a matrix of term counts by what the labels say of each term; by default TF-PI.

    Parameters
    ----------
    scheme : str or callable, default="pi"
        A name of `troenpy.WEIGHTS` ("pi" = PCF x IDF, "idf", "rf", "chi2", ...), an expression of names with `*` and
        `sqrt()` such as "sqrt(pcf_present)*idf", or a function of `ClassCounts` that returns one number per term.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        What stands for the count of a term in a document: itself, 1 + log, its square root, presence, or BM25's
        saturated count (k1 = 1.2, b = 0.75, the average length learnt in fit).
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        How each row is scaled. "l1": its absolute values sum to 1. "hellinger": sign(x) sqrt(|x| / sum |x|), so that
        the Euclidean distance of two rows without negative values is sqrt(2) times their Hellinger distance, which
        `SparseKNeighborsClassifier(metric="hellinger")` measures on any rows: the nearest are the same. A row of zeros
        stays zero.
    smoothing : float, default=1.0
        For the weights that take it; see `troenpy.weights`.
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting, in `fit_transform` only; see Notes. An int makes that many stratified folds, shuffled by
        `random_state` (plain folds for indicator matrices); each document must be in one test fold exactly. For
        grouped documents pass the splits, `list(GroupKFold().split(X, y, groups))`.
    random_state : int, RandomState instance or None, default=None
        Shuffles the folds of an int `cv`.

    Attributes
    ----------
    counts_ : ClassCounts
        All that was learnt.
    weights_ : ndarray of shape (n_terms,)
        One weight per column; zero for a term no training document held.
    total_length_ : float
        Sum of all counts seen.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if fitted on a data frame with string column names.

    Notes
    -----
    **Leakage.** The weights are made of the training labels. A training row weighted with them has seen its own label:
    a rare term of a single document, say, gets a weight that says "sure of its class" because of that very document.
    A model trained on such rows trusts the weights more than it may on new documents. With `cv`, `fit_transform`
    weights each training row with what the other folds say, so that training rows look as new ones will;
    `transform` always uses the weights of all the training data. So ``fit_transform(X, y)`` is then *not*
    ``fit(X, y).transform(X)``: the first is for training a model (and is what `Pipeline.fit` calls), the second
    never cross-fits.

    **Negative weights.** PI is negative for a term whose documents are spread over the classes more evenly than all
    documents are: PCF_1 is then less than PCF_*. Neighbours, logistic regression and SVMs take such features; models
    and tests that count, such as scikit-learn's MultinomialNB and chi2, refuse them. For those, take
    ``scheme="pcf_present*idf"`` or ``scheme="sqrt(certainty*idf)"``, which are never negative with whole documents and
    the default smoothing.

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

    counts_: ClassCounts
    weights_: NDArray[np.float64]
    total_length_: float

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
            How many documents each one counts for.

        Returns
        -------
        self
        """
        X = self._read(X, y, reset=True)
        return self.learn(*self._count(X, y, sample_weight))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Add more documents to what was learnt; new classes are welcome, columns stay the same.

        Any number of batches gives the same as `fit` on all of them. Until a second class has been seen there are
        no weights yet and `transform` says so.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        is_first = not hasattr(self, "counts_")
        X = self._read(X, y, reset=is_first)
        counts, length = self._count(X, y, sample_weight)
        if not is_first:
            counts, length = self.counts_ + counts, self.total_length_ + length
        if np.count_nonzero(counts.n_docs) > 1:
            return self.learn(counts, length)
        self.counts_, self.total_length_ = counts, length
        return self

    def transform(self, X: Any) -> Any:
        """Weight counts by what was learnt from all the training documents.

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
            raise ValueError("all documents so far are of one class: partial_fit documents of another before transform")
        return self.weigh(self._read(X, None, reset=False))

    @all_or_nothing
    def fit_transform(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then weight the same documents; with `cv`, each by the other folds only (see Notes).

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
        """Weight each row of the training data by the other folds of `cv` only."""
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
        """Fit from counts made elsewhere, e.g. added up over machines.

        Parameters
        ----------
        counts : ClassCounts
        total_length : float
            The sum of all term counts of all documents; only "bm25" needs it.

        Returns
        -------
        self
        """
        check_names(self.tf, self.norm)
        self.weights_ = term_weights(counts, self.scheme, smoothing=self.smoothing)
        self.counts_, self.total_length_, self.n_features_in_ = counts, total_length, counts.doc_freq.shape[1]
        return self

    def weigh(self, X: Any, *, copy: bool = True, n_threads: int = 1) -> Any:
        """Do the work of `transform` on a float matrix known to be sound: nothing is checked.

        Parameters
        ----------
        X : ndarray or CSR of shape (n_documents, n_terms), float32 or float64
        copy : bool, default=True
            Leave X as it is; False may write the result over it.
        n_threads : int, default=1

        Returns
        -------
        {ndarray, CSR matrix} of shape (n_documents, n_terms)
        """
        average = self.total_length_ / self.counts_.n_documents
        return self._rows(X, self.weights_, average, copy=copy, n_threads=n_threads)

    def explain(self, term: Any) -> TermLedger | TermLedgers:
        """Return what the weight of a term is made of: its documents by class, the parts of the scheme, and its rank.

        Parameters
        ----------
        term : str or int, or an iterable of them
            A column's name, if fitted on a data frame, or its number; of several, the result is one table.

        Returns
        -------
        TermLedger, or TermLedgers for several terms
            Each prints as a table, and shows one in a notebook; TermLedgers has `to_frame`.

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
        how: dict[str, Any] = {"scheme": self.scheme, "smoothing": self.smoothing}
        return explain_terms(term, self.get_feature_names_out(), self.counts_, self.weights_, **how)

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "counts_"):
            return None
        arrays = below("counts.", self.counts_.to_arrays())
        arrays["total_length"] = np.array([self.total_length_])
        if hasattr(self, "weights_"):
            arrays["weights"] = self.weights_
        return Saved({"is_named": hasattr(self, "feature_names_in_")}, arrays)

    def _restore(self, saved: Saved) -> None:
        """Take back what `_saved` returned; everything is checked."""
        self.counts_ = ClassCounts.from_arrays(arrays_at("counts.", saved.arrays))
        self.total_length_ = float(saved.arrays["total_length"].item())
        self.n_features_in_ = len(self.counts_.term_docs)
        if saved.state["is_named"]:
            self.feature_names_in_ = np.array(self.counts_.terms)
        if "weights" in saved.arrays:
            self.weights_ = checked(saved.arrays["weights"], (self.n_features_in_,))

    def _read(self, X: Any, y: Any, *, reset: bool) -> Any:
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        if reset and y is None:
            raise ValueError(
                "TermWeighter requires y to be passed, but the target y is None: it learns from one label per document"
            )
        return X

    def _count(self, X: Any, y: Any, sample_weight: Any) -> tuple[ClassCounts, float]:
        """Return the class counts and the sum of all counts."""
        weights = read_weights(sample_weight, X.shape[0])
        terms = getattr(self, "feature_names_in_", None)
        lengths = row_sums(X)
        length = lengths.sum() if weights is None else weights @ lengths
        return ClassCounts.from_matrix(X, y, sample_weight=weights, terms=terms), float(length)

    def _rows(self, X: Any, weights: NDArray[np.float64], average_length: float, **how: Any) -> Any:
        return weighted_rows(X, weights, tf=self.tf, norm=self.norm, average_length=average_length, **how)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
