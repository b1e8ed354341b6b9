"""The optional dependency pyarrow, imported when a file is read."""

from importlib import import_module
from typing import Any, TypeAlias

#: A pyarrow.Table. pyarrow has no types of its own.
Table: TypeAlias = Any
#: A pyarrow.Array.
Array: TypeAlias = Any


def arrow(module: str = "") -> Any:
    """Return pyarrow, or one of its modules, such as "csv"."""
    try:
        return import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError as error:
        raise ImportError("reading files needs pyarrow: pip install 'troenpy[records]'", name="pyarrow") from error


def whole(column: Any) -> Array:
    """Return a column of a table as one array."""
    combined = column.combine_chunks()
    is_one = not hasattr(combined, "num_chunks")
    return combined if is_one else arrow().concat_arrays(combined.chunks)
