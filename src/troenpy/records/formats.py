"""Find the format of a source by its first bytes and the ending of its name, and the function that reads it."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TypeAlias

from troenpy.records.arrow_files import read_arrow_file, read_arrow_stream, read_parquet
from troenpy.records.chunk import Chunk, Notices
from troenpy.records.class_folders import list_files, read_folders
from troenpy.records.column_guess import is_usual_text
from troenpy.records.csv_plain import Dialect
from troenpy.records.csv_table import read_csv
from troenpy.records.dialect import DELIMITERS, sniff_dialect
from troenpy.records.encodings import check_encoding, detect_encoding, encoding_name, is_binary
from troenpy.records.fasttext import PREFIX, read_fasttext
from troenpy.records.json_array import read_json_array
from troenpy.records.json_lines import read_json_lines
from troenpy.records.source import HEAD_BYTES, Source
from troenpy.records.streams import Stream, Utf8Stream
from troenpy.records.text_lines import read_text_lines
from troenpy.records.wording import listed

Chunks: TypeAlias = Callable[[], Iterator[Chunk]]

FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "fasttext", "txt", "folder")
_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json"}
_TITLES = {
    "csv": "CSV",
    "tsv": "TSV",
    "jsonl": "JSON lines",
    "json": "a JSON array",
    "fasttext": "fastText",
    "txt": "a text on each line",
}
_MAGICS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_ARROW_FILE, _FEATHER_1 = b"ARROW1", b"FEA1"
_EXPECTED = "expected CSV, TSV, JSON, JSON lines, Parquet, Arrow, fastText or a folder of class folders"


@dataclass(frozen=True)
class Wanted:
    """What the user said about the format; None is sniffed."""

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None

    def check(self) -> None:
        """Raise if a setting is unknown."""
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"unknown format {self.format!r:.40}: choose from {listed(FORMATS, 'or')}")
        if self.delimiter is not None and not (
            isinstance(self.delimiter, str) and len(self.delimiter) == 1 and "\0" < self.delimiter <= "\x7f"
        ):
            raise ValueError(f"delimiter must be one ASCII character, got {self.delimiter!r:.40}")
        if self.delimiter in ('"', "\r", "\n"):
            raise ValueError(f"delimiter must not be a quote or a newline, got {self.delimiter!r}")
        if self.encoding is not None:
            check_encoding(self.encoding)


def find_format(source: Source, wanted: Wanted, *, needs_label: bool, notices: Notices) -> tuple[str, Chunks]:
    """Return the format and the function that reads it."""
    wanted.check()
    if wanted.format is not None and source.is_folder != (wanted.format == "folder"):
        what = "a folder" if source.is_folder else "not a folder"
        raise ValueError(f"{source.name} is {what}, but the format is {wanted.format!r}")
    if source.is_folder:
        files = list_files(source, needs_label=needs_label, notices=notices)
        return "folder", lambda: read_folders(source, files, wanted.encoding, notices)
    head = source.head()
    if not head:
        raise ValueError(f"{source.name} is empty")
    if head.startswith(_FEATHER_1):
        raise ValueError(f"{source.name} is Feather version 1: write it as version 2 or as Parquet")
    magic = next((name for start, name in _MAGICS.items() if head.startswith(start)), None)
    binary = magic or (wanted.format if wanted.format in ("parquet", "arrow") else None)
    if binary is None:
        return _find_text_format(source, head, wanted, notices, needs_label=needs_label)
    if wanted.format not in (None, binary) or magic is None:
        raise ValueError(f"{source.name} is not {wanted.format}" + (f", but {magic}" if magic else ""))
    if binary == "parquet":
        return binary, lambda: read_parquet(source)
    return binary, lambda: (read_arrow_file if head.startswith(_ARROW_FILE) else read_arrow_stream)(source)


def _find_text_format(
    source: Source, head: bytes, wanted: Wanted, notices: Notices, *, needs_label: bool
) -> tuple[str, Chunks]:
    encoding = wanted.encoding or detect_encoding(head)
    text = Utf8Stream(_Head(head), encoding).read(HEAD_BYTES)
    if is_binary(text):
        raise ValueError(f"{source.name} is binary data, not text: {_EXPECTED}")
    if not text.strip():
        raise ValueError(f"{source.name} is empty")
    dialect, is_table = sniff_dialect(text, source.ending, wanted.delimiter or _delimiter(wanted.format))
    found = wanted.format or _sniff(text, source.ending, is_table or wanted.delimiter is not None)
    is_named_so = found == "csv" and source.ending == ".txt" and wanted.delimiter is None
    if not needs_label and wanted.format is None and (found is None or is_named_so):
        found = "csv" if _has_usual_header(text, dialect) else "txt"
    if found == "txt" and needs_label:
        raise ValueError(f"{source.name} has no labels: lines of plain text can only be predicted")
    if found is None:
        raise ValueError(
            f"the format of {source.name} is unknown: {_EXPECTED}; name it with format= (--format), one of"
            f" {listed([name for name in FORMATS if name != 'txt'])}"
        )
    if found == "csv" and dialect.delimiter == "\t" and wanted.format is None and b"\t" in text:
        found = "tsv"
    facts = [_TITLES[found]]
    if found == "csv":
        separated = f"separated by {DELIMITERS.get(dialect.delimiter, repr(dialect.delimiter))}"
        facts.append(separated if dialect.delimiter.encode() in text else "one column")
    if found in ("csv", "tsv") and not dialect.has_quotes:
        facts.append("quotes are plain characters")
    if encoding != "utf-8":
        facts.append(encoding_name(encoding))
    notices.say(f"{source.name}: {', '.join(facts)}")
    name, is_json = source.name, wanted.format == "json" or source.ending == ".json"
    readers: dict[str, Callable[[Stream], Iterator[Chunk]]] = {
        "csv": lambda stream: read_csv(stream, dialect, name, notices),
        "tsv": lambda stream: read_csv(stream, dialect, name, notices),
        "jsonl": lambda stream: read_json_lines(stream, name, notices, is_array_expected=is_json),
        "json": lambda stream: read_json_array(stream, name, notices),
        "fasttext": lambda stream: read_fasttext(stream, name),
        "txt": lambda stream: read_text_lines(stream, name),
    }
    return found, lambda: _read(source, encoding, readers[found])


def _read(source: Source, encoding: str, reader: Callable[[Stream], Iterator[Chunk]]) -> Iterator[Chunk]:
    with closing(source.open()) as stream:
        yield from reader(Utf8Stream(stream, encoding))


def _sniff(text: bytes, ending: str, is_table: bool) -> str | None:
    start = text.lstrip()
    hint = _ENDINGS.get(ending)
    if hint in ("csv", "tsv"):
        return "csv"
    if start.startswith(b"{"):
        return "jsonl"
    if hint == "json" or re.match(rb"\[\s*[{\]]", start):
        return "json"
    if start.startswith(PREFIX.encode()):
        return "fasttext"
    return hint or ("csv" if is_table else None)


def _has_usual_header(text: bytes, dialect: Dialect) -> bool:
    """Whether the first line names a column of text."""
    first = text.split(b"\n", 1)[0].strip().decode("utf-8", "replace")
    return any(is_usual_text(cell.strip('" ')) for cell in first.split(dialect.delimiter))


def _delimiter(wanted_format: str | None) -> str | None:
    return "\t" if wanted_format == "tsv" else None


class _Head:
    """The first bytes of a file as a stream."""

    closed = False

    def __init__(self, head: bytes) -> None:
        self._head = head

    def read(self, size: int = -1) -> bytes:
        """Return all bytes, once."""
        content, self._head = self._head, b""
        return content

    def close(self) -> None:
        """Do nothing."""
