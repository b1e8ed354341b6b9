"""TfPiVectorizer: turns text and labels into weighted rows; CountVectorizer and TermWeighter in one class.

The module is long because every parameter and method is documented in place, as in scikit-learn.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.class_frequency import check_min_class_df
from troenpy.counts.counting import read_weights
from troenpy.counts.labels import check_labels_fit, read_required_labels
from troenpy.counts.left_out import check_not_left_out
from troenpy.features.batches import add_documents, check_counter, check_no_cv, chosen_terms
from troenpy.features.count_error import CountError
from troenpy.features.count_vectorizer import DEFAULT_TOKEN_PATTERN, CountVectorizer
from troenpy.features.documents import check_collection
from troenpy.features.kept_streams import KeepsStream, errors_of_batch
from troenpy.features.missing_documents import Nulls
from troenpy.features.rows import Norm, TermFrequency, check_tf_and_norm, total_length
from troenpy.features.streams import PlainStream
from troenpy.features.tallies import Tally
from troenpy.features.term_explanation import TermExplanation, TermExplanations, explain_terms
from troenpy.features.term_weighter import TermWeighter
from troenpy.files.archive import Arrays
from troenpy.files.saved import Saved, add_prefix, select_prefix
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_float_type
from troenpy.fitting.transaction import all_or_nothing, estimator_lock
from troenpy.weights.count_table import check_two_classes
from troenpy.weights.schemes import Weight, check_scheme


class TfPiVectorizer(KeepsStream, CountVectorizer):
    """Turn documents and labels into a matrix of TF-PI features, or of any other weighting.

    Equivalent to :class:`CountVectorizer` followed by :class:`TermWeighter`, with the parameters of both, just as
    scikit-learn's TfidfVectorizer combines CountVectorizer and TfidfTransformer.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, token_pattern, \
ngram_range, analyzer, max_df, min_df, min_class_df, max_features, max_terms, \
vocabulary, binary, nulls
        As in :class:`CountVectorizer`.
    dtype : float32 or float64, default=float64
        The dtype of the matrix.
    scheme : str or callable, default="pi"
        The weight of a term: a name in `troenpy.WEIGHTS`, an expression such as "sqrt(pcf_present)*idf", or a function
        of `ClassCounts`.
    tf : {"raw", "log", "sqrt", "binary", "bm25"}, default="raw"
        How to transform the count of a term in a document.
    norm : {"l2", "l1", "hellinger"} or None, default="l2"
        How to normalise each row.
    smoothing : float, default=1.0
        Passed to the weights that have this parameter.
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting in `fit_transform`: each training row is weighted with the labels of the other folds only, so
        that its own label does not leak into it. See the Notes of :class:`TermWeighter`.
    random_state : int, RandomState instance or None, default=None
        Seed for shuffling, if `cv` is an int.
    n_jobs : int or None, default=None
        Number of threads: None is 1, -1 all processors. It does not change the result.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term.
    counts_ : ClassCounts
        Documents per class and term.
    weights_ : ndarray of shape (n_terms,)
        One weight per column.
    count_error_ : CountError
        How many documents of a term may be missing, with `max_terms`: `by_term`, and `kept_above`, the number of
        documents above which a term is certainly kept. All zero otherwise.

    See Also
    --------
    TermWeighter : The same weighting for a matrix of counts.

    Notes
    -----
    **Negative weights.** PI is negative for a term whose documents are spread more evenly over the classes than all
    documents are: PCF_1 is then less than PCF_*. Nearest neighbours, logistic regression and SVMs accept negative
    features; models and tests for counts, such as scikit-learn's MultinomialNB and chi2, reject them. For those, use
    ``scheme="pcf_present*idf"`` or ``scheme="sqrt(certainty*idf)"``, which are never negative without sample weights
    and with the default smoothing.

    **Streams without end.** With `max_terms`, `partial_fit` keeps at most this many terms: the Space-Saving summary of
    Metwally et al. (2005) over document frequency. A term that does not fit replaces the one with the smallest upper
    bound, its documents since it entered plus those it may have been in before. So `counts_` are lower bounds, and
    `count_error_` says by how much. With N the sum of the number of different terms of every document, a term in more
    than N / `max_terms` documents is certainly kept, and no term misses more documents than that. The result does not
    depend on the batches or threads. Until the table is full, counts are exact. Choose `max_terms` several times larger
    than the vocabulary you need, and drop the uncertain rest with `min_df`.

    **Coming from TfidfVectorizer?** These parameters have a different name or meaning:

    ====================================  ===========================================================================
    TfidfVectorizer                       TfPiVectorizer
    ====================================  ===========================================================================
    ``fit(texts)``                        ``fit(texts, labels)``
    ``sublinear_tf=True``                 ``tf="log"``
    ``binary=True``                       the same, or ``tf="binary"``
    ``norm="l2"``, ``"l1"``, ``None``     the same, and ``"hellinger"``
    ``use_idf=True``                      ``scheme="idf"``: the paper's 1 + log(n / (1 + n_w)), which differs slightly
    ``smooth_idf=True``                   ``scheme=lambda c: np.log((1 + c.n_documents) / (1 + c.term_docs)) + 1``
    ``smooth_idf=False``                  ``scheme=lambda c: np.log(c.n_documents / c.term_docs) + 1``
    ``use_idf=False``                     ``scheme=lambda c: np.ones(len(c.term_docs))``
    ``idf_``                              ``weights_``
    ====================================  ===========================================================================

    All other parameters are the same. Use a named function instead of a lambda if you want to pickle the vectorizer.

    Examples
    --------
    >>> from troenpy import TfPiVectorizer
    >>> texts = ["a late goal", "goal in the cup", "the vote today", "vote late in the day"]
    >>> vectorizer = TfPiVectorizer(norm=None)
    >>> X = vectorizer.fit_transform(texts, ["sport", "sport", "politics", "politics"])
    >>> dict(zip(vectorizer.get_feature_names_out(), vectorizer.weights_.round(2).tolist()))["goal"]
    0.52
    >>> X.shape
    (4, 8)
    """

    # `raw_documents` is data, not routable metadata.
    __metadata_request__partial_fit = {"raw_documents": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        *,
        input: str = "content",  # noqa: A002
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        min_class_df: float | None = None,
        max_features: int | None = None,
        max_terms: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.float64,
        nulls: Nulls = "error",
        scheme: str | Weight = "pi",
        tf: TermFrequency = "raw",
        norm: Norm | None = "l2",
        smoothing: float = 1.0,
        cv: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            max_df=max_df,
            min_df=min_df,
            min_class_df=min_class_df,
            max_features=max_features,
            max_terms=max_terms,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
            nulls=nulls,
            n_jobs=n_jobs,
        )
        self.scheme = scheme
        self.tf = tf
        self.norm = norm
        self.smoothing = smoothing
        self.cv = cv
        self.random_state = random_state

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the vocabulary, the class counts and the weights.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each document counts as.

        Returns
        -------
        self
        """
        self._fit_counts(raw_documents, y, sample_weight)
        return self

    @all_or_nothing
    def fit_transform(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then weight the same documents; with `cv`, each with the labels of the other folds only.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms), column indices ascending in every row
        """
        X = self._fit_counts(raw_documents, y, sample_weight)
        if self.cv is None:
            return self._weigh(self._weighter, X)
        return self._weighter.weigh_by_folds(X, y, sample_weight)

    @all_or_nothing
    def partial_fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add a batch of documents; new terms and new classes may appear.

        Fitting in batches gives the same columns and values as one `fit` on all documents. **Columns change from call
        to call**, because `min_df`, `max_df` and `min_class_df` apply to all documents so far, and new terms are sorted
        in. If a model is trained in batches too, pass a fixed `vocabulary`. `max_features` and `cv` need all documents
        at once and raise an error here. So does calling `partial_fit` after `fit`, which discards the terms it drops.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`; a batch may have a single class, and documents may be empty.

        Returns
        -------
        self
        """
        if hasattr(self, "_weighter") and not hasattr(self, "_stream"):
            check_not_left_out(self._weighter.counts_)
            raise ValueError(
                "partial_fit cannot be called after fit, which discards the terms it drops: start with partial_fit, or"
                " clone the vectorizer first"
            )
        counter = self._bare_copy()
        self._check_once(lambda: self._check_stream(counter), self)
        stream = getattr(self, "_stream", PlainStream())
        with errors_of_batch(stream.n_batches + 1):
            raw_documents = check_collection(raw_documents)
            labels = read_required_labels(y, "TfPiVectorizer")
            self._stream = add_documents(stream, counter, raw_documents, labels, sample_weight)
        self._forget("_weighter", "_terms", "_vocabulary", "_named_counts")
        return self

    def transform(self, raw_documents: Any) -> Any:
        """Count the terms of the vocabulary in documents, and weight them.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms), column indices ascending in every row
        """
        weighter = self._fitted_weighter()
        return self._weigh(weighter, super().transform(raw_documents))

    def explain(self, term: Any) -> TermExplanation | TermExplanations:
        """Explain the weight of a term: its documents per class, the quantities in the scheme, and its rank.

        Parameters
        ----------
        term : str or int, or an iterable of them
            The term or its column number; or several of them.

        Returns
        -------
        TermExplanation, or TermExplanations for several terms
            Both are shown as a table in a terminal or notebook; TermExplanations has `to_frame`.

        Examples
        --------
        >>> from troenpy import TfPiVectorizer
        >>> vectorizer = TfPiVectorizer().fit(["late goal", "own goal", "late vote"], ["sport", "sport", "politics"])
        >>> vectorizer.explain("goal").documents_by_class
        {'politics': 0, 'sport': 2}
        >>> print(vectorizer.explain(["goal", "late"]))
        term    weight  rank  documents     most in     PCF_1    PCF_*  IDF
        goal  0.422837     1          2     sport 2  0.693147  0.27031    1
        late  -0.27031     2          2  politics 1         0  0.27031    1
        """
        weighter = self._fitted_weighter()
        scheme: dict[str, Any] = {"scheme": self.scheme, "smoothing": self.smoothing}
        return explain_terms(term, self.get_feature_names_out(), weighter.counts_, weighter.weights_, **scheme)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """One weight per column."""
        return self._fitted_weighter().weights_

    @property
    def counts_(self) -> ClassCounts:
        """Documents per class and term."""
        weighter = self._fitted_weighter()
        if not hasattr(self, "_named_counts"):
            self._named_counts = weighter.counts_.with_terms(self.get_feature_names_out())
        return self._named_counts

    @property
    def count_error_(self) -> CountError:
        """How many documents of a term may be missing, and which terms are certainly kept, with `max_terms`."""
        return CountError.of(self._fitted_weighter().counts_)

    def _fit_counts(self, raw_documents: Any, y: Any, sample_weight: Any) -> Any:
        """Fit, and return the counts."""
        raw_documents = check_collection(raw_documents)
        self._check_parameters()
        labels = read_required_labels(y, "TfPiVectorizer")
        check_labels_fit(labels, raw_documents)
        check_two_classes(labels.classes[labels.indicator.sum(axis=0) > 0])
        weights = read_weights(sample_weight, len(labels))
        self._forget("_stream", "_weighter", "_terms", "_vocabulary", "_named_counts")
        rows = self._fit_rows(raw_documents, by_class=self._class_filter(labels, weights))
        X = rows.matrix
        check_labels_fit(labels, X.shape[0])
        counts = ClassCounts.from_present(X, labels, weights, n_threads=job_count(self.n_jobs))
        length = total_length(X, weights) if weights is not None or rows.total is None else rows.total
        self._weighter = self._new_weighter().learn(counts, length)
        return X

    def _forget(self, *names: str) -> None:
        for name in names:
            self.__dict__.pop(name, None)

    def _weigh(self, weighter: TermWeighter, X: Any) -> Any:
        return weighter.weigh(X, copy=False, n_threads=job_count(self.n_jobs))

    def _new_weighter(self) -> TermWeighter:
        return TermWeighter(
            self.scheme,
            tf=self.tf,
            norm=self.norm,
            smoothing=self.smoothing,
            cv=self.cv,
            random_state=self.random_state,
        )

    def _bare_copy(self) -> Self:
        """Return a copy to count with: it keeps methods that a subclass overrides, but has no fitted state."""
        counter = object.__new__(type(self))
        fitted = ("_stream", "_checked", "_weighter", "_terms", "_vocabulary", "_named_counts")
        counter.__dict__.update({name: value for name, value in vars(self).items() if name not in fitted})
        return counter

    def _settle(self) -> None:
        """Choose and weight the terms of all batches, if that is possible yet and has not been done."""
        if not hasattr(self, "_stream") or hasattr(self, "_weighter"):
            return  # without a lock, or threads that predict would wait for each other
        with estimator_lock(self):  # keeps out partial_fit
            if hasattr(self, "_weighter"):
                return
            tally = self._stream.tally(job_count(self.n_jobs))
            kept = chosen_terms(self, tally)
            if not kept.any() or np.count_nonzero(tally.counts.n_docs) < 2:
                return
            chosen = tally.select(kept)
            weighter = self._new_weighter().learn(chosen.counts, chosen.total_length)
            self._validate_vocabulary()  # sets fixed_vocabulary_, and a given vocabulary
            if chosen.terms is not None and not self.fixed_vocabulary_:
                self._set_terms(chosen.terms)
            self._weighter = weighter

    def _fitted_weighter(self) -> TermWeighter:
        """Return the weighter, fitted on all documents so far."""
        self._settle()
        if hasattr(self, "_weighter"):
            return self._weighter
        if hasattr(self, "_stream"):
            raise NotFittedError(
                f"there are no weights yet: the {self._stream.n_documents} documents so far are of one class, or no"
                " term is within min_df, max_df and min_class_df. Call partial_fit with more documents"
            )
        raise NotFittedError("this TfPiVectorizer is not fitted yet: call fit with texts and labels first")

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        with estimator_lock(self):
            self._settle()
            weighter = getattr(self, "_weighter", None)
            tally = self._stream.tally() if hasattr(self, "_stream") else None
        if weighter is None and tally is None:
            return None
        counter = super()._saved()
        arrays: Arrays = {}
        for_learning: Arrays = {}
        if counter is not None:
            arrays |= counter.arrays
        if weighter is not None:
            saved = weighter._saved()
            arrays |= add_prefix("weighter.", saved.arrays)
            for_learning |= add_prefix("weighter.", saved.for_learning)
        if tally is not None:
            of_stream = add_prefix("tally.", tally.to_arrays())
            arrays, for_learning = (arrays | of_stream, {}) if weighter is None else (arrays, for_learning | of_stream)
        state = {
            "counter": None if counter is None else counter.state,
            "is_weighted": weighter is not None,
        }
        return Saved(state, arrays, for_learning=for_learning)

    def _restore(self, saved: Saved) -> None:
        """Restore the result of `_saved`; everything is validated."""
        if saved.state["counter"] is not None:
            super()._restore(Saved(saved.state["counter"], saved.arrays))
        of_stream = select_prefix("tally.", saved.arrays)
        if of_stream:
            self._stream = PlainStream((Tally.from_arrays(of_stream, saved.state.get("n_documents")),))
        if saved.state["is_weighted"]:
            self._weighter = self._new_weighter()
            self._weighter._restore(Saved({"is_named": False}, select_prefix("weighter.", saved.arrays)))
            if self._weighter.n_features_in_ != self._n_terms():
                raise ValueError("vocabulary and counts differ in size")
            if isinstance(self._weighter.counts_, ClassCounts):
                self._prefer_frequent(self._weighter.counts_.term_docs)

    def _check_stream(self, counter: Self) -> None:
        check_no_cv(self.cv)
        self._check_parameters()
        check_counter(counter)

    def _check_parameters(self) -> None:
        """Check parameters before any text is read."""
        self._validate_params()
        check_tf_and_norm(self.tf, self.norm)
        check_scheme(self.scheme, self.smoothing)
        check_float_type(self.dtype)
        check_min_class_df(self.min_class_df)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
