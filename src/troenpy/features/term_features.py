"""TermFeatures: several blocks of features, the paper's and our own, from one pass over the text.

The module is long because every parameter and method is documented in place, as in scikit-learn.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import compress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import validate_data

from troenpy._kernel.matrix import return_free_memory
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import canonical_counts, has_only_counts, matrix_errors, read_weights
from troenpy.counts.labels import Labels, check_labels_fit, read_required_labels
from troenpy.counts.left_out import check_not_left_out
from troenpy.features.batches import add_documents, check_counter, check_no_cv, chosen_terms
from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile, LeaveOut
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.counted_documents import CountedDocuments
from troenpy.features.counted_rows import Capacity, CountedRows
from troenpy.features.documents import check_collection
from troenpy.features.fitted_view import FittedView, capacity_for, choose_blocks
from troenpy.features.folds import folds
from troenpy.features.has_views import HasViews
from troenpy.features.kept_streams import KeepsStream, errors_of_batch
from troenpy.features.parts import Parts
from troenpy.features.row_streams import RowStream
from troenpy.features.scores import Scorer, Scores
from troenpy.features.shared_reading import count_rows, errors_of_view, fit_rows, reusable
from troenpy.features.streams import PlainStream, Stream, ViewStreams, row_stream
from troenpy.features.tallies import Tally
from troenpy.features.views import (
    View,
    any_takes_counts,
    nested_parameters,
    read_views,
    set_nested_parameters,
    view_of_words,
)
from troenpy.files import archive
from troenpy.files.archive import Arrays
from troenpy.files.saved import Saved, add_prefix, select_prefix
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_flag, check_float_type, check_positive
from troenpy.fitting.transaction import all_or_nothing, estimator_lock
from troenpy.information.estimators import check_smoothing
from troenpy.weights.count_table import Floats

#: The blocks of the default view.
DEFAULT_BLOCKS = ("pi", "btf", "ecib")


class TermFeatures(HasViews, KeepsStream, TransformerMixin, BaseEstimator):
    """Turn documents and labels into one sparse matrix of features: the paper's TF-PI, BTF and ECIB, and our own.

    Each block is a weighted copy of the term counts, normalised by row; only the class profile has one column per
    class. `fit` and `transform` read the text once for all views, and count it once for all blocks of a view.

    Parameters
    ----------
    views : list of tuple, or None
        A name, a counter and blocks each: what to count, and which blocks to make from the counts. The default is
        ``[("words", CountVectorizer(), ("pi", "btf", "ecib"))]``. Several views count the same documents in several
        ways, such as words and pieces of words; their columns are next to each other.

        The counter is a :class:`CountVectorizer` (its `dtype` is replaced by the one below), or "counts" if documents
        are rows of a matrix of counts, for a single view. Nested parameters can be set by name, also in a grid search:
        ``set_params(words__ngram_range=(1, 2))``, ``words__blocks=("pi",)`` or ``words="counts"``.

        A block is a name or a :class:`Block`. The paper's blocks:

        - "pi": TF-PI;
        - "btf": presence of terms;
        - "ecib": two blocks, term counts times CIB-NCF and term counts times CIB-PCF; with "btf", the paper's 2B;
        - "ecib_abs": the same with absolute values inside CIB's sum.

        Our own blocks:

        - "certainty": (1 + log tf) sqrt(certainty x IDF);
        - "certainty_hellinger": tf sqrt(certainty x IDF), with the "hellinger" norm;
        - "boost": (1 + log tf) (1 + PCF_1) IDF;
        - "profile": the columns of :class:`ClassProfile`; it must come last. The profile of a training row leaves the
          row itself out, so ``fit_transform(X, y)`` differs from ``fit(X, y).transform(X)``; see its Notes.

        A block whose weights are all zero, such as ECIB for two classes of equal size, is dropped with a warning.
    pcf : bool, default=False
        Multiply BTF and ECIB by the PCF weight.
    leave_out : {"document", "copies"}, default="document"
        What "profile" leaves out for a training row: the document itself, or also all documents with the same counts.
    profile_scale : float, default=1.0
        Factor for the columns of "profile", for models that depend on distances.
    smoothing : float, default=1.0
        Smoothing of "profile" and of the weights that have this parameter; see `troenpy.weights`.
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting in `fit_transform`: each training row is weighted with the labels of the other folds only, so
        that its own label does not leak into it. See the Notes of :class:`TermWeighter`.
    random_state : int, RandomState instance or None, default=None
        Seed for shuffling, if `cv` is an int.
    dtype : float32 or float64, default=float64
        The dtype of the matrix; ignored for a matrix of counts, which keeps its own.
    n_jobs : int or None, default=None
        Number of threads, also for a counter without its own `n_jobs`: None is 1, -1 all processors.

    Attributes
    ----------
    views_ : list of FittedView
        The fitted views: each has `name`, `counter`, `counts`, `blocks`, `weights` and `profile`. The attributes below
        are those of a single view; with several, ask the view.
    blocks_ : list of Block
        The blocks of terms that were not dropped.
    profile_ : ClassProfile or None
        The fitted class profile, if "profile" is one of the blocks.
    weights_ : ndarray of shape (n_blocks, n_terms)
        The weight of each term in each block.
    counts_ : ClassCounts
        Documents per class and term.
    vocabulary_ : dict
        The column of each term within a block; only if fitted on text.
    count_error_ : CountError
        How many documents of a term may be missing, if the counter has `max_terms`; see the Notes of
        :class:`TfPiVectorizer`.

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
    >>> pieces = CountVectorizer(analyzer="char_wb", ngram_range=(2, 2))
    >>> both = TermFeatures([("words", CountVectorizer(), ("pi",)), ("pieces", pieces, ("btf",))])
    >>> names = both.fit(texts, ["sport", "sport", "politics", "politics", "politics"]).get_feature_names_out()
    >>> names[[1, -1]].tolist()
    ['words__pi__goal', 'pieces__btf__wn']
    """

    # `raw_documents` is data, not routable metadata.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__partial_fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"raw_documents": UNUSED}  # noqa: RUF012

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
        """Return the parameters as a dict.

        Parameters
        ----------
        deep : bool, default=True
            Include nested parameters: ``words``, ``words__blocks``, ``words__ngram_range`` and so on.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=False)
        return {**nested_parameters(self._views_or_default()), **params} if deep else params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, including nested ones such as ``words__ngram_range=(1, 2)``.

        Parameters
        ----------
        **params
            Parameters by name.

        Returns
        -------
        self
        """
        if "views" in params:
            self.views = params.pop("views")
        views = self._views_or_default()
        names = {name.partition("__")[0] for name in nested_parameters(views)} - set(self.get_params(deep=False))
        changes = {key: value for key, value in params.items() if key.partition("__")[0] in names}
        super().set_params(**{key: value for key, value in params.items() if key not in changes})
        if changes:
            self.views = set_nested_parameters(views, changes)
        return self

    def _views_or_default(self) -> Any:
        return view_of_words(*DEFAULT_BLOCKS) if self.views is None else self.views

    @property
    def takes_counts(self) -> bool:
        """Whether documents are rows of a matrix of counts."""
        return any_takes_counts(self._views_or_default())

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the vocabulary, the class counts and the weights of each block.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data; or a matrix of counts
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each document counts as.

        Returns
        -------
        self
        """
        self._learn(self._count(raw_documents, y, sample_weight))
        return self

    @all_or_nothing
    def partial_fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add a batch of documents; new terms and new classes may appear.

        Fitting in batches gives the same features as one `fit` on all documents. Blocks, weights and profile are
        computed when they are needed. **Columns change from call to call**, as in `TfPiVectorizer.partial_fit`, unless
        the counter has a `vocabulary` or documents are rows of counts. `cv` and the counter's `max_features` need all
        documents at once and raise an error here. So does calling `partial_fit` after `fit` on text, which discards
        the terms that it drops. With several views a batch is read once for each, so a generator or Arrow reader is
        held in memory: pass batches.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`; a batch may have a single class, and documents may be empty.

        Returns
        -------
        self
        """
        views = read_views(self._views_or_default())
        counters = [self._bare_counter(view) for view in views if view.counter is not None]
        self._check_once(lambda: self._check_stream(views, counters), self, *counters)
        streams = self._streams_so_far(views)
        with errors_of_batch(streams.n_batches + 1, None if counters else raw_documents):
            if counters:
                raw_documents = check_collection(raw_documents)
                labels = read_required_labels(y, "TermFeatures")
                self._stream = self._add_texts(streams, counters, raw_documents, labels, sample_weight)
            else:
                rows = self._read_counts(raw_documents, reset=streams.n_batches == 0).matrix
                labels = read_required_labels(y, "TermFeatures")
                check_labels_fit(labels, rows.shape[0], whole=False)
                weights = read_weights(sample_weight, len(labels))
                n_threads = job_count(self.n_jobs)
                stream = row_stream(streams.streams[0], rows.shape[1])
                self._stream = ViewStreams((stream.add(rows, labels, weights, n_threads=n_threads),), streams.kinds)
        self.__dict__.pop("_views", None)
        return self

    def _add_texts(
        self, streams: ViewStreams, counters: list[CountVectorizer], raw_documents: Any, labels: Labels, weight: Any
    ) -> ViewStreams:
        if len(counters) > 1:
            raw_documents = reusable(raw_documents)
        pairs = zip(streams.streams, counters, strict=True)
        added = [add_documents(stream, counter, raw_documents, labels, weight) for stream, counter in pairs]
        return ViewStreams(tuple(added), streams.kinds)

    def _streams_so_far(self, views: list[View]) -> ViewStreams:
        """Return the streams; after `fit` on counts, one that continues from them."""
        kinds = tuple(view.kind() for view in views)
        if "_stream" in vars(self) or "_views" not in vars(self):
            streams: ViewStreams = vars(self).get("_stream", ViewStreams((PlainStream(),) * len(views)))
            streams.check([view.name for view in views], kinds)
            return replace(streams, kinds=kinds)
        for view in self._views:
            check_not_left_out(view.counts)
            if view.counter is not None:
                raise ValueError(
                    "partial_fit cannot be called after fit, which discards the terms it drops: start with"
                    " partial_fit, or clone the features first"
                )
        (fitted,) = self._views
        stream = RowStream.of_counts(fitted.counts, fitted.length * fitted.counts.n_documents)
        return ViewStreams((stream,), kinds)

    def _bare_counter(self, view: View) -> CountVectorizer:
        """Return a copy of the counter to count with; a clone would take as long as counting a small batch."""
        assert view.counter is not None  # noqa: S101
        counter = object.__new__(type(view.counter))
        counter.__dict__.update(vars(view.counter))
        counter.dtype, counter.n_jobs = self.dtype, self.n_jobs if counter.n_jobs is None else counter.n_jobs
        return counter

    def _check_stream(self, views: list[View], counters: list[CountVectorizer]) -> None:
        check_no_cv(self.cv)
        self._check_views(views)
        self._check_parameters()
        for view, counter in zip(views, counters, strict=False):
            with errors_of_view(view.name) if len(views) > 1 else nullcontext():
                check_counter(counter)

    @all_or_nothing
    def fit_transform(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then return the features of the same documents.

        With `cv`, each document is weighted by the other folds only. The class profile always leaves the document
        itself out.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`.

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_columns)
            Of each view n_blocks * n_terms columns, and a column per class with "profile".
        """
        return self._training_rows(raw_documents, y, sample_weight)

    def _training_rows(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Fit and transform; always returns a matrix, regardless of `set_output`."""
        parts = self._fit_parts(raw_documents, y, sample_weight)
        return_free_memory()  # before the largest allocation
        return _matrix(parts, job_count(self.n_jobs))

    @all_or_nothing
    def _fit_parts(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> list[Parts]:
        """Fit and return the parts of the matrix by view."""
        return self._learn_parts(self._count(raw_documents, y, sample_weight))

    def _learn_parts(self, counted: CountedDocuments) -> list[Parts]:
        """Fit to counted documents; return the parts of the matrix by view, which models may use separately."""
        self._learn(counted)
        splits = None if self.cv is None else folds(self.cv, self.random_state, counted.rows[0].matrix, counted.labels)
        return self._training_parts(self._views, counted, splits)

    def _trial_parts(self, counted: CountedDocuments) -> list[Parts]:
        """Return the parts that `_learn_parts` would, without cross-fitting; neither fits nor warns."""
        fitted = [
            self._fit_view(view, None, counts, length, warn=False)
            for view, counts, length in zip(counted.views, counted.class_counts(), counted.mean_lengths(), strict=True)
        ]
        return self._training_parts(fitted, counted, None)

    def _training_parts(self, views: list[FittedView], counted: CountedDocuments, splits: Any) -> list[Parts]:
        labels, weights, n_threads, parts = counted.labels, counted.weights, job_count(self.n_jobs), []
        for view, of_view in zip(views, counted.rows, strict=True):
            with errors_of_view(view.name) if len(views) > 1 else nullcontext():
                parts.append(view.training_parts(of_view, labels, weights, splits, self._weigh, n_threads))
        return parts

    def transform(self, raw_documents: Any) -> Any:
        """Return the features of new documents, with the weights from all training documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data; or a matrix of counts

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_columns)
            Of each view n_blocks * n_terms columns, and a column per class with "profile". Column indices are sorted in
            every row.
        """
        return self._rows_of(raw_documents)

    def _rows_of(self, raw_documents: Any) -> Any:
        """Transform; always returns a matrix, regardless of `set_output`."""
        return self._rows_and_known(raw_documents)[0]

    def _rows_and_known(self, raw_documents: Any) -> tuple[Any, NDArray[np.bool_]]:
        """Return the features of new documents, and which of them have a known term."""
        views, n_threads = self._fitted_views(), job_count(self.n_jobs)
        rows = self._count_rows(raw_documents, [view.capacity() for view in views])
        known = np.any([np.diff(of_view.matrix.indptr) > 0 for of_view in rows], axis=0)
        parts = [view.parts(of_view, n_threads) for view, of_view in zip(views, rows, strict=True)]
        return _matrix(parts, n_threads), known

    def _rows_without(self, raw_documents: Any, left_out: sparse.csr_array) -> Any:
        """Return the features of training documents; class profiles leave out what is given, of shape (n, K)."""
        views, n_threads = self._fitted_views(), job_count(self.n_jobs)
        rows = self._count_rows(raw_documents, [view.capacity() for view in views])
        parts = [view.parts(of_view, n_threads, left_out) for view, of_view in zip(views, rows, strict=True)]
        return _matrix(parts, n_threads)

    def _scores(self, raw_documents: Any, coef: NDArray[Any], step: int, n_threads: int) -> Iterator[Scores] | None:
        """Return products of new documents with coefficients, `step` documents at a time; None if the kernel cannot."""
        views = self._fitted_views()
        scorer = Scorer.of(views, self.layout_, coef, step, n_threads)
        return None if scorer is None else scorer.scores(check_collection(raw_documents))

    def _count_rows(self, raw_documents: Any, capacities: list[Capacity]) -> list[CountedRows]:
        """Count the terms of new documents for every view."""
        counters = [view.counter for view in self._fitted_views() if view.counter is not None]
        if not counters:
            return [self._read_counts(raw_documents, reset=False)]
        return count_rows(counters, check_collection(raw_documents), capacities)

    def _parts_by_term(self, document: Any) -> list[tuple[NDArray[Any], sparse.csr_array]]:
        """Return what each term of a document contributes to each column, by view; see `FittedView.parts_by_term`."""
        views = self._fitted_views()
        found = []
        for view, rows in zip(views, self._count_rows([document], [Capacity()] * len(views)), strict=True):
            counts = rows.matrix.copy()  # the features may overwrite the counts
            found.append(view.parts_by_term(view.parts(rows, 1).to_matrix(), counts))
        return found

    def _settle(self) -> None:
        """Choose and weight the terms of all batches, if that is possible yet and has not been done."""
        if "_views" in vars(self) or not hasattr(self, "_stream"):
            return  # without a lock, or threads that predict would wait for each other
        with estimator_lock(self):  # keeps out partial_fit
            if "_views" in vars(self):
                return
            views = read_views(self._views_or_default())
            self._stream.check([view.name for view in views], tuple(view.kind() for view in views))
            pairs = zip(views, self._stream.streams, strict=True)
            fitted = [self._settle_view(view, stream) for view, stream in pairs]
            if all(view is not None for view in fitted):
                self._set_views([view for view in fitted if view is not None])

    def _settle_view(self, view: View, stream: Stream) -> FittedView | None:
        """Fit a view to all batches; None if there is no term within its limits, or only one class."""
        tally = stream.tally(job_count(self.n_jobs))
        counter = view.new_counter(self.dtype, self.n_jobs)
        if counter is not None:
            tally = tally.select(chosen_terms(counter, tally))
        if not len(tally.frequency) or np.count_nonzero(tally.counts.n_docs) < 2:
            return None
        _check_total(tally.counts.n_documents)
        if counter is not None:
            counter._validate_vocabulary()  # sets fixed_vocabulary_, and a given vocabulary
            if not counter.fixed_vocabulary_ and tally.terms is not None:
                counter._set_terms(tally.terms)
        length = tally.total_length / tally.counts.n_documents if tally.counts.n_documents else 0.0
        return self._fit_view(view, counter, tally.counts, length)

    def _count(self, raw_documents: Any, y: Any, sample_weight: Any, *, is_choice: bool = False) -> CountedDocuments:
        """Count documents for all views, and check their labels and weights.

        Views without terms are an error, or left out if there is a choice of views.
        """
        views = read_views(self._views_or_default())
        self._check_views(views)
        self._check_parameters()
        counters = [view.new_counter(self.dtype, self.n_jobs) for view in views]
        if counters[0] is None:
            rows = [self._read_counts(raw_documents, reset=True)]
            labels = read_required_labels(y, "TermFeatures")
        else:
            raw_documents = check_collection(raw_documents)
            labels = read_required_labels(y, "TermFeatures")
            check_labels_fit(labels, raw_documents)
            found = self._fit_texts(views, counters, raw_documents, labels, sample_weight)
            errors = [error for error in found if isinstance(error, ValueError)]
            if errors and not (is_choice and len(errors) < len(views)):
                raise errors[0]
            is_kept = [isinstance(of_view, CountedRows) for of_view in found]
            views, counters = list(compress(views, is_kept)), list(compress(counters, is_kept))
            rows = [of_view for of_view in found if isinstance(of_view, CountedRows)]
        if rows[0].matrix.shape[0] != len(labels):
            check_labels_fit(labels, rows[0].matrix.shape[0])
        weights = read_weights(sample_weight, len(labels))
        _check_total(len(labels) if weights is None else float(weights.sum()))
        return CountedDocuments(views, counters, rows, labels, weights)

    def _learn(self, counted: CountedDocuments) -> None:
        """Fit all views to counted documents."""
        fitted = []
        learnt = zip(counted.views, counted.counters, counted.class_counts(), counted.mean_lengths(), strict=True)
        for view, counter, counts, length in learnt:
            fitted.append(self._fit_view(view, counter, counts, length))
        self.__dict__.pop("_stream", None)
        self._set_views(fitted)

    def _fit_texts(
        self, views: list[View], counters: Any, raw_documents: Any, labels: Labels, sample_weight: Any
    ) -> list[CountedRows | ValueError]:
        capacities = [
            capacity_for(view.blocks, ClassProfile() if view.has_profile else None, len(labels.classes))
            for view in views
        ]
        filters = [counter._class_filter(labels, sample_weight) for counter in counters]
        return fit_rows([view.name for view in views], counters, raw_documents, capacities, filters)

    def _fit_view(
        self, view: View, counter: CountVectorizer | None, counts: ClassCounts, length: float, *, warn: bool = True
    ) -> FittedView:
        """Fit the blocks and the profile to counts."""
        profile = None
        if view.has_profile:
            profile = ClassProfile(smoothing=self.smoothing, leave_out=self.leave_out).learn(counts)
        blocks, weights = choose_blocks(view, counts, self._weigh, warn=warn)
        columns = getattr(self, "feature_names_in_", None) if counter is None else None
        scale = float(self.profile_scale)
        return FittedView(view.name, counter, counts, length, blocks, weights, profile, scale, columns)

    def _check_views(self, views: list[View]) -> None:
        for view in views:
            if view.name in self.get_params(deep=False):
                raise ValueError(f"the name of a view must not be a parameter of TermFeatures, got {view.name!r}")

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
        with estimator_lock(self):
            self._settle()
            tallies = [stream.tally() for stream in self._stream.streams] if hasattr(self, "_stream") else []
        if "_views" not in vars(self) and not tallies:
            return None
        states, parts = [], {}
        arrays: Arrays = {}
        for_learning: Arrays = {}
        for number, view in enumerate(vars(self).get("_views", [])):
            state, of_view, counts = view.to_state()
            states.append(state)
            arrays |= add_prefix(f"view{number}.", of_view)
            for_learning |= add_prefix(f"view{number}.", counts)
            if view.counter is not None:
                parts[f"counter{number}"] = view.counter
        if hasattr(self, "feature_names_in_"):
            arrays |= archive.pack("names", self.feature_names_in_)
        for number, tally in enumerate(tallies):
            of_stream = add_prefix(_tally_prefix(number), tally.to_arrays())
            arrays, for_learning = (arrays, for_learning | of_stream) if states else (arrays | of_stream, for_learning)
        return Saved({"views": states}, arrays, parts, for_learning)

    def _restore(self, saved: Saved) -> None:
        """Restore the result of `_saved`; everything is validated."""
        if archive.is_packed("names", saved.arrays):
            self.feature_names_in_ = archive.unpack("names", saved.arrays)
        columns = getattr(self, "feature_names_in_", None)
        views = []
        for number, state in enumerate(saved.state["views"]):
            arrays, counter = select_prefix(f"view{number}.", saved.arrays), saved.parts.get(f"counter{number}")
            views.append(FittedView.from_state(state, arrays, counter, columns))
        tallies: list[Tally] = []
        while of_stream := select_prefix(_tally_prefix(len(tallies)), saved.arrays):
            tallies.append(Tally.from_arrays(of_stream))
        if tallies:
            self._stream = ViewStreams(tuple(PlainStream((tally,)) for tally in tallies))
        if views or not tallies:
            self._set_views(views)
            if self._fitted_views()[0].counter is None:
                self.n_features_in_ = self._fitted_views()[0].n_terms
        elif tallies[0].terms is None:
            self.n_features_in_ = len(tallies[0].frequency)

    def _read_counts(self, X: Any, *, reset: bool) -> CountedRows:
        is_known = not reset and not hasattr(self, "feature_names_in_")
        if not (is_known and has_only_counts(X, self.n_features_in_)):
            X = self._validate_counts(X, reset=reset)
        rows: Any = canonical_counts(X)
        rows = sparse.csr_matrix(rows) if isinstance(X, sparse.spmatrix) else rows
        return CountedRows(rows, rows.data, rows.indices)

    def _validate_counts(self, X: Any, *, reset: bool) -> Any:
        with matrix_errors():
            return validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        takes_counts = self.takes_counts
        tags.input_tags.sparse = tags.input_tags.two_d_array = tags.input_tags.positive_only = takes_counts
        tags.input_tags.string = not takes_counts
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _check_total(weight: float) -> None:
    if 0 < weight < 1:
        raise ValueError(
            f"sample_weight must sum to at least 1, got {weight:g}: a weight is a number of documents, so scale them to"
            " a mean of 1"
        )


def _matrix(parts: list[Parts], n_threads: int) -> Any:
    """Return the columns of all views next to each other; this may overwrite the counts."""
    matrices = [of_view.to_matrix(n_threads=n_threads) for of_view in parts]
    return matrices[0] if len(matrices) == 1 else type(matrices[0])(sparse.hstack(matrices, format="csr"))


def _tally_prefix(number: int) -> str:
    return f"tally{number or ''}."
