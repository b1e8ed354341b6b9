"""Blocks that pyarrow parses, and the others, are together what the csv module reads from the whole."""

import csv
import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from troenpy.records.chunk import Notices
from troenpy.records.csv_blocks import clean_end
from troenpy.records.csv_plain import Dialect, plain_records
from troenpy.records.csv_table import read_csv
from troenpy.records.streams import Utf8Stream

CELLS = st.text(st.sampled_from('ab ,;"\n\r\té日👍\x00\u2028'), max_size=8)
BLOCKS = st.integers(1, 40)


@st.composite
def tables(draw):
    n_columns = draw(st.integers(2, 4))
    row = st.lists(CELLS, min_size=n_columns, max_size=n_columns)
    header = [f"c{i}" for i in range(n_columns)]
    return [header, *draw(st.lists(row, max_size=8))]


def written(rows, newline, quoting, delimiter=","):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    writer.writerows(rows)
    return file.getvalue().encode()


def found(content, dialect, block_bytes):
    """The rows, faults and lines of a reader in blocks."""
    rows, faults, lines = [], {}, []
    stream = Utf8Stream(io.BytesIO(content), "utf-8")
    for chunk in read_csv(stream, dialect, "x.csv", Notices(), block_bytes):
        faults |= {len(rows) + fault.row: fault.kind for fault in chunk.faults}
        lines += [chunk.line_of(row) for row in range(chunk.table.num_rows)]
        rows += [list(row.values()) for row in chunk.table.to_pylist()]
    return rows, faults, lines


# Before Python 3.13 the module quotes a newline only if it ends lines.
STYLES = [("\r\n", csv.QUOTE_MINIMAL), ("\r\n", csv.QUOTE_ALL), ("\n", csv.QUOTE_ALL), ("\r", csv.QUOTE_ALL)]


@given(tables(), st.sampled_from(STYLES), st.sampled_from(",;|\t"), BLOCKS)
def test_what_the_csv_module_writes_is_read_in_blocks_of_any_size(rows, style, delimiter, block_bytes):
    newline, quoting = style
    content = written(rows, newline, quoting, delimiter)
    got, faults, lines = found(content, Dialect(delimiter), block_bytes)
    assert got == rows[1:]
    assert faults == {}
    starts = [1 + len(written(rows[:n], newline, quoting, delimiter).splitlines()) for n in range(1, len(rows))]
    assert lines == starts


@given(
    st.binary(max_size=0) | st.lists(st.sampled_from([*b'ab,,"\n\n\r ', 0xFF, 0xC3, 0]), max_size=60).map(bytes), BLOCKS
)
@example(b'a,"', 1)
@example(b'"a"\r\n"b"', 4)
@example(b'""\n\r"\n', 2)
@example(b"a,b\rc,d\r\ne,f\n", 5)
def test_any_bytes_are_read_in_blocks_as_they_are_as_a_whole(content, block_bytes):
    content = b"c0,c1\n" + content
    whole = plain_records(content, Dialect(), is_last=True)
    rows, faults, lines = found(content, Dialect(), block_bytes)
    assert rows == [_as_columns(row) for row in whole.rows[1:]]
    assert lines == [1 + line for line in whole.lines[1:]]
    n_records = len(whole.rows) - 1
    assert [faults.get(row) == "unclosed quote" for row in range(n_records)] == [
        whole.is_unclosed and row == n_records - 1 for row in range(n_records)
    ]
    for row, cells in enumerate(whole.rows[1:]):
        if faults.get(row) != "unclosed quote":
            is_bad = any("\ud800" <= character <= "\udfff" for cell in cells for character in cell)
            assert faults.get(row) == ("bad encoding" if is_bad else "ragged" if len(cells) != 2 else None)


def _as_columns(row):
    cells = [re.sub("[\ud800-\udfff]+", "\ufffd", cell) for cell in row[:2]]
    return cells + [None] * (2 - len(cells))


@given(st.lists(st.sampled_from([*b'ab,"\n\r']), max_size=40).map(bytes), st.booleans())
def test_a_clean_end_is_the_end_of_a_record(block, is_last):
    end = clean_end(block, Dialect(), is_last=is_last)
    if end:
        alone = plain_records(block[:end], Dialect(), is_last=True)
        assert not alone.is_unclosed
        both = plain_records(block, Dialect(), is_last=True)
        assert both.rows[: len(alone.rows)] == alone.rows


@pytest.mark.parametrize("has_quotes", [True, False])
@given(content=st.lists(st.sampled_from([*b'ab\t\t"\n']), max_size=40).map(bytes), block_bytes=BLOCKS)
def test_plain_quotes_in_blocks(has_quotes, content, block_bytes):
    content = b"c0\tc1\n" + content
    dialect = Dialect("\t", has_quotes)
    whole = plain_records(content, dialect, is_last=True)
    assert found(content, dialect, block_bytes)[0] == [_as_columns(row) for row in whole.rows[1:]]


def test_well_formed_blocks_are_not_read_row_by_row(monkeypatch):
    monkeypatch.setattr("troenpy.records.csv_table._table", None)
    content = b"c0,c1\n" + b'"a, ""b""\n",c\n' * 50
    assert len(found(content, Dialect(), 100)[0]) == 50


def test_lines_of_old_macs_end_although_cells_have_newlines():
    block = b'a,b\r"c\n",d\re,'
    assert clean_end(block, Dialect(), is_last=False) == len(b'a,b\r"c\n",d\r')
    assert clean_end(b'a,b\r"c\n",d\r', Dialect(), is_last=False) == len(b"a,b\r")  # \n may follow
