"""The fitted state of an estimator as JSON data, arrays and nested estimators, and checks of what a file holds.

An estimator that can be saved has a method `_saved`, which returns its state, and `_restore`, which sets it.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from troenpy.files.archive import Arrays

# In a numpy string array every entry takes as much memory as the longest: a small file must not become a huge array.
MAX_CHARACTERS = 2**26
LARGEST_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Saved:
    """The fitted state of an estimator, without its parameters.

    Parameters
    ----------
    state : dict
        JSON data.
    arrays : dict of ndarray
    parts : dict
        Nested estimators, by name.
    for_learning : dict of ndarray
        More arrays, which only learning and explaining need: ``save(model, path, for_prediction=True)`` leaves them
        out.
    """

    state: dict[str, Any]
    arrays: Arrays
    parts: dict[str, Any] = field(default_factory=dict)
    for_learning: Arrays = field(default_factory=dict)


def add_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Add a prefix to the names of arrays."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def select_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose name starts with a prefix, without the prefix."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def check_array(array: Any, shape: tuple[int, ...], *, may_be_infinite: bool = False) -> Any:
    """Check and return a numeric array of the given shape."""
    if array.shape != shape or array.dtype.kind not in "if":
        raise ValueError(f"an array must be numeric with shape {shape}, got shape {array.shape} and type {array.dtype}")
    if not np.isfinite(array).all() and not (may_be_infinite and not np.isnan(array).any()):
        raise ValueError("an array must be finite, got NaN or infinite values")
    return array


def check_size(value: Any) -> int:
    """Check and return a number of rows or columns."""
    if type(value) is not int or not 1 <= value < 2**63:
        raise ValueError(f"a number of rows or columns must be a positive integer, got {value!r}")
    return value


def check_classes(classes: Any, *, has_strings: Any) -> Any:
    """Check and return classes, which must be sorted and distinct."""
    if classes.ndim != 1 or not len(classes) or not (classes[1:] > classes[:-1]).all():
        raise ValueError("the classes must be distinct and sorted")
    if not has_strings:
        return classes
    if classes.dtype != object or max(map(len, classes)) * len(classes) > MAX_CHARACTERS:
        raise ValueError("the classes must be strings, and not too long")
    return classes.astype(str)


def check_rows(arrays: Arrays, shape: tuple[int, int]) -> sparse.csr_array:
    """Check and return rows for the kernel: sorted column indices in range, finite values other than zero."""
    indptr, indices, data = (arrays[name] for name in ("indptr", "indices", "data"))
    index = index_type(shape, len(data))
    data = check_array(data, (len(data),))
    if data.dtype != np.float64 or indptr.dtype != index or indices.dtype != index or not data.all():
        raise ValueError("the rows have zeros or values of the wrong type")
    if indptr.shape != (shape[0] + 1,) or indices.shape != data.shape:
        raise ValueError("the arrays of the rows differ in length")
    lengths = np.diff(indptr)
    if indptr[0] != 0 or indptr[-1] != len(data) or (lengths < 0).any():
        raise ValueError("the row pointers of the rows are invalid")
    is_first = np.zeros(len(data), dtype=bool)
    is_first[indptr[:-1][lengths > 0]] = True
    if len(data) and (indices.min() < 0 or indices.max() >= shape[1] or (np.diff(indices) <= 0)[~is_first[1:]].any()):
        raise ValueError("the column indices of a row are unsorted or out of range")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def index_type(shape: tuple[int, ...], n_values: int) -> Any:
    """Return the index dtype with which rows of this shape are saved."""
    return np.int32 if max(n_values, *shape) <= LARGEST_INT32 else np.int64
