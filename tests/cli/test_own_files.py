"""train, predict and info through the installed command, on files as people have them."""

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys

import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
from installed_command import ENVIRONMENT, INSTALLED, installed
from made_up_files import made_up, write_csv, write_lines
from typer.testing import CliRunner

import troenpy
from troenpy.cli import app, steps

ROWS = made_up(60)


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run a command in this process, in a folder of its own; return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words, given=None):
        result = CliRunner().invoke(app, [*map(str, words)], input=given, prog_name="troenpy")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.stdout, re.sub(r"\x1b\[[\d;]*m", "", result.stderr)

    return run


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the path of a model."""
    path = tmp_path_factory.mktemp("model") / "x.model"
    texts, labels = [row["text"] for row in ROWS], [row["label"] for row in ROWS]
    troenpy.save(troenpy.settings.classifier("linear", C=3).fit(texts, labels), path)
    return path


def as_csv(rows, **options):
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), **options)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_parquet(path):
    pq.write_table(pa.Table.from_pylist(ROWS), path)


def write_feather(path):
    feather.write_feather(pa.Table.from_pylist(ROWS), str(path))


def write_folders(path):
    for row in ROWS:
        file = path / row["label"] / f"{int(row['id']):03d}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(row["text"])


def write_zstd(path):
    path.write_bytes(pa.compress(as_csv(ROWS).encode(), "zstd", asbytes=True))


LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS)
FASTTEXT = "".join(f"__label__{row['label']} {row['text']}\n" for row in ROWS)
FILES = {
    "x.csv": as_csv(ROWS).encode(),
    "x.tsv": as_csv(ROWS, delimiter="\t").encode(),
    "semicolons.csv": as_csv(ROWS, delimiter=";").encode(),
    "x.jsonl": LINES.encode(),
    "x.json": json.dumps(ROWS).encode(),
    "x.txt": FASTTEXT.encode(),
    "x.csv.gz": gzip.compress(as_csv(ROWS).encode()),
    "x.jsonl.gz": gzip.compress(LINES.encode()),
    "x.csv.zst": write_zstd,
    "x.parquet": write_parquet,
    "x.feather": write_feather,
    "folder": write_folders,
    "windows.csv": as_csv(ROWS, lineterminator="\r\n").encode(),
    "bom.csv": b"\xef\xbb\xbf" + as_csv(ROWS).encode(),
    "utf-16.csv": as_csv(ROWS).encode("utf-16"),
    "quoted.csv": as_csv(ROWS, quoting=csv.QUOTE_ALL).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_is_learnt_from_and_predicted(command, name, tmp_path):
    content = FILES[name]
    if callable(content):
        content(tmp_path / name)
    else:
        (tmp_path / name).write_bytes(content)
    code, shown, _ = command("train", name, "-o", "x.model", "--C", "3")
    assert code == 0
    assert shown.startswith(f"{name}: 60 documents of 3 classes\nTroenpyClassifier of pairs + pieces, C = 3\nerror ")
    code, shown, said = command("predict", "x.model", name)
    assert code == 0
    found = list(csv.DictReader(io.StringIO(shown, newline="")))
    texts = [row["text"] for row in found]
    if name != "folder":
        assert texts == [row["text"] for row in ROWS]
    assert [row["prediction"] for row in found] == troenpy.load("x.model").predict(texts).tolist()
    assert re.search(r"^troenpy: 60 rows in \d+\.\d s \([\d,]+ a second\)$", said, flags=re.MULTILINE)


def test_the_installed_command_from_file_to_predictions(tmp_path):
    write_csv(tmp_path / "reviews.csv", ROWS)
    shown, said = installed("train", "reviews.csv", "-o", "reviews.model", folder=tmp_path)
    assert "error " in shown
    assert "\nmodel: reviews.model\n" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert said.splitlines() == [
        "troenpy: reviews.csv: CSV, separated by commas",
        "troenpy: reviews.csv: text from column 'text', label from column 'label'",
    ]
    shown, _ = installed("info", "reviews.model", folder=tmp_path)
    assert "on 60 documents of reviews.csv" in shown
    shown, said = installed("predict", "reviews.model", "-", folder=tmp_path, given=as_csv(ROWS).encode())
    assert len(shown.splitlines()) == 61
    shown, _ = installed("predict", "reviews.model", "reviews.csv", "-o", "out.csv", folder=tmp_path)
    assert re.match(r"reviews.csv: 60 rows in .*\nprediction +rows\n", shown)
    assert (tmp_path / "out.csv").read_text().startswith("id,text,label,prediction\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_no_error(model, tmp_path, unbuffered):
    write_csv(tmp_path / "x.csv", made_up(60_000))
    with (tmp_path / "x.csv").open("rb") as file, subprocess.Popen(  # noqa: S603 (our own command)
        [INSTALLED, "predict", model, "-", "--quiet"],
        stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered},
    ) as process:  # fmt: skip
        assert process.stdout.readline() == b"id,text,label,prediction\n"
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == b""


def test_ctrl_c_leaves_nothing_half_written(model, tmp_path):
    reading, writing = os.pipe()
    (tmp_path / "out.csv").write_text("old")
    with subprocess.Popen(  # noqa: S603 (our own command)
        [INSTALLED, "predict", model, "-", "-o", "out.csv", "--quiet"],
        stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=ENVIRONMENT,
    ) as process:  # fmt: skip
        os.close(reading)
        content = as_csv(made_up(1000)).encode()
        while not [path for path in tmp_path.iterdir() if path.name.startswith(".out.csv")]:
            os.write(writing, content[:60_000])  # the pipe never ends
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        os.close(writing)
    assert process.returncode == 130
    assert said.decode() == "\nstopped: no rows are written\n"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.csv": "old"}


@pytest.mark.parametrize("module", ["numpy", "sklearn.base", "typer", "pyarrow"])
def test_ctrl_c_during_the_imports_is_one_line(model, tmp_path, module):
    code = f"""
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from troenpy.__main__ import main
main()
"""
    words = [sys.executable, "-c", code, "predict", str(model), "x.csv"]
    ended = subprocess.run(words, capture_output=True, cwd=tmp_path, env=ENVIRONMENT, check=False)  # noqa: S603
    assert (ended.returncode, ended.stderr) == (130, b"\nstopped\n")


def test_ctrl_c_leaves_no_copy_of_standard_input(tmp_path):
    copies = tmp_path / "copies"
    copies.mkdir()
    reading, writing = os.pipe()
    with subprocess.Popen(  # noqa: S603 (our own command)
        [INSTALLED, "train", "-", "-o", "x.model", "--quiet"],
        stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
        env={**ENVIRONMENT, "TMPDIR": str(copies)},
    ) as process:  # fmt: skip
        os.close(reading)
        content = as_csv(made_up(1000)).encode()
        for _ in range(40):  # more than a pipe holds: it is being read
            os.write(writing, content[:60_000])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        os.close(writing)
    assert (process.returncode, said.decode()) == (130, "\nstopped: no model is written\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["copies"]


PATIENT = """
import sys
from troenpy.features import checkpoints
checkpoints.SECONDS_BETWEEN = checkpoints.TIMES_WRITING = 0.0
from troenpy.__main__ import main
sys.argv[0] = "troenpy"
main()
"""


def test_training_goes_on_after_sigkill(tmp_path, monkeypatch):
    from troenpy.models import document_passes

    monkeypatch.setattr(document_passes, "CHUNK_CHARACTERS", 1 << 14)
    write_csv(tmp_path / "x.csv", made_up(20_000))
    small = PATIENT.replace("from troenpy.__main__", "from troenpy.models import document_passes\n"
        "document_passes.CHUNK_CHARACTERS = 1 << 14\nfrom troenpy.__main__")  # fmt: skip
    words = ["train", "x.csv", "--in-passes", "--C", "3", "--views", "words", "--quiet", "-o"]
    command, saved = [sys.executable, "-c", small, *words], tmp_path / ".x.model.counts"
    with subprocess.Popen([*command, "x.model"], cwd=tmp_path, env=ENVIRONMENT) as process:  # noqa: S603
        while not saved.exists() and process.poll() is None:
            pass
        process.kill()
    assert saved.exists()
    assert not (tmp_path / "x.model").exists()
    subprocess.run([*command, "x.model"], cwd=tmp_path, env=ENVIRONMENT, check=True)  # noqa: S603
    assert not saved.exists()
    subprocess.run([*command, "other.model"], cwd=tmp_path, env=ENVIRONMENT, check=True)  # noqa: S603
    first, other = (troenpy.load(tmp_path / name) for name in ("x.model", "other.model"))
    assert (first.coef_ == other.coef_).all()


def test_text_with_line_ends_and_large_cells(command, model, tmp_path):
    rows = [
        {"id": "1", "text": 'a "goal"\nof the\r\nkeeper'},
        {"id": "2", "text": "soup " * 2_000_000},
        {"id": "3", "text": "vote"},
    ]
    write_csv(tmp_path / "x.csv", rows)
    code, _, said = command("predict", model, "x.csv", "-o", "out.csv")
    assert code == 0, said
    csv.field_size_limit(1 << 30)
    with (tmp_path / "out.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    csv.field_size_limit(1 << 17)
    assert [row["text"] for row in found] == [row["text"] for row in rows]
    assert [row["prediction"] for row in found] == ["sport", "food", "politics"]


@pytest.mark.parametrize("write", [write_parquet, write_feather])
def test_files_that_are_read_at_random_may_come_by_a_pipe(model, tmp_path, write):
    write(tmp_path / "x")
    ended = subprocess.run(  # noqa: S603 (our own command)
        [INSTALLED, "predict", model, "-"], input=(tmp_path / "x").read_bytes(), capture_output=True, cwd=tmp_path,
        env=ENVIRONMENT, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert len(list(csv.DictReader(io.StringIO(ended.stdout.decode())))) == len(ROWS)


def test_a_column_called_prediction(command, model, tmp_path):
    write_csv(tmp_path / "x.csv", [{"text": "a goal", "prediction": "old"}])
    code, shown, said = command("predict", model, "x.csv")
    assert (code, shown) == (0, "text,prediction,prediction_2\na goal,old,sport\n")
    assert "troenpy: the file has a column 'prediction': the new one is 'prediction_2'\n" in said


def test_json_and_quiet(command, model, tmp_path):
    write_lines(tmp_path / "x.jsonl", ROWS)
    code, shown, said = command("train", "x.jsonl", "-o", "t.model", "--C", "3", "--quiet", "--json")
    assert (code, said) == (0, "")
    assert json.loads(shown)["n_documents"] == 60
    assert command("train", "x.jsonl", "-o", "t.model", "--C", "3", "-q") == (0, "", "")
    code, shown, _ = command("info", "t.model", "--json")
    assert json.loads(shown)["views"][0]["name"] == "pairs"
    code, shown, said = command("predict", model, "x.jsonl", "--json", "-q", "--top", "1")
    assert [*json.loads(shown.splitlines()[0])] == ["id", "text", "label", "prediction", "top_1", "top_1_probability"]
    assert said == ""
    code, shown, said = command("predict", model, "x.jsonl", "--json", "-o", "out.parquet", "-q")
    assert json.loads(shown)["n_rows"] == pq.read_table(tmp_path / "out.parquet").num_rows == 60


def test_broken_rows(command, model, tmp_path):
    (tmp_path / "x.csv").write_text(
        "text,label\na goal,sport\n,sport\na vote,politics\nthe cup,sport\nno tax,politics\n"
    )
    code, shown, said = command("train", "x.csv", "-o", "t.model")
    assert (code, shown) == (1, "")
    assert said == (
        "troenpy: row 2 (line 3) of x.csv has no text: mend it, or skip such rows with on_error='skip'"
        " (--on-error skip)\n"
    )
    code, shown, said = command("train", "x.csv", "-o", "t.model", "--on-error", "skip")
    assert code == 0
    assert "troenpy: warning: 1 row has no text: 2\n" in said
    code, shown, said = command("predict", model, "x.csv")
    assert shown.splitlines()[2] == ",sport,"
    assert "troenpy: warning: 1 row has no text: 2\n" in said
    assert "5 rows in" in said
    assert "1 of them without a prediction" in said


def test_options_reach_the_model(command, tmp_path):
    write_csv(tmp_path / "x.csv", ROWS)
    (tmp_path / "words.txt").write_text("the\nof\n")
    options = ["--views", "words", "--ngrams", "1,2", "--min-df", "2", "--stop-words", "words.txt"]
    options += ["--seed", "3", "--C", "0.5", "--jobs", "1"]
    code, shown, said = command("train", "x.csv", "-o", "x.model", *options)
    assert code == 0, said
    fitted = troenpy.load("x.model")
    expected = troenpy.settings.classifier("linear", C=0.5, ngram_range=(1, 2), min_df=2, stop_words=["the", "of"])
    expected.fit([row["text"] for row in ROWS], [row["label"] for row in ROWS])
    assert fitted.coef_.shape == expected.coef_.shape
    assert fitted.random_state == 3
    assert "TroenpyClassifier of words, C = 0.5" in shown


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("train none.csv -o x.model", 1, "file not found: none.csv"),
        ("train x.csv", 2, "Missing option '--out' / '-o': see troenpy train --help"),
        ("train x.csv -o x.model -o y.model", 2, "--out is given twice, but one file is written: see troenpy train"),
        ("predict MODEL x.csv -o x.csv --out y.csv", 2, "--out is given twice, but one file is written"),
        ("train x.csv -o x.model --sed 1", 2, "No such option:? '?--sed"),
        ("train x.csv -o x.model --seed x", 2, "Invalid value for '--seed': .* integer"),
        ("train x.csv -o x.model --text body", 1, r"text 'body' is not a column of x.csv .*'id', 'text' and 'label'"),
        ("train x.csv -o x.model --C best", 1, "C must be a positive number or auto, got 'best'"),
        ("train x.csv -o x.model --C -1", 1, "C must be a positive, finite number, got -1.0"),
        ("train x.csv -o x.model --ngrams 1,2,3", 1, "ngrams must be one or two whole numbers, .* got '1,2,3'"),
        ("train x.csv -o x.model --min-df many", 1, "min-df must be a number, got 'many'"),
        ("train x.csv -o x.model --model svm", 2, "Invalid value for '--model'"),
        ("train x.csv -o x.model --on-error ignore", 2, "Invalid value for '--on-error'"),
        ("train x.csv -o x.model --delimiter ab", 1, "delimiter must be one ASCII character, got 'ab'"),
        ("train x.csv -o x.model --group-column labell", 1, "group_column 'labell' .*; did you mean 'label'?"),
        ("train x.csv -o x.csv", 1, "the model would replace the file it is learnt from, x.csv: choose another name"),
        ("train x.csv -o none/x.model", 1, "cannot write none/x.model: the folder .* does not exist"),
        ("train - -o x.model", 1, "standard input is empty"),
        ("train x.csv -o x.model --label id", 1, "all 60 labels in column 'id' of x.csv are different"),
        ("predict none.model x.csv", 1, "file not found: none.model"),
        (
            "predict x.csv x.csv",
            1,
            "x.csv is not a troenpy model: the model comes first, as in `troenpy predict",
        ),
        ("predict MODEL x.csv -o x.csv", 1, "the rows would replace the file they come from, x.csv"),
        ("predict MODEL x.csv -o x.xlsx", 1, "rows are written to .csv, .tsv, .tab, .jsonl, .ndjson or .parquet"),
        ("predict MODEL x.csv --threshold 2", 1, "threshold must be a probability, between 0 and 1, got 2.0"),
        ("predict MODEL x.csv --jobs 0", 1, "n_jobs must be"),
        ("predict MODEL", 2, "Missing argument 'FILE'"),
        ("info x.csv", 1, "x.csv is not a troenpy model"),
        (
            "train x.csv -o x.model --quiet --min-df 5000",
            1,
            "min_df=5000 leaves no terms to learn from: choose a smaller",
        ),
        ("train x.csv -o x.model --min-df 0", 1, "min_df must be a whole number of documents, 1 or more, or a share"),
        ("info", 2, "Missing argument 'MODEL'"),
    ],
)
def test_bad_commands_are_one_line(command, model, words, code, message, tmp_path):
    write_csv(tmp_path / "x.csv", ROWS)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    ended, shown, said = command(*(str(model) if word == "MODEL" else word for word in words.split()), given="")
    assert (ended, shown) == (code, "")
    assert re.search(message, said)
    assert said.startswith("troenpy: ")
    assert said.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_every_help_ends_with_an_example_that_runs(command, tmp_path):
    write_csv(tmp_path / "reviews.csv", ROWS)
    write_csv(tmp_path / "new.csv", [{"text": row["text"]} for row in ROWS])
    for words in ([], ["train"], ["predict"], ["info"]):
        code, shown, _ = command(*words, "--help")
        assert code == 0
        example = shown.rstrip().splitlines()[-1].strip()
        assert example.startswith(" ".join(["Example: troenpy", *words]))
        code, _, said = command(*example.split()[2:])
        assert code == 0, said


def test_shell_completion_is_offered(command):
    assert "--install-completion" in command("--help")[1]


class TestSteps:
    def test_lines_come_rarely(self, monkeypatch, capsys):
        clock = iter([0.0, 0.0, 10.0, 10.0, 40.0, 40.0, 40.0, 40.0, 41.0, 41.0])
        monkeypatch.setattr(steps.time, "monotonic", lambda: next(clock, 41.0))
        with steps.shown_steps(quiet=False) as show:
            show("learning", 0.0, "")
            show("learning", 0.5, "5 rows")
            show("learning", 0.6, "6 rows")
        assert len(capsys.readouterr().err.splitlines()) <= 1

    def test_nothing_if_quiet(self, capsys):
        with steps.shown_steps(quiet=True) as show:
            show("learning", 0.5, "")
        assert capsys.readouterr().err == ""
