"""Read JSON lines: an object per line."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from troenpy.records.chunk import BLOCK_BYTES, Chunk, Notices, line_blocks
from troenpy.records.json_rows import JsonColumns, merge_faults, row_fault
from troenpy.records.streams import Stream
from troenpy.records.wording import shortened


def read_json_lines(
    stream: Stream, name: str, notices: Notices, block_bytes: int = BLOCK_BYTES, *, is_array_expected: bool = False
) -> Iterator[Chunk]:
    """Yield the objects of JSON lines. The stream must be UTF-8, with invalid bytes or not."""
    columns: JsonColumns | None = None
    n_lines = 0
    for block in line_blocks(stream, name, block_bytes):
        lines = [(number, line) for number, line in enumerate(block.split(b"\n"), n_lines + 1) if line.strip()]
        n_lines += block.count(b"\n")
        if not lines:
            continue
        parsed = [parse(line.decode("utf-8", "surrogateescape")) for _, line in lines]
        if columns is None:
            _check_lines(lines, parsed, name, is_array_expected)
            columns = JsonColumns([row for row, _ in parsed], name, notices)
        found = [row_fault(index, row, error) for index, (row, error) in enumerate(parsed)]
        table, faults = columns.table([row for row, _ in parsed])
        merged = merge_faults([fault for fault in found if fault is not None], faults)
        yield Chunk(table, merged, partial(_line_of, [number for number, _ in lines]))
    if columns is None:
        raise ValueError(f"{name} is empty")


def parse(text: str) -> tuple[Any, str | None]:
    """Return the value of JSON text, and the error if there is one."""
    try:
        return json.loads(text), None
    except (ValueError, RecursionError) as error:
        return None, shortened(getattr(error, "msg", None) or type(error).__name__)


def _line_of(numbers: list[int], row: int) -> int:
    return numbers[row]


def _check_lines(
    lines: list[tuple[int, bytes]], parsed: list[tuple[Any, str | None]], name: str, is_array: bool
) -> None:
    """Raise if this is one object instead of an object per line."""
    first_error = parsed[0][1]
    is_spread = first_error is not None and lines[0][1].rstrip()[-1:] in (b"{", b"[", b",", b":")
    if is_spread or (is_array and len(lines) == 1 and first_error is None):
        raise ValueError(f"{name} is one JSON object: expected an array of objects, or an object per line")
