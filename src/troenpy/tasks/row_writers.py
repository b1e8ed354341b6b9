"""Write rows with all their columns: CSV, JSON lines or Parquet, batch by batch."""

import json
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Protocol

#: Cells with one of these are quoted in CSV.
TO_QUOTE = r'["\r\n]'


class RowWriter(Protocol):
    """Writes tables with equal columns, one after the other."""

    def write(self, table: Any) -> None:
        """Write a table of pyarrow."""

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

    def write(self, table: Any) -> None:
        """Write a table; the first one with a header."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._has_header:
            header = pa.table({str(i): pa.array([name]) for i, name in enumerate(table.column_names)})
            self._has_header = True
            self.write(header.rename_columns(list(map(str, range(header.num_columns)))))
        if not table.num_rows:
            return
        cells = [self._quoted(as_strings(column)) for column in table.columns]
        end = pa.scalar("\n", pa.large_string())
        lines = pc.binary_join_element_wise(
            *cells, self._delimiter_scalar(), null_handling="replace", null_replacement=""
        )
        whole = pc.binary_join_element_wise(lines, end, pa.scalar("", pa.large_string()))
        # The strings of an array lie next to each other.
        for part in whole.chunks if isinstance(whole, pa.ChunkedArray) else [whole]:
            if len(part):
                _, offsets, content = part.buffers()
                first, last = _borders(offsets, part.offset, len(part))
                self._file.write(memoryview(content)[first:last])

    def close(self) -> None:
        """Do nothing: all rows are written."""

    def _delimiter_scalar(self) -> Any:
        import pyarrow as pa

        return pa.scalar(self._delimiter, pa.large_string())

    def _quoted(self, cells: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        must = pc.or_(pc.match_substring_regex(cells, TO_QUOTE), pc.match_substring(cells, self._delimiter))
        if not pc.any(must).as_py():
            return cells
        quote, none = pa.scalar('"', pa.large_string()), pa.scalar("", pa.large_string())
        doubled = pc.replace_substring(cells, '"', '""')
        return pc.if_else(must, pc.binary_join_element_wise(quote, doubled, quote, none), cells)


def _borders(offsets: Any, first: int, length: int) -> tuple[int, int]:
    import numpy as np

    ends = np.frombuffer(offsets, dtype=np.int64)
    return int(ends[first]), int(ends[first + length])


def as_strings(column: Any) -> Any:
    """Return a column as text; lists and records as JSON."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
    """An object on each line, in UTF-8; columns that hold JSON are written as what they hold.

    Parameters
    ----------
    file : binary file
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, table: Any) -> None:
        """Write a table."""
        names = [json.dumps(name, ensure_ascii=False) for name in table.column_names]
        columns = [_as_json(table.schema.field(i), column) for i, column in enumerate(table.columns)]
        lines = (
            "{" + ", ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True)) + "}\n"
            for cells in zip(*columns, strict=True)
        )
        self._file.write("".join(lines).encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Do nothing: all rows are written."""


def _as_json(field: Any, column: Any) -> list[str]:
    holds_json = (field.metadata or {}).get(b"troenpy") == b"json"
    values = column.to_pylist()
    if holds_json:
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

    def write(self, table: Any) -> None:
        """Write a table; the first one decides the types of the columns."""
        import pyarrow.parquet as pq

        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, table.schema, compression="zstd")
        self._writer.write_table(table)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


class TableCollector:
    """Keeps the rows in memory."""

    def __init__(self) -> None:
        self._tables: list[Any] = []

    def write(self, table: Any) -> None:
        """Keep a table."""
        self._tables.append(table)

    def close(self) -> None:
        """Do nothing."""

    def table(self) -> Any:
        """Return all rows."""
        import pyarrow as pa

        return pa.concat_tables(self._tables) if self._tables else None


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
