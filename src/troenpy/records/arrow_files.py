"""Read Parquet, Arrow files and streams, and Feather."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from troenpy.records.arrow import Table, arrow
from troenpy.records.arrow_repair import repaired
from troenpy.records.chunk import BLOCK_BYTES, Chunk
from troenpy.records.source import Source

#: Rows of a chunk, at most.
N_ROWS = 1 << 16


def read_parquet(source: Source) -> Iterator[Chunk]:
    """Yield the rows of a Parquet file."""
    file = source.open_random_access("a Parquet file")
    with file, _damage(source.name, "Parquet"):
        parquet = arrow("parquet").ParquetFile(file)
        schema, n_rows = parquet.schema_arrow, parquet.metadata.num_rows
        groups = [parquet.metadata.row_group(index) for index in range(parquet.metadata.num_row_groups)]
        n_bytes = sum(group.total_byte_size for group in groups)
        n_read = 0
        for batch in parquet.iter_batches(batch_size=_rows_at_a_time(n_rows, n_bytes)):
            n_read += batch.num_rows
            source.position = _share(source.size, n_read, n_rows)
            yield from _slices(arrow().Table.from_batches([batch]), source.name)
        if n_rows == 0:
            yield repaired(schema.empty_table(), source.name)


def read_arrow_file(source: Source) -> Iterator[Chunk]:
    """Yield the rows of an Arrow file, such as Feather."""
    file = source.open_random_access("an Arrow file")
    with file, _damage(source.name, "Arrow"):
        opened = arrow("ipc").open_file(file)
        for index in range(opened.num_record_batches):
            yield from _slices(arrow().Table.from_batches([opened.get_batch(index)]), source.name)
            source.position = _share(source.size, index + 1, opened.num_record_batches)
        if opened.num_record_batches == 0:
            yield repaired(opened.schema.empty_table(), source.name)


def read_arrow_stream(source: Source) -> Iterator[Chunk]:
    """Yield the rows of an Arrow stream."""
    stream = source.open()
    pa = arrow()
    try:
        with _damage(source.name, "Arrow"):
            opened = arrow("ipc").open_stream(pa.PythonFile(stream, mode="r"))
            yield repaired(opened.schema.empty_table(), source.name)
            for batch in opened:
                yield from _slices(pa.Table.from_batches([batch]), source.name)
    finally:
        stream.close()


def _slices(table: Table, name: str) -> Iterator[Chunk]:
    whole = repaired(table, name)
    step = _rows_at_a_time(table.num_rows, whole.table.nbytes)
    for start in range(0, table.num_rows, step):
        inside = range(start, start + step)
        faults = [replace(fault, row=fault.row - start) for fault in whole.faults if fault.row in inside]
        yield Chunk(whole.table.slice(start, step), faults)


def _rows_at_a_time(n_rows: int, n_bytes: int) -> int:
    return min(max(1, n_rows * BLOCK_BYTES // max(n_bytes, 1)), N_ROWS)


def _share(size: int | None, n_read: int, n_rows: int) -> int:
    return (size or 0) * n_read // max(n_rows, 1)


@contextmanager
def _damage(name: str, what: str) -> Iterator[Any]:
    """Name the file in pyarrow's errors."""
    pa = arrow()
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ValueError(f"{name} is damaged or not {what}: {reason:.200}") from None
