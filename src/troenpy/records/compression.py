"""Decompress gzip and Zstandard, recognised by their first bytes."""

import gzip
import re
import zlib
from typing import Any

from troenpy.records.arrow import arrow
from troenpy.records.streams import Stream

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# First bytes of what we do not read, and what to do.
_OTHERS = {
    rb"PK\x03\x04": "is a zip archive or an Excel workbook: unpack it, or save the sheet as CSV",
    rb"BZh[1-9]1AY&": "is compressed with bzip2: unpack it, or compress it with gzip or zstd",
    rb"\xfd7zXZ": "is compressed with xz: unpack it, or compress it with gzip or zstd",
    rb"\xd0\xcf\x11\xe0": "is an old Excel or Word file: save it as CSV",
    rb"%PDF-": "is a PDF file: expected a table of texts, such as CSV",
}


def is_compressed(head: bytes) -> bool:
    """Whether content is compressed with gzip or Zstandard."""
    return head.startswith((_GZIP, _ZSTD))


def decompress(head: bytes, stream: Stream, name: str) -> Stream:
    """Return the stream decompressed, or as it is; `head` has its first bytes."""
    for magic, reason in _OTHERS.items():
        if re.match(magic, head):
            raise ValueError(f"{name} {reason}")
    if head.startswith(_GZIP):
        file: Any = stream
        return DecompressedStream(gzip.GzipFile(fileobj=file, mode="rb"), stream, name)
    if head.startswith(_ZSTD):
        pa = arrow()
        return DecompressedStream(pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd"), stream, name)
    return stream


class DecompressedStream:
    """A stream of a decompressor; its errors name the file."""

    def __init__(self, decompressor: Any, stream: Stream, name: str) -> None:
        self._decompressor, self._stream, self._name = decompressor, stream, name

    @property
    def closed(self) -> bool:
        """Whether the stream was closed."""
        return self._stream.closed

    def read(self, size: int = -1) -> bytes:
        """Return decompressed bytes."""
        try:
            return bytes(self._decompressor.read(size))
        except (EOFError, zlib.error, OSError, ValueError) as error:
            if isinstance(error, EOFError) or "runcated" in str(error):
                raise ValueError(f"{self._name} is cut off: its end is missing, copy or download it again") from None
            raise ValueError(f"{self._name} is damaged: {error}") from None

    def close(self) -> None:
        """Close the decompressor and the file."""
        self._decompressor.close()
        self._stream.close()
