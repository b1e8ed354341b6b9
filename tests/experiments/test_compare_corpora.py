"""The script that compares methods on a folder of corpora."""

import gzip
import importlib.util
import json
import re
from pathlib import Path

import pytest

from troenpy.experiments import text_methods
from troenpy.experiments.journal import read_rows

SCRIPT = Path(__file__).parents[2] / "experiments/compare_corpora.py"
SPEC = importlib.util.spec_from_file_location("compare_corpora", SCRIPT)
script = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(script)

TEXTS = ["late goal", "own goal", "close vote", "no vote"] * 5
LABELS = ["s", "s", "p", "p"] * 5


def documents(split=lambda number: "train" if number < 12 else "test"):
    rows = zip(TEXTS, LABELS, range(20), strict=True)
    return [{"text": text, "label": label, "split": split(number)} for text, label, number in rows]


def write(path, lines):
    shown = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in shown).encode()))
    return path


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "given.jsonl.gz", documents())
    write(tmp_path / "random.jsonl.gz", documents(lambda number: None))
    return tmp_path


def test_the_report_is_printed_and_the_rows_are_kept(folder, capsys):
    out = folder / "rows.jsonl"
    arguments = [str(folder), "--out", str(out), "--splits", "2", "--methods"]
    methods = ["majority class", "log TF-IDF, linear SVM", "troenpy, words, C=3"]
    assert script.main([*arguments, *methods]) == 0
    printed = capsys.readouterr()
    assert [line.split(":")[0] for line in printed.err.splitlines()[::3]] == [
        "given",
        "random, split 0",
        "random, split 1",
    ]
    assert "given: test error, %\n" in printed.out
    assert "reduction and p against troenpy, words, C=3, corrected resampled t-test" in printed.out
    assert len(read_rows(out)) == 9
    assert script.main([*arguments, *methods]) == 0
    again = capsys.readouterr()
    assert (again.err, again.out) == ("", printed.out)
    assert script.main([*arguments, *methods[:2], "--corpora", "given", "--table"]) == 0
    assert "random" not in capsys.readouterr().out


def test_rows_hold_no_text(folder):
    out = folder / "rows.jsonl"
    methods = ["TF-IDF, logistic regression", "NB-SVM (1,2)-grams", "ours"]
    assert script.main([str(folder), "--out", str(out), "--corpora", "given", "--methods", *methods]) == 0
    assert len(read_rows(out)) == 9
    assert not {"goal", "vote", "late", "own", "close"} & set(re.findall(r"\w+", out.read_text()))


def test_without_names_methods_whose_packages_are_missing_are_left_out(capsys, monkeypatch):
    monkeypatch.setattr(text_methods, "find_spec", lambda name: None if name == "fasttext" else name)
    chosen = [method.name for method in script.choose_methods(None)]
    assert len(chosen) == len(text_methods.TEXT_METHODS) - 1
    assert capsys.readouterr().err == "left out: fastText; pip install fasttext-community\n"
    assert [method.name for method in script.choose_methods(["fastText"])] == ["fastText"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is not a folder: give one with files NAME.jsonl.gz"),
        ([".", "--methods", "troenpi"], "unknown method 'troenpi': did you mean 'troenpy'? choose from 'rivals', "),
        ([".", "--corpora", "news"], "there is no corpus 'news': choose from given, random"),
        ([".", "--splits", "0"], "--splits must be 1 or more, got 0"),
        ([".", "--table", "--out", "rows.jsonl"], "[Errno 2] No such file or directory: 'rows.jsonl'"),
        (
            [".", "--baseline", "x", "--methods", "majority class"],
            "baseline 'x' was not run: choose one of majority class",
        ),
    ],
)
def test_errors_are_one_line(arguments, message, folder, monkeypatch):
    monkeypatch.chdir(folder)
    said = script.main(arguments)
    assert said.startswith(message)
    assert "\n" not in said


def test_a_folder_without_a_corpus_is_an_error(tmp_path):
    assert script.main([str(tmp_path)]) == f"{tmp_path} has no corpus: its files must be called NAME.jsonl.gz"


def test_two_corpora_of_one_name_are_an_error(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    write(other / "given.jsonl.gz", documents())
    assert script.main([str(folder), str(other)]).startswith("two corpora are called given, ")
    assert len(script.find_files([folder, other], ["random"])) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("{", "line 3 of {path} is not JSON: "),
        ("[" * 100_000, "line 3 of {path} is not JSON: "),
        ([], "line 3 of {path} must be an object with text, label, split"),
        ({"text": "a", "label": "b"}, "line 3 of {path} must be an object with text, label, split"),
        ({"text": 1, "label": "b", "split": None}, "line 3 of {path}: text must be a string, and label a string or"),
        ({"text": "a", "label": None, "split": None}, "line 3 of {path}: text must be a string, and label a string or"),
        ({"text": "a", "label": True, "split": None}, "line 3 of {path}: text must be a string, and label a string or"),
        (
            {"text": "a", "label": "b", "split": "dev"},
            "line 3 of {path}: split must be 'train', 'test' or null, got 'dev'",
        ),
        ({"text": "a", "label": "b", "split": None}, "line 3 of {path} has no split, but other lines have one"),
    ],
)
def test_a_broken_line_is_named(changed, message, tmp_path):
    lines = documents()
    lines[2] = changed
    path = write(tmp_path / "news.jsonl.gz", lines)
    assert script.main([str(tmp_path)]).startswith(message.format(path=path))


def test_a_damaged_file_is_named(tmp_path):
    path = write(tmp_path / "news.jsonl.gz", documents())
    path.write_bytes(path.read_bytes()[:-20])
    assert re.match(
        f"{re.escape(str(path))} cannot be read after line \\d+: Compressed file ended", script.main([str(tmp_path)])
    )
    path.write_bytes(b"text")
    assert script.main([str(tmp_path)]).startswith(f"{path} cannot be read after line 0: ")


def test_an_empty_file_and_a_file_of_one_part_are_errors(tmp_path):
    path = write(tmp_path / "news.jsonl.gz", [])
    assert script.main([str(tmp_path)]) == f"{path} is empty"
    write(path, documents(lambda number: "train"))
    assert script.main([str(tmp_path)]) == f"{path} has documents for 'train' only: it needs both parts, or no split"


def test_labels_may_be_whole_numbers(tmp_path):
    lines = [{**document, "label": int(document["label"] == "s")} for document in documents()]
    assert set(script.read_corpus(write(tmp_path / "news.jsonl.gz", lines)).labels) == {"0", "1"}
