"""Read an array of JSON objects piece by piece, in constant memory."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from troenpy.records.chunk import BLOCK_BYTES, Chunk, Notices, check_record
from troenpy.records.json_rows import JsonColumns, merge_faults, row_fault
from troenpy.records.streams import Stream, read_block
from troenpy.records.wording import shortened

_SPACE = re.compile(r"[ \t\r\n]*")
# An error this close to the end of what was read may be due to the end.
_NEAR_END = 16
#: Objects in a chunk, at most.
N_ROWS = 1 << 14


def read_json_array(stream: Stream, name: str, notices: Notices, block_bytes: int = BLOCK_BYTES) -> Iterator[Chunk]:
    """Yield the objects of an array. The stream must be UTF-8, with invalid bytes or not."""
    columns: JsonColumns | None = None
    for rows, lines in _rows(stream, name, block_bytes):
        if columns is None:
            columns = JsonColumns(rows, name, notices)
        table, faults = columns.table(rows)
        found = [row_fault(index, row, None) for index, row in enumerate(rows)]
        all_faults = merge_faults([fault for fault in found if fault is not None], faults)
        yield Chunk(table, all_faults, lines.__getitem__, columns.late_keys(rows))
    if columns is None:
        raise ValueError(f"{name} is empty")


def _rows(stream: Stream, name: str, block_bytes: int) -> Iterator[tuple[list[Any], list[int]]]:
    """Yield the elements of the array, and the lines where they start, as many as were read at a time."""
    elements = _Elements(stream, name, block_bytes)
    rows: list[Any] = []
    lines: list[int] = []
    n_reads = 0
    for row, line in elements:
        if rows and (elements.n_reads != n_reads or len(rows) == N_ROWS):
            yield rows, lines
            rows, lines = [], []
        n_reads = elements.n_reads
        rows.append(row)
        lines.append(line)
    if rows:
        yield rows, lines


class _Elements:
    """The elements of an array, one by one, with their line."""

    def __init__(self, stream: Stream, name: str, block_bytes: int) -> None:
        self._stream, self._name, self._block_bytes = stream, name, block_bytes
        self._decode_json = json.JSONDecoder().raw_decode
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text, self._at, self._line, self._is_last = "", 0, 1, False
        self._number = 1
        self.n_reads = 0

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        if self._next_character() != "[":
            raise ValueError(
                f"{self._name} is not an array of JSON objects: expected '[' at its start; for an object per line use"
                " format='jsonl' (--format jsonl)"
            )
        self._at += 1
        character = self._next_character()
        while character != "]":
            yield self._element()
            self._number += 1
            character = self._next_character()
            if character == ",":
                self._at += 1
                self._next_character()
            elif character != "]":
                raise self._error(f"expected ',' or ']', got {shortened(character)!r}" if character else "")
        self._at += 1
        if self._next_character():
            raise ValueError(f"{self._name} has more text after the end of its array (line {self._line})")

    def _element(self) -> tuple[Any, int]:
        while True:
            try:
                value, end = self._decode_json(self._text, self._at)
            except (ValueError, RecursionError) as error:
                position = getattr(error, "pos", 0)
                message = getattr(error, "msg", None) or type(error).__name__
                is_open = message.startswith("Unterminated string")
                if self._is_last or not (is_open or position >= len(self._text) - _NEAR_END):
                    is_cut = is_open or position >= len(self._text.rstrip())
                    raise self._error("" if is_cut else shortened(message)) from None
                check_record(len(self._text) - self._at, self._name, self._number, self._line, "is a quote missing?")
                self._read()
                continue
            may_go_on = isinstance(value, int | float) and end >= len(self._text) - _NEAR_END
            if may_go_on and not self._is_last:  # 12 may be the start of 12.5e3
                self._read()
                continue
            line = self._line
            self._move(end)
            return value, line

    def _next_character(self) -> str:
        """Skip white space and return the next character, "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None  # noqa: S101
            self._move(match.end())
            if self._at < len(self._text) or self._is_last:
                return self._text[self._at : self._at + 1]
            self._read()

    def _move(self, end: int) -> None:
        passed = self._text[self._at : end]
        self._line += passed.count("\n")
        if "\r" in passed:
            self._line += passed.count("\r") - passed.count("\r\n")
        self._at = end

    def _read(self) -> None:
        left = self._text[self._at :]
        content, self._is_last = read_block(self._stream, max(self._block_bytes, len(left)))
        while content.endswith(b"\r") and not self._is_last:  # \r\n is the end of one line
            more, self._is_last = read_block(self._stream, 1)
            content += more
        self._text, self._at = left + self._decoder.decode(content, self._is_last), 0
        self.n_reads += 1

    def _error(self, reason: str) -> ValueError:
        where = f"row {self._number} (line {self._line}) of {self._name}"
        if not reason:
            return ValueError(f"{self._name} is cut off: its array has no end after row {self._number - 1}")
        return ValueError(f"{where} is not JSON ({reason}): mend the file, what follows cannot be read")
