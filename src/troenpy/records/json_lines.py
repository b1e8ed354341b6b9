"""Read JSON lines, an object per line: well-formed blocks by pyarrow, others line by line."""

import json
from collections.abc import Iterator
from typing import Any

from troenpy.records.chunk import BLOCK_BYTES, Chunk, Notices
from troenpy.records.json_fast import fast_table
from troenpy.records.json_rows import JsonColumns, merge_faults, row_fault
from troenpy.records.lines import LineBlock, line_blocks
from troenpy.records.streams import Stream
from troenpy.records.wording import shortened

_decode = json.JSONDecoder().decode


def read_json_lines(
    stream: Stream, name: str, notices: Notices, block_bytes: int = BLOCK_BYTES, *, is_array_expected: bool = False
) -> Iterator[Chunk]:
    """Yield the objects of JSON lines. The stream must be UTF-8, with invalid bytes or not."""
    columns: JsonColumns | None = None
    for block in line_blocks(stream, name, block_bytes):
        table = None if columns is None else fast_table(block.content, columns)
        if table is not None:
            yield Chunk(table, line_of=block.line_of)
        elif block.lines:
            parsed = [parse(line.decode("utf-8", "surrogateescape")) for line in block.lines]
            if columns is None:
                _check_lines(block, parsed[0][1], name, is_array_expected)
                columns = JsonColumns([row for row, _ in parsed], name, notices)
            yield _chunk(block, parsed, columns)
    if columns is None:
        raise ValueError(f"{name} is empty")


def parse(text: str) -> tuple[Any, str | None]:
    """Return the value of JSON text, and the error if there is one."""
    try:
        return _decode(text), None
    except (ValueError, RecursionError) as error:
        return None, shortened(getattr(error, "msg", None) or type(error).__name__)


def _chunk(block: LineBlock, parsed: list[tuple[Any, str | None]], columns: JsonColumns) -> Chunk:
    found = [row_fault(index, row, error) for index, (row, error) in enumerate(parsed)]
    rows = [row for row, _ in parsed]
    table, faults = columns.table(rows)
    all_faults = merge_faults([fault for fault in found if fault is not None], faults)
    return Chunk(table, all_faults, block.line_of, columns.late_keys(rows))


def _check_lines(block: LineBlock, first_error: str | None, name: str, is_array_expected: bool) -> None:
    """Raise if this is one object instead of an object per line."""
    is_spread = first_error is not None and block.lines[0].rstrip()[-1:] in (b"{", b"[", b",", b":")
    is_one = is_array_expected and block.is_last and len(block.lines) == 1 and first_error is None
    if is_spread or is_one:
        raise ValueError(f"{name} is one JSON object: expected an array of objects, or an object per line")
