"""CSV: cells, headers and blank lines; every kind of broken row, with its row and line."""

import csv
import io

import pytest

from troenpy.records import chunk, open_records

HEADER = "text,label\n"


def stops(content, message, name="x.csv", **options):
    with (
        open_records(io.BytesIO(content if isinstance(content, bytes) else content.encode()), **options) as records,
        pytest.raises(ValueError, match=message),
    ):
        list(records.batches())


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ('text,label\n"a, b",x\nc,y\n', ["a, b", "c"]),
        ('text,label\n"a ""b""",x\nc,y\n', ['a "b"', "c"]),
        ('text,label\n"a\nb\r\nc\rd",x\ne,y\n', ["a\nb\r\nc\rd", "e"]),
        ('text,label\n5" disk,x\n"c",y\n', ['5" disk', "c"]),
        ('text,label\n"a"b,x\n"c",y\n', ["ab", "c"]),
        ("text,label\n\n\na,x\n  \n\nb,y\n\n", ["a", "b"]),
        ("\n\ntext,label\na,x\nb,y", ["a", "b"]),
        ("text,label\r\na,x\r\n\r\nb,y\r\n", ["a", "b"]),
        ("text,label\ra,x\r\rb,y\r", ["a", "b"]),
        ("text,label\na,x\r\nb,y\rc,z\n", ["a", "b", "c"]),
        ("text,label\na\x00b,x\nc,y\n", ["a\x00b", "c"]),
        ("text,label\n\ufeffa,x\nc,y\n", ["\ufeffa", "c"]),
        ("text,label\nNA,x\nnull,y\n", ["NA", "null"]),
        ("text,label\n 1 ,x\n007,y\n", [" 1 ", "007"]),
        ('text,label\n"a\u2028b\x0cc",x\nd\x1ce,y\n', ["a\u2028b\x0cc", "d\x1ce"]),
    ],
)
def test_cells(read, block_bytes, content, texts):
    found = read(io.BytesIO(content.encode()), format="csv", delimiter=",")
    assert found.texts == texts
    assert found.problems == []


def test_quotes_are_plain_characters_in_tsv(read, block_bytes):
    content = 'text\tlabel\n"hello, he said\tx\na 5" disk\ty\n"to be" or not\tx\n'
    found = read(io.BytesIO(content.encode()))
    assert found.texts == ['"hello, he said', 'a 5" disk', '"to be" or not']
    assert found.notices[0] == "the stream: TSV, quotes are plain characters"


def test_old_macs_with_newlines_in_cells(read, block_bytes):
    found = read(io.BytesIO(b'text,label\r"a\nb",x\r"c\n",y\rd,x\r'))
    assert (found.texts, found.labels) == (["a\nb", "c\n", "d"], ["x", "y", "x"])


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("rows", "row", "line", "message"),
    [
        (["a,x", ",y"], 2, 3, "has no text: mend it, or skip such rows with on_error='skip'"),
        (["a,x", '" \t",y'], 2, 3, "has no text"),
        (["a,x", "b,"], 2, 3, "has no label"),
        (["a,x", "", '"b\nb",y', "", "c, "], 3, 7, "has no label"),
        (["a,x", "b"], 2, 3, r"has too many or too few cells \(1 cell, the header has 2\): put quotes around cells"),
        (["a,x", '"b\n\n",y', "c,d,e"], 3, 6, r"has too many or too few cells \(3 cells, the header has 2\)"),
        (['"a","x"', 'b,"y'], 2, 3, "opens a quote that never ends"),
        (["a,x", 'b"b,y', 'c"c,y', ",z"], 4, 5, "has no text"),
    ],
)
def test_the_first_broken_row_stops_with_its_row_and_line(block_bytes, rows, newline, row, line, message):
    lines = newline.join(["text,label", *rows]).replace("\n\n", newline * 2) + newline
    n_inner = sum(each.count("\n") for each in rows)
    assert newline == "\n" or n_inner in (0, 1, 2)
    stops(lines, rf"row {row} \(line {line}\) of the stream {message}", format="csv")


def test_bad_bytes_stop_with_row_and_line(block_bytes):
    content = b"text,label\n" + "naïve,x\n".encode() * 3 + b'"a\nb",x\nna\xefve,y\n'
    stops(content, r"row 5 \(line 7\) of the stream has bytes that are not text: pass the right encoding")


def test_broken_rows_are_kept_in_place_and_counted(read, block_bytes):
    good = "naïve,x\n".encode()
    content = b"text,label\n" + b'"na\xc3\xafve","x"\n' * 3 + b",x\nb,\nc\nd,e,f\nna\xefve,y\n" + good + b'"e,y\n'
    found = read(io.BytesIO(content), on_error="skip")
    assert found.texts == ["naïve"] * 3 + [""] * 5 + ["naïve", ""]
    assert found.labels == ["x"] * 3 + [""] * 5 + ["x", ""]
    assert sorted(found.problems) == [
        "1 row has bytes that are not text: 8",
        "1 row has no label: 5",
        "1 row has no text: 4",
        "1 row opens a quote that never ends: 10",
        "2 rows have too many or too few cells: 6 and 7",
    ]


def test_the_table_keeps_broken_rows():
    with open_records(io.BytesIO(b"id,text,label\n7,,x\n8,b,y\n9\n"), on_error="skip") as records:
        (batch,) = records.batches()
    assert batch.table.to_pydict() == {
        "id": ["7", "8", "9"],
        "text": ["", "b", None],
        "label": ["x", "y", None],
    }
    assert batch.is_broken.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("text,label,prediction", ["text", "label", "prediction"]),
        ("text,label,", ["text", "label", "column_3"]),
        (",text,label", ["column_1", "text", "label"]),
        ("text,label,text", ["text", "label", "text_2"]),
        ("text,label,text,text_2", ["text", "label", "text_3", "text_2"]),
        ("text,label,column_3,", ["text", "label", "column_3", "column_4"]),
        ("text,label,column_4, ", ["text", "label", "column_4", "column_4_2"]),
        ('"text",label,"a\nb"', ["text", "label", "a\nb"]),
    ],
)
def test_header(read, block_bytes, header, columns):
    n_more = len(columns) - 2
    row = ",".join(["1", "2"] + ["3"] * n_more)
    found = read(io.BytesIO(f"{header}\n{row}\n".encode()), text="text", label="label")
    assert found.columns == columns
    is_renamed = columns != next(csv.reader(io.StringIO(header)))
    assert any("without a name of their own are called" in line for line in found.notices) == is_renamed


@pytest.mark.parametrize("content", ["text,label", "text,label\n", "text,label\r\n\r\n"])
def test_a_header_only_has_no_rows(read, block_bytes, content):
    assert read(io.BytesIO(content.encode())).texts == []


def test_one_column_of_text_with_delimiters(read, block_bytes):
    lines = ["a, b", "c; d", "e | f", "g\th"]
    content = "text\n" + "".join(f"{line}\n" for line in lines)
    found = read(io.BytesIO(content.encode()), format="csv", needs_label=False)
    assert (found.texts, found.problems) == (lines, [])


def test_cells_longer_than_a_block(read):
    long = ['"' + "x, \n" * 2_500_000 + '"', "y" * 10_000_000]
    content = f"text,label\n{long[0]},x\n{long[1]},y\nshort,x\n"
    found = read(io.BytesIO(content.encode()))
    assert found.texts == [long[0].strip('"'), long[1], "short"]


@pytest.mark.parametrize("content", [HEADER + 'a,x\n"' + "b\n" * 3000, '"text,label\n' + "b\n" * 3000 + '"'])
def test_a_record_has_a_longest_length(monkeypatch, block_bytes, content):
    monkeypatch.setattr(chunk, "RECORD_BYTES", 1 << 11)
    if block_bytes > 100 and content.startswith('"'):
        block_bytes = 1
    with (
        pytest.raises(ValueError, match=r"row 2 \(line 3\) of the stream does not end|row 1 \(line 1\) of the stream"),
        open_records(io.BytesIO(content.encode()), format="csv") as records,
    ):
        list(records.batches())


def test_the_limit_of_the_csv_module_is_restored():
    before = csv.field_size_limit()
    stops("text,label\na,x\nb\n", "too few cells")
    assert csv.field_size_limit() == before
