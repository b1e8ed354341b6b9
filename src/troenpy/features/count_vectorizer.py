"""CountVectorizer: scikit-learn's, with the compiled kernel wherever it gives the same result.

The module is long because every parameter and method is documented in place, as in scikit-learn.
"""

from collections.abc import Collection, Iterator
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

from troenpy import _kernel
from troenpy.features import documents
from troenpy.features.counted_rows import Capacity, CountedRows, sort_columns
from troenpy.features.term_list import TermList
from troenpy.features.text_parameters import (
    LARGEST_INT32,
    check_pattern,
    document_limit,
    has_upper_case,
    has_whole_columns,
    is_ngram_range,
)
from troenpy.files import archive
from troenpy.files.saved import Saved
from troenpy.fitting.jobs import job_count
from troenpy.fitting.notices import warn_user
from troenpy.fitting.transaction import all_or_nothing

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # noqa: S105

# The methods that the kernel replaces. If a subclass or instance overrides one, scikit-learn's path runs instead.
REPLACED_STEPS = (
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "decode",
    "_char_ngrams",
    "_char_wb_ngrams",
    "_count_vocab",
    "_limit_features",
    "_sort_features",
    "_word_ngrams",
)
COUNTED_DTYPES = tuple(map(np.dtype, (np.int32, np.int64, np.float32, np.float64)))


class CountVectorizer(SklearnCountVectorizer):
    """Turn documents into a matrix of term counts: a much faster drop-in replacement for scikit-learn's class.

    Vocabulary, matrix and errors are those of :class:`sklearn.feature_extraction.text.CountVectorizer`. The kernel
    counts words and n-grams of words or characters (`analyzer` "word" with the default `token_pattern`, "char",
    "char_wb"). With a custom tokenizer, preprocessor, pattern or analyzer, scikit-learn's own code runs.

    Documents may be str or bytes in any iterable, numpy arrays, pandas or polars Series, or Arrow string data, which
    is read without copying. If a document is missing or not text, the error names its position.

    Parameters
    ----------
    input : {"content", "filename", "file"}, default="content"
        Whether documents are texts, file names or open files.
    encoding : str, default="utf-8"
        The encoding of documents that are bytes.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        What to do with bytes that cannot be decoded.
    strip_accents : {"ascii", "unicode"} or callable or None, default=None
        Remove accents after lowercasing.
    lowercase : bool, default=True
        Convert to lowercase first.
    preprocessor : callable or None, default=None
        Replaces lowercasing and accent stripping.
    tokenizer : callable or None, default=None
        Replaces the token pattern.
    stop_words : {"english"} or list or None, default=None
        Words to remove before n-grams are formed.
    token_pattern : str or None
        Regular expression for a word; the default matches two or more word characters.
    ngram_range : tuple of two int, default=(1, 1)
        The shortest and the longest n-gram.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        N-grams of words, of characters, or of characters inside words.
    max_df, min_df : float in [0, 1] or int, default=1.0 and 1
        Drop terms in more than `max_df` or fewer than `min_df` documents: a fraction (float) or a number (int).
    max_features : int or None, default=None
        Keep only the most frequent terms.
    max_terms : int or None, default=None
        Keep at most this many terms at any time, for `partial_fit` of :class:`TfPiVectorizer` and
        :class:`TermFeatures`; `fit` raises an error. See the Notes of :class:`TfPiVectorizer`.
    vocabulary : mapping or iterable or None, default=None
        The terms to count; by default all terms found in `fit`.
    binary : bool, default=False
        Count presence only.
    dtype : dtype, default=np.int64
        The dtype of the matrix.
    n_jobs : int or None, default=None
        Number of threads: None is 1, -1 all processors. It does not change the result.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term.
    fixed_vocabulary_ : bool
        Whether `vocabulary` was given.

    Examples
    --------
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["the cat", "the cat and the dog"]).toarray()
    array([[0, 1, 0, 1],
           [1, 1, 1, 2]])
    >>> vectorizer.get_feature_names_out().tolist()
    ['and', 'cat', 'dog', 'the']
    """

    _parameter_constraints = {  # noqa: RUF012
        **SklearnCountVectorizer._parameter_constraints,
        "n_jobs": "no_validation",  # job_count raises a better error
        "max_terms": "no_validation",  # and so does check_whole
    }

    vocabulary_: dict[Any, Any]
    fixed_vocabulary_: bool

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
        max_features: int | None = None,
        max_terms: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
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
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
        )
        self.max_terms = max_terms
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and return the matrix of counts.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        y : ignored

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms), column indices ascending in every row
        """
        self._check_documents(raw_documents)
        return self._fit_rows(raw_documents).matrix

    def _fit_rows(self, raw_documents: Any, capacity: Capacity = Capacity()) -> CountedRows:  # noqa: B008 (immutable)
        """Fit and count checked documents, in over-allocated arrays."""
        n_threads = job_count(self.n_jobs)
        if self.max_terms is not None:
            raise ValueError(
                f"max_terms is only for partial_fit, got max_terms={self.max_terms!r}: use max_features with fit"
            )
        self._check_text_parameters()
        if not self._kernel_applies():
            return sort_columns(super().fit_transform(self._readable(raw_documents)))
        self._validate_as_parent_does()
        counter = self._count(raw_documents, n_threads)
        if self.fixed_vocabulary_:
            return self._matrix(counter.match(self.vocabulary_), capacity)
        counts = counter.finish()
        self._choose_terms(counts)
        if n_threads == 1:
            self.vocabulary_ = counts.vocabulary()
            return self._matrix(counts, capacity)
        indptr, indices, data = arrays = self._csr_arrays(counts, capacity)
        first = len(data) - int(indptr[-1])
        self.vocabulary_ = counts.vocabulary_and_rows(indices[first:], data[first:], bool(self.binary))
        return self._matrix(counts, capacity, arrays)

    def transform(self, raw_documents: Any) -> Any:
        """Count the terms of the vocabulary in documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms), column indices ascending in every row
        """
        self._check_documents(raw_documents)
        return self._rows(raw_documents).matrix

    def _rows(self, raw_documents: Any, capacity: Capacity = Capacity()) -> CountedRows:  # noqa: B008 (immutable)
        """Count checked documents, in over-allocated arrays."""
        n_threads = job_count(self.n_jobs)
        if not self._kernel_applies() or type(getattr(self, "vocabulary_", {})) is not dict:
            return sort_columns(super().transform(self._readable(raw_documents)))
        self._check_vocabulary()
        return self._matrix(self._count(raw_documents, n_threads).match(self.vocabulary_), capacity)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms in column order.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        terms : array of str objects
        """
        self._check_vocabulary()
        if _kernel.native is not None and type(self.vocabulary_) is dict:
            names = np.empty(len(self.vocabulary_), dtype=object)
            if _kernel.native.names_by_column(self.vocabulary_, names):
                return names
        return super().get_feature_names_out(input_features)

    def _check_documents(self, raw_documents: Any) -> None:
        """Raise unless this is a collection of texts; with a custom analyzer, anything but a single string is fine."""
        if isinstance(raw_documents, str) or self._takes_text_only():
            documents.check_collection(raw_documents)

    def _check_text_parameters(self) -> None:
        """Check parameters that scikit-learn would misread or report without naming them."""
        if isinstance(self.vocabulary, str):
            raise TypeError(
                f"vocabulary must be a mapping or a list of terms, got a single string, {self.vocabulary!r}"
            )
        n = self.ngram_range
        if isinstance(n, tuple) and not (len(n) == 2 and all(isinstance(length, Integral) for length in n)):
            raise ValueError(f"ngram_range must be two whole numbers, such as (1, 2), got {n!r}")
        if not self._takes_text_only():
            return
        for term in self.vocabulary if isinstance(self.vocabulary, Collection) else ():
            if not isinstance(term, str):
                raise TypeError(f"vocabulary must hold strings, got {term!r}")
        if self.analyzer == "word":
            check_pattern(self.token_pattern)

    def _set_terms(self, terms: TermList) -> None:
        """Set the vocabulary."""
        self.vocabulary_ = terms.columns()

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "vocabulary_"):
            return None
        columns = sorted(self.vocabulary_.items(), key=lambda item: item[1])
        is_whole = [column for _, column in columns] == list(range(len(columns)))
        if not is_whole or not all(isinstance(term, str) for term, _ in columns):
            raise TypeError("cannot save a vocabulary with gaps or with terms that are not strings: use pickle")
        terms = np.array([*(term for term, _ in columns), ""], dtype=object)[:-1]
        return Saved({"is_fixed": bool(self.fixed_vocabulary_)}, archive.pack("terms", terms))

    def _restore(self, saved: Saved) -> None:
        """Restore the result of `_saved`; everything is validated."""
        terms = archive.unpack("terms", saved.arrays)
        self.vocabulary_ = {term: column for column, term in enumerate(terms)}
        self.fixed_vocabulary_ = bool(saved.state["is_fixed"])
        if len(self.vocabulary_) < len(terms):
            raise ValueError("the vocabulary has duplicate terms")

    def _validate_as_parent_does(self) -> None:
        """Run scikit-learn's own validation."""
        self._validate_params()
        self._validate_ngram_range()
        self._warn_for_unused_params()
        self._validate_vocabulary()
        if self.fixed_vocabulary_ and self.lowercase and any(map(has_upper_case, self.vocabulary)):
            warn_user(
                "Upper case characters found in vocabulary while 'lowercase' is True. "
                "These entries will not be matched with any documents",
                UserWarning,
            )

    def _has_own_steps(self) -> bool:
        """Whether a subclass or this instance overrides a method that the kernel replaces."""
        steps = ((getattr(self, name, None), getattr(SklearnCountVectorizer, name, None)) for name in REPLACED_STEPS)
        return any(getattr(own, "__func__", own) is not parents for own, parents in steps)

    def _takes_text_only(self) -> bool:
        is_named = isinstance(self.analyzer, str) and self.preprocessor is None
        is_word = self.analyzer == "word"
        return self.input == "content" and is_named and not (is_word and self.tokenizer) and not self._has_own_steps()

    def _kernel_applies(self) -> bool:
        return self._takes_text_only() and self._kernel_knows_settings() and _kernel.compiled() is not None

    def _kernel_knows_settings(self) -> bool:
        knows_words = self.analyzer in ("char", "char_wb") or (
            self.analyzer == "word" and self.token_pattern == DEFAULT_TOKEN_PATTERN
        )
        knows_accents = self.strip_accents is None or self.strip_accents in ("ascii", "unicode")
        return (
            knows_words
            and knows_accents
            and isinstance(self.lowercase, bool | np.bool_)
            and self.dtype is not None
            and has_whole_columns(self.vocabulary)
            and is_ngram_range(self.ngram_range)
        )

    def _readable(self, raw_documents: Any) -> Any:
        """Prepare documents for scikit-learn's code; if they must be text, each is checked."""
        if self._takes_text_only():
            return documents.texts(raw_documents, self.decode)
        arrow = documents.read_arrow(raw_documents, self.decode)
        if arrow is None:
            return raw_documents
        return arrow if isinstance(arrow, list) else arrow.to_list()

    def _count(self, raw_documents: Any, n_threads: int) -> Any:
        self.build_analyzer()  # for its errors and warnings on stop words
        assert _kernel.native is not None  # noqa: S101
        min_n, max_n = self.ngram_range
        counter = _kernel.native.TermCounter(
            analyzer=self.analyzer,
            lowercase=bool(self.lowercase) and self.strip_accents is None,
            min_n=int(min_n),
            max_n=int(max_n),
            stop_words=list(self.get_stop_words() or ()) if self.analyzer == "word" else [],
            n_threads=n_threads,
        )
        for batch in self._batches(raw_documents):
            counter.add(batch)
        return counter

    def _batches(self, raw_documents: Any) -> Iterator[documents.Batch]:
        batches = documents.batches(raw_documents, self.decode)
        if self.strip_accents is None:
            return batches
        preprocess = self.build_preprocessor()
        texts = (batch if isinstance(batch, list) else batch.to_list() for batch in batches)
        return ([preprocess(text) for text in batch] for batch in texts)

    def _choose_terms(self, counts: Any) -> None:
        if counts.n_columns == 0:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        most = document_limit(self.max_df, counts.n_documents)
        fewest = document_limit(self.min_df, counts.n_documents)
        if most < fewest:
            raise ValueError("max_df corresponds to < documents than min_df")
        if fewest <= 1 and most >= counts.n_documents and self.max_features is None:
            return
        frequencies = counts.document_frequencies()
        kept = (frequencies <= most) & (frequencies >= fewest)
        if self.max_features is not None and kept.sum() > self.max_features:
            # Ties are broken by numpy's argsort over the sorted terms, as in scikit-learn.
            totals = self._totals(counts, frequencies)[kept]
            most_frequent = np.flatnonzero(kept)[(-totals).argsort()[: self.max_features]]
            kept[:] = False
            kept[most_frequent] = True
        if not kept.any():
            raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        if not kept.all():
            counts.keep(kept)

    def _totals(self, counts: Any, frequencies: NDArray[np.int64]) -> NDArray[Any]:
        """Sum each column in the dtype of the matrix, so that rounding is the same as scikit-learn's."""
        dtype = np.dtype(self.dtype)
        if dtype not in (np.dtype(np.int64), np.dtype(np.float64)):
            return np.asarray(self._matrix(counts, Capacity()).matrix.sum(axis=0)).ravel()
        totals = frequencies if self.binary else counts.occurrences()
        return totals.astype(dtype)

    def _csr_arrays(self, counts: Any, capacity: Capacity) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the row pointers, and uninitialised arrays at whose end the indices and data will be written."""
        borders = counts.row_borders()
        n_values = int(borders[-1])
        most = capacity.times * max(n_values, counts.n_columns) + capacity.per_row * (len(borders) - 1)
        index = np.int32 if most <= LARGEST_INT32 else np.int64
        dtype = np.dtype(self.dtype)
        size = capacity.times * n_values + capacity.per_row * (len(borders) - 1)
        indices = np.empty(size, dtype=index)
        data = np.empty(size, dtype=dtype if dtype in COUNTED_DTYPES else np.int32)
        return borders.astype(index), indices, data

    def _matrix(self, counts: Any, capacity: Capacity, written: tuple[NDArray[Any], ...] | None = None) -> CountedRows:
        indptr, indices, data = written or self._csr_arrays(counts, capacity)
        first = len(data) - int(indptr[-1])
        if written is None:
            counts.write_rows(indices[first:], data[first:], bool(self.binary))
        is_array = sklearn.get_config().get("sparse_interface") == "sparray"
        kind, shape = sp.csr_array if is_array else sp.csr_matrix, (counts.n_documents, counts.n_columns)
        data = data.astype(self.dtype, copy=False)
        if not first:
            X = kind((data, indices, indptr), shape=shape, copy=False)
        else:
            X = kind(shape, dtype=self.dtype)  # the constructor would copy slices of larger arrays
            X.data, X.indices, X.indptr = data[first:], indices[first:], indptr
        X.has_canonical_format = True
        return CountedRows(X, data, indices)
