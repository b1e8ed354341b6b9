"""Write rows with all their columns: CSV, JSON lines or Parquet, batch by batch."""

import csv
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from troenpy.records.arrow import arrow
from troenpy.records.cells import holds_json, without_json_quotes
from troenpy.records.chunk import LateKeys
from troenpy.records.column_names import unique_names

#: No row has a key without a column.
NO_KEYS: LateKeys = {}


class RowWriter(Protocol):
    """Writes tables with equal columns, one after the other, in two steps: several threads may encode at a time."""

    def encode(self, table: Any, late_keys: LateKeys = NO_KEYS) -> Any:
        """Return what `write` writes of a table of pyarrow, and of keys that have no column if it can."""

    def write(self, encoded: Any) -> None:
        """Write what `encode` returned, in order."""

    def close(self) -> None:
        """Write what is left; the file itself stays open."""


class CsvWriter:
    """CSV in UTF-8: cells are quoted where they must be; a missing value is an empty cell.

    Parameters
    ----------
    file : binary file
    delimiter : str, default=","
    """

    def __init__(self, file: BinaryIO, delimiter: str = ",") -> None:
        self._file, self._delimiter, self._has_header = file, delimiter, False
        self._to_quote = [mark.encode() for mark in (delimiter, '"', "\r", "\n")]

    def encode(self, table: Any, late_keys: LateKeys = NO_KEYS) -> tuple[list[str], list[Any]]:
        """Return the names of the columns, and lines of text in parts."""
        pc, table = arrow("compute"), without_json_quotes(table)
        cells = [self._quoted(as_strings(column)) for column in table.columns]
        cells[-1] = pc.binary_join_element_wise(
            pc.fill_null(cells[-1], ""), _text("\n"), _text(""), null_handling="replace"
        )
        lines = pc.binary_join_element_wise(
            *cells, _text(self._delimiter), null_handling="replace", null_replacement=""
        )
        return table.column_names, [content_of(chunk) for chunk in _chunks(lines)]

    def write(self, encoded: tuple[list[str], list[Any]]) -> None:
        """Write lines, the first time with a header."""
        names, parts = encoded
        if not self._has_header:
            self._has_header = True
            csv.writer(Utf8File(self._file), delimiter=self._delimiter, lineterminator="\n").writerow(names)
        for part in parts:
            self._file.write(part)

    def close(self) -> None:
        """Do nothing: all rows are written."""

    def _quoted(self, cells: Any) -> Any:
        pc = arrow("compute")
        content = b"".join(content_of(chunk) for chunk in _chunks(cells))
        found = [mark for mark in self._to_quote if mark in content]
        if not found:
            return cells
        must = pc.match_substring(cells, found[0].decode())
        for mark in found[1:]:
            must = pc.or_(must, pc.match_substring(cells, mark.decode()))
        doubled = pc.replace_substring(cells, '"', '""') if b'"' in found else cells
        return pc.if_else(must, pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text("")), cells)


class Utf8File:
    """A text file for the csv module, over a binary one; what UTF-8 has no code for is escaped."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write text, and return the number of its bytes."""
        return self._file.write(text.encode("utf-8", "backslashreplace"))


def _text(text: str) -> Any:
    return arrow().scalar(text, arrow().large_string())


def _chunks(cells: Any) -> list[Any]:
    return list(cells.chunks) if hasattr(cells, "chunks") else [cells]


def content_of(cells: Any) -> Any:
    """Return the bytes of an array of large strings, which lie next to each other."""
    if not len(cells):
        return b""
    _, offsets, content = cells.buffers()
    first, last = _borders(offsets, cells.offset, len(cells))
    return b"" if content is None else memoryview(content)[first:last]


def _borders(offsets: Any, first: int, length: int) -> tuple[int, int]:
    import numpy as np

    ends = np.frombuffer(offsets, dtype=np.int64)
    return int(ends[first]), int(ends[first + length])


def as_strings(column: Any) -> Any:
    """Return a column as text; lists and records as JSON."""
    pa, pc = arrow(), arrow("compute")
    try:
        return pc.cast(column, pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        values = (
            None if value is None else json.dumps(plain(value), ensure_ascii=False) for value in column.to_pylist()
        )
        return pa.array(list(values), type=pa.large_string())


def plain(value: Any) -> Any:
    """Return a value of pyarrow as JSON data; dates as text, bytes as text with replacements."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return float(value) if isinstance(value, Decimal) else str(value)


class JsonLinesWriter:
    """An object on each line, in UTF-8, with all keys; columns that hold JSON are written as what they hold.

    Parameters
    ----------
    file : binary file
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def encode(self, table: Any, late_keys: LateKeys = NO_KEYS) -> bytes:
        """Return lines of text."""
        names = [json.dumps(name, ensure_ascii=False) for name in table.column_names]
        columns = [_as_json(table.schema.field(i), column) for i, column in enumerate(table.columns)]
        late = {row: _members(table.column_names, keys) for row, keys in late_keys.items()}
        lines = (
            "{"
            + ", ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True))
            + late.get(row, "")
            + "}\n"
            for row, cells in enumerate(zip(*columns, strict=True))
        )
        return "".join(lines).encode("utf-8", "backslashreplace")

    def write(self, encoded: bytes) -> None:
        """Write lines."""
        self._file.write(encoded)

    def close(self) -> None:
        """Do nothing: all rows are written."""


def _members(columns: list[str], keys: Mapping[str, str]) -> str:
    """Return more members of an object; a key that is the name of a column, such as `prediction`, gets a number."""
    names = unique_names([*columns, *keys])[len(columns) :]
    return "".join(
        f", {json.dumps(name, ensure_ascii=False)}: {value}" for name, value in zip(names, keys.values(), strict=True)
    )


def _as_json(field: Any, column: Any) -> list[str]:
    values = column.to_pylist()
    if holds_json(field):
        return ["null" if value is None else value for value in values]
    return [json.dumps(plain(value), ensure_ascii=False) for value in values]


class ParquetWriter:
    """Parquet, compressed with zstd.

    Parameters
    ----------
    file : binary file
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._writer = file, None

    def encode(self, table: Any, late_keys: LateKeys = NO_KEYS) -> Any:
        """Return the table, with plain strings in place of JSON text."""
        return without_json_quotes(table)

    def write(self, encoded: Any) -> None:
        """Write a table; the first one decides the types of the columns."""
        pq = arrow("parquet")
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, encoded.schema, compression="zstd")
        self._writer.write_table(encoded)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


class TableCollector:
    """Keeps the rows in memory."""

    def __init__(self) -> None:
        self._tables: list[Any] = []

    def encode(self, table: Any, late_keys: LateKeys = NO_KEYS) -> Any:
        """Return the table, with plain strings in place of JSON text."""
        return without_json_quotes(table)

    def write(self, encoded: Any) -> None:
        """Keep a table."""
        self._tables.append(encoded)

    def close(self) -> None:
        """Do nothing."""

    def table(self) -> Any:
        """Return all rows."""
        return arrow().concat_tables(self._tables) if self._tables else None


#: By the ending of a file.
WRITERS: dict[str, Callable[[BinaryIO], RowWriter]] = {
    ".csv": CsvWriter,
    ".tsv": lambda file: CsvWriter(file, "\t"),
    ".tab": lambda file: CsvWriter(file, "\t"),
    ".jsonl": JsonLinesWriter,
    ".ndjson": JsonLinesWriter,
    ".parquet": ParquetWriter,
}


def writer_for(path: Path) -> Callable[[BinaryIO], RowWriter]:
    """Return what writes a file with this ending.

    Examples
    --------
    >>> writer_for(Path("rows.csv")).__name__
    'CsvWriter'
    >>> writer_for(Path("rows.xlsx"))
    Traceback (most recent call last):
        ...
    ValueError: rows are written to .csv, .tsv, .tab, .jsonl, .ndjson or .parquet, got rows.xlsx: choose another ending
    """
    ending = path.suffix.lower()
    if ending not in WRITERS:
        known = list(WRITERS)
        listed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise ValueError(f"rows are written to {listed}, got {path.name}: choose another ending")
    return WRITERS[ending]
