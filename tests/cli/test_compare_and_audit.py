"""compare and audit through the installed command, on files as people have them."""

import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
from installed_command import ENVIRONMENT, INSTALLED, WARNINGS, installed
from made_up_files import made_up, write_csv
from typer.testing import CliRunner

from troenpy import kernel_available
from troenpy.cli import app

QUICK = ["--methods", "majority,naive-bayes,troenpy", "--no-curve"]


def numbered(n, classes=("sport", "politics", "food")):
    """Return rows without copies of a text."""
    return [{**row, "text": f"{row['text']} {i}"} for i, row in enumerate(made_up(n, classes))]


def many_classes(n_classes, n_each):
    """Return rows of many classes, each with words of its own."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(n_classes * n_each):
        label = number % n_classes
        words = [f"word{label}x{rng.integers(3)}", *(f"common{k}" for k in rng.integers(0, 20, 4))]
        rows.append({"text": " ".join(rng.permutation(words)), "label": f"class {label}"})
    return rows


def wrong(rows, n):
    """Return rows of which the first n have the label of the next, and the right labels."""
    right = {i + 1: rows[i]["label"] for i in range(n)}
    labels = [row["label"] for row in rows]
    changed = [next(label for label in labels[i:] if label != labels[i]) for i in range(n)]
    return [{**row, "label": changed[i] if i < n else row["label"]} for i, row in enumerate(rows)], right


CHINESE = {"好": ["房间很干净", "服务很好", "早餐不错"], "差": ["房间很脏", "服务太差", "隔音不好"]}
FILES = {
    "two classes.csv": numbered(120, ("sport", "politics")),
    "150 classes.csv": many_classes(150, 6),
    "three documents.csv": [*numbered(120), *({"text": f"an oboe {w}", "label": "music"} for w in ("a", "b", "c"))],
    "hôtel 旅馆.csv": [
        {"text": f"{CHINESE[label][i % 3]}，{CHINESE[label][(i // 3) % 3]}{i}", "label": label}
        for i in range(40)
        for label in CHINESE
    ],
    "hostile.csv": [
        {**row, "label": f"<img src=x onerror=alert(1)>\x1b[2J{row['label']}", "text": f"=1+1 {row['text']} 👩‍🚒"}
        for row in numbered(90)
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_is_compared(name, tmp_path):
    write_csv(tmp_path / name, FILES[name])
    shown, said = installed("compare", name, *QUICK, folder=tmp_path)
    assert "recommended: " in shown
    assert "results of single tests are kept in troenpy-compare/" in said
    assert "\x1b" not in shown + said
    assert max(map(len, shown.partition("in Python:")[0].splitlines())) <= 80


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_is_audited_reviewed_and_corrected(name, tmp_path):
    if name == "150 classes.csv" and not kernel_available():
        pytest.skip("without the kernel the solver warns that it has not converged")
    rows, right = wrong(FILES[name], 4)
    right = {row: label for row, label in right.items() if rows[row - 1]["label"] != label}
    write_csv(tmp_path / name, rows)
    shown, said = installed("audit", name, "-o", "doubtful.csv", folder=tmp_path)
    assert "\x1b" not in shown + said
    assert max(map(len, shown.splitlines())) <= 80
    assert ("not judged" in shown) == (name == "three documents.csv")
    with (tmp_path / "doubtful.csv").open(newline="", encoding="utf-8") as file:
        doubtful = list(csv.DictReader(file))
    found = {int(row["row"]) for row in doubtful}
    assert len(found & set(right)) >= len(right) - 1
    for row in doubtful:
        row["corrected"] = right.get(int(row["row"]), "")
    write_csv(tmp_path / "reviewed.csv", doubtful)
    shown, _ = installed("audit", name, "--apply", "reviewed.csv", "-o", "corrected.csv", folder=tmp_path)
    assert shown.startswith(f"corrected.csv: {len(found & set(right))} of ")
    with (tmp_path / "corrected.csv").open(newline="", encoding="utf-8") as file:
        corrected = list(csv.DictReader(file))
    assert [row["text"] for row in corrected] == [row["text"] for row in rows]
    for number, row in enumerate(corrected, start=1):
        assert row["label"] == (right[number] if number in found & set(right) else rows[number - 1]["label"])


def test_json_is_whole_and_quiet_prints_nothing(tmp_path):
    write_csv(tmp_path / "x.csv", numbered(60))
    for command in (["compare", "x.csv", *QUICK], ["audit", "x.csv"]):
        shown, _ = installed(*command, "--json", folder=tmp_path)
        assert json.loads(shown)["n_documents"] == 60
        assert installed(*command, "--quiet", folder=tmp_path) == ("", "")


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_has_pages(name, tmp_path, visit):
    pytest.importorskip("jinja2")
    write_csv(tmp_path / name, wrong(FILES[name], 4)[0])
    shown, _ = installed("compare", name, *QUICK, "-o", "c.html", "-o", "c.csv", folder=tmp_path)
    assert shown.endswith("\nwritten: c.html, c.csv\n")
    shown, _ = installed("audit", name, "-o", "a.html", "-o", "a.json", folder=tmp_path)
    assert shown.endswith("\nwritten: a.html, a.json\n")
    for page in ("c.html", "a.html"):
        opened = visit(tmp_path / page, viewport={"width": 390, "height": 844})
        assert opened.is_quiet(), opened.messages
        assert opened.fits()
        assert opened.page.locator("img").count() == 0
    suspects = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["suspects"]
    assert opened.page.locator(".doubt-list > li").count() == len(suspects) >= 3


@pytest.mark.parametrize("methods", ["troenpy", "neighbours"])
def test_the_command_and_the_lines_that_are_recommended_run(methods, tmp_path):
    write_csv(tmp_path / "my file.csv", numbered(60))
    options = ["--methods", methods, "--no-curve", "--json", "--text", "text", "--label", "label"]
    shown, _ = installed("compare", "my file.csv", *options, folder=tmp_path)
    found = json.loads(shown)
    words = shlex.split(found["command"])
    assert words[:3] == ["troenpy", "train", "my file.csv"]
    installed(*words[1:], folder=tmp_path)
    assert (tmp_path / words[-1]).exists()
    code = f"{found['python']}\nprint(model.predict(['own goal'])[0])"
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603
    assert ended.stdout == "sport\n"


def test_groups_times_splits_and_a_test_file(tmp_path):
    rows = [
        {**row, "author": i % 30, "sent": f"2024-{1 + i // 10:02d}-01", "part": "test" if i % 4 == 0 else "train"}
        for i, row in enumerate(numbered(120))
    ]
    write_csv(tmp_path / "x.csv", rows)
    write_csv(tmp_path / "test.csv", rows[:20])
    columns = ["--text", "text", "--label", "label"]
    for options, told in [
        (["--group-column", "author"], "5-fold cross-validation"),
        (["--time-column", "sent"], "tested on the future 5 times, by 'sent'"),
        (["--split-column", "part"], "the rows with part = test"),
        (["--test", "test.csv"], "on test.csv; 120 learnt from and 20 tested"),
    ]:
        shown, said = installed("compare", "x.csv", *columns, *QUICK, *options, folder=tmp_path)
        assert told in shown
        leaks = "warning: 20 of 20 test documents (100.0 %) are copies of documents learnt from"
        assert (leaks in " ".join(said.split())) == (options[0] == "--test")
    shown, _ = installed("compare", "x.csv", *columns, *QUICK, "--metric", "macro-f1", folder=tmp_path)
    assert "recommended: " in shown
    assert "macro-F1 in %" in shown


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["compare", "x.csv", "--methods", "svm"], "unknown method 'svm'", 1),
        (["compare", "x.csv", "--group-column", "writer"], "column 'writer' is not a column of x.csv", 1),
        (["compare", "x.csv", "--time-column", "text"], "column 'text' must hold numbers or dates such as", 1),
        (["compare", "x.csv", "--metric", "accuracy"], "Invalid value for '--metric'", 2),
        (["compare", "x.csv", "--folds", "1"], "folds must be a whole number of at least 2, got 1", 1),
        (["compare", "few.csv"], "there must be at least 10 different texts", 1),
        (["audit", "few.csv"], "there must be at least 10 different texts", 1),
        (["audit", "x.csv", "--apply", "r.csv"], "--apply needs one -o, the name of the corrected copy", 2),
        (["compare", "x.csv", "-o", "x.csv"], "the result would replace the file, x.csv: choose another name", 1),
        (
            ["compare", "x.csv", "--test", "few.csv", "-o", "few.csv"],
            "the result would replace the test file, few.csv: choose another name",
            1,
        ),
        (
            ["compare", "x.csv", "-o", "page.pdf"],
            "results are written to .html, .csv, .json or .jsonl, got page.pdf",
            1,
        ),
        (["audit", "x.csv", "-o", "./x.csv"], "the result would replace the file, ./x.csv: choose another name", 1),
        (
            ["audit", "x.csv", "-o", "y.html", "-o", "y"],
            "results are written to .html, .csv, .json or .jsonl, got y",
            1,
        ),
        (["audit", "x.csv", "--apply", "r.csv", "-o", "y.csv"], "r.csv", 1),
        (["audit", "x.csv", "-o", "nowhere/y.csv"], "cannot write nowhere/y.csv: the folder", 1),
        (["audit", "none.csv"], "none.csv", 1),
    ],
)
def test_errors_are_one_line(words, said, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "x.csv", made_up(40))
    write_csv(tmp_path / "few.csv", made_up(9))
    result = CliRunner().invoke(app, words, prog_name="troenpy")
    assert result.exit_code == code
    told = re.sub(r"\x1b\[[\d;]*m", "", result.stderr)
    assert said in told
    assert result.stdout == ""
    assert told.count("\n") == 1
    assert told.startswith("troenpy: ")


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    write_csv(tmp_path / "x.csv", numbered(600))
    words = ["compare", "x.csv", "--methods", "naive-bayes,troenpy,paper", "--no-curve", "--jobs", "1"]
    with subprocess.Popen(  # noqa: S603 (our own command)
        [INSTALLED, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=ENVIRONMENT
    ) as process:
        rows = Path(tmp_path / "troenpy-compare")
        while not any(path.stat().st_size for path in rows.glob("x.csv-*.jsonl")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate()
    assert (process.returncode, shown) == (130, b"")
    assert said.decode().endswith(
        "stopped; results so far are saved in troenpy-compare: repeat the command to go on from them\n"
    )
    shown, said = installed(*words, folder=tmp_path)
    assert "of them are of an earlier run" in said
    assert not list(tmp_path.glob("*.json"))


IN_PROCESSES = """
import sys
from troenpy.tasks import comparison_jobs
comparison_jobs.FEW_CHARACTERS = 0
from troenpy.__main__ import main
sys.argv[0] = "troenpy"
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="groups of processes")
def test_ctrl_c_ends_all_processes_in_one_line(tmp_path):
    write_csv(tmp_path / "x.csv", numbered(600))
    # An import that is interrupted leaves its file to the garbage collector.
    environment = ENVIRONMENT | {"PYTHONWARNINGS": f"{WARNINGS},ignore::ResourceWarning"}
    with subprocess.Popen(  # noqa: S603 (our own command)
        [sys.executable, "-c", IN_PROCESSES, "compare", "x.csv", "--no-curve", "--jobs", "2", "--quiet"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment, start_new_session=True,
    ) as process:  # fmt: skip
        rows = tmp_path / "troenpy-compare"
        while not any(path.stat().st_size for path in rows.glob("x.csv-*.jsonl")):
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, said = process.communicate()
    assert process.returncode == 130
    assert said.decode() == (
        "\nstopped; results so far are saved in troenpy-compare: repeat the command to go on from them\n"
    )
    for _ in range(300):  # joblib's own process sees that this one has ended, and cleans up
        if not alive(process.pid):
            break
        time.sleep(0.1)
    assert not alive(process.pid)


def alive(group):
    """Return the processes of a group that have not ended."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
