"""Read CSV with Python's csv module: the reference for well-formed records, and the way to read all others."""

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

_LIMIT_LOCK = threading.Lock()
_NO_LIMIT = (1 << 31) - 1


@dataclass(frozen=True)
class Dialect:
    """How cells are separated, and whether double quotes enclose cells."""

    delimiter: str = ","
    has_quotes: bool = True


@dataclass(frozen=True)
class PlainRecords:
    """Complete records at the start of a block of bytes.

    Attributes
    ----------
    rows : list of list of str
        The cells; bytes that are not UTF-8 are surrogates.
    lines : list of int
        The line where each record starts; the first line of the block is 0.
    n_bytes, n_lines : int
        How much of the block the records take.
    is_unclosed : bool
        Whether the last record opens a quote that never ends.
    """

    rows: list[list[str]]
    lines: list[int]
    n_bytes: int
    n_lines: int
    is_unclosed: bool = False


def plain_records(
    block: bytes, dialect: Dialect, *, is_last: bool, n_columns: int = 2, limit: int | None = None
) -> PlainRecords:
    r"""Read the complete records at the start of a block.

    Parameters
    ----------
    block : bytes
        UTF-8, with invalid bytes or not.
    dialect : Dialect
    is_last : bool
        Whether the data end with this block, so that the last record is complete.
    n_columns : int
        Lines without text are skipped if there are several columns. Empty lines always are.
    limit : int or None
        Stop after this number of records.

    Examples
    --------
    >>> found = plain_records(b'a,"b\n"\n\nc,d', Dialect(), is_last=False)
    >>> found.rows, found.lines, found.n_bytes
    ([['a', 'b\n']], [0], 8)
    """
    lines = block.splitlines(keepends=True)
    if lines and not is_last and not lines[-1].endswith(b"\n"):
        lines.pop()
    text = [line.decode("utf-8", "surrogateescape") for line in lines]
    rows: list[list[str]] = []
    starts: list[int] = []
    end = 0
    with _without_field_limit():
        # The added newline is a record of its own or, within an open quote, part of the last one.
        reader = csv.reader(chain(text, ["\n"]), **_settings(dialect))
        for cells in reader:
            if reader.line_num > len(text) or len(rows) == limit:
                break
            if not _is_blank(cells, n_columns):
                rows.append(cells)
                starts.append(end)
            end = reader.line_num
        is_unclosed = is_last and end < len(text) and len(rows) != limit
        if is_unclosed:
            rows.append(next(csv.reader(text[end:], **_settings(dialect))))
            starts.append(end)
            end = len(text)
    n_bytes = len(block) if is_last and end == len(text) else sum(map(len, lines[:end]))
    return PlainRecords(rows, starts, n_bytes, end, is_unclosed)


def _settings(dialect: Dialect) -> dict[str, Any]:
    quoting = csv.QUOTE_MINIMAL if dialect.has_quotes else csv.QUOTE_NONE
    return {"delimiter": dialect.delimiter, "quotechar": '"', "quoting": quoting}


def _is_blank(cells: list[str], n_columns: int) -> bool:
    return not cells or (len(cells) == 1 and n_columns > 1 and not cells[0].strip())


@contextmanager
def _without_field_limit() -> Iterator[None]:
    """Raise the csv module's limit of the length of a cell, which is global, for as long as it takes."""
    with _LIMIT_LOCK:
        limit = csv.field_size_limit(_NO_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(limit)
