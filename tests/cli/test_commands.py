"""The command line, on made-up corpora: what it prints, what it leaves on disk, and that it never shows a traceback."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

import troenpy
from troenpy import datasets
from troenpy.cli import app, progress
from troenpy.experiments import journal
from troenpy.experiments.grammar import read_methods
from troenpy.experiments.methods import BEYOND, USUAL
from troenpy.experiments.tables import markdown_text
from troenpy.report import reproduction
from troenpy.report.claims import is_tested

README = Path(__file__).parents[2] / "README.md"


def made_up(name, data_dir=None):
    if name not in [listing.name for listing in datasets.available()]:
        raise ValueError(f"unknown corpus {name!r}")
    rng = np.random.default_rng(len(name))
    labels = rng.integers(3, size=90)
    texts = tuple(" ".join(f"word{n}" for n in [*rng.integers(40, size=5), label, 3 + label]) for label in labels)
    split = np.where(np.arange(90) < 60, "train", "test") if name in ("r8", "ohsumed", "20news") else None
    return datasets.Corpus(name, texts, labels.astype(str), split)


def table_rows(output):
    """The rows of a table in a terminal, with the lines of folded cells joined."""
    blocks = re.split("^[├└┡┏].*$", output, flags=re.MULTILINE)
    for block in blocks:
        lines = [line.rstrip()[1:-1].split("│") for line in block.splitlines() if line.startswith("│")]
        if lines and len({len(line) for line in lines}) == 1:
            yield [" ".join(" ".join(cells).split()) for cells in zip(*lines, strict=True)]


@pytest.fixture
def troenpy_command(monkeypatch, tmp_path):
    """Run the command in an empty folder, on made-up corpora; return its exit code and output, without colours."""
    monkeypatch.setattr(datasets, "load", made_up)
    monkeypatch.chdir(tmp_path)

    def command(*words):
        if words[:1] == ("reproduce",) and words != ("reproduce",) and not {"--help", "--page"} & {*words}:
            words = *words, "--no-page"  # a page takes seconds
        monkeypatch.setattr(sys, "argv", ["troenpy", *words])
        result = CliRunner().invoke(app, list(words), prog_name="troenpy")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result.exit_code, re.sub(r"\x1b\[[\d;]*m", "", result.output)

    return command


class TestReproduce:
    def test_without_arguments_it_runs_r8_and_answers_the_claims(self, troenpy_command, tmp_path):
        code, output = troenpy_command("reproduce")
        assert code == 0
        assert "r8: test error, %" in output
        assert "TF-PI, kNN" in output
        assert "what the paper claims" in output
        folder = "troenpy-results"
        files = ", ".join(f"{folder}/report.{kind}" for kind in ("html", "md", "json"))
        assert f"Rows: {folder}/rows.jsonl, report: {files}" in output.replace("\n", " ")
        assert "\nAdded t-SNE to the page: 30 documents of r8.\n" in output
        rows = journal.read_rows(tmp_path / "troenpy-results/rows.jsonl")
        assert {row.corpus for row in rows} == {"r8"}
        assert {"knn: tf*idf", "knn: tf*pi", "lr: tf*pi + btf + ecib", "knn: tf*rf"} <= {row.method for row in rows}
        report = json.loads((tmp_path / "troenpy-results/report.json").read_text())
        assert len(report["claims"]) == 14
        tested = [claim for claim in report["claims"] if is_tested(claim["verdict"])]
        assert 0 < len(tested) < 14
        assert f"{14 - len(tested)} claims of the paper need more than this run; for " in output
        assert report["headline"]["sentence"] in output.replace("\n", " ")
        assert report["corpora"]["r8"]["n_test"] == 30
        assert str(tmp_path) not in json.dumps(report)
        assert report["command"] == "troenpy reproduce"
        assert report["projection"]["n_documents"] == report["projection"]["n_test"] == 30
        assert report["terms"]["corpus"] == "r8"
        assert (
            "On Reuters R8, nearest neighbours on TF-PI make" in (tmp_path / "troenpy-results/report.html").read_text()
        )
        assert "## What the paper claims" in (tmp_path / "troenpy-results/report.md").read_text()

    @pytest.mark.parametrize("words", [("--page",), ("--no-page",)])
    def test_terminal_page_and_files_give_the_same_verdicts(self, troenpy_command, tmp_path, words):
        """The claim about t-SNE was printed before t-SNE was there."""
        methods = "--method", "knn: tf*idf", "--method", "knn: tf*pi"
        code, output = troenpy_command("reproduce", *methods, *words, "--all")
        assert code == 0
        claims = json.loads((tmp_path / "troenpy-results/report.json").read_text())["claims"]
        markdown = (tmp_path / "troenpy-results/report.md").read_text()
        for claim in claims:
            assert [claim["text"], claim["verdict"]] in [line[:2] for line in table_rows(output)], claim
            assert f"| {markdown_text(claim['text'])} | {claim['verdict']} | " in markdown
        about = next(claim["verdict"] for claim in claims if claim["text"].startswith("t-SNE of R8"))
        assert (about == "needs t-SNE of R8") == (words == ("--no-page",))

    def test_where_nobody_looks_progress_is_a_line_now_and_then(self, troenpy_command, monkeypatch):
        words = "reproduce", "--method", "knn: tf", "--method", "lr: tf", "--datasets", "twitter", "--jobs", "1"
        lines = [line for line in troenpy_command(*words)[1].splitlines() if line.startswith("troenpy: ")]
        assert lines[0] == "troenpy: reading twitter"
        assert re.fullmatch(r"troenpy: 10 of 10, 0:00:00 left, twitter  (knn|lr): tf", lines[1])
        assert len(lines) == 2
        monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
        output = troenpy_command(*words, "--fresh")[1]
        assert [line.split(",")[0] for line in output.splitlines() if " left, " in line] == [
            f"troenpy: {number} of 10" for number in range(1, 11)
        ]

    @pytest.mark.usefixtures("troenpy_command")
    def test_progress_goes_to_stderr(self):
        result = CliRunner().invoke(app, ["reproduce", "--method", "knn: tf", "--no-page"])
        assert "reading r8" in result.stderr
        assert "reading r8" not in result.stdout

    def test_all_runs_the_seven_with_five_splits(self, troenpy_command, tmp_path):
        code, output = troenpy_command("reproduce", "--datasets", "all", "--method", "knn: tf", "--method", "lr: tf")
        assert code == 0
        rows = journal.read_rows(tmp_path / "troenpy-results/rows.jsonl")
        assert len(rows) == 2 * (3 + 4 * 5)
        assert {row.seed for row in rows} == {None, 0, 1, 2, 3, 4}
        assert "20news" in output

    def test_full_runs_every_weight_and_fifty_splits(self, troenpy_command, tmp_path):
        assert troenpy_command("reproduce", "--full", "--splits", "1")[0] == 0
        run = {row.method for row in journal.read_rows(tmp_path / "troenpy-results/rows.jsonl")}
        assert {f"knn: tf*{weight}" for weight in troenpy.WEIGHTS} <= run
        few = ("--method", "knn: tf", "--out", "few")
        assert troenpy_command("reproduce", "--full", "--datasets", "twitter", *few)[0] == 0
        assert {row.seed for row in journal.read_rows(tmp_path / "few/rows.jsonl")} == set(range(50))

    def test_beyond_adds_our_settings_and_the_linear_rivals(self, troenpy_command, tmp_path):
        assert troenpy_command("reproduce", "--beyond")[0] == 0
        run = [row.method for row in journal.read_rows(tmp_path / "troenpy-results/rows.jsonl")]
        assert set(run) == {method.name for method in read_methods(USUAL + BEYOND)}

    def test_resuming_is_the_default_and_fresh_is_not(self, troenpy_command, tmp_path):
        first = ("reproduce", "--method", "knn: tf")
        troenpy_command(*first)
        path = tmp_path / "troenpy-results/rows.jsonl"
        before = path.read_bytes()
        troenpy_command(*first, "--method", "knn: btf")
        assert path.read_bytes().startswith(before)
        assert len(journal.read_rows(path)) == 2
        troenpy_command(*first, "--fresh")
        assert len(journal.read_rows(path)) == 1

    def test_sweeps(self, troenpy_command):
        words = ["--datasets", "twitter", "--splits", "2", "--method", "knn: tf", "--k", "1", "--k", "3"]
        code, output = troenpy_command(
            "reproduce", *words, "--deduplicated", "--train-fraction", "0.5", "--train-fraction", "1"
        )
        assert code == 0
        assert "TF, k = 3, kNN" in output
        assert "twitter, deduplicated, 0.5 of training" in output

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["--datasets", "reuters"], "troenpy: unknown corpus 'reuters'; choose one of bbcsport, twitter, ohsumed"),
            (["--datasets", ""], "troenpy: unknown corpus ''; choose one of bbcsport"),
            (["--method", "knn: tf*idv"], "troenpy: unknown scheme 'idv' (did you mean idf?): choose from idf"),
            (["--method", "tf"], "troenpy: cannot read method 'tf': write it like 'knn: tf*pi'"),
            (["--out", "a file"], "troenpy: a file: File exists"),
            (["--out", "a file/below"], "troenpy: a file/below: Not a directory"),
            (["--train-fraction", "2"], "troenpy: train_fractions must be numbers above 0 and at most 1, got [2.0]"),
        ],
    )
    def test_what_is_wrong_is_one_line(self, troenpy_command, tmp_path, words, line):
        (tmp_path / "a file").touch()
        code, output = troenpy_command("reproduce", *words)
        assert code == 1
        assert output.strip().startswith(line)
        assert len(output.strip().splitlines()) == 1

    def test_a_full_disk_is_one_line_and_loses_one_row(self, troenpy_command, tmp_path, monkeypatch):
        written = []

        def fsync(number):
            written.append(number)
            if len(written) > 2:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        words = "reproduce", "--method", "knn: tf", "--method", "knn: btf", "--method", "knn: tf*idf", "--jobs", "1"
        with monkeypatch.context() as patch:
            patch.setattr(journal.os, "fsync", fsync)
            code, output = troenpy_command(*words)
        assert code == 1
        assert output.strip().splitlines()[1:] == ["troenpy: troenpy-results/rows.jsonl: No space left on device"]
        assert troenpy_command(*words)[0] == 0
        assert len(journal.read_rows(tmp_path / "troenpy-results/rows.jsonl")) == 3

    def test_rows_of_another_version_are_one_line(self, troenpy_command, tmp_path):
        troenpy_command("reproduce", "--method", "knn: tf")
        path = tmp_path / "troenpy-results/rows.jsonl"
        path.write_text(path.read_text().replace('"troenpy": "', '"troenpy": "9.'))
        code, output = troenpy_command("reproduce")
        assert code == 1
        assert "has rows made with troenpy 9." in output
        assert "overwrite the file or write to another one" in output

    def test_ctrl_c_says_how_to_resume(self, tmp_path):
        """A real signal to a real process, on made-up corpora."""
        script = textwrap.dedent(
            f"""
            import sys, time
            sys.path.insert(0, {str(Path(__file__).parent)!r})
            import test_commands
            from troenpy import datasets, __main__
            from troenpy.experiments.journal import Journal
            datasets.load = test_commands.made_up
            append = Journal.append
            Journal.append = lambda journal, row: (append(journal, row), time.sleep(600))  # until the signal comes
            __main__.main()
            """
        )
        words = ["reproduce", "--datasets", "twitter,classic", "--full", "--fresh", "--out", "with space"]
        run = [sys.executable, "-c", script, *words]
        process = subprocess.Popen(run, cwd=tmp_path, stderr=subprocess.PIPE, text=True)  # noqa: S603 (our own text)
        rows = tmp_path / "with space" / "rows.jsonl"
        while process.poll() is None and not (rows.exists() and rows.stat().st_size):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        assert process.returncode == 130
        last = errors.strip().splitlines()[-1]
        expected = "To resume: troenpy reproduce --datasets twitter,classic --full --out 'with space'"
        assert last == f"stopped; all rows so far are saved. {expected}"
        assert "Traceback" not in errors
        assert len(journal.read_rows(rows)) > 0


class TestReport:
    METHODS = ("--method", "knn: tf*idf", "--method", "knn: tf*pi")

    def test_it_makes_the_same_report_from_rows(self, troenpy_command, tmp_path, monkeypatch):
        monkeypatch.setenv("TROENPY_DATA", str(tmp_path))
        (tmp_path / "r8.jsonl.gz").touch()
        assert troenpy_command("reproduce", *self.METHODS, "--page")[0] == 0
        first = {path.name: path.read_text() for path in (tmp_path / "troenpy-results").glob("report.*")}
        assert set(first) == {"report.html", "report.md", "report.json"}
        code, output = troenpy_command("report", "troenpy-results", "--out", "again")
        assert (code, "Report: again/report.html" in output) == (0, True), output
        again = json.loads((tmp_path / "again/report.json").read_text())
        assert again.pop("command") == "troenpy report troenpy-results --out again"
        assert again == {name: part for name, part in json.loads(first["report.json"]).items() if name != "command"}

    def test_rows_alone(self, troenpy_command, tmp_path):
        troenpy_command("reproduce", *self.METHODS)
        assert not (tmp_path / "troenpy-results/report.html").exists()
        assert troenpy_command("report", "troenpy-results/rows.jsonl", "--rows-only")[0] == 0
        report = json.loads((tmp_path / "troenpy-results/report.json").read_text())
        assert (report["terms"], report["projection"]) == (None, None)
        assert "Built from rows only" in report["notes"][0]
        assert "Built from rows only" in (tmp_path / "troenpy-results/report.html").read_text()

    def test_a_corpus_that_is_not_here_or_another_is_said(self, troenpy_command, tmp_path, monkeypatch):
        monkeypatch.setenv("TROENPY_DATA", str(tmp_path))
        monkeypatch.setenv("TROENPY_CACHE", str(tmp_path))
        troenpy_command("reproduce", *self.METHODS)
        assert troenpy_command("report", "troenpy-results")[0] == 0
        page = (tmp_path / "troenpy-results/report.html").read_text()
        assert "none of r8 was found: set TROENPY_DATA" in page
        (tmp_path / "r8.jsonl.gz").touch()
        rows = tmp_path / "troenpy-results/rows.jsonl"
        mark = journal.read_rows(rows)[0].fingerprint
        rows.write_text(rows.read_text().replace(mark, "0" * len(mark)))
        assert troenpy_command("report", "troenpy-results")[0] == 0
        page = (tmp_path / "troenpy-results/report.html").read_text()
        assert "the corpus r8 on this machine differs from the one in the rows" in page

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["nowhere"], "troenpy: nowhere: No such file or directory"),
            (["empty.jsonl"], "troenpy: empty.jsonl has no rows: run troenpy reproduce first"),
            (["broken.jsonl"], "troenpy: line 1 of broken.jsonl: not a row of results"),
            (["rows.jsonl", "--baseline", "knn: x"], "troenpy: baseline 'knn: x' was not run: choose one of"),
        ],
    )
    def test_what_is_wrong_is_one_line(self, troenpy_command, tmp_path, words, line):
        (tmp_path / "empty.jsonl").touch()
        (tmp_path / "broken.jsonl").write_text("[]\n")
        troenpy_command("reproduce", *self.METHODS, "--out", ".")
        code, output = troenpy_command("report", *words)
        assert code == 1
        assert output.strip().startswith(line)
        assert len(output.strip().splitlines()) == 1

    def test_without_the_extra_there_is_a_line_at_the_start_and_everything_else(
        self, troenpy_command, tmp_path, monkeypatch
    ):
        monkeypatch.setitem(sys.modules, "jinja2", None)
        code, output = troenpy_command("reproduce", *self.METHODS, "--page")
        assert code == 0
        assert output.startswith(
            "troenpy: the page needs jinja2: pip install 'troenpy[report]'; everything else is written without"
        )
        assert "report: troenpy-results/report.md, troenpy-results/report.json" in output.replace("\n", " ")
        assert not (tmp_path / "troenpy-results/report.html").exists()
        code, output = troenpy_command("report", "troenpy-results")
        assert (code, output) == (1, "troenpy: the page needs jinja2: pip install 'troenpy[report]'\n")


class TestOtherCommands:
    def test_datasets_lists_all_seven(self, troenpy_command, monkeypatch):
        monkeypatch.delenv("TROENPY_DATA", raising=False)
        monkeypatch.setenv("TROENPY_CACHE", str(Path.cwd()))
        (Path.cwd() / "r8.jsonl.gz").touch()
        code, output = troenpy_command("datasets")
        assert code == 0
        lines = {line.split("│")[1].strip(): line for line in output.splitlines() if line.startswith("│")}
        assert set(lines) == {"bbcsport", "twitter", "ohsumed", "classic", "r8", "amazon", "20news"}
        cells = [cell.strip() for cell in lines["r8"].split("│")]
        assert cells[2:5] == ["7674", "8", "yes"]
        assert "Reuters" in cells[5]
        assert [cell.strip() for cell in lines["20news"].split("│")][4] == "no"

    def test_a_folder_that_is_not_there(self, troenpy_command, monkeypatch):
        monkeypatch.setenv("TROENPY_DATA", "nowhere")
        assert troenpy_command("datasets") == (1, "troenpy: TROENPY_DATA must be an existing folder, got nowhere\n")

    def test_version(self, troenpy_command):
        assert troenpy_command("--version") == (0, f"troenpy {troenpy.__version__}\n")

    @pytest.mark.parametrize("words", [["reproduce"], ["report"], ["datasets"]])
    def test_every_help_ends_with_an_example_that_runs(self, troenpy_command, words):
        troenpy_command("reproduce", "--method", "knn: tf")
        code, output = troenpy_command(*words, "--help")
        assert code == 0
        example = output.strip().splitlines()[-1].strip()
        assert example.startswith(" ".join(["Example: troenpy", *words]))
        assert troenpy_command(*example.split()[2:])[0] == 0

    def test_every_command_is_in_the_readme(self):
        commands = [command.name for command in app.registered_commands]
        assert commands == ["train", "predict", "info", "compare", "terms", "audit", "reproduce", "report", "datasets"]
        for name in commands:
            assert f"troenpy {name}" in README.read_text(encoding="utf-8")


def test_without_typer_it_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from troenpy.__main__ import main; main()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 1
    assert ended.stderr == "troenpy: the command line needs typer: pip install 'troenpy[cli]'\n"


def test_a_run_loads_its_corpus_once_and_the_page_counts_it_once(monkeypatch, tmp_path):
    loaded, counted = [], []
    count = reproduction.count_terms
    monkeypatch.setattr(datasets, "load", lambda name, data_dir=None: loaded.append(name) or made_up(name))
    monkeypatch.setattr(reproduction, "count_terms", lambda corpus: counted.append(1) or count(corpus))
    result = CliRunner().invoke(app, ["reproduce", "--method", "knn: tf*pi", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert (loaded, counted) == (["r8"], [1])
