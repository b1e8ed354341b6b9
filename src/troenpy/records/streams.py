"""Streams of bytes: files that count what was read, content put back, UTF-8 whatever the encoding."""

import codecs
import os
import select
from typing import Any, BinaryIO, Protocol

_MARK = "troenpy.records.bad_bytes"
#: How long to wait for a pipe before looking for signals, and how much to read from one at a time.
POLL_MILLISECONDS, PIPE_BYTES = 200, 1 << 18


class Stream(Protocol):
    """A binary stream. `read` returns some bytes, possibly more than asked for, and none at the end."""

    @property
    def closed(self) -> bool:
        """Whether the stream was closed."""

    def read(self, size: int = ...) -> bytes:
        """Return some bytes."""

    def close(self) -> None:
        """Close the underlying file."""


class FileStream:
    """A binary file from an offset on; it counts what was read. A file of the user's is left open."""

    def __init__(self, file: BinaryIO, *, offset: int | None = None, is_ours: bool = True) -> None:
        self._file, self._offset, self._is_ours = file, offset, is_ours
        self.closed = False
        self.position = 0

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes."""
        if self._offset is not None:  # another pass, or the user, may have moved the file
            self._file.seek(self._offset + self.position)
        content = self._file.read(size) or b""
        self.position += len(content)
        return content

    def close(self) -> None:
        """Close the file if it is ours."""
        self.closed = True
        if self._is_ours:
            self._file.close()


class PipeReader:
    """A pipe, read so that Ctrl-C ends the wait for more.

    A blocking read may sleep through it: if the signal comes just before the read, or to another thread.
    """

    def __init__(self, file: Any) -> None:
        self.name = getattr(file, "name", None)
        self._file, self._raw = file, getattr(file, "raw", file)
        self._ready = select.poll()
        self._ready.register(file.fileno(), select.POLLIN)

    def seekable(self) -> bool:
        """Whether positions can be set: they cannot."""
        return False

    def read(self, size: int = -1) -> bytes:
        """Return the bytes that are there, at most `size`; wait if there are none yet."""
        while not self._ready.poll(POLL_MILLISECONDS):
            pass  # Python looks for signals
        return self._raw.read(size if size < 0 else min(size, PIPE_BYTES)) or b""

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def pipe_reader(file: Any) -> Any:
    """Return a reader for a pipe from which nothing was read, where the system can wait for one; else the file."""
    if not hasattr(select, "poll"):
        return file
    try:
        is_pipe = not file.seekable() and file.fileno() >= 0
    except (AttributeError, OSError, ValueError):  # no file of the system
        return file
    return PipeReader(file) if is_pipe else file


class SeekableFile:
    """A user's file from an offset on, for pyarrow, which would close the file itself."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file, self._offset = file, offset
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes."""
        return self._file.read(size)

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        """Move to a position from the offset, from here or from the end."""
        return self._file.seek(position + self._offset * (whence == os.SEEK_SET), whence) - self._offset

    def tell(self) -> int:
        """Return the position from the offset."""
        return self._file.tell() - self._offset

    def close(self) -> None:
        """Leave the file open."""
        self.closed = True


class PrependedStream:
    """A stream whose first bytes were read and put back."""

    def __init__(self, head: bytes, stream: Stream) -> None:
        self._head, self._stream = head, stream

    @property
    def closed(self) -> bool:
        """Whether the stream was closed."""
        return self._stream.closed

    def read(self, size: int = -1) -> bytes:
        """Return the bytes that were put back, then those of the stream."""
        if not self._head:
            return self._stream.read(size)
        end = len(self._head) if size < 0 else size
        content, self._head = self._head[:end], self._head[end:]
        return content + self._stream.read(-1) if size < 0 else content

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


class Utf8Stream:
    """A stream of text as UTF-8, without its byte order mark; bytes that are not text become the invalid byte 0xff."""

    def __init__(self, stream: Stream, encoding: str) -> None:
        self._stream = stream
        is_utf8 = codecs.lookup(encoding).name in ("utf-8", "ascii")
        self._decoder = None if is_utf8 else codecs.getincrementaldecoder(encoding)(_MARK)
        self._is_start = True

    @property
    def closed(self) -> bool:
        """Whether the stream was closed."""
        return self._stream.closed

    def read(self, size: int = -1) -> bytes:
        """Return UTF-8 bytes; invalid ones if the source has some."""
        while True:
            content = read_block(self._stream, 4)[0] if self._is_start else self._stream.read(size)
            is_end = not content
            if self._decoder is not None:
                content = self._decoder.decode(content, is_end).encode("utf-8", _MARK)
            if self._is_start and content:
                self._is_start = False
                content = content.removeprefix(codecs.BOM_UTF8)
            if content or is_end:
                return content

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


def read_block(stream: Stream, size: int) -> tuple[bytes, bool]:
    """Read at least `size` bytes; also return whether the stream has ended."""
    parts: list[bytes] = []
    while size > 0:
        content = stream.read(size)
        if not content:
            return b"".join(parts), True
        parts.append(content)
        size -= len(content)
    return parts[0] if len(parts) == 1 else b"".join(parts), False


def _mark_bad_bytes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Stand for undecodable bytes by a surrogate, and for surrogates by the byte 0xff, which is invalid in UTF-8."""
    return ("\udcff" if isinstance(error, UnicodeDecodeError) else b"\xff"), error.end  # type: ignore[attr-defined]


codecs.register_error(_MARK, _mark_bad_bytes)
