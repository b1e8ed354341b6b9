"""Count documents for several views, in one pass over them where the views read them alike."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from troenpy.features.arrow_documents import exports_arrow
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.counted_rows import Capacity, CountedRows
from troenpy.features.term_filter import ClassFilter, is_about_missing_terms
from troenpy.fitting.jobs import job_count

#: Parameters that change what is read, before it is cut into terms.
READING = ("encoding", "decode_error", "nulls", "strip_accents", "lowercase")


def fit_rows(
    names: Sequence[str],
    counters: Sequence[CountVectorizer],
    raw_documents: Any,
    capacities: Sequence[Capacity],
    filters: Sequence[ClassFilter | None],
) -> list[CountedRows | ValueError]:
    """Fit counters to checked documents and return the counts, in over-allocated arrays.

    Of several views, one without terms gives an error instead, for the caller to raise or not.
    """
    if len(counters) == 1:
        return [counters[0]._fit_rows(raw_documents, capacities[0], filters[0])]
    options = list(zip(names, counters, capacities, filters, strict=True))
    if not read_alike(counters):
        raw_documents = reusable(raw_documents)
        return [
            _rows_or_error(name, partial(counter._fit_rows, raw_documents, capacity, by_class))
            for name, counter, capacity, by_class in options
        ]
    for name, counter, _, _ in options:
        with errors_of_view(name):
            counter._check_fit()
            counter._validate_as_parent_does()
            counter.build_analyzer()  # for its errors and warnings on stop words
    natives = _count_together(counters, raw_documents, [None] * len(counters))
    return [
        _rows_or_error(name, partial(counter._finish_fit, native, capacity, by_class))
        for (name, counter, capacity, by_class), native in zip(options, natives, strict=True)
    ]


def _rows_or_error(name: str, count: Callable[[], CountedRows]) -> CountedRows | ValueError:
    with errors_of_view(name):
        try:
            return count()
        except ValueError as error:
            if not is_about_missing_terms(error):
                raise
            return ValueError(f"view {name!r}: {error}")


def count_rows(
    counters: Sequence[CountVectorizer], raw_documents: Any, capacities: Sequence[Capacity]
) -> list[CountedRows]:
    """Count new documents, in over-allocated arrays."""
    if len(counters) == 1:
        return [counters[0]._rows(raw_documents, capacities[0])]
    indices = [counter._index() for counter in counters]
    if any(index is None for index in indices) or not read_alike(counters):
        raw_documents = reusable(raw_documents)
        pairs = zip(counters, capacities, strict=True)
        return [counter._rows(raw_documents, capacity) for counter, capacity in pairs]
    natives = _count_together(counters, raw_documents, indices)
    both = zip(counters, natives, capacities, strict=True)
    return [counter._matrix(native.rows(), capacity) for counter, native, capacity in both]


def _count_together(counters: Sequence[CountVectorizer], raw_documents: Any, indices: Sequence[Any]) -> list[Any]:
    """Return the kernel's counters after one pass over the documents."""
    natives = [
        counter._new_counter(job_count(counter.n_jobs), index) for counter, index in zip(counters, indices, strict=True)
    ]
    for batch in counters[0]._batches(raw_documents):
        for native in natives:
            native.add(batch)
    return natives


def read_alike(counters: Sequence[CountVectorizer]) -> bool:
    """Whether the kernel counts for all of them, and the text they cut is the same."""
    first = [getattr(counters[0], name) for name in READING]
    return all(
        counter._kernel_applies() and [getattr(counter, name) for name in READING] == first for counter in counters
    )


def reusable(raw_documents: Any) -> Any:
    """Return documents that can be read several times."""
    if hasattr(raw_documents, "read_all"):  # a reader of Arrow batches
        return raw_documents.read_all().columns[0]
    if exports_arrow(raw_documents) or iter(raw_documents) is not iter(raw_documents):
        return raw_documents
    return list(raw_documents)


@contextmanager
def errors_of_view(name: str) -> Iterator[None]:
    """Add the name of the view to errors about its parameters and terms."""
    try:
        yield
    except UnicodeError:  # about a document
        raise
    except (ValueError, TypeError) as error:
        error.args = (f"view {name!r}: {error}",)
        raise
