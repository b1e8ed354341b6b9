"""ClassProfile: counts in, one column per class out; a training row is profiled without itself.

It is long because every parameter and method is documented where users of scikit-learn look for it.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy._kernel.matrix import class_profiles
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import matrix_errors, present_terms, read_weights
from troenpy.counts.labels import Labels, read_labels
from troenpy.features.class_shares import finish_dense, finish_sparse
from troenpy.features.rows import equal_rows
from troenpy.files.saved import Saved, arrays_at, below
from troenpy.fitting.parameters import check_whole
from troenpy.fitting.transaction import all_or_nothing
from troenpy.information.estimators import check_smoothing
from troenpy.weights.cells import Floats, remainder
from troenpy.weights.paper import idf

LeaveOut = Literal["document", "copies"]


class ClassProfile(TransformerMixin, BaseEstimator):
    """Turn a matrix of term counts into what its terms say of each class: K columns, square roots of a distribution.

    The profile of a document is the mean of its terms' class distributions, weighted by tf x IDF:
    z_i = sum_w tf IDF p_i(w) / sum_w tf IDF, where p_i(w) = (n_iw + s c_i) / (n_w + s) is the share of class i among
    the documents that hold the term, shrunk to the class distribution c by s pseudo-documents. The columns are
    sqrt(z_i), so that the Euclidean distance of two rows is the Hellinger distance of two profiles, and rows have
    length one.

    Parameters
    ----------
    smoothing : float, default=1.0
        The s, in pseudo-documents.
    leave_out : {"document", "copies"}, default="document"
        What `fit_transform` leaves out of the counts for each training row: the document, or it and all documents with
        the same counts. Copies give each other's label away as a document gives its own.
    max_dense : int, default=256
        Up to so many classes the result is an array. With more it is sparse, and then only holds the classes that
        share a term with the document: the share of the pseudo-documents in all others is left out there, and rows
        are shorter than one by so much.

    Attributes
    ----------
    counts_ : ClassCounts
        All that was learnt.
    idf_ : ndarray of shape (n_terms,)
        The IDF of each column; zero for a term no training document held.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if fitted on a data frame with string column names.

    Notes
    -----
    **fit_transform is not fit, then transform.** Counted with its own label, a training document looks surer of its
    class than any new document does: a term that only it holds then belongs to its class alone. A model trained on
    such rows trusts the profile more than it may. So ``fit_transform(X, y)`` profiles each training row by the counts
    of the *other* documents, n_iw - [y = i], n_w - 1 and C_i - [y = i]: it does not depend on the row's own label, and
    looks as the row of a new document will. That is exact, not by folds, and costs no more. ``transform`` uses all
    counts: it is for new documents. `Pipeline.fit` calls the first and `Pipeline.predict` the second, as they should;
    what `partial_fit` has counted can no longer be left out, so batches have no training rows. scikit-learn's
    TargetEncoder differs in the same way, for the same reason.

    A document of no known terms has the profile c, the class distribution (no entries, if sparse). With several labels
    per document, the distributions are those of label occurrences, and all labels of a row are left out. A row with a
    sample weight is left out with it.

    Examples
    --------
    Every document has one term of its own, so no document says anything of another:

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

    counts_: ClassCounts
    idf_: Floats

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
            How many documents each one counts for.

        Returns
        -------
        self
        """
        return self.learn(self._count(self._read(X, y, reset=True), y, sample_weight)[0])

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Add more documents to what was learnt; new classes are welcome, columns stay the same.

        Any number of batches gives the same as `fit` on all of them. Until a second class has been seen, `transform`
        says so.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        is_first = not hasattr(self, "counts_")
        counts = self._count(self._read(X, y, reset=is_first), y, sample_weight)[0]
        if not is_first:
            counts = self.counts_ + counts
        if np.count_nonzero(counts.n_docs) > 1:
            return self.learn(counts)
        self.counts_ = counts
        return self

    def transform(self, X: Any) -> Any:
        """Profile documents by all the training documents; for those themselves, see `fit_transform`.

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
            raise ValueError("all documents so far are of one class: partial_fit documents of another before transform")
        return self.profile(self._read(X, None, reset=False))

    @all_or_nothing
    def fit_transform(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then profile each of the same documents by the others only (see Notes).

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
        """Fit from counts made elsewhere, e.g. added up over machines.

        Parameters
        ----------
        counts : ClassCounts

        Returns
        -------
        self
        """
        check_smoothing(self.smoothing)
        if self.leave_out not in ("document", "copies"):
            raise ValueError(f"leave_out must be document or copies, got {self.leave_out!r}")
        check_whole("max_dense", self.max_dense)
        # Below zero only where sample weights sum to less than a document; a mean has no negative weights.
        self.idf_ = np.maximum(idf(counts), 0.0)
        self.counts_, self.n_features_in_ = counts, len(counts.term_docs)
        return self

    def labels_left_out(self, rows: sparse.csr_array, labels: Labels, weights: Floats | None) -> sparse.csr_array:
        """Return how often each class is to be left out of the counts for each training row.

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
        """Do the work of `transform`, or of `fit_transform`, on rows known to be sound: nothing is checked.

        Parameters
        ----------
        rows : canonical CSR of shape (n_documents, n_terms), float32 or float64
        left_out : CSR of shape (n_documents, n_classes), optional
            What `labels_left_out` gave for these rows.
        n_threads : int, default=1

        Returns
        -------
        {ndarray, CSR array} of shape (n_documents, n_classes)
        """
        sizes = self.counts_.n_docs.astype(np.float64)
        is_dense = len(sizes) <= self.max_dense
        without = np.zeros(rows.shape[0]) if left_out is None else left_out.sum(axis=1)
        # With b = tf IDF / (n_w - g + s), g the labels left out and m_i those of class i, the numerator of z_i is
        # sum b (n_iw - m_i + s c_i): the product of b with the table, and sum b times a number per row and class.
        by_class, sums = class_profiles(
            rows, self.idf_, self.counts_.doc_freq, self._totals(), without,
            smoothing=float(self.smoothing), as_dense=is_dense, n_threads=n_threads,
        )  # fmt: skip
        finish = finish_dense if is_dense else finish_sparse
        squares: Any = finish(by_class, sums, sizes, remainder(sizes.sum(), without), left_out, float(self.smoothing))
        roots = np.sqrt(squares, out=squares) if is_dense else squares.sqrt()
        return roots.astype(rows.dtype, copy=False)

    def portions(self, row: Any) -> Floats:
        """Return the portion that each term of a document has in each z_i, by all the training documents.

        Parameters
        ----------
        row : canonical CSR of shape (1, n_terms)

        Returns
        -------
        ndarray of shape (n_held, n_classes)
            Columns sum to one; all zero for a document of no known terms.
        """
        columns, sizes = row.indices, self.counts_.n_docs.astype(np.float64)
        held = self.counts_.doc_freq[:, columns].toarray().T.astype(np.float64)
        p = (held + self.smoothing * sizes / sizes.sum()) / (held.sum(axis=1) + self.smoothing)[:, np.newaxis]
        parts = (row.data.astype(np.float64) * self.idf_[columns])[:, np.newaxis] * p
        totals = parts.sum(axis=0)
        return parts / np.where(totals > 0, totals, 1.0)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns: "profile", two underscores, class.

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
        return Saved({"is_named": hasattr(self, "feature_names_in_")}, below("counts.", self.counts_.to_arrays()))

    def _restore(self, saved: Saved) -> None:
        """Take back what `_saved` returned; everything is checked."""
        counts = ClassCounts.from_arrays(arrays_at("counts.", saved.arrays))
        self.counts_, self.n_features_in_ = counts, len(counts.term_docs)
        if saved.state["is_named"]:
            self.feature_names_in_ = np.array(counts.terms)
        if np.count_nonzero(counts.n_docs) > 1:
            self.learn(counts)

    def _totals(self) -> Floats:
        """Return the label occurrences of each term: its documents, unless they have several labels or none."""
        return np.asarray(self.counts_.doc_freq.sum(axis=0), dtype=np.float64)

    def _read(self, X: Any, y: Any, *, reset: bool) -> sparse.csr_array:
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        if reset and y is None:
            raise ValueError(
                "ClassProfile requires y to be passed, but the target y is None: it learns from one label per document"
            )
        return present_terms(X)

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
