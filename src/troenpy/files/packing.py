"""Integers in as few bytes as possible: the smallest unsigned type, and steps in place of ascending numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
#: How an array was packed: its type, and whether it was replaced by its steps.
Packed = list[Any]
_INTEGERS = {np.dtype(f"{sign}int{bits}").name for sign in ("", "u") for bits in (8, 16, 32, 64)}


def pack_integers(arrays: Arrays) -> tuple[Arrays, dict[str, Packed]]:
    """Return the arrays with integers in their smallest type, and how to undo it.

    Examples
    --------
    >>> packed, how = pack_integers({"indptr": np.array([0, 2, 2, 300]), "counts": np.array([7, 9, 1000])})
    >>> packed["indptr"].tolist(), packed["counts"].dtype, how["indptr"]
    ([2, 0, 298], dtype('uint16'), ['int64', True])
    """
    packed, how = dict(arrays), dict[str, Packed]()
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size or array.min() < 0:
            continue
        ascends = len(array) > 1 and bool(array[0] == 0 and (array[1:] >= array[:-1]).all())
        small = np.diff(array) if ascends else array
        small = small.astype(np.min_scalar_type(small.max()))
        if small.itemsize < array.itemsize:
            packed[name], how[name] = small, [array.dtype.name, ascends]
    return packed, how


def unpack_integers(arrays: Arrays, how: Any) -> Arrays:
    """Undo `pack_integers`; `how` is validated."""
    whole = dict(arrays)
    for name, (dtype, ascends) in how.items():
        array = arrays[name]
        if dtype not in _INTEGERS or array.dtype.kind != "u" or array.ndim != 1 or not array.size:
            raise ValueError(f"the integers {name} are packed in an unknown way")
        if (float(array.sum(dtype=np.float64)) if ascends else int(array.max())) > np.iinfo(dtype).max:
            raise ValueError(f"the integers {name} are too large for their type")
        if not ascends:
            whole[name] = array.astype(dtype)
            continue
        whole[name] = np.zeros(len(array) + 1, dtype=dtype)
        np.cumsum(array, out=whole[name][1:])
    return whole
