"""Files made up for a test, and what the reader makes of them."""

from dataclasses import dataclass
from typing import Any

import pytest

from troenpy.records import open_records


@dataclass
class Found:
    """All rows of a file."""

    texts: list[str]
    labels: list[Any] | None
    problems: list[str]
    notices: list[str]
    format: str
    columns: list[str]
    text: tuple[str, ...]
    label: tuple[str, ...]


def read_all(source: Any, **options: Any) -> Found:
    with open_records(source, **options) as records:
        texts, labels, row = [], [], 1
        for batch in records.batches():
            assert batch.first_row == row
            assert len(batch.texts) == batch.table.num_rows == len(batch.is_broken)
            texts += batch.texts.to_pylist()
            labels += batch.labels or []
            row += batch.table.num_rows
        return Found(
            texts,
            labels if records.label else None,
            records.problems.lines(),
            records.notices,
            records.format,
            records.columns,
            records.text,
            records.label,
        )


@pytest.fixture
def read():
    """Read all rows of a source."""
    return read_all


@pytest.fixture
def write(tmp_path):
    """Write bytes, or text in UTF-8, to a file."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture(params=[1, 2, 3, 7, 16, 1000])
def block_bytes(request, monkeypatch):
    """Read every format in small blocks."""
    for module in ("csv_table", "json_lines", "json_array", "fasttext", "text_lines"):
        reader = {"csv_table": "read_csv", "fasttext": "read_fasttext"}.get(module, f"read_{module}")
        small = shrink(f"troenpy.records.{module}", reader, request.param)
        monkeypatch.setattr(f"troenpy.records.formats.{reader}", small)
    return request.param


def shrink(module, reader, n_bytes):
    from functools import partial
    from importlib import import_module

    return partial(getattr(import_module(module), reader), block_bytes=n_bytes)
