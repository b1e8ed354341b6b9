"""ClassProfile: turns counts into one column per class; training rows leave themselves out.

The module is long because every parameter and method is documented in place, as in scikit-learn.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy import _kernel
from troenpy._kernel.profiles import ProfileTable
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import canonical_counts, check_row_labels, has_only_counts, matrix_errors, read_weights
from troenpy.counts.labels import Labels, read_labels
from troenpy.features.class_shares import finish_dense, finish_sparse
from troenpy.features.kept_streams import LearnedLater, LearnsLater, errors_of_batch
from troenpy.features.rows import equal_rows
from troenpy.features.tallies import Tally
from troenpy.files.saved import Saved, add_prefix, select_prefix
from troenpy.fitting.parameters import check_whole
from troenpy.fitting.transaction import all_or_nothing
from troenpy.information.estimators import check_smoothing
from troenpy.weights.count_table import Floats, remainder
from troenpy.weights.paper import idf

LeaveOut = Literal["document", "copies"]


class ClassProfile(LearnsLater, TransformerMixin, BaseEstimator):
    """Turn a matrix of term counts into class profiles: one column per class, the square roots of a distribution.

    The profile of a document is the mean of its terms' class distributions, weighted by tf x IDF:
    z_i = sum_w tf IDF p_i(w) / sum_w tf IDF, where p_i(w) = (n_iw + s c_i) / (n_w + s) is the fraction of class i among
    the documents with the term, shrunk towards the class distribution c by s pseudo-documents. The columns are
    sqrt(z_i), so rows have length one, and the Euclidean distance of two rows is sqrt(2) times the Hellinger distance
    of the two profiles.

    Parameters
    ----------
    smoothing : float, default=1.0
        The s in the formula: the number of pseudo-documents.
    leave_out : {"document", "copies"}, default="document"
        What `fit_transform` leaves out of the counts for each training row: the document itself, or also all documents
        with the same counts. Copies of a document leak its label just as the document itself does.
    max_dense : int, default=256
        With more classes than this the result is sparse. It then only has entries for classes that share a term with
        the document: the small values that smoothing gives all other classes are dropped, so rows are slightly shorter
        than one.

    Attributes
    ----------
    counts_ : ClassCounts
        Documents per class and term.
    idf_ : ndarray of shape (n_terms,)
        The IDF of each column; zero for a term in no training document.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if fitted on a data frame with string column names.

    Notes
    -----
    **fit_transform(X, y) differs from fit(X, y).transform(X).** If a training document is counted with its own label,
    its profile looks more certain than that of any new document: a term that only this document has belongs to its
    class alone. A model trained on such rows would trust the profile too much. So ``fit_transform(X, y)`` computes each
    training row from the counts of the *other* documents, n_iw - [y = i], n_w - 1 and C_i - [y = i]. The row does not
    depend on its own label, and looks like the row of a new document. This is exact, needs no folds and costs nothing
    extra. ``transform`` uses all counts and is meant for new documents. `Pipeline.fit` calls the first and
    `Pipeline.predict` the second, which is right. `partial_fit` does not return training rows, because a document
    cannot be left out once it has been counted. scikit-learn's TargetEncoder differs in the same way, for the same
    reason.

    The profile of a document without known terms is the class distribution c (no entries, if sparse). With several
    labels per document, distributions count label occurrences, and all labels of a row are left out. A row with a
    sample weight is left out with that weight.

    Examples
    --------
    Every document has a term that no other document has, so documents tell nothing about each other:

    >>> import numpy as np
    >>> from troenpy import ClassProfile
    >>> X, y = np.eye(4), ["a", "a", "b", "b"]
    >>> ClassProfile().fit(X, y).transform(X) ** 2  # p = (1 + 1/2) / (1 + 1): each row "knows" its label
    array([[0.75, 0.25],
           [0.75, 0.25],
           [0.25, 0.75],
           [0.25, 0.75]])
    >>> (ClassProfile().fit_transform(X, y) ** 2).round(3)  # the classes of the other three documents
    array([[0.333, 0.667],
           [0.333, 0.667],
           [0.667, 0.333],
           [0.667, 0.333]])
    """

    idf_: Any = LearnedLater()
    _table: ProfileTable

    def __init__(self, *, smoothing: float = 1.0, leave_out: LeaveOut = "document", max_dense: int = 256) -> None:
        self.smoothing = smoothing
        self.leave_out = leave_out
        self.max_dense = max_dense

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the class counts.

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
        return self.learn(self._count(self._read(X, y, reset=True), y, sample_weight)[0])

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Add a batch of documents; new classes may appear, the columns must stay the same.

        Fitting in batches gives the same result as one `fit` on all documents. `transform` raises an error until two
        classes have been seen.

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
            rows, labels = self._read(X, y, reset=stream.n_batches == 0), read_labels(y)
            check_row_labels(labels, rows.shape[0])
            self._add_rows(rows, labels, read_weights(sample_weight, rows.shape[0]))
        return self

    def transform(self, X: Any) -> Any:
        """Return the profiles of new documents, from all training documents; for training rows use `fit_transform`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Non-negative counts; not changed.

        Returns
        -------
        {ndarray, CSR array} of shape (n_documents, n_classes)
            Sparse with more than `max_dense` classes; float32 if X is, otherwise float64.
        """
        check_is_fitted(self, "counts_")
        if not hasattr(self, "idf_"):
            raise ValueError(
                "all documents so far are of one class: call partial_fit with another class before transform"
            )
        return self.profile(self._read(X, None, reset=False))

    @all_or_nothing
    def fit_transform(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then return the profile of each document, from the other documents only (see Notes).

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        {ndarray, CSR array} of shape (n_documents, n_classes)
        """
        rows = self._read(X, y, reset=True)
        counts, labels, weights = self._count(rows, y, sample_weight)
        self.learn(counts)
        return self.profile(rows, self.labels_left_out(rows, labels, weights))

    @all_or_nothing
    def learn(self, counts: ClassCounts) -> Self:
        """Fit from existing counts, e.g. the sum of counts from several machines.

        Parameters
        ----------
        counts : ClassCounts

        Returns
        -------
        self
        """
        self.__dict__.pop("_stream", None)
        return self._learn(counts)

    def _learn(self, counts: ClassCounts) -> Self:
        check_smoothing(self.smoothing)
        if self.leave_out not in ("document", "copies"):
            raise ValueError(f"leave_out must be 'document' or 'copies', got {self.leave_out!r}")
        check_whole("max_dense", self.max_dense)
        # IDF is negative only if the sample weights sum to less than one document; a mean needs non-negative weights.
        self.idf_ = np.maximum(idf(counts), 0.0)
        self.counts_, self.n_features_in_ = counts, len(counts.term_docs)
        self._table = ProfileTable(counts.doc_freq, self.idf_)
        return self

    def _learn_stream(self, tally: Tally) -> None:
        counts = tally.counts
        if hasattr(self, "feature_names_in_"):
            counts = counts.with_terms(self.feature_names_in_)
        if np.count_nonzero(counts.n_docs) > 1:
            self._learn(counts)
        else:
            self.counts_ = counts

    def labels_left_out(self, rows: sparse.csr_array, labels: Labels, weights: Floats | None) -> sparse.csr_array:
        """Return how many documents of each class to leave out for each training row.

        Parameters
        ----------
        rows : canonical CSR of shape (n_documents, n_terms)
        labels : Labels
        weights : ndarray of shape (n_documents,) or None

        Returns
        -------
        CSR array of shape (n_documents, n_classes), float64
        """
        own = labels.indicator.astype(np.float64)
        if weights is not None:
            own.data *= np.repeat(weights, np.diff(own.indptr))
        if self.leave_out == "document":
            return own
        groups = equal_rows(rows)
        members = sparse.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))))
        return sparse.csr_array((members @ own)[groups])

    def profile(self, rows: Any, left_out: Any = None, *, n_threads: int = 1) -> Any:
        """Return profiles as `transform` does, or as `fit_transform` does if `left_out` is given, without any checks.

        Parameters
        ----------
        rows : canonical CSR of shape (n_documents, n_terms), float32 or float64
        left_out : CSR of shape (n_documents, n_classes), optional
            The result of `labels_left_out` for these rows.
        n_threads : int, default=1

        Returns
        -------
        {ndarray, CSR array} of shape (n_documents, n_classes)
        """
        sizes = self.counts_.n_docs.astype(np.float64)
        is_dense = len(sizes) <= self.max_dense
        without = np.zeros(rows.shape[0]) if left_out is None else left_out.sum(axis=1)
        # With b = tf IDF / (n_w - g + s), where g labels are left out, m_i of them in class i, the numerator of z_i is
        # sum b (n_iw - m_i + s c_i): the product of b with doc_freq, plus sum b times a number per row and class.
        by_class, sums = self._table.sums(
            rows, without, smoothing=float(self.smoothing), as_dense=is_dense, n_threads=n_threads
        )
        finish = finish_dense if is_dense else finish_sparse
        squares: Any = finish(by_class, sums, sizes, remainder(sizes.sum(), without), left_out, float(self.smoothing))
        roots = np.sqrt(squares, out=squares) if is_dense else squares.sqrt()
        return roots.astype(rows.dtype, copy=False)

    def kernel_table(self) -> Any:
        """Return the kernel's table of terms, or None if the profiles are sparse or there is no kernel."""
        return self._table.native if len(self.counts_.n_docs) <= self.max_dense and _kernel.native else None

    def portions(self, row: Any) -> Floats:
        """Return the fraction of each z_i that each term of a document contributes.

        Parameters
        ----------
        row : canonical CSR of shape (1, n_terms)

        Returns
        -------
        ndarray of shape (n_held, n_classes)
            Columns sum to one; all zero for a document without known terms.
        """
        columns, sizes = row.indices, self.counts_.n_docs.astype(np.float64)
        held = self.counts_.documents_of(columns).astype(np.float64)
        p = (held + self.smoothing * sizes / sizes.sum()) / (held.sum(axis=1) + self.smoothing)[:, np.newaxis]
        parts = (row.data.astype(np.float64) * self.idf_[columns])[:, np.newaxis] * p
        totals = parts.sum(axis=0)
        return parts / np.where(totals > 0, totals, 1.0)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns, ``profile__class``.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : array of str objects
        """
        check_is_fitted(self, "counts_")
        return np.array([*(f"profile__{name}" for name in self.counts_.classes), ""], dtype=object)[:-1]

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "counts_"):
            return None
        return Saved({"is_named": hasattr(self, "feature_names_in_")}, add_prefix("counts.", self.counts_.to_arrays()))

    def _restore(self, saved: Saved) -> None:
        """Restore the result of `_saved`; everything is validated."""
        counts = ClassCounts.from_arrays(select_prefix("counts.", saved.arrays))
        self.counts_, self.n_features_in_ = counts, len(counts.term_docs)
        if saved.state["is_named"]:
            self.feature_names_in_ = np.array(counts.terms)
        if np.count_nonzero(counts.n_docs) > 1:
            self.learn(counts)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_table", None)  # rebuilt from the counts
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "idf_"):
            self._table = ProfileTable(self.counts_.doc_freq, self.idf_)

    def _read(self, X: Any, y: Any, *, reset: bool) -> sparse.csr_array:
        is_known = not reset and not hasattr(self, "feature_names_in_")
        if is_known and has_only_counts(X, self.n_features_in_):
            return canonical_counts(X)
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        if reset and y is None:
            raise ValueError(
                "ClassProfile requires y to be passed, but the target y is None: pass one label per document"
            )
        return canonical_counts(X)

    def _count(self, rows: sparse.csr_array, y: Any, sample_weight: Any) -> tuple[ClassCounts, Labels, Floats | None]:
        """Return the class counts, the labels and the sample weights."""
        labels, weights = read_labels(y), read_weights(sample_weight, rows.shape[0])
        terms = getattr(self, "feature_names_in_", None)
        return ClassCounts.from_matrix(rows, labels, sample_weight=weights, terms=terms), labels, weights

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
