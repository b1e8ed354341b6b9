"""A review and the corrected copy: all rows and columns, whole or not at all, never of another file."""

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from made_up_files import made_up, write_csv, write_lines

from troenpy.tasks.audit_result import Suspect
from troenpy.tasks.review import apply_review, read_review, row_check, write_review
from troenpy.tasks.spreadsheets import protected, unprotected

ROWS = [{**row, "note": 'a "note", =1+1'} for row in made_up(30)]


def review(path, corrected, rows=ROWS):
    """Write a review of some rows, from 1, with right labels."""
    suspects = [
        Suspect(rank, row, rows[row - 1]["label"], "x", 0.1, 0.9, True, [], [], {}, rows[row - 1]["text"])
        for rank, row in enumerate(corrected, start=1)
    ]
    with path.open("wb") as file:
        write_review(file, suspects)
    with path.open(newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    for row, label in zip(cells, corrected.values(), strict=True):
        row["corrected"] = label
    return write_csv(path, cells)


@given(st.text())
def test_what_is_protected_from_spreadsheets_is_unprotected(cell):
    assert protected(cell) == cell or unprotected(protected(cell)) == cell
    assert not protected(cell).startswith(("=", "@"))


def test_a_check_is_of_letters_only():
    assert re.fullmatch("[a-p]{10}", row_check("\udcff", "x"))
    assert row_check("a", "b") != row_check("ab", "")


def test_labels_are_corrected_and_all_else_is_kept(in_folder):
    write_csv(in_folder / "x.csv", ROWS)
    review(in_folder / "reviewed.csv", {3: "sport", 5: "", 7: ROWS[6]["label"], 30: "music"})
    found = apply_review("x.csv", "reviewed.csv", "out.csv")
    with Path("out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{**row, "label": {2: "sport", 29: "music"}.get(i, row["label"])} for i, row in enumerate(ROWS)]
    assert (found.n_rows, found.n_reviewed, found.n_changed) == (30, 4, 2)
    assert found.by_change == {(ROWS[2]["label"], "sport"): 1, (ROWS[29]["label"], "music"): 1}
    assert found.warnings == ["no other row has the new label 'music': a slip?"]
    assert str(found).splitlines()[0] == "out.csv: 2 of 4 reviewed labels changed, 30 rows"
    json.dumps(found.to_dict())


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string()), pa.int64()])
@pytest.mark.parametrize("label", ["1", "other"])
def test_a_column_of_labels_keeps_its_type_if_it_can(in_folder, kind, label):
    rows = [{"text": row["text"], "label": str(i % 3), "n": i} for i, row in enumerate(ROWS)]
    labels = [int(row["label"]) if kind == pa.int64() else row["label"] for row in rows]
    table = pa.table({"text": [row["text"] for row in rows], "label": pa.array(labels, kind), "n": list(range(30))})
    pq.write_table(table, "x.parquet")
    review(in_folder / "reviewed.csv", {4: label, 6: ""}, rows)
    apply_review("x.parquet", "reviewed.csv", "out.parquet")
    out = pq.read_table("out.parquet")
    assert [str(one) for one in out["label"].to_pylist()] == [label if i == 3 else str(i % 3) for i in range(30)]
    assert out["label"].type == (pa.int64() if kind == pa.int64() and label == "1" else pa.string())
    assert out["n"].to_pylist() == list(range(30))


def test_a_review_of_another_file_is_an_error_and_nothing_is_written(in_folder):
    write_csv(in_folder / "x.csv", ROWS)
    write_csv(in_folder / "shuffled.csv", ROWS[::-1])
    write_csv(in_folder / "short.csv", ROWS[:10])
    write_csv(in_folder / "labels.csv", [{**row, "label": "sport"} for row in ROWS] + made_up(3))
    reviewed = review(in_folder / "reviewed.csv", {3: "sport", 30: "food"})
    (in_folder / "out.csv").write_text("old")
    for name, message in [
        ("shuffled.csv", "row 3 of shuffled.csv is not the row that was reviewed: its text or label, '.*', differs"),
        ("labels.csv", "row 3 of labels.csv is not the row that was reviewed"),
        ("short.csv", "reviewed.csv has row 30, but short.csv has 10 rows: was it made from this file"),
    ]:
        with pytest.raises(ValueError, match=message):
            apply_review(name, reviewed.name, "out.csv")
    for out, what in (("x.csv", "the file it is made from"), ("reviewed.csv", "the review")):
        with pytest.raises(ValueError, match=f"the corrected copy would replace {what}, {out}: choose another name"):
            apply_review("x.csv", "reviewed.csv", out)
    assert (in_folder / "out.csv").read_text() == "old"
    assert not [path for path in in_folder.iterdir() if path.name.startswith(".")]


def test_keys_of_later_rows_are_kept_or_an_error(in_folder):
    rows = [{**row, **({"note": [number]} if number > 1000 else {})} for number, row in enumerate(made_up(1010))]
    write_lines(in_folder / "x.jsonl", rows)
    review(in_folder / "reviewed.csv", {3: "sport"}, rows)
    apply_review("x.jsonl", "reviewed.csv", "out.jsonl")
    found = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert found == [{**row, "label": "sport" if number == 2 else row["label"]} for number, row in enumerate(rows)]
    with pytest.raises(ValueError, match=r"row 1,002 of x.jsonl has the key 'note', .* ends in .jsonl"):
        apply_review("x.jsonl", "reviewed.csv", "out.csv")
    assert not Path("out.csv").exists()


def test_labels_of_json_keep_their_types(in_folder):
    rows = [
        {"text": row["text"], "label": [number % 3, str(number % 3)][number % 2]} for number, row in enumerate(ROWS)
    ]
    rows[6]["label"] = ["0"]
    write_lines(in_folder / "x.jsonl", rows)
    named = [{**row, "label": "0" if number == 6 else row["label"]} for number, row in enumerate(rows)]
    review(in_folder / "reviewed.csv", {3: "1", 5: "a", 7: "b"}, named)
    apply_review("x.jsonl", "reviewed.csv", "out.jsonl")
    found = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert found == [
        {**row, "label": {2: 1, 4: "a", 6: ["b"]}.get(number, row["label"])} for number, row in enumerate(rows)
    ]


def test_a_row_that_the_copy_cannot_hold_is_an_error(in_folder):
    text = write_csv(in_folder / "x.csv", ROWS).read_text().splitlines()
    text[9] += ",surplus"
    (in_folder / "x.csv").write_text("\n".join(text) + "\n")
    review(in_folder / "reviewed.csv", {3: "sport"})
    with pytest.raises(
        ValueError, match=r"the copy of x.csv would not be whole: 1 row has too many .* cells: 9; cells"
    ):
        apply_review("x.csv", "reviewed.csv", "out.csv", on_error="skip")


def test_an_empty_check_is_named(in_folder):
    write_csv(in_folder / "x.csv", ROWS)
    (in_folder / "reviewed.csv").write_text("row,check,corrected\n3,,sport\n")
    with pytest.raises(ValueError, match=r"the column 'check' of reviewed.csv is empty for row 3: leave it as it was"):
        apply_review("x.csv", "reviewed.csv", "out.csv")


def test_a_spreadsheet_may_have_saved_the_review(in_folder):
    write_csv(in_folder / "x.csv", ROWS)
    path = review(in_folder / "reviewed.csv", {3: "sport", 5: ""})
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    text = "\r\n".join(";".join(row[name] for name in ("corrected", "check", "row")) for row in rows)
    path.write_bytes(b"\xef\xbb\xbfcorrected;check;row\r\n" + text.encode() + b"\r\n")
    assert apply_review("x.csv", "reviewed.csv", "out.csv").n_changed == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "row,check,label\n1,abc,x\n",
            "reviewed.csv has no column 'corrected': a review has the columns that",
        ),
        ("row,check,corrected\none,abc,x\n", "column 'row' must hold the numbers of rows, got 'one'"),
        ("row,check,corrected\n1,abc,x\n1,abc,y\n", "reviewed.csv has row 1 twice: keep one of them"),
    ],
)
def test_a_broken_review_is_an_error(in_folder, content, message):
    Path("reviewed.csv").write_text(content)
    with pytest.raises(ValueError, match=message):
        read_review("reviewed.csv")


def test_a_review_without_corrections_says_so(in_folder):
    write_csv(in_folder / "x.csv", ROWS)
    review(in_folder / "reviewed.csv", {3: ""})
    found = apply_review("x.csv", "reviewed.csv", "out.csv")
    assert found.warnings == ["no label was changed: write right labels into the column 'corrected' of reviewed.csv"]
