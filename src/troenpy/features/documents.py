"""Documents from where users have them, as batches that the kernel or scikit-learn can read.

A batch is a list of str, or Arrow string data that the kernel reads in place. What is not text is an error
that names the document's position and what to do.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Set
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from troenpy import _kernel

Batch: TypeAlias = Any  # list[str], or the kernel's ArrowTexts
Decode: TypeAlias = Callable[[bytes], str]

ARROW_METHODS = ("__arrow_c_stream__", "__arrow_c_array__")
# How libraries turn Arrow data into a list.
CONVERTING_METHODS = ("to_pylist", "to_list", "tolist")

# A generator may hold more text than memory does: this many characters of it are read at a time.
BATCH_CHARACTERS = 1 << 24


def batches(raw_documents: Any, decode: Decode) -> Iterator[Batch]:
    """Read the documents of a collection that was checked batch by batch, each exactly once.

    Parameters
    ----------
    raw_documents : iterable of str or bytes, array, Series or Arrow string data
    decode : function that turns bytes into str

    Yields
    ------
    batch : list of str, or Arrow string data of the kernel

    Examples
    --------
    >>> list(batches(["one", b"two"], bytes.decode))
    [['one', 'two']]
    >>> list(batches(["one", None], bytes.decode))
    Traceback (most recent call last):
        ...
    ValueError: document 1 is missing (None): drop it, or fill it, e.g. with ''
    """
    arrow = read_arrow(raw_documents, decode)
    if arrow is not None:
        yield arrow
        return
    position = 0
    for batch in _lists(raw_documents):
        yield _all_text(batch, position, decode)
        position += len(batch)


def texts(raw_documents: Any, decode: Decode) -> Iterator[str]:
    """Read documents one by one, with the same checks as `batches`.

    Examples
    --------
    >>> list(texts(("one", "two"), bytes.decode))
    ['one', 'two']
    """
    for batch in batches(raw_documents, decode):
        yield from batch if isinstance(batch, list) else batch.to_list()


def check_collection(raw_documents: Any) -> None:
    """Refuse a single text, tables, whose rows are not documents, and collections without an order."""
    if isinstance(raw_documents, str | bytes):
        kind = "string" if isinstance(raw_documents, str) else "bytes"
        message = f"Iterable over raw text documents expected, {kind} object received. For one document pass [text]"
        raise ValueError(message)  # noqa: TRY004 (scikit-learn's type and words)
    kind = type(raw_documents).__name__
    shape = getattr(raw_documents, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        advice = (
            "for counts, TermWeighter or TermFeatures(input='counts') is the thing to use"
            if sparse.issparse(raw_documents)
            else "pass the column that holds the text, e.g. frame['text'] or array[:, 0]"
        )
        raise ValueError(f"raw_documents must have one dimension, got {kind} of shape {shape}: {advice}")
    if isinstance(raw_documents, Set | Mapping) and not isinstance(raw_documents, MappingView):
        raise TypeError(f"raw_documents must have an order, for labels to match, and a {kind} has none: pass a list")
    if not isinstance(raw_documents, Iterable) and not any(hasattr(raw_documents, name) for name in ARROW_METHODS):
        raise TypeError(f"raw_documents must be texts in a list, array or Series, got {kind} ({raw_documents!r:.40})")


def read_arrow(raw_documents: Any, decode: Decode) -> Any:
    """Read Arrow string data in place; bytes, or without the kernel, as a list of str. None if it is no Arrow data."""
    exports_stream = hasattr(raw_documents, "__arrow_c_stream__")
    if _holds_objects(raw_documents) or not (exports_stream or hasattr(raw_documents, "__arrow_c_array__")):
        return None
    if _kernel.native is None:
        return _converted(raw_documents, decode)
    try:
        if exports_stream:
            arrow = _kernel.native.ArrowTexts.from_stream(raw_documents.__arrow_c_stream__())
        else:
            arrow = _kernel.native.ArrowTexts.from_array(*raw_documents.__arrow_c_array__())
    except ImportError:  # pandas exports through pyarrow, and says so only when asked
        return None
    except (ValueError, RuntimeError):  # not strings: bytes to decode, categories that an old polars cannot export
        if not any(hasattr(raw_documents, method) for method in CONVERTING_METHODS):
            raise
        return _converted(raw_documents, decode)
    if arrow.first_missing >= 0:
        raise _missing(arrow.first_missing, None)
    return arrow


def _holds_objects(raw_documents: Any) -> bool:
    """Say whether this is an array of Python objects, which need no detour over Arrow."""
    return isinstance(getattr(raw_documents, "dtype", None), np.dtype)


def _converted(arrow: Any, decode: Decode) -> list[str]:
    """Turn Arrow data into Python strings by the means of the library that holds it."""
    for method in CONVERTING_METHODS:
        if hasattr(arrow, method):
            return _all_text(getattr(arrow, method)(), 0, decode)
    raise TypeError(
        f"{type(arrow).__name__} offers Arrow data only, which needs the compiled kernel "
        "(troenpy.kernel_available() is False): pass a list of str"
    )


def _lists(raw_documents: Iterable[Any]) -> Iterator[list[Any]]:
    """Split into lists; what is in memory already is one list."""
    if isinstance(raw_documents, list | tuple):
        yield list(raw_documents)
    elif isinstance(getattr(raw_documents, "dtype", None), np.dtype) and hasattr(raw_documents, "tolist"):
        yield raw_documents.tolist()
    else:
        yield from _chunks(raw_documents)


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


def _all_text(documents: list[Any], first: int, decode: Decode) -> list[str]:
    if set(map(type, documents)) <= {str}:
        return documents
    return [_as_text(document, first + i, decode) for i, document in enumerate(documents)]


def _as_text(document: Any, position: int, decode: Decode) -> str:
    if isinstance(document, str):
        return str.__str__(document)  # of a subclass, the text itself
    if isinstance(document, bytes):
        return _decoded(document, position, decode)
    if _is_missing(document):
        raise _missing(position, document)
    raise TypeError(
        f"document {position} is not text but {type(document).__name__} ({document!r:.60}): "
        "documents must be str or bytes, e.g. series.astype(str)"
    )


def _decoded(document: bytes, position: int, decode: Decode) -> str:
    try:
        return decode(document)
    except UnicodeDecodeError as error:
        error.reason += f" in document {position}: give its encoding=, or decode_error='replace'"
        raise
    except LookupError as error:
        raise ValueError(f"encoding must be one that Python knows, such as 'utf-8' or 'latin-1': {error}") from None


def _is_missing(document: object) -> bool:
    is_nan = isinstance(document, float) and document != document
    return document is None or is_nan or type(document).__name__ in ("NAType", "NaTType")


def _missing(position: int, document: object) -> ValueError:
    message = f"document {position} is missing ({document}): drop it, or fill it, e.g. with ''"
    if isinstance(document, float):  # scikit-learn's words, which its users may look for
        message += "; np.nan is an invalid document, expected byte or unicode string."
    return ValueError(message)
