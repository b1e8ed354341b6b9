"""Rows as they are written are read back by Python's csv and json, and by pyarrow."""

import csv
import datetime as dt
import io
import json
from decimal import Decimal

import pytest

pytest.importorskip("pyarrow")
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from troenpy.tasks.row_writers import CsvWriter, JsonLinesWriter, ParquetWriter, TableCollector, writer_for

CELLS = st.none() | st.text(alphabet=st.sampled_from("ab\"',;\t\r\n é\N{PILE OF POO}\0"), max_size=8)


def written(writer, file, *tables):
    for table in tables:
        writer.write(writer.encode(table))
    writer.close()
    return file.getvalue()


@given(st.lists(st.tuples(CELLS, CELLS), max_size=6), st.sampled_from([",", "\t", ";"]), st.booleans())
def test_csv_is_what_the_csv_module_reads(rows, delimiter, is_chunked):
    first, second = ([row[i] for row in rows] for i in (0, 1))
    table = pa.table({'a "name"': pa.array(first, pa.string()), "b": pa.array(second, pa.large_string())})
    tables = [table.slice(0, 2), table.slice(2)] if is_chunked else [table]
    if is_chunked:
        tables[0] = pa.concat_tables([tables[0], tables[0].slice(0, 0)])
    file = io.BytesIO()
    text = written(CsvWriter(file, delimiter), file, *tables).decode()
    found = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert found == [['a "name"', "b"], *([cell or "" for cell in row] for row in rows)]


def test_cells_are_quoted_only_where_they_must_be():
    file = io.BytesIO()
    table = pa.table({"a": ["x", 'say "x"', "x, y"], "b": ["1", None, "two\nlines"]})
    assert written(CsvWriter(file), file, table) == b'a,b\nx,1\n"say ""x""",\n"x, y","two\nlines"\n'


def test_values_of_any_type():
    table = pa.table(
        {
            "whole": [1, None],
            "fraction": [0.5, float("nan")],
            "yes": [True, False],
            "day": [dt.date(2026, 1, 2), None],
            "list": [["a", "b"], []],
            "record": [{"x": 1}, None],
            "price": [Decimal("1.50"), None],
            "category": pa.array(["u", "v"]).dictionary_encode(),
        }
    )
    file = io.BytesIO()
    lines = written(CsvWriter(file), file, table).decode().splitlines()
    assert lines[1] == '1,0.5,true,2026-01-02,"[""a"", ""b""]","{""x"": 1}",1.50,u'
    assert lines[2] == ",nan,false,,[],,,v"
    file = io.BytesIO()
    first, second = map(json.loads, written(JsonLinesWriter(file), file, table).splitlines())
    assert first == {
        "whole": 1, "fraction": 0.5, "yes": True, "day": "2026-01-02", "list": ["a", "b"], "record": {"x": 1},
        "price": 1.5, "category": "u",
    }  # fmt: skip
    assert second["fraction"] is None


def test_columns_that_hold_json_are_written_as_what_they_hold():
    field = pa.field("tags", pa.string(), metadata={b"troenpy": b"json"})
    table = pa.table([pa.array(['["a", 1]', None])], schema=pa.schema([field]))
    file = io.BytesIO()
    assert written(JsonLinesWriter(file), file, table) == b'{"tags": ["a", 1]}\n{"tags": null}\n'


def test_keys_without_a_column_are_members_of_their_row():
    file = io.BytesIO()
    writer = JsonLinesWriter(file)
    writer.write(
        writer.encode(pa.table({"a": ["x", "y"], "prediction": ["p", "q"]}), {1: {"b": "[1]", "prediction": "2"}})
    )
    first, second = map(json.loads, file.getvalue().splitlines())
    assert first == {"a": "x", "prediction": "p"}
    assert second == {"a": "y", "prediction": "q", "b": [1], "prediction_2": 2}


def test_parquet_and_memory():
    tables = [pa.table({"a": ["x"]}), pa.table({"a": ["y", None]})]
    file = io.BytesIO()
    assert pq.read_table(io.BytesIO(written(ParquetWriter(file), file, *tables))).to_pylist() == [
        {"a": "x"}, {"a": "y"}, {"a": None},
    ]  # fmt: skip
    collector = TableCollector()
    for table in tables:
        collector.write(collector.encode(table))
    assert collector.table() == pa.concat_tables(tables)


@pytest.mark.parametrize("name", ["x.txt", "x", "x.csv.gz", ".csv"])
def test_an_unknown_ending_is_an_error(name, tmp_path):
    with pytest.raises(ValueError, match=rf"rows are written to .*, got {name}: choose another ending"):
        writer_for(tmp_path / name)
