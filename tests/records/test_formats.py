"""The same rows in every format are the same texts and labels."""

import gzip
import io
import json

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from troenpy.records import open_records

TEXTS = ["a good day", 'a "bad" day, really', "naïve 日本 👍", "two\nlines"]
LABELS = ["pos", "neg", "pos", "neg"]
ROWS = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
TABLE = pa.table({"text": TEXTS, "label": LABELS})


def table_bytes(write, table=TABLE):
    buffer = io.BytesIO()
    write(table, buffer)
    return buffer.getvalue()


def arrow_stream(table, buffer):
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)


def arrow_file(table, buffer):
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)


def separated(delimiter, newline="\n"):
    rows = [("text", "label"), *zip(TEXTS, LABELS, strict=True)]
    return newline.join(delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows).encode()


TEXT_FORMATS = {
    "x.csv": separated(","),
    "x.tsv": separated("\t"),
    "semicolons.csv": separated(";"),
    "pipes.txt": separated("|"),
    "windows.csv": separated(",", "\r\n"),
    "mac.csv": separated(",", "\r"),
    "x.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "unescaped.jsonl": "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode(),
    "windows.jsonl": "".join(json.dumps(row) + "\r\n" for row in ROWS).encode(),
    "mac.jsonl": "".join(json.dumps(row) + "\r" for row in ROWS).encode(),
    "x.json": json.dumps(ROWS).encode(),
    "indented.json": json.dumps(ROWS, indent=2).encode(),
    "lines.json": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "no_ending": json.dumps(ROWS, ensure_ascii=False).encode(),
}
BINARY_FORMATS = {
    "x.parquet": table_bytes(parquet.write_table),
    "groups.parquet": table_bytes(lambda table, buffer: parquet.write_table(table, buffer, row_group_size=1)),
    "x.feather": table_bytes(feather.write_feather),
    "plain.feather": table_bytes(
        lambda table, buffer: feather.write_feather(table, buffer, compression="uncompressed")
    ),
    "x.arrow": table_bytes(arrow_file),
    "x.arrows": table_bytes(arrow_stream),
}
FORMATS = {**TEXT_FORMATS, **BINARY_FORMATS}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_the_same_rows(read, write, name):
    found = read(write(name, FORMATS[name]))
    assert (found.texts, found.labels, found.problems) == (TEXTS, LABELS, [])
    assert (found.text, found.label, found.columns) == (("text",), ("label",), ["text", "label"])


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_recognised_without_a_name(read, name):
    assert read(io.BytesIO(FORMATS[name])).texts == TEXTS


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_text_in_blocks_of_any_size(read, write, block_bytes, name):
    found = read(write(name, FORMATS[name]))
    assert (found.texts, found.labels, found.problems) == (TEXTS, LABELS, [])


@pytest.mark.parametrize("compressed", ["gz", "zst"])
@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_compressed_text(read, write, name, compressed):
    content = TEXT_FORMATS[name]
    pressed = gzip.compress(content) if compressed == "gz" else pa.compress(content, codec="zstd", asbytes=True)
    found = read(write(f"{name}.{compressed}", pressed))
    assert (found.texts, found.labels) == (TEXTS, LABELS)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["x.csv", "windows.csv", "x.tsv", "unescaped.jsonl", "no_ending"])
def test_encodings_are_sniffed(read, write, name, encoding):
    found = read(write(name, TEXT_FORMATS[name].decode().encode(encoding)))
    assert (found.texts, found.labels) == (TEXTS, LABELS)
    assert any("UTF" in line for line in found.notices) == (encoding != "utf-8-sig")


@pytest.mark.parametrize(
    ("name", "format_", "notice"),
    [
        ("x.csv", "csv", "CSV, separated by commas"),
        ("semicolons.csv", "csv", "CSV, separated by semicolons"),
        ("pipes.txt", "csv", "CSV, separated by pipes"),
        ("x.tsv", "tsv", "TSV"),
        ("x.jsonl", "jsonl", "JSON lines"),
        ("x.json", "json", "a JSON array"),
    ],
)
def test_what_was_sniffed_is_said(read, write, name, format_, notice):
    path = write(name, FORMATS[name])
    found = read(path)
    assert found.format == format_
    assert found.notices == [f"{path}: {notice}", f"{path}: text from column 'text', label from column 'label'"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.csv is empty"),
        (b"\n \r\n", "x.csv is empty"),
        (b"\xef\xbb\xbf", "x.csv is empty"),
        (b"PK\x03\x04 and so on", "x.csv is a zip archive or an Excel workbook: unpack it, or save the sheet as CSV"),
        (b"BZh91AY&SY and so on", "x.csv is compressed with bzip2"),
        (b"\xfd7zXZ\x00 and so on", "x.csv is compressed with xz"),
        (b"\xd0\xcf\x11\xe0 and so on", "x.csv is an old Excel or Word file: save it as CSV"),
        (b"%PDF-1.7 and so on", "x.csv is a PDF file"),
        (b"SQLite format 3\x00\x10\x00\x01\x01\x00\x40", "x.csv is binary data, not text: expected CSV, TSV"),
        (b"FEA1 and so on", "x.csv is Feather version 1: write it as version 2 or as Parquet"),
        (b"PAR1 and so on", "x.csv is damaged or not Parquet"),
        (b"ARROW1 and so on", "x.csv is damaged or not Arrow"),
        (b"\xff\xff\xff\xff and so on", "x.csv is damaged or not Arrow"),
    ],
)
def test_other_files_are_one_clear_error(read, write, content, message):
    with pytest.raises(ValueError, match=message):
        read(write("x.csv", content))


def test_unknown_text_lists_the_formats(read, write):
    with pytest.raises(ValueError, match=r"the format of .*x.txt is unknown: .* name it with format= \(--format\)"):
        read(write("x.txt", "just a line\nand another\n"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"format": "xml"}, ValueError, "unknown format 'xml': choose from csv, tsv, jsonl, .* or folder"),
        ({"format": "parquet"}, ValueError, "is not parquet"),
        ({"format": "folder"}, ValueError, "is not a folder, but the format is 'folder'"),
        ({"format": "json"}, ValueError, r"is not an array of JSON objects: expected '\['"),
        ({"delimiter": ""}, ValueError, "delimiter must be one ASCII character, got ''"),
        ({"delimiter": "::"}, ValueError, "delimiter must be one ASCII character, got '::'"),
        ({"delimiter": "\0"}, ValueError, "delimiter must be one ASCII character"),
        ({"delimiter": "\n"}, ValueError, "delimiter must not be a quote or a newline"),
        ({"encoding": "utf-99"}, ValueError, "unknown encoding 'utf-99': try"),
        ({"encoding": "base64"}, ValueError, "unknown encoding 'base64': try"),
        ({"encoding": "a\0b"}, ValueError, "unknown encoding"),
        ({"on_error": "ignore"}, ValueError, "on_error must be 'stop' or 'skip', got 'ignore'"),
        ({"separator": ""}, ValueError, "separator must be one or more characters, got ''"),
        ({"text": 3}, TypeError, "text must be the name of a column, or several names, got 3"),
        ({"text": []}, TypeError, r"text must be the name of a column, or several names, got \[\]"),
        ({"text": ["text", "text"]}, ValueError, "text names a column twice"),
        ({"text": "text", "label": "text"}, ValueError, "column 'text' of .* cannot be text and label at once"),
    ],
)
def test_bad_options(write, options, error, message):
    with pytest.raises(error, match=message):
        open_records(write("x.csv", TEXT_FORMATS["x.csv"]), **options)


def test_a_parquet_file_that_is_called_csv_by_the_user(write):
    with pytest.raises(ValueError, match="is not csv, but parquet"):
        open_records(write("x.parquet", FORMATS["x.parquet"]), format="csv")


@pytest.mark.parametrize("delimiter", [" ", "#", "a", ":"])
def test_any_delimiter(read, write, delimiter):
    content = f'TEXT{delimiter}LABEL\n"x{delimiter}y"{delimiter}1\nz{delimiter}2\n'
    found = read(write("x.csv", content), delimiter=delimiter)
    assert (found.texts, found.labels) == ([f"x{delimiter}y", "z"], ["1", "2"])
