"""Encodings are sniffed from marks, zeros and valid sequences; streams of any encoding become UTF-8."""

import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troenpy.records import open_records
from troenpy.records.encodings import check_encoding, detect_encoding, is_binary
from troenpy.records.streams import PrependedStream, Utf8Stream, read_block

TEXT = "text,label\nnaïve café,pos\nüber 100 €,neg\n"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("cp1252", "cp1252"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-16", f"utf-16-{'le' if codecs.BOM_UTF16 == codecs.BOM_UTF16_LE else 'be'}"),
        ("utf-32", f"utf-32-{'le' if codecs.BOM_UTF32 == codecs.BOM_UTF32_LE else 'be'}"),
    ],
)
def test_detection(read, encoding, found):
    content = TEXT.encode(encoding)
    assert detect_encoding(content) == found
    rows = read(io.BytesIO(content))
    assert (rows.texts, rows.columns) == (["naïve café", "über 100 €"], ["text", "label"])


def test_ascii_is_utf8():
    assert detect_encoding(b"text,label\n" * 10) == "utf-8"
    assert detect_encoding(b"") == "utf-8"


def test_a_character_that_is_cut_at_the_end_is_no_error():
    content = ("a" * 50 + "日本").encode()
    assert [detect_encoding(content[:end]) for end in (53, 52, 51, 50)] == ["utf-8"] * 4


def test_a_few_bad_lines_among_many_are_utf8():
    assert detect_encoding("naïve\n".encode() * 3 + b"na\xefve\n" + "é\n".encode()) == "utf-8"
    assert detect_encoding("naïve\n".encode() + b"na\xefve\n" * 4) == "cp1252"


@pytest.mark.parametrize("encoding", ["utf-7", "shift_jis", "gb18030", "koi8-r", "raw_unicode_escape", "utf_8_sig"])
def test_a_named_encoding(read, encoding):
    text = {"koi8-r": "привет", "shift_jis": "日本"}.get(encoding, "naïve")
    content = f"text,label\n{text},x\nb,y\n".encode(encoding)
    assert read(io.BytesIO(content), encoding=encoding, format="csv").texts == [text, "b"]


def test_windows_1252_is_said(read):
    found = read(io.BytesIO(TEXT.encode("cp1252")))
    assert found.notices[0] == "the stream: CSV, separated by commas, Windows-1252 (guessed: it is not UTF-8)"


def test_bytes_without_a_character_in_windows_1252(read):
    content = TEXT.encode("cp1252") + b"a \x81 b,x\n"
    found = read(io.BytesIO(content), on_error="skip")
    assert found.problems == ["1 row has bytes that are not text: 3"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_bad_bytes_in_utf16(read, block_bytes, encoding):
    content = TEXT.encode(encoding) + "a\ud800b,x\nc,y\n".encode(encoding, "surrogatepass")
    found = read(io.BytesIO(content), on_error="skip")
    assert (found.texts[2:], found.problems) == (["", "c"], ["1 row has bytes that are not text: 3"])
    found = read(io.BytesIO(content[:-1]), on_error="skip")  # half a character at the end
    assert found.problems == ["2 rows have bytes that are not text: 3 and 4"]


def test_a_lone_surrogate_that_a_codec_accepts_is_a_broken_row(read):
    content = b"text,label\na+2AA-b,x\nc,y\n"
    found = read(io.BytesIO(content), encoding="utf-7", on_error="skip")
    assert (found.texts, found.problems) == (["", "c"], ["1 row has bytes that are not text: 1"])


@pytest.mark.parametrize("name", ["base64", "rot13", "utf-99", "", "a b"])
def test_unknown_encodings(name):
    with pytest.raises(ValueError, match=r"unknown encoding '.*': try 'utf-8', 'cp1252' or 'utf-16'"):
        check_encoding(name)


def test_binary_data():
    assert is_binary(bytes(range(256)))
    assert not is_binary("naïve\t\r\n\f\x1b[1m".encode() * 10)
    assert not is_binary(b"a\x00b")


class Trickle:
    """A stream that returns a byte at a time."""

    closed = False

    def __init__(self, content):
        self.content = content

    def read(self, size=-1):
        first, self.content = self.content[:1], self.content[1:]
        return first

    def close(self):
        pass


@given(
    st.text(max_size=20),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-7"]),
    st.integers(1, 9),
    st.booleans(),
)
def test_any_text_becomes_utf8(text, encoding, size, trickles):
    content = text.encode(encoding)
    stream = Utf8Stream(Trickle(content) if trickles else io.BytesIO(content), encoding)
    parts = iter(lambda: stream.read(size), b"")
    without_mark = text[1:] if text.startswith("\ufeff") and encoding != "utf-8-sig" else text
    assert b"".join(parts).decode().removeprefix("\ufeff") == without_mark.removeprefix("\ufeff")


@given(st.binary(max_size=30), st.integers(0, 12), st.integers(1, 40), st.booleans())
def test_blocks_have_at_least_the_size_that_was_asked_for(content, n_before, size, trickles):
    rest = content[n_before:]
    stream = PrependedStream(content[:n_before], Trickle(rest) if trickles else io.BytesIO(rest))
    blocks, is_last = [], False
    while not is_last:
        block, is_last = read_block(stream, size)
        blocks.append(block)
        assert is_last or len(block) >= size
    assert b"".join(blocks) == content


def test_all_at_once():
    assert PrependedStream(b"ab", io.BytesIO(b"cd")).read(-1) == b"abcd"
    assert open_records(io.BytesIO(TEXT.encode())).columns == ["text", "label"]
