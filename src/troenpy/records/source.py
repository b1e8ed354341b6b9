"""Where data comes from: a file, standard input, a pipe or a folder; how often it can be read."""

import errno
import io
import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Any, BinaryIO

from troenpy.display.plain import printable
from troenpy.records.arrow import arrow
from troenpy.records.compression import decompress, is_compressed
from troenpy.records.streams import FileStream, PrependedStream, SeekableFile, Stream, pipe_reader, read_block

#: How much of a file is looked at to find out its format.
HEAD_BYTES = 1 << 20


class Source:
    """A file, folder or stream that is opened afresh for every pass, if that is possible.

    Attributes
    ----------
    name : str
    path : pathlib.Path or None
    size : int or None
        Bytes of the file, compressed if it is.
    position : int
        Bytes read in the current pass.
    """

    def __init__(self, source: Any, *, spool: bool = False) -> None:
        self.path: Path | None = None
        self._file: BinaryIO | None = None
        self._offset: int | None = None
        self._opened: FileStream | None = None
        self._kept: Stream | None = None
        self._position = 0
        self._discard: Any = None
        is_standard_input = isinstance(source, str) and source == "-"
        if is_standard_input:
            source = pipe_reader(sys.stdin.buffer)
        if isinstance(source, str | os.PathLike) and isinstance(os.fspath(source), str):
            self.name = printable(os.fspath(source))
            self.path = Path(source)
            if not _exists(self.path):
                raise FileNotFoundError(f"file not found: {self.name:.200}")
        elif hasattr(source, "read") and not isinstance(source, io.TextIOBase):
            self.name = "standard input" if is_standard_input else _name_of(source)
            self._file = source
            self._offset = source.tell() if source.seekable() else None
        else:
            raise TypeError(f"source must be a path, '-' or a file opened in binary mode, got {type(source).__name__}")
        self.ending = _ending(self.name.lower())
        self.is_folder = self.path is not None and self.path.is_dir()
        if spool and not self.can_reopen:
            self._spool()
        self.size = None if self.is_folder else self._measure()

    @property
    def can_reopen(self) -> bool:
        """Whether the data can be read several times."""
        if self.path is not None:
            return self.is_folder or self.path.is_file()
        return self._offset is not None

    @property
    def position(self) -> int:
        """Bytes read in the current pass."""
        return self._position if self._opened is None else self._opened.position

    @position.setter
    def position(self, position: int) -> None:
        self._opened, self._position = None, position

    def head(self) -> bytes:
        """Return the first bytes, decompressed, without consuming them."""
        stream = self.open()
        head, _ = read_block(stream, HEAD_BYTES)
        self._kept = PrependedStream(head, stream)
        return head

    def open(self) -> Stream:
        """Return the content, decompressed, from its start."""
        if self._kept is not None:
            stream, self._kept = self._kept, None
            return stream
        raw = self._opened = self._open_raw()
        head, _ = read_block(raw, 8)
        return decompress(head, PrependedStream(head, raw), self.name)

    def open_random_access(self, what: str) -> Any:
        """Return the content as a file of pyarrow that can seek; a pipe is copied to a temporary file."""
        self.discard_kept()
        if not self.can_reopen:
            self._spool()
            self.size = self._measure()
        stream = self._open_raw()
        head = stream.read(4)
        stream.close()
        if is_compressed(head):
            raise ValueError(f"{self.name}: {what} cannot be read compressed as a whole: unpack it first")
        pa = arrow()
        if self._file is None:
            return pa.OSFile(str(self.path), "rb")
        return pa.PythonFile(SeekableFile(self._file, self._offset or 0), mode="r")

    def discard_kept(self) -> None:
        """Close the stream that was opened to look at its head, unless it is all there is."""
        if self._kept is not None and self.can_reopen:
            self._kept.close()
            self._kept = None

    def close(self) -> None:
        """Close what was opened, and remove the temporary file."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None
        if self._opened is not None:  # its reader was abandoned, or an error holds it
            self._opened.close()
        if self._discard is not None:
            self._discard()

    def _open_raw(self) -> FileStream:
        if self.path is not None and (self.can_reopen or self._opened is None):
            return FileStream(pipe_reader(self.path.open("rb", buffering=0)))
        if self._file is None or (self._offset is None and self._opened is not None):
            raise ValueError(f"{self.name} can be read only once: save it to a file first, or pass spool=True")
        return FileStream(self._file, offset=self._offset, is_ours=False)

    def _measure(self) -> int | None:
        if self.path is not None:
            return self.path.stat().st_size if self.path.is_file() else None
        if self._file is None or self._offset is None:
            return None
        try:
            end = self._file.seek(0, os.SEEK_END)
        except (OSError, ValueError):  # such as a file of the gzip module
            return None
        finally:
            self._file.seek(self._offset)
        return end - self._offset

    def _spool(self) -> None:
        """Copy the data to a temporary file without a name, which is gone when the process ends."""
        copy: Any = tempfile.TemporaryFile(prefix="troenpy-")  # noqa: SIM115 (closed by `_discard`)
        self._discard = weakref.finalize(self, copy.close)
        try:
            stream, self._kept = self._kept or self._open_raw(), None
            shutil.copyfileobj(stream, copy, 1 << 20)
            stream.close()
            copy.flush()
        except OSError as error:
            self._discard()
            if error.errno == errno.ENOSPC:
                folder = printable(tempfile.gettempdir())
                raise OSError(f"no space to copy {self.name} to {folder}: set TMPDIR to another folder") from None
            raise
        self.path, self._file, self._offset, self._opened = None, copy, 0, None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # text in place of a name is too long
        return False


def _name_of(file: Any) -> str:
    """Return the name of an open file for messages."""
    name = getattr(file, "name", None)
    if isinstance(name, str) and not name.startswith("<"):
        return printable(name)
    return "standard input" if name in ("<stdin>", 0) else "the stream"


def _ending(name: str) -> str:
    """Return the ending of a file name that tells its format, such as ".csv" of "x.csv.gz"."""
    for compressed in (".gz", ".zst", ".zstd"):
        name = name.removesuffix(compressed)
    return Path(name).suffix
