"""Read documents from lists, arrays, Series, Arrow data or generators, in batches for the kernel or scikit-learn.

A batch is a list of str, or Arrow string data that the kernel reads without copying. A document that is not text
raises an error with its position and the fix.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Set
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from troenpy import _kernel

Batch: TypeAlias = Any  # list[str], or the kernel's ArrowTexts
Decode: TypeAlias = Callable[[bytes], str]

ARROW_METHODS = ("__arrow_c_stream__", "__arrow_c_array__")
# Methods by which libraries convert Arrow data to a list.
CONVERTING_METHODS = ("to_pylist", "to_list", "tolist")

# A generator may yield more text than fits in memory: read this many characters at a time.
BATCH_CHARACTERS = 1 << 24


def batches(raw_documents: Any, decode: Decode) -> Iterator[Batch]:
    """Read checked documents in batches, each document exactly once.

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
    ValueError: document 1 is missing (None): drop it or fill it, e.g. with ''
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
    """Raise an error for a single text, a table or an unordered collection."""
    if isinstance(raw_documents, str | bytes):
        kind = "string" if isinstance(raw_documents, str) else "bytes"
        message = f"Iterable over raw text documents expected, {kind} object received. For one document pass [text]"
        raise ValueError(message)  # noqa: TRY004 (scikit-learn's type and words)
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


def read_arrow(raw_documents: Any, decode: Decode) -> Any:
    """Read Arrow strings without copying; bytes, or all if there is no kernel, as a list. None for other data."""
    exports_stream = hasattr(raw_documents, "__arrow_c_stream__")
    if _holds_objects(raw_documents) or not (exports_stream or hasattr(raw_documents, "__arrow_c_array__")):
        return None
    if _kernel.native is None:
        return _to_strings(raw_documents, decode)
    try:
        if exports_stream:
            arrow = _kernel.native.ArrowTexts.from_stream(raw_documents.__arrow_c_stream__())
        else:
            arrow = _kernel.native.ArrowTexts.from_array(*raw_documents.__arrow_c_array__())
    except ImportError:  # pandas needs pyarrow for this, and only fails here
        return None
    except (ValueError, RuntimeError):  # not strings: bytes, or categories, which old versions of polars cannot export
        if not any(hasattr(raw_documents, method) for method in CONVERTING_METHODS):
            raise
        return _to_strings(raw_documents, decode)
    if arrow.first_missing >= 0:
        raise _missing_error(arrow.first_missing, None)
    return arrow


def _holds_objects(raw_documents: Any) -> bool:
    """Whether this is a numpy-backed array or Series, which does not need Arrow."""
    return isinstance(getattr(raw_documents, "dtype", None), np.dtype)


def _to_strings(arrow: Any, decode: Decode) -> list[str]:
    """Convert Arrow data to Python strings with a method of the library that holds it."""
    for method in CONVERTING_METHODS:
        if hasattr(arrow, method):
            return _all_text(getattr(arrow, method)(), 0, decode)
    raise TypeError(
        f"{type(arrow).__name__} can only be read as Arrow data, which needs the compiled kernel "
        "(troenpy.kernel_available() is False): pass a list of str"
    )


def _lists(raw_documents: Iterable[Any]) -> Iterator[list[Any]]:
    """Split into lists; a collection that is already in memory becomes one list."""
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
        return str.__str__(document)  # a subclass may override str()
    if isinstance(document, bytes):
        return _decode(document, position, decode)
    if _is_missing(document):
        raise _missing_error(position, document)
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


def _is_missing(document: object) -> bool:
    is_nan = isinstance(document, float) and document != document
    return document is None or is_nan or type(document).__name__ in ("NAType", "NaTType")


def _missing_error(position: int, document: object) -> ValueError:
    message = f"document {position} is missing ({document}): drop it or fill it, e.g. with ''"
    if isinstance(document, float):  # scikit-learn's message, which users may search for
        message += "; np.nan is an invalid document, expected byte or unicode string."
    return ValueError(message)
