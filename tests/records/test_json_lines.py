"""JSON lines: values of every type, broken lines with row and line, and the fast path against the plain one."""

import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from troenpy.records import json_lines, open_records
from troenpy.records.chunk import Notices
from troenpy.records.json_fast import fast_table
from troenpy.records.json_rows import JsonColumns
from troenpy.records.lines import LineBlock

GOOD = b'{"text": "a good day", "label": "pos"}\n'


def lines_of(*rows):
    return io.BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


@pytest.mark.parametrize(
    ("label", "expected"),
    [(3, "3"), (-1, "-1"), (2.5, "2.5"), (1.0, "1.0"), (True, "true"), ("a b", "a b"), (["x"], "x")],
)
def test_a_label_of_any_type(read, block_bytes, label, expected):
    found = read(
        lines_of({"text": "a", "label": label}, {"text": "b", "label": "other"}, {"text": "c", "label": label})
    )
    assert found.labels == [expected, "other", expected]


def test_lists_of_labels(read):
    rows = [["oil", "grain"], [], ["oil", "oil", " "], [1, None]]
    found = read(lines_of(*({"text": "a", "labels": labels} for labels in rows)))
    assert found.labels == [("oil", "grain"), (), ("oil",), ("1",)]
    assert "the stream: several labels" in found.notices


def test_lists_of_one_label_are_labels(read):
    assert read(lines_of(*({"text": "a", "label": [label]} for label in "xy"))).labels == ["x", "y"]


def test_later_rows_with_several_labels_are_broken(read):
    rows = [{"text": "a", "label": ["x"]}] * 1000 + [{"text": "a", "label": ["x", "y"]}]
    found = read(lines_of(*rows), on_error="skip")
    assert found.problems == ["1 row has several labels, unlike the first rows: 1,001"]


EMPTY = [None, float("nan"), "", " \n\t", {"a": 1}]


@pytest.mark.parametrize(
    ("column", "value"), [*(("label", value) for value in EMPTY), *(("text", value) for value in (*EMPTY, [], ["x"]))]
)
def test_values_that_are_not_text(read, block_bytes, column, value):
    good = {"text": "a", "label": "x"}
    found = read(lines_of(good, {**good, column: value}), on_error="skip")
    kind = "holds a list or an object in place of text" if isinstance(value, list | dict) else f"has no {column}"
    assert found.problems == [f"1 row {kind}: 2"]


def test_missing_keys(read, block_bytes):
    good = {"text": "a", "label": "x"}
    found = read(lines_of(good, {"label": "x"}, {"text": "a"}, {}, good), on_error="skip")
    assert found.texts == ["a", "", "", "", "a"]
    assert found.problems == ["2 rows have no text: 2 and 4", "1 row has no label: 3"]


@pytest.mark.parametrize(("later", "expected"), [(5, "5"), (2.5, "2.5"), (True, "true"), ("y", "y")])
def test_other_types_later_than_the_first_rows(read, block_bytes, later, expected):
    rows = [{"text": "a", "label": "x"}] * 30 + [{"text": "a", "label": later}]
    found = read(lines_of(*rows))
    assert found.labels == ["x"] * 30 + [expected]


def test_types_that_change_are_said(read, block_bytes):
    rows = [{"text": "a", "label": "x"}] * 100 + [{"text": "a", "label": 5}]
    notices = read(lines_of(*rows)).notices
    said = "the stream: column 'label', text in the first rows, has other values later: they are kept as JSON text"
    assert said in notices


def test_later_keys_have_no_column_and_are_said(read, monkeypatch):
    rows = [{"text": "a", "label": "x"}] * 1000 + [{"text": "a", "label": "x", "extra": 1}]
    found = read(lines_of(*rows))
    assert found.columns == ["text", "label"]
    assert "the stream: keys such as 'extra', not in the first rows, have no column" in found.notices


def test_later_keys_come_with_their_rows(block_bytes):
    good = {"text": "a", "label": "x"}
    rows = [*[good] * 1000, {**good, "extra": [1, "é"]}, good, {**good, "extra": None, "n": 1.5}]
    whole = io.BytesIO(json.dumps(rows).encode())
    for stream in (lines_of(*rows), whole):
        with open_records(stream) as records:
            late = {batch.first_row + i: keys for batch in records.batches() for i, keys in batch.late_keys.items()}
        assert {row: {key: json.loads(text) for key, text in keys.items()} for row, keys in late.items()} == {
            1001: {"extra": [1, "é"]}, 1003: {"extra": None, "n": 1.5},
        }  # fmt: skip


BROKEN = [
    (b'{"text": "a", "label": "x"', "is not JSON"),
    (b'{"text": "a" "label": "x"}', "is not JSON"),
    (b"{'text': 'a', 'label': 'x'}", "is not JSON"),
    (GOOD.strip() * 2, "is not JSON"),
    (b'{"text": "a\tb", "label": "x"}', "is not JSON"),
    (b"nonsense", "is not JSON"),
    (b'{"text": ' + b"[" * 200_000, "is not JSON"),
    (b'["a", "x"]', "is not a JSON object"),
    (b'"text"', "is not a JSON object"),
    (b"null", "is not a JSON object"),
    (b'{"text": "\\ud800", "label": "x"}', "has bytes that are not text"),
    (b'{"text": "na\xefve", "label": "x"}', "has bytes that are not text"),
]


@pytest.mark.parametrize(("line", "kind"), BROKEN)
def test_broken_lines(read, block_bytes, line, kind):
    good = '{"text": "naïve", "label": "x"}\n'.encode()
    content = good * 3 + b"\n \n" + line + b"\n" + good
    found = read(io.BytesIO(content), on_error="skip")
    assert found.texts == ["naïve"] * 3 + ["", "naïve"]
    assert found.labels == ["x"] * 3 + ["", "x"]
    assert found.problems == [f"1 row {kind}: 4"]
    with (
        open_records(io.BytesIO(content)) as records,
        pytest.raises(ValueError, match=rf"row 4 \(line 6\) of the stream {kind}"),
    ):
        list(records.batches())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.json",
            b'{\n  "text": "a"\n}\n',
            "x.json is one JSON object: expected an array of objects, or an object per",
        ),
        ("x.json", b'{"data": [{"text": "a"}]}', "x.json is one JSON object"),
        ("x.jsonl", b"1\n2\n", "x.jsonl has no objects in its first rows: expected objects such as"),
        ("x.jsonl", b"{}\n{}\n", "x.jsonl has no objects in its first rows"),
    ],
)
def test_no_lines_of_objects(write, name, content, message):
    with pytest.raises(ValueError, match=message):
        open_records(write(name, content))


def test_a_line_without_end(monkeypatch, block_bytes):
    monkeypatch.setattr("troenpy.records.chunk.RECORD_BYTES", 1 << 11)
    content = GOOD * 2 + b'{"text": "' + b"a" * 5000 + b'"}\n'
    with (
        pytest.raises(ValueError, match=r"row 3 \(line 3\) of the stream does not end within"),
        open_records(io.BytesIO(content)) as records,
    ):
        list(records.batches())


VALUES = (
    st.text(st.sampled_from('a"\\/é日👍\n\x00\x7f\ud800{},'), max_size=5)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 2**63, float("nan"), 1e400, 2.5, [], {}, ["x"]])
)
PAIRS = st.lists(st.tuples(st.sampled_from(["text", "label", "n", "new"]), VALUES), max_size=4)


def as_line(pairs, ascii_only, space):
    items = (
        f"{json.dumps(key)}:{space}{json.dumps(value, ensure_ascii=ascii_only)}" for key, value in pairs
    )  # keys may be repeated
    return ("{" + f",{space}".join(items) + "}").encode("utf-8", "surrogatepass")


LINES = st.builds(as_line, PAIRS, st.booleans(), st.sampled_from(["", " "])) | st.sampled_from(
    [
        b"",
        b"{}",
        b"}{",
        b"{",
        b"}",
        b'{"text": "a"} {"text": "b"}',
        b'{"text":',
        b'"a"}',
        b"\0",
        b'{"n":01}',
        b'{"n":-0}',
    ]
)
SAMPLES = st.sampled_from(
    [
        [{"text": "a", "label": "x"}],
        [{"text": "a", "label": 1}],
        [{"text": "a", "label": True, "n": 3}],
        [{"text": "a", "label": None}, {"n": 2}],
        [{"text": "a", "label": ["x"]}],
    ]
)


def plain(block, columns):
    parsed = [json_lines.parse(line.decode("utf-8", "surrogateescape")) for line in block.lines]
    return json_lines._chunk(block, parsed, columns)


@given(SAMPLES, st.lists(LINES, min_size=1, max_size=4), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
@example([{"text": "a"}], [b'{"text":null,"text":"b"}'], b"\n", False)
@example([{"text": "a"}], [b'{"text":"a"}{"text":"b"}', b'{"text":"c"', b"}"], b"\n", True)
@example([{"text": 1}], [b'{"text":1.0}'], b"\n", True)
def test_what_pyarrow_reads_is_what_the_plain_reader_reads(sample, lines, newline, ends):
    content = newline.join(lines) + newline * ends
    fast = fast_table(content, JsonColumns(sample, "x.jsonl", Notices()))
    if fast is not None:
        notices = Notices()
        chunk = plain(LineBlock(content), JsonColumns(sample, "x.jsonl", notices))
        assert fast.equals(chunk.table, check_metadata=True)
        assert (list(chunk.faults), notices) == ([], [])


@given(st.lists(st.tuples(st.text(max_size=5), st.integers(-9, 9), st.booleans()), min_size=1))
def test_well_formed_lines_take_the_fast_path(rows):
    keys = ("text", "label", "flag")
    content = "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows).encode()
    columns = JsonColumns([{"text": "a", "label": 1, "flag": False}], "x.jsonl", Notices())
    is_simple = not any("\0" in text or any("\ud800" <= c <= "\udfff" for c in text) for text, *_ in rows)
    assert (fast_table(content, columns) is not None) or not is_simple
