"""Add a batch of documents to a stream: by the kernel where it knows the settings, else by scikit-learn's code."""

from collections import Counter
from collections.abc import Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.class_frequency import check_min_class_df, frequent_in_some_class
from troenpy.counts.counting import read_weights
from troenpy.counts.labels import Labels, check_labels_fit
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.missing_documents import check_nulls
from troenpy.features.row_streams import RowStream
from troenpy.features.streams import KernelStream, PlainStream, Stream, Weights, row_stream
from troenpy.features.tallies import Tally
from troenpy.features.term_filter import is_about_missing_terms
from troenpy.features.term_list import TermList
from troenpy.features.text_parameters import document_limit
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_whole


def check_counter(counter: CountVectorizer, method: str = "partial_fit") -> None:
    """Raise an error for wrong parameters, and for those that need all documents at once."""
    if counter.max_features is not None:
        raise ValueError(
            f"max_features cannot be used with {method}: a term that is rare in the first batches may become"
            " frequent later. Use max_terms, min_df or a fixed vocabulary"
        )
    if counter.max_terms is not None:
        check_whole("max_terms", counter.max_terms, least=1)
    check_min_class_df(counter.min_class_df)
    check_nulls(counter.nulls)
    job_count(counter.n_jobs)
    counter._check_text_parameters()
    counter._validate_as_parent_does()


def check_no_cv(cv: Any) -> None:
    """Raise an error if there are folds, which need all documents at once."""
    if cv is not None:
        raise ValueError("cv cannot be used with partial_fit: folds need all documents at once. Use fit_transform")


def add_documents(
    stream: Stream, counter: CountVectorizer, raw_documents: Any, labels: Labels, sample_weight: Any
) -> Stream:
    """Return a stream with another batch of texts.

    Parameters
    ----------
    stream : PlainStream or KernelStream
    counter : CountVectorizer
        How to count: a copy that may be changed, whose parameters have been checked.
    raw_documents : iterable of str or bytes, array, Series or Arrow string data
    labels : Labels
    sample_weight : array-like of shape (n_documents,) or None

    Returns
    -------
    PlainStream or KernelStream
    """
    check_labels_fit(labels, raw_documents, whole=False)
    weights, n_threads = read_weights(sample_weight, len(labels)), job_count(counter.n_jobs)
    counter.min_df, counter.max_df, counter.min_class_df = 1, 1.0, None
    if counter.vocabulary is not None:
        counter.max_terms = None  # the vocabulary is the bound
        rows = counter._fit_rows(raw_documents).matrix
        check_labels_fit(labels, rows.shape[0], whole=False)
        return row_stream(stream, rows.shape[1]).add(rows, labels, weights, n_threads=n_threads)
    stream = _check_kind(stream, counter.max_terms)
    if not counter._kernel_applies():
        return _add_plainly(stream.copy(n_threads), counter, raw_documents, labels, weights)
    if not isinstance(stream, KernelStream):
        stream = KernelStream.of(stream, counter.max_terms)

    native = stream.native
    # N-grams of words are no texts in a table, and stop words are part of it.
    has_words = counter._index_kind().has_words
    is_plain = not has_words or (counter.ngram_range[1] == 1 and not counter.stop_words)

    def count() -> Any:
        tables = native.tables(n_threads) if is_plain and weights is None else []
        counted = counter._count(raw_documents, n_threads, tables=tables)
        check_labels_fit(labels, counted.n_documents, whole=False)
        return counted

    return stream.add_texts(count, labels, weights, binary=bool(counter.binary), n_threads=n_threads)


def _check_kind(stream: Stream, max_terms: int | None) -> PlainStream | KernelStream:
    """Check and return a stream without a vocabulary, with the same bound."""
    if isinstance(stream, RowStream):
        message = "the batches so far had a vocabulary: keep it, or clone the estimator first"
        raise ValueError(message)  # noqa: TRY004 (a change of a parameter)
    before = max_terms
    if isinstance(stream, KernelStream):
        before = stream.max_terms
    elif stream.tallies:
        summary = stream.tallies[0].summary
        before = None if summary is None else summary.max_terms
    if before != max_terms:
        raise ValueError(
            f"max_terms must stay the same in all batches, {before}, got {max_terms}: clone the estimator first"
        )
    return stream


def _add_plainly(
    stream: PlainStream, counter: CountVectorizer, raw_documents: Any, labels: Labels, weights: Weights
) -> PlainStream:
    documents = raw_documents if isinstance(raw_documents, Sized) else list(counter._readable(raw_documents))
    if counter.max_terms is not None:
        analyze = counter.build_analyzer()
        counted = [Counter(analyze(document)) for document in counter._readable(documents)]
        check_labels_fit(labels, len(counted), whole=False)
        if counter.binary:
            counted = [Counter(counts.keys()) for counts in counted]
        return stream.add_bounded(counted, labels, weights, counter.max_terms)
    try:
        X = counter._fit_rows(documents).matrix
        terms = counter.get_feature_names_out()
    except ValueError as error:
        if not is_about_missing_terms(error):
            raise
        X, terms = sparse.csr_array((len(documents), 0)), np.array([], dtype=object)
    check_labels_fit(labels, X.shape[0], whole=False)
    batch = Tally(
        counts=ClassCounts.from_matrix(X, labels, sample_weight=weights),
        terms=TermList.of(terms.tolist()),
        n_documents=X.shape[0],
        frequency=np.bincount(X.indices, minlength=len(terms)),
        occurrences=(np.ones(len(labels)) if weights is None else weights) @ X,
    )
    return stream.add(batch)


def chosen_terms(counter: CountVectorizer, tally: Tally) -> NDArray[np.bool_]:
    """Return a mask of the terms within `min_df`, `max_df` and `min_class_df`; all terms of a given vocabulary."""
    if counter.vocabulary is not None:
        return np.ones(len(tally.frequency), dtype=bool)
    fewest, most = (document_limit(limit, tally.n_documents) for limit in (counter.min_df, counter.max_df))
    kept: NDArray[np.bool_] = (tally.frequency >= fewest) & (tally.frequency <= most)
    return kept if counter.min_class_df is None else kept & frequent_in_some_class(tally.counts, counter.min_class_df)
