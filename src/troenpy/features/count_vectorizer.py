"""CountVectorizer: scikit-learn's, with the compiled kernel wherever it gives the same result.

The module is long because every parameter and method is documented in place, as in scikit-learn.
"""

from collections.abc import Callable, Collection, Iterator
from copy import copy
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.utils._param_validation import StrOptions

from troenpy import _kernel
from troenpy._kernel.characters import prepare_kernel, tokens
from troenpy.counts.class_frequency import check_min_class_df
from troenpy.counts.labels import check_labels_fit, read_labels
from troenpy.features import documents
from troenpy.features.arrow_documents import exports_arrow
from troenpy.features.counted_rows import Capacity, CountedRows, read_rows, sort_columns
from troenpy.features.lazy_vocabulary import LazyVocabulary
from troenpy.features.missing_documents import Nulls, check_nulls
from troenpy.features.term_filter import ClassFilter, most_frequent
from troenpy.features.term_list import IndexKind, TermList
from troenpy.features.text_parameters import (
    check_pattern,
    document_limit,
    has_upper_case,
    has_whole_columns,
    is_ngram_range,
)
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


class CountVectorizer(LazyVocabulary, SklearnCountVectorizer):
    """Turn documents into a matrix of term counts: a much faster drop-in replacement for scikit-learn's class.

    Vocabulary, matrix and errors are those of :class:`sklearn.feature_extraction.text.CountVectorizer`. The kernel
    counts words and n-grams of words or characters (`analyzer` "word" with the default `token_pattern`, "char",
    "char_wb"). With a custom tokenizer, preprocessor, pattern or analyzer, scikit-learn's own code runs. A further
    `analyzer`, "text", suits texts in any script, with punctuation and emoji; see the Notes.

    Documents may be str or bytes in any iterable, numpy arrays, pandas or polars Series, or Arrow string data, which
    is read without copying: arrays, or record batches, tables, polars DataFrames and readers with one column. A reader
    is read batch by batch. If documents are missing or not text, the error names their positions; see `nulls`.

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
        Words to remove before n-grams are formed, if `analyzer` is "word" or "text".
    token_pattern : str or None
        Regular expression for a word; the default matches two or more word characters.
    ngram_range : tuple of two int, default=(1, 1)
        The shortest and the longest n-gram.
    analyzer : {"word", "text", "char", "char_wb"} or callable, default="word"
        N-grams of words; of words and symbols; of characters; or of characters inside words.
    max_df, min_df : float in [0, 1] or int, default=1.0 and 1
        Drop terms in more than `max_df` or fewer than `min_df` documents: a fraction (float) or a number (int).
    min_class_df : int or float in (0, 1] or None, default=None
        Drop terms that no class has in at least this many of its documents: a number (int), or a fraction of the
        documents of that class (float). It needs labels in `fit`, and unlike `min_df` it keeps the terms of a small
        class. See the Notes.
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
    nulls : {"error", "empty"}, default="error"
        Whether missing documents (None, NaN, pandas' NA, Arrow's nulls) are an error, or empty texts.
    n_jobs : int or None, default=None
        Number of threads: None is 1, -1 all processors. It does not change the result.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term.
    fixed_vocabulary_ : bool
        Whether `vocabulary` was given.

    Notes
    -----
    **Rare classes.** A term must pass `max_df`, `min_df` and `min_class_df`; `max_features` then chooses among those
    that do. `min_df` counts the documents of all classes, so it deletes the words of a small class. In 1,000 documents
    of which 5 are of one class, ``min_df=5`` deletes a word in 4 of the 5. ``min_class_df=0.2`` keeps it, as it is in
    at least a fifth of a class, and drops a word in 100 of the 995 others. Use it instead of a `min_df` above 1. A
    given `vocabulary` is not filtered.

    **analyzer="text".** Words are runs of letters, digits and underscores, with their accents and vowel signs; a single
    letter is a word. In scripts written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar), each
    letter is a term. So is each punctuation mark or other symbol, and each emoji with all that it is composed of: skin
    tones, joined emoji, flags. White space and control characters are in no term. Nothing else is joined: "#goal" is
    two terms, "don't" three. N-grams consist of words and symbols, with a space between them. The classes of characters
    do not depend on the version of Python.

    Examples
    --------
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["the cat", "the cat and the dog"]).toarray()
    array([[0, 1, 0, 1],
           [1, 1, 1, 2]])
    >>> vectorizer.get_feature_names_out().tolist()
    ['and', 'cat', 'dog', 'the']
    >>> CountVectorizer(analyzer="text").build_analyzer()("I don't: 2-1! 東京 🇯🇵👍🏽")
    ['i', 'don', "'", 't', ':', '2', '-', '1', '!', '東', '京', '🇯🇵', '👍🏽']
    """

    _parameter_constraints = {  # noqa: RUF012
        **SklearnCountVectorizer._parameter_constraints,
        "analyzer": [StrOptions({"word", "text", "char", "char_wb"}), callable],
        "n_jobs": "no_validation",  # job_count raises a better error
        "min_class_df": "no_validation",  # and so does check_min_class_df
        "nulls": "no_validation",  # and check_nulls
        "max_terms": "no_validation",  # and check_whole
    }

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
        min_class_df: float | None = None,
        max_features: int | None = None,
        max_terms: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
        nulls: Nulls = "error",
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
        self.min_class_df = min_class_df
        self.nulls = nulls
        self.max_terms = max_terms
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents, y
            As in `fit_transform`.

        Returns
        -------
        self
        """
        self.fit_transform(raw_documents, y)
        return self

    @all_or_nothing
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and return the matrix of counts.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels, for `min_class_df`; ignored without it.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms), column indices ascending in every row
        """
        raw_documents = self._check_documents(raw_documents)
        return self._fit_rows(raw_documents, by_class=self._own_class_filter(raw_documents, y)).matrix

    def _fit_rows(
        self,
        raw_documents: Any,
        capacity: Capacity = Capacity(),  # noqa: B008 (immutable)
        by_class: ClassFilter | None = None,
    ) -> CountedRows:
        """Fit and count checked documents, in over-allocated arrays."""
        self._check_fit()
        if not self._kernel_applies():
            return self._fit_as_scikit_learn(raw_documents, by_class)
        self._validate_as_parent_does()
        return self._finish_fit(self._count(raw_documents, job_count(self.n_jobs)), capacity, by_class)

    def _check_fit(self) -> None:
        """Raise an error for wrong parameters, and for those of partial_fit."""
        job_count(self.n_jobs)
        if self.max_terms is not None:
            raise ValueError(
                f"max_terms is only for partial_fit, got max_terms={self.max_terms!r}: use max_features with fit"
            )
        self._check_text_parameters()

    def _finish_fit(self, counter: Any, capacity: Capacity, by_class: ClassFilter | None) -> CountedRows:
        """Choose the terms among those that the kernel has counted, and return the counts."""
        if self.fixed_vocabulary_:
            rows = self._matrix(counter.match(self.vocabulary_), capacity)
            self._pack_terms()
            return rows
        counts = counter.finish()
        self._choose_terms(counts, by_class)
        rows = self._matrix(counts, capacity)
        self._set_terms(TermList.learned(counts.take_terms(), self._index_kind()))
        return rows

    def _fit_as_scikit_learn(self, raw_documents: Any, by_class: ClassFilter | None) -> CountedRows:
        """Fit with scikit-learn's code, which does not know `min_class_df`."""
        texts = self._readable(raw_documents)
        if by_class is None:
            return sort_columns(super().fit_transform(texts))
        self._validate_params()
        counter = copy(self)
        counter.max_features = None  # chooses among the terms that the classes keep
        X = sort_columns(SklearnCountVectorizer.fit_transform(counter, texts)).matrix
        kept = by_class.kept(X)
        if self.max_features is not None:
            kept = most_frequent(kept, np.asarray(X.sum(axis=0)).ravel(), self.max_features)
        self._check_any(kept)
        terms = sorted(counter.vocabulary_, key=counter.vocabulary_.__getitem__)
        self.fixed_vocabulary_ = counter.fixed_vocabulary_
        self.vocabulary_ = {terms[old]: new for new, old in enumerate(np.flatnonzero(kept))}
        return sort_columns(X[:, np.flatnonzero(kept)])

    def transform(self, raw_documents: Any) -> Any:
        """Count the terms of the vocabulary in documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms), column indices ascending in every row
        """
        raw_documents = self._check_documents(raw_documents)
        return self._rows(raw_documents).matrix

    def _rows(self, raw_documents: Any, capacity: Capacity = Capacity()) -> CountedRows:  # noqa: B008 (immutable)
        """Count checked documents, in over-allocated arrays."""
        counted = self._counted(raw_documents)
        if counted is not None:
            return self._matrix(counted, capacity)
        if not self._kernel_applies() or type(self.__dict__.get("_vocabulary", {})) is not dict:
            return sort_columns(super().transform(self._readable(raw_documents)))
        self._check_vocabulary()
        counter = self._count(raw_documents, job_count(self.n_jobs))
        return self._matrix(counter.match(self.vocabulary_), capacity)

    def _counted(self, raw_documents: Any) -> Any:
        """Count checked documents by the kernel's index; None, with nothing read, if there is none."""
        index = self._index()
        if index is None:
            return None
        return self._count(raw_documents, job_count(self.n_jobs), index=index).rows()

    def _index(self) -> Any:
        """Return the kernel's index of the vocabulary, or None if there is none."""
        self._settle()
        terms, vocabulary = self.__dict__.get("_terms"), self.__dict__.get("_vocabulary", {})
        if terms is None or type(vocabulary) is not dict or not self._kernel_applies():
            return None
        self.build_analyzer()  # for its errors and warnings on stop words
        return terms.index(self._index_kind())

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
        if "_terms" in self.__dict__:
            return self._terms.names()
        if _kernel.native is not None and type(self.vocabulary_) is dict:
            names = np.empty(len(self.vocabulary_), dtype=object)
            if _kernel.native.names_by_column(self.vocabulary_, names):
                return names
        return super().get_feature_names_out(input_features)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return the function that turns a document into its terms.

        Returns
        -------
        analyze : callable
            It decodes, preprocesses, finds words or characters, and forms n-grams.
        """
        if self.analyzer != "text":
            return super().build_analyzer()
        preprocess, stop_words = self.build_preprocessor(), self.get_stop_words()
        self._check_stop_words_consistency(stop_words, preprocess, tokens)
        return partial(self._analyze_text, preprocess, stop_words)

    def _analyze_text(self, preprocess: Callable[[str], str], stop_words: Any, document: Any) -> list[str]:
        """Return the terms of a document with analyzer="text"; the kernel counts the same."""
        return self._word_ngrams(tokens(preprocess(self.decode(document))), stop_words)

    def _check_documents(self, raw_documents: Any) -> Any:
        """Check and return a collection of texts; with a custom analyzer, anything but a single string is fine."""
        if isinstance(raw_documents, str) or self._takes_text_only():
            return documents.check_collection(raw_documents)
        return raw_documents

    def _check_text_parameters(self) -> None:
        """Check parameters that scikit-learn would misread or report without naming them."""
        if isinstance(self.vocabulary, str):
            raise TypeError(
                f"vocabulary must be a mapping or a list of terms, got a single string, {self.vocabulary!r}"
            )
        n = self.ngram_range
        if isinstance(n, tuple) and not (len(n) == 2 and all(isinstance(length, Integral) for length in n)):
            raise ValueError(f"ngram_range must be two whole numbers, such as (1, 2), got {n!r}")
        check_min_class_df(self.min_class_df)
        check_nulls(self.nulls)
        if not self._takes_text_only():
            return
        for term in self.vocabulary if isinstance(self.vocabulary, Collection) else ():
            if not isinstance(term, str):
                raise TypeError(f"vocabulary must hold strings, got {term!r}")
        if self.analyzer == "word":
            check_pattern(self.token_pattern)

    def _own_class_filter(self, raw_documents: Any, y: Any) -> ClassFilter | None:
        """Read the labels for `min_class_df`, or return None if it is not set."""
        check_min_class_df(self.min_class_df)
        if self._class_filter(None) is None:
            return None
        if y is None:
            raise ValueError(
                f"min_class_df needs labels, got min_class_df={self.min_class_df!r} and no y: call fit(texts, labels),"
                " or use min_df"
            )
        labels = read_labels(y)
        check_labels_fit(labels, raw_documents)
        return self._class_filter(labels)

    def _class_filter(self, labels: Any, sample_weight: Any = None) -> ClassFilter | None:
        """Return the filter of `min_class_df` with these labels; None if there is none, or the vocabulary is given."""
        if self.min_class_df is None or self.vocabulary is not None:
            return None
        return ClassFilter(self.min_class_df, labels, sample_weight)

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

    def _warn_for_unused_params(self) -> None:
        """Warn as scikit-learn does, which believes that stop words are for analyzer="word" only."""
        checked = self
        if self.analyzer == "text":
            checked = copy(self)
            checked.stop_words = None
        SklearnCountVectorizer._warn_for_unused_params(checked)

    def _has_own_steps(self) -> bool:
        """Whether a subclass or this instance overrides a method that the kernel replaces."""
        steps = ((getattr(self, name, None), getattr(CountVectorizer, name, None)) for name in REPLACED_STEPS)
        return any(getattr(own, "__func__", own) is not parents for own, parents in steps)

    def _takes_text_only(self) -> bool:
        is_named = isinstance(self.analyzer, str) and self.preprocessor is None
        is_word = self.analyzer == "word"
        return self.input == "content" and is_named and not (is_word and self.tokenizer) and not self._has_own_steps()

    def _kernel_applies(self) -> bool:
        return self._takes_text_only() and self._kernel_knows_settings() and _kernel.compiled() is not None

    def _kernel_knows_settings(self) -> bool:
        knows_words = self.analyzer in ("text", "char", "char_wb") or (
            self.analyzer == "word" and self.token_pattern == DEFAULT_TOKEN_PATTERN
        )
        knows_accents = self.strip_accents is None or self.strip_accents in ("ascii", "unicode")
        return (
            knows_words
            and knows_accents
            and isinstance(self.lowercase, bool | np.bool_)
            and self.dtype is not None
            and ("_terms" in self.__dict__ or has_whole_columns(self.vocabulary))
            and is_ngram_range(self.ngram_range)
        )

    def _readable(self, raw_documents: Any) -> Any:
        """Prepare documents for scikit-learn's code; if they must be text, each is checked."""
        if self.nulls == "empty" and self.input != "content":
            raise ValueError(f"nulls='empty' needs input='content', got input={self.input!r}: drop missing documents")
        if self._takes_text_only() or exports_arrow(raw_documents):
            return documents.texts(raw_documents, self.decode, self.nulls)
        takes_any = callable(self.analyzer) or self.preprocessor is not None or self._has_own_steps()
        if self.nulls == "error" and (takes_any or self.input != "content"):
            return raw_documents
        return documents.objects(raw_documents, self.nulls)

    def _index_kind(self) -> IndexKind:
        has_words = self.analyzer in ("word", "text")
        return IndexKind(has_words, tuple(self.get_stop_words() or ()) if has_words else ())

    def _count(self, raw_documents: Any, n_threads: int, *, index: Any = None, tables: Any = ()) -> Any:
        """Return the kernel's counter with the counts: only of the terms of an index, or in the tables of a tally."""
        if index is None:
            self.build_analyzer()  # for its errors and warnings on stop words
        counter = self._new_counter(n_threads, index, tables)
        for batch in self._batches(raw_documents):
            counter.add(batch)
        return counter

    def _new_counter(self, n_threads: int, index: Any = None, tables: Any = ()) -> Any:
        """Return a counter of the kernel, without documents."""
        assert _kernel.native is not None  # noqa: S101
        if self.analyzer == "text":
            prepare_kernel()
        min_n, max_n = self.ngram_range
        return _kernel.native.TermCounter(
            analyzer=self.analyzer,
            lowercase=bool(self.lowercase) and self.strip_accents is None,
            min_n=int(min_n),
            max_n=int(max_n),
            stop_words=() if index is not None else self._index_kind().stop_words,
            n_threads=n_threads,
            index=index,
            tables=tables,
        )

    def _batches(self, raw_documents: Any) -> Iterator[documents.Batch]:
        batches = documents.batches(raw_documents, self.decode, self.nulls)
        if self.strip_accents is None:
            return batches
        preprocess = self.build_preprocessor()
        texts = (batch if isinstance(batch, list) else batch.to_list() for batch in batches)
        return ([preprocess(text) for text in batch] for batch in texts)

    def _choose_terms(self, counts: Any, by_class: ClassFilter | None) -> None:
        if counts.n_columns == 0:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        most = document_limit(self.max_df, counts.n_documents)
        fewest = document_limit(self.min_df, counts.n_documents)
        if most < fewest:
            raise ValueError("max_df corresponds to < documents than min_df")
        if fewest <= 1 and most >= counts.n_documents and self.max_features is None and by_class is None:
            return
        frequencies = counts.document_frequencies()
        kept = (frequencies <= most) & (frequencies >= fewest)
        if by_class is not None:
            kept &= by_class.kept(self._matrix(counts).matrix, job_count(self.n_jobs))
        if self.max_features is not None and kept.sum() > self.max_features:
            kept = most_frequent(kept, self._totals(counts, frequencies), self.max_features)
        self._check_any(kept)
        if not kept.all():
            counts.keep(kept)

    def _check_any(self, kept: NDArray[np.bool_]) -> None:
        """Raise if no term is left, in scikit-learn's words."""
        if not kept.any():
            lower = "min_df" if self.min_class_df is None else "min_df or min_class_df"
            raise ValueError(f"After pruning, no terms remain. Try a lower {lower} or a higher max_df.")

    def _totals(self, counts: Any, frequencies: NDArray[np.int64]) -> NDArray[Any]:
        """Sum each column in the dtype of the matrix, so that rounding is the same as scikit-learn's."""
        dtype = np.dtype(self.dtype)
        if dtype not in (np.dtype(np.int64), np.dtype(np.float64)):
            return np.asarray(self._matrix(counts).matrix.sum(axis=0)).ravel()
        totals = frequencies if self.binary else counts.occurrences()
        return totals.astype(dtype)

    def _matrix(self, counts: Any, capacity: Capacity = Capacity()) -> CountedRows:  # noqa: B008 (immutable)
        return read_rows(counts, np.dtype(self.dtype), capacity, binary=bool(self.binary))
