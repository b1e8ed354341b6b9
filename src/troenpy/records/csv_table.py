"""Read CSV and TSV in blocks: well-formed blocks by pyarrow, others row by row."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from troenpy.records.arrow import Table, arrow
from troenpy.records.chunk import BLOCK_BYTES, Chunk, Notices, check_record
from troenpy.records.column_names import name_columns
from troenpy.records.csv_blocks import clean_end
from troenpy.records.csv_plain import Dialect, PlainRecords, plain_records
from troenpy.records.problems import Fault
from troenpy.records.streams import Stream, read_block
from troenpy.records.wording import counted

_SURROGATES = re.compile("[\ud800-\udfff]+")
_BOM = b"\xef\xbb\xbf"
_UNCLOSED = "is a double quote never closed?"


def read_csv(
    stream: Stream, dialect: Dialect, name: str, notices: Notices, block_bytes: int = BLOCK_BYTES
) -> Iterator[Chunk]:
    """Yield the rows of CSV after its header, as strings. The stream must be UTF-8, with invalid bytes or not."""
    rest, is_last = read_block(stream, block_bytes)
    while (header := plain_records(rest, dialect, is_last=is_last, limit=1)).rows == [] and not is_last:
        check_record(len(rest), name, 1, 1, _UNCLOSED)
        more, is_last = read_block(stream, len(rest))
        rest += more
    if not header.rows:
        raise ValueError(f"{name} is empty")
    columns = name_columns(_repair(header.rows[0]), name, notices)
    rest, line, n_rows = rest[header.n_bytes :], 1 + header.n_lines, 0
    while True:
        chunk, n_bytes, n_lines = _read_block(rest, columns, dialect, line, is_last)
        if chunk.table.num_rows:
            yield chunk
        rest, line, n_rows = rest[n_bytes:], line + n_lines, n_rows + chunk.table.num_rows
        if is_last:
            break
        if n_bytes == 0:
            check_record(len(rest), name, n_rows + 1, line, _UNCLOSED)
        more, is_last = read_block(stream, block_bytes if n_bytes else max(block_bytes, len(rest)))
        rest += more
    if not n_rows:
        yield Chunk(_table([], columns))


def _read_block(block: bytes, columns: list[str], dialect: Dialect, line: int, is_last: bool) -> tuple[Chunk, int, int]:
    """Return the complete records at the start of a block, and how many bytes and lines they take."""
    end = clean_end(block, dialect, is_last=is_last)
    if end is not None:
        block, is_last = block[:end], True
        table = _parse(block, columns, dialect)
        if table is not None:
            return Chunk(table, line_of=_Lines(block, columns, dialect, line)), end, _count_lines(block)
    records = plain_records(block, dialect, is_last=is_last, n_columns=len(columns))
    faults = list(_faults(records, len(columns)))
    chunk = Chunk(_table(records.rows, columns), faults, lambda row: line + records.lines[row])
    return chunk, records.n_bytes, records.n_lines


def _parse(block: bytes, columns: list[str], dialect: Dialect) -> Table | None:
    """Parse well-formed records; None if they are not."""
    if not block or block.startswith(_BOM):  # pyarrow would drop the mark
        return None
    pa, csv = arrow(), arrow("csv")
    try:
        return csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=columns),
            parse_options=csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char='"' if dialect.has_quotes else False,
                newlines_in_values=dialect.has_quotes,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()),
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _count_lines(block: bytes) -> int:
    content = np.frombuffer(block, np.uint8)
    is_newline = content == ord("\n")
    n_lines = int(np.count_nonzero(is_newline))
    if b"\r" in block:
        is_return = content == ord("\r")
        n_lines += int(np.count_nonzero(is_return)) - int(np.count_nonzero(is_return[:-1] & is_newline[1:]))
    return n_lines


class _Lines:
    """Where the rows of a well-formed block start: found only if somebody asks."""

    def __init__(self, block: bytes, columns: list[str], dialect: Dialect, line: int) -> None:
        self._block, self._n_columns, self._dialect, self._line = block, len(columns), dialect, line

    def __call__(self, row: int) -> int:
        records = plain_records(self._block, self._dialect, is_last=True, n_columns=self._n_columns, limit=row + 1)
        return self._line + records.lines[row]


def _table(rows: list[list[str]], columns: list[str]) -> Table:
    """Return a table of strings: missing cells are null, cells beyond the last column are dropped."""
    pa = arrow()
    arrays = [pa.array([_cell(row, index) for row in rows], pa.string()) for index in range(len(columns))]
    return pa.Table.from_arrays(arrays, names=columns)


def _cell(row: list[str], index: int) -> Any:
    if index >= len(row):
        return None
    cell = row[index]
    return cell if cell.isascii() else _SURROGATES.sub("\ufffd", cell)


def _repair(row: list[str]) -> list[str]:
    return [_SURROGATES.sub("\ufffd", cell) for cell in row]


def _faults(records: PlainRecords, n_columns: int) -> Iterator[Fault]:
    last = len(records.rows) - 1
    for index, row in enumerate(records.rows):
        if records.is_unclosed and index == last:
            yield Fault(index, "unclosed quote")
        elif any(not cell.isascii() and _SURROGATES.search(cell) for cell in row):
            yield Fault(index, "bad encoding")
        elif len(row) != n_columns:
            yield Fault(index, "ragged", f"{counted(len(row), 'cell')}, the header has {n_columns:,}")
