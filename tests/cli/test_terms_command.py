"""troenpy terms through the installed command, on files as people have them."""

import csv
import io
import json
import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
from installed_command import ENVIRONMENT, INSTALLED
from made_up_files import made_up, write_csv, write_lines
from typer.testing import CliRunner

import troenpy
from troenpy.cli import app

ROWS = made_up(120)


def check(shown, words):
    if "--json" not in words:
        assert max(map(len, shown.splitlines()), default=0) <= 80


@pytest.fixture
def installed(tmp_path):
    """Run the installed command in a folder of its own; return what it writes to stdout and stderr."""

    def run(*words):
        assert INSTALLED is not None
        ended = subprocess.run(  # noqa: S603 (our own command)
            [INSTALLED, "terms", *map(str, words)], capture_output=True, cwd=tmp_path, env=ENVIRONMENT, check=False
        )
        assert ended.returncode == 0, ended.stderr.decode()
        check(ended.stdout.decode(), words)
        return ended.stdout.decode(), ended.stderr.decode()

    return run


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Do the same in this process, which is faster."""
    monkeypatch.chdir(tmp_path)

    def run(*words, given=None, code=0):
        result = CliRunner().invoke(app, ["terms", *map(str, words)], input=given, prog_name="troenpy")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == code, result.stderr
        check(result.stdout, words)
        return result.stdout, result.stderr

    return run


def test_from_a_file_to_terms(installed, tmp_path):
    write_csv(tmp_path / "reviews.csv", ROWS)
    shown, said = installed("reviews.csv", "-o", "terms.csv", "--top", "3")
    lines = shown.splitlines()
    assert lines[0] == "reviews.csv: 120 documents of 3 classes, each compared with all other documents"
    assert lines[1].endswith("(false-discovery rate 0.05)")
    assert lines[3].startswith("food: 40 documents, ")
    assert lines[4].split() == ["term", "documents", "share", "others'", "log-odds", "weight", "rank"]
    assert lines[-1] == "written: terms.csv"
    assert said.splitlines() == [
        "troenpy: reviews.csv: CSV, separated by commas",
        "troenpy: reviews.csv: text from column 'text', label from column 'label'",
    ]
    with (tmp_path / "terms.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = troenpy.terms([row["text"] for row in ROWS], [row["label"] for row in ROWS])
    assert [row["term"] for row in rows] == found.to_frame()["term"].tolist()
    assert all(row["term"] in row["example"] for row in rows if row["direction"] == "more")
    assert {row["direction"] for row in rows} == {"more", "less"}


@pytest.mark.parametrize("name", ["terms.jsonl", "terms.tsv", "terms.parquet"])
def test_other_outputs(command, tmp_path, name):
    write_lines(tmp_path / "x.jsonl", ROWS)
    shown, said = command("x.jsonl", "-o", name, "--quiet", "--limit", "2", "--class", "sport")
    assert (shown, said) == ("", "")
    if name.endswith("jsonl"):
        lines = [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        assert [line["direction"] for line in lines] == ["more", "more", "less", "less"]
        assert {line["class"] for line in lines} == {"sport"}
        assert isinstance(lines[0]["share"], float)
    assert (tmp_path / name).stat().st_size > 100


def test_several_outputs_and_the_same_from_a_pipe(command, tmp_path):
    write_csv(tmp_path / "x.csv", ROWS)
    shown, _ = command("x.csv", "-o", "a.csv", "-o", "b.jsonl")
    assert shown.endswith("written: a.csv, b.jsonl\n")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + len(
        (tmp_path / "b.jsonl").read_text().splitlines()
    )


def test_json_has_all_that_python_has(command, tmp_path):
    write_csv(tmp_path / "x.csv", ROWS)
    shown, _ = command("x.csv", "--json", "--scheme", "idf", "--view", "pairs", "--fdr", "0.2", "--prior", "5")
    found = json.loads(shown)
    expected = troenpy.tasks.terms_file(tmp_path / "x.csv", scheme="idf", view="pairs", fdr=0.2, prior=5)
    assert found == {**expected.to_dict(), "source": "x.csv", "notices": found["notices"]}
    assert (found["view"], found["ngrams"], found["scheme"], found["n_groups"]) == ("pairs", [1, 2], "idf", 20)
    assert set(found["classes"][0]["terms"][0]["example"]) == {"before", "term", "after"}


def test_standard_input_compressed_and_skipped_rows(command, tmp_path):
    text = "text,label\n" + "".join(f"{row['text']},{row['label']}\n" for row in ROWS) + ",sport\n"
    _, said = command("-", given=text.encode(), code=1)
    assert said.splitlines()[-1].startswith("troenpy: row 121 (line 122) of standard input has no text")
    shown, said = command("-", "--on-error", "skip", given=text.encode())
    assert shown.startswith("standard input: 120 documents of 3 classes")
    assert "warning: 1 row has no text" in said


def test_a_class_or_a_file_as_the_reference(command, tmp_path):
    write_csv(tmp_path / "x.csv", ROWS)
    shown, _ = command("x.csv", "--reference", "food")
    assert shown.startswith("x.csv: 120 documents of 2 classes, each compared with food\n")
    others = [{"text": row["text"]} for row in ROWS if row["label"] == "food"]
    write_csv(tmp_path / "others.csv", others)
    write_csv(tmp_path / "sport.csv", [row for row in ROWS if row["label"] == "sport"])
    shown, _ = command("sport.csv", "--reference", "others.csv")
    assert shown.startswith("sport.csv: 40 documents of 1 class, each compared with others.csv\n")
    assert "goal" in shown
    _, said = command("x.csv", "--reference", "fod", code=1)
    assert said.splitlines()[-1] == (
        "troenpy: reference 'fod' is neither 'rest', nor a file, nor a class; did you mean 'food'? (the classes:"
        " 'food', 'politics' and 'sport')"
    )
    _, said = command("sport.csv", code=1)
    assert "there must be two classes" in said


def test_150_classes(installed, tmp_path):
    rows = [{"text": f"word{k} of the {'good' if n else 'bad'} day", "label": f"topic {k}"}
            for k in range(150) for n in range(4)]  # fmt: skip
    write_csv(tmp_path / "x.csv", rows)
    shown, _ = installed("x.csv", "-o", "terms.csv")
    lines = shown.splitlines()
    assert lines[0].startswith("x.csv: 600 documents of 150 classes")
    assert sum(line.startswith("topic ") for line in lines) == 150
    assert "topic 7            4      1  word7" in [line.rstrip() for line in lines]
    with (tmp_path / "terms.csv").open(newline="") as file:
        assert sum(row["direction"] == "more" for row in csv.DictReader(file)) == 150
    shown, _ = installed("x.csv", "--class", "topic 7", "--class", "topic 149")
    assert shown.count("term more often") == shown.count("4 documents, 1 term") == 2


def test_several_labels_and_a_class_with_three_documents(installed, tmp_path):
    rows = [{**row, "label": row["label"] + ";even" * (i % 2 == 0)} for i, row in enumerate(ROWS)]
    rows += [{"id": str(i), "text": f"a treaty {i}", "label": "law"} for i in range(3)]
    write_csv(tmp_path / "x.csv", rows)
    shown, _ = installed("x.csv", "--separator", ";")
    assert "even: 60 documents, " in shown
    assert "law: 3 documents, 1 term more often" in shown
    assert "treaty" in shown


def test_long_phrases_and_large_numbers_fit_80_columns(command, tmp_path):
    words = [f"extraordinarilylongword{i}x" for i in range(4)]
    rows = [{"text": " ".join(words) if i % 2 else f"w{i}w", "label": f"{'very ' * 9}{i % 2}"} for i in range(3000)]
    write_csv(tmp_path / "x.csv", rows)
    shown, _ = command("x.csv", "--ngrams", "1,4")
    assert "…" in shown


def test_texts_in_other_scripts(installed, tmp_path):
    rows = [{"text": text, "label": label} for text, label in [("房间很大，不错", "好"), ("服务很差！", "坏")] * 30]
    rows += [{"text": "Очень хороший отель", "label": "好"}, {"text": "הָיָה נוֹרָא", "label": "坏"}] * 3
    write_csv(tmp_path / "x.csv", rows)
    shown, said = installed("x.csv")
    assert "troenpy: texts in a script without spaces between words" in said
    assert "\n  房 " in shown
    shown, _ = installed("x.csv", "--view", "words", "--class", "坏")
    assert "服务很差" in shown


HOSTILE = ["<script>alert(1)</script>", "=cmd()", "\x1b[2J", "rest", "a\nb", "​", "terms.csv", "../../x"]


def test_hostile_names(installed, tmp_path):
    rows = [{"text": f"{row['text']} w{i % 8}w", "label": HOSTILE[i % 8]} for i, row in enumerate(made_up(240))]
    write_lines(tmp_path / "x.jsonl", rows)
    shown, said = installed("x.jsonl", "-o", "terms.jsonl")
    assert "\x1b" not in shown + said
    assert "a\\nb: 30 documents" in shown
    lines = [json.loads(line) for line in (tmp_path / "terms.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {line["class"] for line in lines} == {name.strip() for name in HOSTILE}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["y.csv"], "troenpy: file not found: y.csv"),
        (["x.csv", "--scheme", "tfidf"], "troenpy: unknown scheme 'tfidf'"),
        (["x.csv", "--ngrams", "x"], "troenpy: ngrams must be one or two whole numbers, such as 2 or 1,2; got 'x'"),
        (["x.csv", "--min-class-df", "many"], "troenpy: min-class-df must be a number, got 'many'"),
        (["x.csv", "--limit", "few"], "troenpy: limit must be a whole number or all, got 'few'"),
        (["x.csv", "--top", "0"], "troenpy: top must be a whole number of at least 1, got 0"),
        (["x.csv", "--fdr", "7"], "troenpy: fdr must be above 0 and at most 1, got 7.0"),
        (["x.csv", "-o", "x.csv"], "troenpy: the terms would replace the file, x.csv: choose another name"),
        (
            ["x.csv", "-o", "t.xlsx"],
            "troenpy: terms are written to .csv, .tsv, .tab, .jsonl, .ndjson, .parquet or .html, not",
        ),
        (["x.csv", "-o", "no/t.csv"], "troenpy: cannot write no/t.csv: the folder "),
        (["x.csv", "--class", "spor"], "troenpy: there is no class 'spor' (the classes: 'food', 'politics' and"),
        (["x.csv", "--label", "topic"], "troenpy: label 'topic' is not a column of x.csv"),
    ],
)
def test_errors_are_one_line(command, tmp_path, words, said):
    write_csv(tmp_path / "x.csv", ROWS)
    shown, found = command(*words, "--quiet", code=1)
    assert shown == ""
    assert found.startswith(said)
    assert found.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_ctrl_c_leaves_nothing_half_written(tmp_path):
    reading, writing = os.pipe()
    (tmp_path / "terms.csv").write_text("old")
    with subprocess.Popen(  # noqa: S603 (our own command)
        [INSTALLED, "terms", "-", "-o", "terms.csv"],
        stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=ENVIRONMENT,
    ) as process:  # fmt: skip
        os.close(reading)
        text = io.StringIO()
        csv.writer(text).writerows([["text", "label"], *([row["text"], row["label"]] for row in made_up(2000))])
        content = text.getvalue().encode()
        for first in range(0, len(content), 50_000):  # more than the pipe holds: the command has begun to read
            os.write(writing, content[first : first + 50_000])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        os.close(writing)
    assert process.returncode == 130
    assert said.decode().endswith("\nstopped: no terms are written\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"terms.csv": "old"}


def test_the_page_through_the_installed_command(installed, tmp_path, visit):
    pytest.importorskip("jinja2")
    write_csv(tmp_path / "my tickets.csv", ROWS)
    stdout, _ = installed("my tickets.csv", "-o", "page.html")
    assert stdout.endswith("written: page.html\n")
    opened = visit(tmp_path / "page.html")
    assert opened.is_quiet(), opened.messages
    assert "mark" in opened.page.locator("h1").inner_text()
    commands = opened.page.locator(".commands code").all_inner_texts()
    assert commands[0] == "troenpy terms 'my tickets.csv' -o terms.csv"


def test_the_page_needs_jinja_and_says_so_before_reading(command, tmp_path, monkeypatch):
    write_csv(tmp_path / "x.csv", ROWS)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    _, stderr = command("x.csv", "-o", "page.html", code=1)
    assert stderr.startswith("troenpy: the page needs jinja2: pip install 'troenpy[report]'")
    assert len(stderr.splitlines()) == 1
    assert not (tmp_path / "page.html").exists()
