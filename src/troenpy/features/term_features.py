"""TermFeatures: feature blocks side by side, the paper's and our own, from one scan and one ClassCounts.

It is long because every parameter and method is documented where users of scikit-learn look for it.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy._kernel.matrix import return_free_memory
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import matrix_errors, present_terms, read_weights
from troenpy.counts.labels import Labels, check_labels_fit, read_required_labels
from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile, LeaveOut
from troenpy.features.counted_rows import CountedRows, Room
from troenpy.features.documents import check_collection
from troenpy.features.fitted_view import FittedView, choose_blocks, mean_length, room_for
from troenpy.features.folds import folds
from troenpy.features.parts import Parts
from troenpy.features.views import nested_parameters, read_views, take_counts, view_of_words, with_parameters
from troenpy.files import archive
from troenpy.files.archive import Arrays
from troenpy.files.saved import Saved, arrays_at, below
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_flag, check_float_type, check_positive
from troenpy.fitting.transaction import all_or_nothing
from troenpy.information.estimators import check_smoothing
from troenpy.weights.cells import Floats

#: The blocks of the one view if none is given.
DEFAULT_BLOCKS = ("pi", "btf", "ecib")


class TermFeatures(TransformerMixin, BaseEstimator):
    """Turn documents and labels into features: the paper's TF-PI, BTF and ECIB, and our own, side by side.

    Each block is a weighted copy of the term counts, normalised by row, except the class profile, which has one column
    per class. All blocks of a view come from one scan of the text and one `ClassCounts`, into one sparse matrix.

    Parameters
    ----------
    views : list of (name, counter, blocks), or None
        What is counted, and the blocks that the counts become. For now there is one view. None is
        ``[("words", CountVectorizer(), ("pi", "btf", "ecib"))]``.

        The counter is a :class:`CountVectorizer`, whose `dtype` gives way to the one below; or "counts" if documents
        are rows of a matrix of counts. The parameters of views have names: ``set_params(words__ngram_range=(1, 2))``,
        ``words__blocks=("pi",)``, or ``words="counts"``, for this and in a grid search.

        Blocks are names, in this order, or :class:`Block` for one of your own. Of the paper:

        - "pi": TF-PI;
        - "btf": presence of terms;
        - "ecib": term counts times CIB-NCF and times CIB-PCF, two blocks; "btf" and "ecib" are its 2B features;
        - "ecib_abs": the same with absolute values inside CIB's sum.

        Beyond the paper:

        - "certainty": (1 + log tf) sqrt(certainty x IDF);
        - "certainty_hellinger": tf sqrt(certainty x IDF), square roots of its shares of the row;
        - "boost": (1 + log tf) (1 + PCF_1) IDF;
        - "profile": the columns of :class:`ClassProfile`, which must come last. Training rows are profiled without
          themselves, so ``fit_transform(X, y)`` is then not ``fit(X, y).transform(X)``: its Notes say why.

        A block without any weight other than zero, as ECIB on two classes of equal size, is left out with a warning.
    pcf : bool, default=False
        Multiply BTF and ECIB by the PCF weight.
    leave_out : {"document", "copies"}, default="document"
        What "profile" leaves out for a training row: the document, or it and all documents with the same counts.
    profile_scale : float, default=1.0
        What the columns of "profile" are multiplied by, for models to which distances matter.
    smoothing : float, default=1.0
        For the weights that take it, see `troenpy.weights`, and for "profile".
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting in `fit_transform`: each training row is weighted by what the other folds say, so that it has not
        seen its own label. :class:`TermWeighter` says when that matters.
    random_state : int, RandomState instance or None, default=None
        Shuffles the folds of an int `cv`.
    dtype : float32 or float64, default=float64
        Of the matrix, if it is made from text; counts keep theirs.
    n_jobs : int or None, default=None
        Threads, also of a counter that says none: None is one, -1 is all processors.

    Attributes
    ----------
    views_ : list of FittedView
        What each view has learnt.
    blocks_ : list of Block
        The blocks of terms that were not left out.
    profile_ : ClassProfile or None
        The class profile, if it is one of the blocks.
    weights_ : ndarray of shape (n_blocks, n_terms)
        The weight of each term in each block.
    counts_ : ClassCounts
        Documents per class and term.
    vocabulary_ : dict
        The number of each term, if made from text.

    Examples
    --------
    >>> from troenpy import CountVectorizer, TermFeatures
    >>> texts = ["late goal", "own goal", "late vote", "close vote", "no vote"]
    >>> features = TermFeatures([("words", CountVectorizer(), ("pi", "btf"))])
    >>> X = features.fit_transform(texts, ["sport", "sport", "politics", "politics", "politics"])
    >>> X.shape
    (5, 12)
    >>> features.get_feature_names_out()[[1, 7]].tolist()
    ['pi__goal', 'btf__goal']
    >>> pairs = TermFeatures().set_params(words__ngram_range=(1, 2), words__blocks=("btf",))
    """

    # `raw_documents` is data, not routable metadata.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"raw_documents": UNUSED}  # noqa: RUF012

    views_: list[FittedView]

    def __init__(
        self,
        views: Any = None,
        *,
        pcf: bool = False,
        leave_out: LeaveOut = "document",
        profile_scale: float = 1.0,
        smoothing: float = 1.0,
        cv: Any = None,
        random_state: Any = None,
        dtype: Any = np.float64,
        n_jobs: int | None = None,
    ) -> None:
        self.views = views
        self.pcf = pcf
        self.leave_out = leave_out
        self.profile_scale = profile_scale
        self.smoothing = smoothing
        self.cv = cv
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            With those of views: ``words``, ``words__blocks``, ``words__ngram_range`` and so on.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=False)
        return {**nested_parameters(self._given_views()), **params} if deep else params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of views as ``words__ngram_range=(1, 2)``, of the default one too.

        Parameters
        ----------
        **params
            By name.

        Returns
        -------
        self
        """
        if "views" in params:
            self.views = params.pop("views")
        views = self._given_views()
        names = {name.partition("__")[0] for name in nested_parameters(views)}
        changes = {key: value for key, value in params.items() if key.partition("__")[0] in names}
        super().set_params(**{key: value for key, value in params.items() if key not in changes})
        if changes:
            self.views = with_parameters(views, changes)
        return self

    def _given_views(self) -> Any:
        return view_of_words(*DEFAULT_BLOCKS) if self.views is None else self.views

    @property
    def takes_counts(self) -> bool:
        """Whether documents are rows of counts."""
        return take_counts(self._given_views())

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the vocabulary, the class counts and the weights of each block.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data; or a matrix of counts
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each one counts for.

        Returns
        -------
        self
        """
        self._fit(raw_documents, y, sample_weight)
        return self

    @all_or_nothing
    def fit_transform(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then return the features of the same documents.

        With `cv`, the blocks of terms of each document are weighted by the other folds only; the class profile always
        leaves the document out.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`.

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_blocks * n_terms), and a column per class with "profile"
        """
        return self._training_rows(raw_documents, y, sample_weight)

    def _training_rows(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Do the work of `fit_transform`, always as a matrix, whatever `set_output` wants."""
        parts = self._fit_parts(raw_documents, y, sample_weight)
        return_free_memory()  # before the largest array is taken
        return parts.side_by_side(n_threads=job_count(self.n_jobs))

    @all_or_nothing
    def _fit_parts(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> Parts:
        """Do the work of `fit_transform` up to the matrix: for models that read blocks and profile apart."""
        rows, labels, weights = self._fit(raw_documents, y, sample_weight)
        (view,) = self.views_
        splits = None if self.cv is None else folds(self.cv, self.random_state, rows.matrix, labels)
        return view.training_parts(rows, labels, weights, splits, self._weigh, job_count(self.n_jobs))

    def transform(self, raw_documents: Any) -> Any:
        """Return the features of documents, by the weights of all the training documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data; or a matrix of counts

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_blocks * n_terms), and a column per class with "profile"
            Column indices ascend in every row.
        """
        return self._rows_of(raw_documents)

    def _rows_of(self, raw_documents: Any) -> Any:
        """Do the work of `transform`, always as a matrix, whatever `set_output` wants."""
        check_is_fitted(self, "views_")
        (view,) = self.views_
        n_threads = job_count(self.n_jobs)
        return view.parts(self._counted(raw_documents, view.room()), n_threads).side_by_side(n_threads=n_threads)

    def _counted(self, raw_documents: Any, room: Room = Room()) -> CountedRows:  # noqa: B008 (immutable)
        """Count the terms of new documents."""
        (view,) = self.views_
        if view.counter is None:
            return self._read_counts(raw_documents, reset=False)
        check_collection(raw_documents)
        return view.counter._rows(raw_documents, room)

    def _parts_by_term(self, document: Any) -> tuple[NDArray[Any], sparse.csr_array, Floats]:
        """Return what each term of a document adds to each column of its row; see `FittedView.parts_by_term`."""
        check_is_fitted(self, "views_")
        (view,) = self.views_
        return view.parts_by_term(self._rows_of([document]), self._counted([document]).matrix)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns: block, two underscores, term or class.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : array of str objects
        """
        check_is_fitted(self, "views_")
        names = [name for view in self.views_ for name in view.names()]
        return np.array([*names, ""], dtype=object)[:-1]

    def terms(self) -> NDArray[np.object_]:
        """Return the terms, the columns of each block."""
        return self._view().terms()

    @property
    def n_columns_(self) -> int:
        """The number of columns of all blocks."""
        return self._view().n_columns

    @property
    def blocks_(self) -> list[Block]:
        """The blocks of terms that were not left out."""
        return self._view().blocks

    @property
    def profile_(self) -> ClassProfile | None:
        """The class profile, if it is one of the blocks."""
        return self._view().profile

    @property
    def weights_(self) -> Floats:
        """The weight of each term in each block."""
        return self._view().weights

    @property
    def counts_(self) -> ClassCounts:
        """Documents per class and term."""
        return self._view().named_counts

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The number of each term."""
        counter = self._view().counter
        if counter is None:
            raise AttributeError("features of counts have no vocabulary_: terms() has the names of columns")
        return counter.vocabulary_

    def _view(self) -> FittedView:
        check_is_fitted(self, "views_")
        return self.views_[0]

    def _fit(self, raw_documents: Any, y: Any, sample_weight: Any) -> tuple[CountedRows, Labels, Floats | None]:
        """Learn everything; return the counts, labels and sample weights."""
        (view,) = read_views(self._given_views())
        self._check_parameters()
        profile = ClassProfile(smoothing=self.smoothing, leave_out=self.leave_out) if view.has_profile else None
        counter, columns = view.new_counter(self.dtype, self.n_jobs), None
        if counter is None:
            rows = self._read_counts(raw_documents, reset=True)
            labels = read_required_labels(y, "TermFeatures")
            columns = getattr(self, "feature_names_in_", None)
        else:
            check_collection(raw_documents)
            labels = read_required_labels(y, "TermFeatures")
            check_labels_fit(labels, raw_documents)
            rows = counter._fit_rows(raw_documents, room_for(view.blocks, profile, len(labels.classes)))
        if rows.matrix.shape[0] != len(labels):
            check_labels_fit(labels, rows.matrix.shape[0])
        weights = read_weights(sample_weight, len(labels))
        if weights is not None and 0 < weights.sum() < 1:
            raise ValueError(
                f"sample_weight must sum to a document at least, got a sum of {weights.sum():g}: weights are numbers of"
                " documents, so scale them to a mean of 1"
            )
        counts = ClassCounts.from_present(rows.matrix, labels, weights)
        if profile is not None:
            profile.learn(counts)
        blocks, block_weights = choose_blocks(view, counts, self._weigh)
        length, scale = mean_length(rows.matrix, weights), float(self.profile_scale)
        self.views_ = [FittedView(view.name, counter, counts, length, blocks, block_weights, profile, scale, columns)]
        return rows, labels, weights

    def _check_parameters(self) -> None:
        check_positive("profile_scale", self.profile_scale)
        check_flag("pcf", self.pcf)
        check_smoothing(self.smoothing)
        check_float_type(self.dtype)
        job_count(self.n_jobs)

    def _weigh(self, block: Block, counts: ClassCounts) -> Floats:
        return block.weights(counts, smoothing=self.smoothing, pcf=self.pcf)

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "views_"):
            return None
        states, parts = [], {}
        arrays: Arrays = {}
        for number, view in enumerate(self.views_):
            state, of_view = view.saved()
            states.append(state)
            arrays |= below(f"view{number}.", of_view)
            if view.counter is not None:
                parts[f"counter{number}"] = view.counter
        if hasattr(self, "feature_names_in_"):
            arrays |= archive.packed("names", self.feature_names_in_)
        return Saved({"views": states}, arrays, parts)

    def _restore(self, saved: Saved) -> None:
        """Take back what `_saved` returned; everything is checked."""
        if archive.is_packed("names", saved.arrays):
            self.feature_names_in_ = archive.unpacked("names", saved.arrays)
        columns = getattr(self, "feature_names_in_", None)
        self.views_ = []
        for number, state in enumerate(saved.state["views"]):
            arrays, counter = arrays_at(f"view{number}.", saved.arrays), saved.parts.get(f"counter{number}")
            self.views_.append(FittedView.restored(state, arrays, counter, columns))
        (view,) = self.views_
        if view.counter is None:
            self.n_features_in_ = len(view.counts.term_docs)

    def _read_counts(self, X: Any, *, reset: bool) -> CountedRows:
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        rows: Any = present_terms(X)
        rows = sparse.csr_matrix(rows) if isinstance(X, sparse.spmatrix) else rows
        return CountedRows(rows, rows.data, rows.indices)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        takes_counts = self.takes_counts
        tags.input_tags.sparse = tags.input_tags.two_d_array = tags.input_tags.positive_only = takes_counts
        tags.input_tags.string = not takes_counts
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
