"""Map a safetensors file into memory: its metadata, and arrays that read the file when they are used.

The safetensors package copies every array. The arrays here are read-only views of one map, which outlives the file's
name: a file that is replaced, as `write_atomically` does, leaves the map as it was.
"""

import json
import mmap
import os
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
_TYPES = {
    "BOOL": np.dtype(bool),
    **{f"{kind}{8 * size}": np.dtype(f"<{kind.lower()}{size}") for kind in "IU" for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
}
_LONGEST_HEADER = 100_000_000  # as in the safetensors package


def map_file(path: Any) -> tuple[dict[str, str], Arrays]:
    """Return the metadata and the arrays of a safetensors file; raise ValueError or TypeError for any other file."""
    with open(path, "rb") as file:  # noqa: PTH123
        # Windows cannot replace a mapped file.
        content: Any = file.read() if os.name == "nt" else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if len(content) < 8:
        raise ValueError("the header is missing")
    begin = 8 + int.from_bytes(content[:8], "little")
    if begin > min(len(content), _LONGEST_HEADER):
        raise ValueError("the header is longer than the file")
    header = json.loads(content[8:begin].decode("utf-8"))
    metadata = header.pop("__metadata__", None) or {}
    if not all(isinstance(text, str) for text in metadata.values()):
        raise TypeError("the metadata must be strings")
    return metadata, _arrays(content, begin, header)


def _arrays(content: Any, begin: int, header: dict[str, Any]) -> Arrays:
    """Return the arrays that follow each other from `begin` to the end of the content."""
    arrays, end = {}, begin
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        if entry["dtype"] not in _TYPES:
            raise TypeError(f"the array {name} has the type {entry['dtype']}, which numpy lacks")
        dtype, shape = _TYPES[entry["dtype"]], tuple(entry["shape"])
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError(f"the array {name} has the shape {shape}")
        size = prod(shape) * dtype.itemsize
        if entry["data_offsets"] != [end - begin, end - begin + size] or end + size > len(content):
            raise ValueError(f"the array {name} is not where it should be")
        array = np.frombuffer(content, np.uint8, size, end) if size else np.empty(0, np.uint8)
        array = array.view(dtype).reshape(shape)
        arrays[name] = array if array.flags.aligned else array.copy()
        end += size
    if end != len(content):
        raise ValueError("there are bytes after the last array")
    return arrays
