"""fastText's lines: labels, and lines that have none."""

import io

import pytest

from troenpy.records import open_records

LINES = b"__label__pos a good day\n__label__neg a bad day\n"


def test_one_label_each(read, block_bytes):
    found = read(io.BytesIO(LINES))
    assert (found.format, found.texts, found.labels) == ("fasttext", ["a good day", "a bad day"], ["pos", "neg"])
    assert found.notices[0] == "the stream: fastText"


def test_several_labels(read, block_bytes):
    found = read(io.BytesIO(b"__label__a __label__b x y\n__label__a z\n__label__a\t__label__c __label__a\tw\tv\n"))
    if block_bytes > 40:
        assert found.labels == [("a", "b"), ("a",), ("a", "c")]
        assert "the stream: several labels, separated by ' '" in found.notices
    assert found.texts == ["x y", "z", "w\tv"]


def test_later_lines_with_several_labels_are_broken_unless_a_separator_is_named(read):
    content = LINES * 500 + b"__label__a __label__b x\n"
    found = read(io.BytesIO(content), on_error="skip")
    assert found.problems == ["1 row has several labels, unlike the first rows: 1,001"]
    assert read(io.BytesIO(content), separator=" ").labels[-2:] == [("neg",), ("a", "b")]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"no label", "has no label"),
        (b"__label__ blank label", "has no label"),
        (b"__label__x", "has no text"),
        (b"__label__x  \t", "has no text"),
        (b"__label__x na\xefve", "has bytes that are not text"),
        (b"__label__\xef text", "has bytes that are not text"),
    ],
)
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_broken_lines(read, block_bytes, line, kind, newline):
    content = ("__label__é naïve\n" * 3).encode() + b"\n \n" + line + b"\n__label__b x\n"
    content = content.replace(b"\n", newline)
    found = read(io.BytesIO(content), on_error="skip")
    assert found.texts == ["naïve"] * 3 + ["", "x"]
    assert found.labels == ["é"] * 3 + ["", "b"]
    assert found.problems == [f"1 row {kind}: 4"]
    message = rf"row 4 \(line 6\) of the stream {kind}"
    with open_records(io.BytesIO(content)) as records, pytest.raises(ValueError, match=message):
        list(records.batches())


def test_a_replacement_character_is_text(read):
    assert read(io.BytesIO("__label__a \ufffd\n__label__b x\n".encode())).texts == ["\ufffd", "x"]


def test_the_format_may_be_named(read):
    content = b"a line without label first\n" + LINES
    found = read(io.BytesIO(content), format="fasttext", on_error="skip")
    assert found.problems == ["1 row has no label: 1"]


def test_nothing_but_blank_lines():
    with pytest.raises(ValueError, match="is empty"):
        open_records(io.BytesIO(b"\n\n"), format="fasttext")
