"""Labels of rows: one, several by a separator, several columns, columns that say yes or no."""

import io

import pytest

from troenpy.records import open_records


def as_csv(*lines):
    return io.BytesIO(("\n".join(lines) + "\n").encode())


def test_a_separator(read, block_bytes):
    found = read(as_csv("text,label", "a,x|y", "b, x | |x", "c,y"), separator="|")
    assert found.labels == [("x", "y"), ("x",), ("y",)]
    assert "the stream: several labels, separated by '|'" in found.notices


def test_labels_without_a_separator_are_kept_as_they_are(read):
    assert read(as_csv("text,label", "a,x|y", "b, x ")).labels == ["x|y", " x "]


@pytest.mark.parametrize("cell", ["", "  ", "|", " | "])
def test_no_label_by_separator(read, cell):
    found = read(as_csv("text,label", "a,x", f"b,{cell}"), separator="|", on_error="skip")
    assert (found.labels, found.problems) == ([("x",), ()], ["1 row has no label: 2"])


def test_several_columns_of_labels(read):
    found = read(as_csv("text,first,second", "a,x,y", "b,y,", "c,x,x"), label=["first", "second"])
    assert found.labels == [("x", "y"), ("y",), ("x",)]
    assert "the stream: several labels" in found.notices


def test_several_columns_without_any_label(read):
    found = read(as_csv("text,first,second", "a,x,y", "b,,"), label=["first", "second"], on_error="skip")
    assert found.problems == ["1 row has no label: 2"]


@pytest.mark.parametrize(
    ("yes", "no"), [("1", "0"), ("True", "false"), ("yes", "NO"), ("1.0", "0.0"), ("t", ""), ("Y", "n")]
)
def test_columns_that_say_yes_or_no(read, block_bytes, yes, no):
    rows = [f"a,{yes},{no}", f"b,{no},{no}", f"c,{yes},{yes}"]
    found = read(as_csv("text,toxic,obscene", *rows), label=["toxic", "obscene"])
    assert found.labels == [("toxic",), (), ("toxic", "obscene")]
    assert "the stream: each of 2 columns is a label that a row has or has not" in found.notices


@pytest.mark.parametrize("content", [b'{"text":"%d","a":true,"b":0}\n', b'{"text":"%d","a":1,"b":null}\n'])
def test_columns_of_json_that_say_yes_or_no(read, content):
    lines = b"".join(content % i for i in range(3))
    assert read(io.BytesIO(lines), label=["a", "b"]).labels == [("a",)] * 3


def test_a_later_cell_that_says_neither(read):
    rows = ["a,1,0"] * 1000 + ["b,maybe,1"]
    found = read(as_csv("text,toxic,obscene", *rows), label=["toxic", "obscene"], on_error="skip")
    assert found.problems == ["1 row has a label column that says neither yes nor no: 1,001"]
    assert found.labels[-1] == ()


def test_one_column_of_yes_and_no_has_one_label(read):
    assert read(as_csv("text,toxic", "a,1", "b,0"), text="text", label="toxic").labels == ["1", "0"]


def test_documents_of_label_sets():
    content = as_csv("text,label", "a,x|y", "b,", "c,y")
    with open_records(content, separator="|", on_error="skip") as records:
        ((texts, labels),) = records.documents()
    assert texts == ["a", "c"]
    assert labels.classes.tolist() == ["x", "y"]
    assert labels.indicator.toarray().tolist() == [[1, 1], [0, 1]]
