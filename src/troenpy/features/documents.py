"""Read documents from lists, arrays, Series, Arrow data or generators, in batches for the kernel or scikit-learn.

A batch is a list of str, or Arrow string data that the kernel reads without copying. A document that is not text
raises an error with its position and the fix.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Set, Sized
from typing import Any, TypeAlias

from scipy import sparse

from troenpy.features.arrow_documents import ARROW_METHODS, only_column, read_arrow
from troenpy.features.missing_documents import N_NAMED, Nulls, check_nulls, is_missing, missing_error

Batch: TypeAlias = Any  # list[str], or the kernel's ArrowTexts
Decode: TypeAlias = Callable[[bytes], str]

# A generator or reader may yield more text than fits in memory: read this many characters at a time.
BATCH_CHARACTERS = 1 << 24


def batches(raw_documents: Any, decode: Decode, nulls: Nulls = "error") -> Iterator[Batch]:
    """Read checked documents in batches, each document exactly once.

    Parameters
    ----------
    raw_documents : iterable of str or bytes, array, Series or Arrow string data
    decode : function that turns bytes into str
    nulls : {"error", "empty"}, default="error"
        Whether a missing document is an error or an empty text.

    Yields
    ------
    batch : list of str, or Arrow string data of the kernel

    Examples
    --------
    >>> list(batches(["one", b"two"], bytes.decode))
    [['one', 'two']]
    >>> list(batches(["one", None], bytes.decode, "empty"))
    [['one', '']]
    >>> list(batches(["one", None], bytes.decode))
    Traceback (most recent call last):
        ...
    ValueError: document 1 is missing (None): drop it, fill it with '', or set nulls='empty'
    """
    check_nulls(nulls)
    arrow = read_arrow(raw_documents, BATCH_CHARACTERS)
    holds_all = _is_list(raw_documents) if arrow is None else isinstance(raw_documents, Sized)
    position = 0
    for batch in _lists(raw_documents) if arrow is None else arrow:
        n_read = position + len(batch)
        if not isinstance(batch, list) or not set(map(type, batch)) <= {str}:
            fill = _fill_list if isinstance(batch, list) else _fill_arrow
            batch = fill(batch, position, nulls, None if holds_all else n_read)
            batch = _all_text(batch, position, decode) if isinstance(batch, list) else batch
        yield batch
        position = n_read


def texts(raw_documents: Any, decode: Decode, nulls: Nulls = "error") -> Iterator[str]:
    """Read documents one by one, with the same checks as `batches`.

    Examples
    --------
    >>> list(texts(("one", "two"), bytes.decode))
    ['one', 'two']
    """
    for batch in batches(raw_documents, decode, nulls):
        yield from batch if isinstance(batch, list) else batch.to_list()


def objects(raw_documents: Iterable[Any], nulls: Nulls) -> Iterator[Any]:
    """Read documents of any kind one by one; a missing one is an error or an empty text.

    Examples
    --------
    >>> list(objects([["a", "list"], None], "empty"))
    [['a', 'list'], '']
    """
    check_nulls(nulls)
    for position, document in enumerate(raw_documents):
        if is_missing(document) and nulls == "error":
            raise missing_error(document, 1, [position])
        yield "" if is_missing(document) else document


def check_collection(raw_documents: Any) -> Any:
    """Check and return the documents; of an Arrow table or record batch, the only column.

    A single text, any other table and an unordered collection raise an error.
    """
    if isinstance(raw_documents, str | bytes):
        kind = "string" if isinstance(raw_documents, str) else "bytes"
        message = f"Iterable over raw text documents expected, {kind} object received. For one document pass [text]"
        raise ValueError(message)  # noqa: TRY004 (scikit-learn's type and words)
    raw_documents = only_column(raw_documents)
    kind = type(raw_documents).__name__
    shape = getattr(raw_documents, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        advice = (
            "for counts, use TermWeighter, or TermFeatures with a view of 'counts'"
            if sparse.issparse(raw_documents)
            else "pass the column that holds the text, e.g. frame['text'] or array[:, 0]"
        )
        raise ValueError(f"raw_documents must have one dimension, got {kind} of shape {shape}: {advice}")
    if isinstance(raw_documents, Set | Mapping) and not isinstance(raw_documents, MappingView):
        raise TypeError(f"raw_documents must be ordered, to match the labels, got a {kind}: pass a list")
    if not isinstance(raw_documents, Iterable) and not any(hasattr(raw_documents, name) for name in ARROW_METHODS):
        raise TypeError(f"raw_documents must be texts in a list, array or Series, got {kind} ({raw_documents!r:.40})")
    return raw_documents


def _is_list(raw_documents: Any) -> bool:
    """Whether this is a list or tuple, or an array or Series, which becomes one list."""
    is_array = hasattr(raw_documents, "dtype") and hasattr(raw_documents, "tolist")
    return isinstance(raw_documents, list | tuple) or is_array


def _lists(raw_documents: Any) -> Iterator[list[Any]]:
    """Split into lists; a collection that is already in memory becomes one list."""
    if not _is_list(raw_documents):
        yield from _chunks(raw_documents)
    elif isinstance(raw_documents, list | tuple):
        yield list(raw_documents)
    else:
        yield raw_documents.tolist()


def _chunks(raw_documents: Iterable[Any]) -> Iterator[list[Any]]:
    chunk: list[Any] = []
    n_characters = 0
    for document in raw_documents:
        chunk.append(document)
        n_characters += len(document) + 1 if isinstance(document, str | bytes) else 1
        if n_characters >= BATCH_CHARACTERS:
            yield chunk
            chunk, n_characters = [], 0
    yield chunk


def _fill_list(documents: list[Any], first: int, nulls: Nulls, n_read: int | None) -> list[Any]:
    """Return the documents with '' for those that are missing, or raise an error that counts them."""
    missing = [i for i, document in enumerate(documents) if is_missing(document)]
    if missing and nulls == "error":
        raise missing_error(documents[missing[0]], len(missing), [first + i for i in missing[:N_NAMED]], n_read)
    for i in missing:
        documents[i] = ""
    return documents


def _fill_arrow(documents: Any, first: int, nulls: Nulls, n_read: int | None) -> Any:
    """Do the same with Arrow data; bytes become a list."""
    if documents.n_missing and nulls == "error":
        raise missing_error(None, documents.n_missing, [first + i for i in documents.first_missing], n_read)
    if documents.n_missing:
        documents.fill_missing()
    return documents.to_list() if documents.is_binary else documents


def _all_text(documents: list[Any], first: int, decode: Decode) -> list[str]:
    return [_as_text(document, first + i, decode) for i, document in enumerate(documents)]


def _as_text(document: Any, position: int, decode: Decode) -> str:
    if isinstance(document, str):
        return str.__str__(document)  # a subclass may override str()
    if isinstance(document, bytes):
        return _decode(document, position, decode)
    raise TypeError(
        f"documents must be str or bytes, got {type(document).__name__} for document {position} ({document!r:.60}): "
        "convert it, e.g. with series.astype(str)"
    )


def _decode(document: bytes, position: int, decode: Decode) -> str:
    try:
        return decode(document)
    except UnicodeDecodeError as error:
        error.reason += f" in document {position}: set encoding= or decode_error='replace'"
        raise
    except LookupError as error:
        raise ValueError(f"encoding must be one that Python knows, such as 'utf-8' or 'latin-1': {error}") from None
