"""The fitted state of an estimator as JSON, arrays and other estimators, and checks of what a file says it is.

Every estimator that can be saved has `_saved`, which returns it, and `_restore`, which takes it back.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from troenpy.files.archive import Arrays

# Classes in one array of numpy's strings all take the room of the longest: a small file must not make a huge array.
MOST_CHARACTERS = 2**26
LARGEST_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Saved:
    """What is left of a fitted estimator without its parameters.

    Parameters
    ----------
    state : dict
        What JSON can hold.
    arrays : dict of ndarray
    parts : dict
        Estimators within it, by name.
    """

    state: dict[str, Any]
    arrays: Arrays
    parts: dict[str, Any] = field(default_factory=dict)


def below(prefix: str, arrays: Arrays) -> Arrays:
    """Put arrays below a prefix."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def arrays_at(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays below a prefix."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def checked(array: Any, shape: tuple[int, ...], *, may_be_infinite: bool = False) -> Any:
    """Return the array if it has the shape and numbers that the rest of the model needs."""
    if array.shape != shape or array.dtype.kind not in "if":
        raise ValueError(f"an array has shape {array.shape} and type {array.dtype}, {shape} of numbers is needed")
    if np.isnan(array).any() or (np.isinf(array).any() and not may_be_infinite):
        raise ValueError("an array holds values that are not finite")
    return array


def checked_count(value: Any) -> int:
    """Return a number of rows or columns."""
    if type(value) is not int or not 1 <= value < 2**63:
        raise ValueError(f"{value!r} is not a number of rows or columns")
    return value


def checked_classes(classes: Any, *, has_strings: Any) -> Any:
    """Return the classes if they are what np.unique returns."""
    if classes.ndim != 1 or not len(classes) or not (classes[1:] > classes[:-1]).all():
        raise ValueError("the classes are not distinct values in order")
    if not has_strings:
        return classes
    if classes.dtype != object or max(map(len, classes)) * len(classes) > MOST_CHARACTERS:
        raise ValueError("the classes are no strings, or too long ones")
    return classes.astype(str)


def checked_rows(arrays: Arrays, shape: tuple[int, int]) -> sparse.csr_array:
    """Return the rows if the kernel can trust them: ascending columns in range, finite values other than zero."""
    indptr, indices, data = (arrays[name] for name in ("indptr", "indices", "data"))
    index = index_type(shape, len(data))
    data = checked(data, (len(data),))
    if data.dtype != np.float64 or indptr.dtype != index or indices.dtype != index or not data.all():
        raise ValueError("rows have values that are zero or of a wrong type")
    if indptr.shape != (shape[0] + 1,) or indices.shape != data.shape:
        raise ValueError("the arrays of the rows differ in length")
    lengths = np.diff(indptr)
    if indptr[0] != 0 or indptr[-1] != len(data) or (lengths < 0).any():
        raise ValueError("rows do not follow one another")
    is_first = np.zeros(len(data), dtype=bool)
    is_first[indptr[:-1][lengths > 0]] = True
    if len(data) and (indices.min() < 0 or indices.max() >= shape[1] or (np.diff(indices) <= 0)[~is_first[1:]].any()):
        raise ValueError("the columns of a row do not ascend, or are out of range")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def index_type(shape: tuple[int, ...], n_values: int) -> Any:
    """Return the type of indices that rows of this shape are saved with."""
    return np.int32 if max(n_values, *shape) <= LARGEST_INT32 else np.int64
