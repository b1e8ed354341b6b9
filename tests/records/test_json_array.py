"""Arrays of JSON: equal to json.load in blocks of any size; arrays that are cut off or broken."""

import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from troenpy.records import chunk, open_records
from troenpy.records.chunk import Notices
from troenpy.records.json_array import _Elements, read_json_array
from troenpy.records.streams import Utf8Stream

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def elements(content, block_bytes):
    return list(_Elements(Utf8Stream(io.BytesIO(content), "utf-8"), "x.json", block_bytes))


@given(st.lists(VALUES, max_size=6), st.integers(1, 50), st.sampled_from([None, 0, 2]), st.booleans())
@example([12, 345], 3, None, True)
@example([-1.5e3, True], 4, None, True)
def test_elements_are_those_of_json_load_in_blocks_of_any_size(values, block_bytes, indent, ascii_only):
    content = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert [value for value, _ in elements(content, block_bytes)] == values


@given(st.lists(VALUES, min_size=1, max_size=4), st.integers(1, 30), st.data())
def test_an_array_that_json_load_rejects_is_an_error(values, block_bytes, data):
    text = json.dumps(values, indent=data.draw(st.sampled_from([None, 1])))
    at = data.draw(st.integers(0, len(text) - 1))
    broken = text[:at] + data.draw(st.sampled_from(["", "", "x", ",", "]", '"', "\\", "1"])) + text[at + 1 :]
    try:
        expected = json.loads(broken)
    except ValueError:
        with pytest.raises(ValueError, match=r"x\.json (is|has)|of x\.json is not JSON"):
            elements(broken.encode(), block_bytes)
    else:
        if isinstance(expected, list):
            assert [value for value, _ in elements(broken.encode(), block_bytes)] == expected


def test_lines(block_bytes):
    content = b'\n[\n{"a":\n1},\n\n{"a": 2}, {"a": "\\n"}\n,3]\n\n'
    assert [line for _, line in elements(content, block_bytes)] == [3, 6, 6, 7]


def test_lines_of_old_macs(block_bytes):
    assert [line for _, line in elements(b'[\r{"a":\r1},\r\n{"a": 2}\r]', block_bytes)] == [2, 4]


GOOD = '{"text": "naïve", "label": "x"}'


def stops(content, message, **options):
    with (
        pytest.raises(ValueError, match=message),
        open_records(io.BytesIO(content.encode()), format="json", **options) as records,
    ):
        list(records.batches())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"[{GOOD}, {GOOD}", "the stream is cut off: its array has no end after row 2"),
        (f"[{GOOD}, {GOOD},", "the stream is cut off: its array has no end after row 2"),
        (f"[{GOOD}, {GOOD[:-1]}", "the stream is cut off: its array has no end after row 1"),
        (f"[{GOOD}, {GOOD[:-4]}", "the stream is cut off: its array has no end after row 1"),
        (f"[{GOOD}, {GOOD[:3]}", "the stream is cut off: its array has no end after row 1"),
        (
            f"[\n{GOOD},\n{GOOD} {GOOD}]",
            r"row 3 \(line 3\) of the stream is not JSON \(expected ',' or '\]', got '{'\): mend",
        ),
        (f"[\n{GOOD},\n,{GOOD}]", r"row 2 \(line 3\) of the stream is not JSON"),
        (f"[{GOOD},]", r"row 2 \(line 1\) of the stream is not JSON"),
        (f"[\n{GOOD},\n\n{{'text': 'a'}}]", r"row 2 \(line 4\) of the stream is not JSON"),
        (f"[{GOOD},\n" + "[" * 200_000, r"row 2 \(line 2\) of the stream is not JSON \(RecursionError\)"),
        (f"[{GOOD}]\n{GOOD}", r"the stream has more text after the end of its array \(line 2\)"),
        (GOOD, r"the stream is not an array of JSON objects: expected '\[' at its start"),
        ("[1, 2]", "the stream has no objects in its first rows"),
        ("[]", "the stream is empty"),
        (" [ ] ", "the stream is empty"),
        ("[", "the stream is cut off: its array has no end after row 0"),
    ],
)
def test_broken_arrays(block_bytes, content, message):
    stops(content, message)


def test_broken_rows(read, block_bytes):
    content = f'[{GOOD}, 5, {{"text": "", "label": "x"}}, {{"text": "\\ud800", "label": "x"}}, {GOOD}]'
    found = read(io.BytesIO(content.encode()), on_error="skip")
    assert (found.texts, found.labels) == (["naïve", "", "", "", "naïve"], ["x", "", "", "", "x"])
    kinds = ["has bytes that are not text: 4", "has no text: 3", "is not a JSON object: 2"]
    assert sorted(found.problems) == [f"1 row {kind}" for kind in kinds]
    stops(f"[{GOOD},\n5]", r"row 2 \(line 2\) of the stream is not a JSON object \(int\)")


def test_bad_bytes(read, block_bytes):
    good = GOOD.encode()
    content = b"[" + good + b",\n" + good + b",\n" + good.replace(b"\xc3\xaf", b"\xef") + b"]"
    assert read(io.BytesIO(content), on_error="skip").problems == ["1 row has bytes that are not text: 3"]


def test_a_long_element(read):
    text = "x, \\" * 2_500_000
    content = json.dumps([{"text": text, "label": "a"}, {"text": "b", "label": "c"}])
    assert read(io.BytesIO(content.encode())).texts == [text, "b"]


def test_an_element_has_a_longest_length(monkeypatch, block_bytes):
    monkeypatch.setattr(chunk, "RECORD_BYTES", 1 << 11)
    stops(f'[{GOOD},\n{{"text": "' + "a" * 10_000, r"row 2 \(line 2\) of the stream does not end within|is cut off")


def test_chunks_have_few_rows(monkeypatch):
    monkeypatch.setattr("troenpy.records.json_array.N_ROWS", 10)
    content = json.dumps([{"text": "a"}] * 25).encode()
    chunks = list(read_json_array(io.BytesIO(content), "x.json", Notices()))
    assert [each.table.num_rows for each in chunks] == [10, 10, 5]
