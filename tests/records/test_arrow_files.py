"""Parquet, Arrow and Feather: every type of column, broken rows, damaged files."""

import datetime
import decimal
import io

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from troenpy.records import arrow_files, open_records

TEXTS = ["a good day", "naïve 日本", None]


def as_parquet(table, **options):
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, **options)
    return buffer


def as_arrow(table):
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer


def as_stream(table):
    buffer = io.BytesIO()
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer


def rewound(buffer):
    buffer.seek(0)
    return buffer


@pytest.fixture(params=[as_parquet, as_arrow, as_stream], ids=["parquet", "arrow", "stream"])
def packed(request):
    return lambda table: rewound(request.param(table))


STRINGS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int8(), pa.string())]


@pytest.mark.parametrize("type_", STRINGS, ids=str)
def test_types_of_strings(read, packed, type_):
    table = pa.table({"text": pa.array(TEXTS).cast(type_), "label": pa.array(["x", "y", "x"]).cast(type_)})
    found = read(packed(table), on_error="skip")
    assert (found.texts, found.labels) == (["a good day", "naïve 日本", ""], ["x", "y", ""])
    assert found.problems == ["1 row has no text: 3"]


def casts_views():
    try:
        pa.array(["a"]).cast(pa.string_view())
    except pa.ArrowNotImplementedError:
        return False
    return True


@pytest.mark.skipif(not casts_views(), reason="this pyarrow does not cast views of strings")
@pytest.mark.parametrize("make", [as_arrow, as_stream])
@pytest.mark.parametrize("name", ["string_view", "binary_view"])
def test_views_of_strings(read, make, name):
    table = pa.table({"text": pa.array(["a", "naïve"]).cast(getattr(pa, name)()), "label": ["x", "y"]})
    assert read(rewound(make(table))).texts == ["a", "naïve"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([1, 2], pa.int8()), ["1", "2"]),
        (pa.array([1.0, 2.5]), ["1", "2.5"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([datetime.date(2020, 1, 2), datetime.date(2021, 1, 1)]), ["2020-01-02", "2021-01-01"]),
        (pa.array([decimal.Decimal("1.50"), decimal.Decimal("2.00")]), ["1.50", "2.00"]),
        (pa.array([["x"], ["y"]]), ["x", "y"]),
        (pa.array([["x", "y"], []]), [("x", "y"), ()]),
        (pa.array([[1], [2, 1]], pa.large_list(pa.int64())), [("1",), ("2", "1")]),
        (pa.array([[True, False], [None, True]], pa.list_(pa.bool_(), 2)), [("true", "false"), ("true",)]),
    ],
)
def test_labels_of_any_type(read, packed, values, expected):
    found = read(packed(pa.table({"text": ["a", "b"], "label": values})))
    assert found.labels == expected


@pytest.mark.parametrize(
    "labels", [pa.array(["x", None]), pa.array([1.0, float("nan")]), pa.array(["x", " "]), pa.array([["x"], None])]
)
def test_missing_labels(read, packed, labels):
    found = read(packed(pa.table({"text": ["a", "b"], "label": labels})), on_error="skip")
    assert found.problems == ["1 row has no label: 2"]


@pytest.mark.parametrize("values", [pa.array([{"a": 1}]), pa.array([["x"]])])
def test_nested_text_is_an_error(packed, values):
    with (
        open_records(packed(pa.table({"text": values, "label": ["x"]})), text="text") as records,
        pytest.raises(ValueError, match=r"column 'text' holds (struct|list)<.*>, not text: choose another column"),
    ):
        list(records.batches())


@pytest.mark.parametrize("values", [pa.array([{"a": 1}]), pa.array([[["x"]]])])
def test_nested_labels_are_an_error(packed, values):
    with pytest.raises(ValueError, match=r"column 'label' holds .*, not (text|labels): choose another column"):
        open_records(packed(pa.table({"text": ["a"], "label": values})))


def test_an_unusual_column_is_not_guessed(read):
    intervals = pa.array([(1, 2, 3)] * 4, pa.month_day_nano_interval())
    table = pa.table({"x": ["a long enough text", "and another long one"] * 2, "span": intervals, "label": [*"abab"]})
    table = table.set_column(0, "x", pa.array([f"{text} {i}" for i, text in enumerate(table["x"].to_pylist())]))
    assert read(rewound(as_arrow(table))).text == ("x",)


def invalid_strings(values, type_=None):
    return pa.array(values, pa.binary()).view(pa.string()) if type_ is None else pa.array(values, type_)


BAD = [b"good", b"na\xefve", None, b"\xc3", b"x\xff", b"\xef\xbf\xbd"]


@pytest.mark.parametrize("column", ["text", "label", "note"])
def test_invalid_utf8_is_located(read, packed, column):
    columns = {name: ["good"] * len(BAD) for name in ("text", "label", "note")}
    table = pa.table({**columns, column: invalid_strings(BAD)})
    found = read(packed(table), text="text", label="label", on_error="skip")
    missing = {"note": [], "text": ["1 row has no text: 3"], "label": ["1 row has no label: 3"]}[column]
    assert found.problems == ["3 rows have bytes that are not text: 2, 4 and 5", *missing]
    with (
        open_records(packed(table), text="text", label="label") as records,
        pytest.raises(ValueError, match=r"row 2 of the stream has bytes that are not text"),
    ):
        list(records.batches())


def test_binary_columns_with_bad_bytes(read, packed):
    table = pa.table({"text": pa.array(BAD, pa.binary()), "label": ["x"] * len(BAD)})
    found = read(packed(table), on_error="skip")
    assert found.problems == ["3 rows have bytes that are not text: 2, 4 and 5", "1 row has no text: 3"]


def test_invalid_dictionary(read):
    dictionary = pa.DictionaryArray.from_arrays([0, 1, 0], invalid_strings([b"good", b"\xff"]), safe=False)
    found = read(rewound(as_arrow(pa.table({"text": dictionary, "label": [*"xyx"]}))), on_error="skip")
    assert (found.texts, found.problems) == (["good", "", "good"], ["1 row has bytes that are not text: 2"])


def test_invalid_strings_in_lists_are_one_error():
    lists = pa.ListArray.from_arrays([0, 1], invalid_strings([b"\xff"]))
    with pytest.raises(ValueError, match=r"column 'label' of the stream is damaged: its list<.*> is not valid"):
        open_records(rewound(as_arrow(pa.table({"text": ["a"], "label": lists}))))


def test_repeated_and_empty_names(read, packed):
    table = pa.table([pa.array([x]) for x in "abcd"], names=["text", "label", "text", ""])
    found = read(packed(table))
    assert found.columns == ["text", "label", "text_2", "column_4"]


@pytest.mark.parametrize("n_batches", [0, 1])
def test_no_rows(read, packed, n_batches):
    schema = pa.schema({"text": pa.string(), "label": pa.string()})
    table = pa.Table.from_batches([pa.RecordBatch.from_pylist([], schema)] * n_batches, schema)
    assert read(packed(table)).texts == []


def test_row_numbers_go_on_across_batches(read, packed, monkeypatch):
    monkeypatch.setattr(arrow_files, "BLOCK_BYTES", 100)
    texts = [f"text number {i}" if i != 70 else None for i in range(100)]
    found = read(packed(pa.table({"text": texts, "label": [*"ab"] * 50})), on_error="skip")
    assert found.texts == [text or "" for text in texts]
    assert found.problems == ["1 row has no text: 71"]


def test_large_batches_are_cut(packed, monkeypatch):
    monkeypatch.setattr(arrow_files, "BLOCK_BYTES", 1 << 10)
    with open_records(packed(pa.table({"text": ["x" * 100] * 1000, "label": [*"ab"] * 500}))) as records:
        assert max(batch.table.nbytes for batch in records.batches()) < 1 << 12


@pytest.mark.parametrize("version", [1, 2])
def test_feather(read, write, tmp_path, version):
    path = tmp_path / "x.feather"
    table = pa.table({"text": ["a", "b"], "label": ["x", "y"]})
    if version == 2:
        feather.write_feather(table, path)
        assert read(path).texts == ["a", "b"]
        return
    path.write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    for options in ({}, {"format": "arrow"}):
        with pytest.raises(ValueError, match=r"x.feather is Feather version 1: write it as version 2 or as Parquet"):
            read(path, **options)


@pytest.mark.parametrize("make", [as_parquet, as_arrow, as_stream])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_files_that_are_cut_off(make, share):
    content = make(pa.table({"text": [f"text {i}" for i in range(1000)], "label": [*"ab"] * 500})).getvalue()
    with (
        pytest.raises(ValueError, match=r"the stream is damaged or not (Parquet|Arrow): "),
        open_records(io.BytesIO(content[: int(len(content) * share)])) as records,
    ):
        list(records.batches())


@pytest.mark.parametrize("make", [as_parquet, as_arrow, as_stream])
def test_files_with_damage_are_an_error_or_are_read(make):
    content = make(pa.table({"text": [f"text {i}" for i in range(100)], "label": [*"ab"] * 50})).getvalue()
    for at in range(8, len(content), max(1, len(content) // 60)):
        broken = content[:at] + b"\xff\xfe\xfd" + content[at + 3 :]
        try:
            with open_records(io.BytesIO(broken), on_error="skip", text="text", label="label") as records:
                list(records.batches())
        except ValueError as error:
            assert "the stream" in str(error) or "column" in str(error)  # noqa: PT017


def test_a_file_of_the_user_is_left_open_at_its_place(packed):
    file = packed(pa.table({"text": ["a", "b"], "label": ["x", "y"]}))
    with open_records(file) as records:
        assert list(records.documents()) == list(records.documents())
    assert not file.closed


@pytest.mark.parametrize("make", [as_parquet, as_arrow])
def test_files_within_files(make):
    prefix = b"something before"
    file = io.BytesIO(prefix + make(pa.table({"text": ["a", "b"], "label": ["x", "y"]})).getvalue())
    file.seek(len(prefix))
    with open_records(file) as records:
        assert next(records.documents()) == (["a", "b"], ["x", "y"])


def test_pandas_missing_values_and_index(read, write, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": ["a", None, "c"], "label": pd.Categorical(["x", "y", None])}, index=[5, 6, 7])
    frame.to_parquet(tmp_path / "x.parquet")
    found = read(tmp_path / "x.parquet", on_error="skip")
    assert sorted(found.problems) == ["1 row has no label: 3", "1 row has no text: 2"]
