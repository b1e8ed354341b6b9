"""Read and write arrays with a JSON header in one safetensors file: atomically, and without running code.

Equal content gives equal bytes: safetensors sorts the arrays, and the header is a single metadata entry with sorted
keys (several entries would be written in random order).
"""

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from troenpy.display.plain import printable
from troenpy.files.drafts import FilePath, checked_path, write_atomically
from troenpy.files.mapping import map_file
from troenpy.files.packing import pack_integers, unpack_integers

Arrays = dict[str, NDArray[Any]]

_ENTRY, _CHECKSUM, _PACKED = "troenpy", "checksum", "packed"


def write(path: FilePath, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write header, arrays and their checksum to `path`, atomically; integers take as few bytes as possible."""
    plain = {name: np.asarray(array, array.dtype.newbyteorder("="), order="C") for name, array in arrays.items()}
    packed, how = pack_integers(plain)
    whole = {**header, _PACKED: how}
    text = _text({**whole, _CHECKSUM: checksum(whole, packed)})
    write_atomically(path, save(packed, metadata={_ENTRY: text}))


def checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the CRC-32 of a header and of the names, types, shapes and values of arrays.

    It detects accidental damage, including any flipped bit, but not deliberate changes.
    """
    shapes = [[name, array.dtype.name, array.shape] for name, array in sorted(arrays.items())]
    value = zlib.crc32(_text([dict(header), shapes]).encode())
    for _, array in sorted(arrays.items()):
        value = zlib.crc32(array.data, value)
    return f"{value:08x}"


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False)


def read(path: FilePath, kind: str, version: int) -> tuple[dict[str, Any], Arrays]:
    """Read header and arrays, and check the kind, the version (at most the given one) and the checksum.

    Arrays that were not packed, such as floats, are read-only parts of the mapped file (`map_file`).
    """
    if checked_path(path).is_dir():
        raise IsADirectoryError(f"{path} is a folder: pass the path of a file")
    if not Path(path).is_file():
        raise FileNotFoundError(f"file not found: {path}")
    with _damage(path):
        metadata, arrays = map_file(path)
        header = json.loads(metadata.get(_ENTRY, "null"))
    if not isinstance(header, dict) or header.get("kind") != kind:
        other = header.get("kind") if isinstance(header, dict) else None
        raise ValueError(f"{path} must be a {kind} file, got {_short(other or 'something else')}")
    if not isinstance(header.get("version"), int) or header["version"] > version:
        raise ValueError(
            f"{path} has format version {_short(header.get('version'))}, this troenpy reads up to {version}: upgrade"
            " troenpy"
        )
    found = header.pop(_CHECKSUM, None)
    with _damage(path):
        expected = checksum(header, arrays)
    if found != expected:
        raise ValueError(f"{path} is damaged: its checksum must be {expected}, got {_short(found or 'none')}")
    with _damage(path):
        return header, unpack_integers(arrays, header.pop(_PACKED, {}))  # older files are not packed


def _short(value: Any) -> str:
    return printable(str(value))[:40]


@contextmanager
def _damage(path: FilePath) -> Iterator[None]:
    """Turn the errors that a damaged file can cause into one."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError) as error:
        raise ValueError(f"{path} is damaged or not a safetensors file: {error}") from None


def pack_strings(strings: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Encode strings as one array of UTF-8 bytes (including lone surrogates) and one of lengths."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths


def unpack_strings(content: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.object_]:
    """Undo `pack_strings`."""
    if lengths.ndim != 1 or lengths.dtype.kind != "i" or (lengths < 0).any() or int(lengths.sum()) != content.nbytes:
        raise ValueError("the lengths of the strings do not add up to the number of bytes")
    text, ends = content.tobytes(), np.cumsum(lengths).tolist()
    strings = np.empty(len(ends), dtype=object)
    start = 0
    for i, end in enumerate(ends):
        strings[i] = text[start:end].decode("utf-8", "surrogatepass")
        start = end
    return strings


def pack(name: str, values: NDArray[Any]) -> Arrays:
    """Return an array by name; an array of strings becomes two, bytes and lengths."""
    if values.dtype != object:
        return {name: values}
    content, lengths = pack_strings(values)
    return {f"{name}_bytes": content, f"{name}_lengths": lengths}


def is_packed(name: str, arrays: Arrays) -> bool:
    """Whether an array was packed under this name."""
    return not arrays.keys().isdisjoint((name, f"{name}_bytes", f"{name}_lengths"))


def unpack(name: str, arrays: Arrays) -> NDArray[Any]:
    """Undo `pack`."""
    return arrays[name] if name in arrays else unpack_strings(arrays[f"{name}_bytes"], arrays[f"{name}_lengths"])


def reason(error: Exception) -> str:
    """Describe an error raised while reading; a KeyError means a missing array."""
    return f"the array {error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
