"""Lines of plain text, which can be predicted."""

import io

import pytest

from troenpy.records import open_records

LINES = "where is it\n\nnaïve, and 日本\n  two words \n"
TEXTS = ["where is it", "", "naïve, and 日本", "  two words "]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["", "newline"])
def test_a_row_for_each_line(read, block_bytes, newline, end):
    content = LINES if end else LINES.removesuffix("\n")
    found = read(io.BytesIO(content.replace("\n", newline).encode()), format="txt", needs_label=False, on_error="skip")
    assert (found.format, found.texts, found.labels) == ("txt", TEXTS, None)
    assert found.problems == ["1 row has no text: 2"]


def test_lines_without_commas_need_no_name(read):
    found = read(io.BytesIO(b"where is it\nnot here\n"), needs_label=False)
    assert (found.format, found.columns, found.notices[0]) == ("txt", ["text"], "the stream: a text on each line")


def test_the_ending_says_so_unless_a_header_names_a_column(read, write):
    plain = write("a.txt", "hello, world\nfoo, bar\n")
    assert read(plain, needs_label=False).texts == ["hello, world", "foo, bar"]
    assert read(plain, needs_label=False, text="hello", delimiter=",").texts == ["foo"]
    for name in ("one column", "column.txt"):
        assert read(write(name, "text\nhello\nfoo\n"), needs_label=False).texts == ["hello", "foo"]
    table = write("b.txt", "id\ttext\n1\thello\n2\tfoo\n")
    assert read(table, needs_label=False).texts == ["hello", "foo"]


def test_bytes_that_are_not_text(read, block_bytes):
    content = "é \ufffd\n".encode() * 3 + b"na\xefve\nx\n"
    found = read(io.BytesIO(content), format="txt", needs_label=False, on_error="skip", encoding="utf-8")
    assert found.problems == ["1 row has bytes that are not text: 4"]
    message = r"row 4 \(line 4\) of the stream has bytes that are not text"
    opened = open_records(io.BytesIO(content), format="txt", needs_label=False, encoding="utf-8")
    with opened as records, pytest.raises(ValueError, match=message):
        list(records.batches())


def test_lines_have_no_labels(write):
    with pytest.raises(ValueError, match=r"has no labels: lines of plain text can only be predicted"):
        open_records(io.BytesIO(b"a\nb\n"), format="txt")


def test_cells_with_commas_are_explained():
    message = (
        r"no column of the stream is obviously the text: .*; if each line is a text, add format='txt' \(--format txt\)"
    )
    with pytest.raises(ValueError, match=message):
        open_records(io.BytesIO(b"hello, world\nfoo, bar\n"), needs_label=False)
