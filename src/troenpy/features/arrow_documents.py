"""Read Arrow data of any library: arrays, Series, and tables, record batches and readers with one column."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from troenpy import _kernel

ARROW_METHODS = ("__arrow_c_stream__", "__arrow_c_array__")
# Methods by which libraries convert Arrow data to a list.
CONVERTING_METHODS = ("to_pylist", "to_list", "tolist")
#: How many columns of a table an error lists.
N_LISTED = 8


def exports_arrow(source: Any) -> bool:
    """Whether this is Arrow data; numpy-backed arrays and Series do not need Arrow."""
    holds_objects = isinstance(getattr(source, "dtype", None), np.dtype)
    return not holds_objects and any(hasattr(source, method) for method in ARROW_METHODS)


def only_column(source: Any) -> Any:
    """Return the only column of an Arrow table or record batch; anything else, such as a reader, as it is."""
    names = _column_names(source) if exports_arrow(source) else None
    if names is None:
        return source
    check_one_column(names)
    is_reader = not isinstance(source, Sized)
    return source if is_reader else source[names[0]]


def check_one_column(names: Sequence[str]) -> None:
    """Raise unless a table has exactly one column.

    Examples
    --------
    >>> check_one_column(["id", "y"])
    Traceback (most recent call last):
        ...
    ValueError: documents must be one column of text, got a table of 2 columns ('id', 'y'): pass one, e.g. table['id']
    """
    if len(names) == 1:
        return
    if not names:
        raise ValueError("documents must be one column of text, got a table without columns")
    listed = ", ".join(f"{name!r:.40}" for name in names[:N_LISTED]) + (", ..." if len(names) > N_LISTED else "")
    example = "text" if "text" in names else names[0]
    raise ValueError(
        f"documents must be one column of text, got a table of {len(names)} columns ({listed}): pass one,"
        f" e.g. table[{example!r:.40}]"
    )


def read_arrow(source: Any, batch_bytes: int) -> Iterable[Any] | None:
    """Read Arrow strings without copying.

    Parameters
    ----------
    source : object
    batch_bytes : int
        How much of a stream to read at a time. Data in memory are one batch.

    Returns
    -------
    batches : iterable of the kernel's ArrowTexts or of lists; None if this is not Arrow data
    """
    if not exports_arrow(source):
        return None
    source = only_column(source)
    if _kernel.native is None:
        return _lists(source)
    is_stream = hasattr(source, "__arrow_c_stream__") and not isinstance(source, Sized)
    try:
        opened = _open(source)
        if opened.columns is None and not is_stream:
            return [opened.read()]
    except ImportError:  # pandas needs pyarrow for this, and only fails here
        return None
    except (ValueError, RuntimeError):  # not text; or categories, which old versions of polars cannot export
        if not any(hasattr(source, method) for method in CONVERTING_METHODS):
            raise
        return _lists(source)
    if opened.columns is not None:
        check_one_column(opened.columns)
    return _read_stream(opened, batch_bytes) if is_stream else [opened.read()]


def _open(source: Any) -> Any:
    assert _kernel.native is not None  # noqa: S101
    if hasattr(source, "__arrow_c_stream__"):
        return _kernel.native.ArrowSource(source.__arrow_c_stream__())
    return _kernel.native.ArrowSource(*source.__arrow_c_array__())


def _read_stream(opened: Any, batch_bytes: int) -> Iterator[Any]:
    while (batch := opened.read(batch_bytes)) is not None:
        yield batch


def _lists(source: Any) -> Iterator[list[Any]]:
    """Convert Arrow data to Python objects with a method of the library that holds it."""
    for method in CONVERTING_METHODS:
        if hasattr(source, method):
            yield getattr(source, method)()
            return
    if _column_names(source) is None or not isinstance(source, Iterable):
        raise TypeError(
            f"{type(source).__name__} can only be read as Arrow data, which needs the compiled kernel "
            "(troenpy.kernel_available() is False): pass a list of str"
        )
    for batch in source:
        yield from _lists(only_column(batch))


def _column_names(source: Any) -> list[str] | None:
    """Return the names of the columns of a table of pyarrow or polars, or of a stream of tables; otherwise None."""
    names = getattr(getattr(source, "schema", None), "names", None)
    return None if names is None else list(names() if callable(names) else names)
