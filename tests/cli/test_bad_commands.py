"""Bad command lines and hostile files: one line on stderr that says what is wrong, a code of its own, no traceback."""

import gzip
import json
import re

import pytest
from made_up_rows import row

pytest.importorskip("typer")
pytest.importorskip("jinja2")
from typer.testing import CliRunner

from troenpy import datasets
from troenpy.cli import app

GOOD = row("r8", "knn: tf*idf", 3, n_test=10)
OTHER = row("r8", "knn: tf*pi", 2, n_test=10)


def changed(**values):
    return json.dumps(json.loads(GOOD.to_json()) | values).encode()


FILES = {
    "a file": b"",
    "empty.jsonl": b"",
    "cut.jsonl": GOOD.to_json().encode()[:-20],
    "list.jsonl": b"[]\n",
    "binary.jsonl": b"\x00\xff\xfe\n",
    "deep.jsonl": b"[" * 100_000 + b"\n",
    "nan.jsonl": changed(error=float("nan")) + b"\n",
    "error.jsonl": changed(error=5) + b"\n",
    "nothing tested.jsonl": changed(n_test=0, n_wrong=0) + b"\n",
    "bits.jsonl": changed(correct="AAAA") + b"\n",
    "old.jsonl": changed(protocol=0) + b"\n",
    "second.jsonl": GOOD.to_json().encode() + b"\n" + changed(seed=-1) + b"\n",
    "twice.jsonl": changed(method="\x1b[2Jx") + b"\n" + changed(method="\x1b[2Jx") + b"\n",
    "sizes.jsonl": GOOD.to_json().encode() + b"\n" + row("r8", "knn: tf*pi", 1, n_test=9).to_json().encode() + b"\n",
    "versions.jsonl": GOOD.to_json().encode() + b"\n" + changed(method="b", versions={"numpy": "0"}) + b"\n",
    "good.jsonl": GOOD.to_json().encode() + b"\n" + OTHER.to_json().encode() + b"\n",
    "elsewhere/rows.jsonl": changed(fingerprint="another") + b"\n",
    "long.txt.gz": gzip.compress(b"1" * 2**24),
    "prose.txt": b"A goal and a cup.\n",
}
WMD = "--method", "knn: wmd"

# The words, the exit code, and the last line on stderr; code 2 is a command that typer cannot read.
COMMANDS = {
    "no such corpus": (["reproduce", "--datasets", "reuters"], 1, "unknown corpus 'reuters'; choose .*"),
    "no corpus": (["reproduce", "--datasets", ""], 1, "unknown corpus ''; choose one of .*"),
    "a corpus that is a command": (
        ["reproduce", "--datasets", "r8\x1b[2J"], 1, r"unknown corpus 'r8\\x1b\[2J'; choose one of .*",
    ),
    "no such scheme": (["reproduce", "--method", "knn: tf*idv"], 1, r"unknown scheme 'idv' \(did you mean idf\?\).*"),
    "no such model": (["reproduce", "--method", "xyz: tf"], 1, ".*'xyz.*"),
    "no model": (["reproduce", "--method", "tf"], 1, "cannot read method 'tf': write it like 'knn: tf[*]pi'.*"),
    "no method": (["reproduce", "--method", ""], 1, "cannot read method ''.*"),
    "no splits": (["reproduce", "--splits", "0"], 1, "splits must be 1 or more, got 0"),
    "splits below 0": (["reproduce", "--splits", "-3"], 1, "splits must be 1 or more, got -3"),
    "splits of text": (["reproduce", "--splits", "many"], 2, "Invalid value for '--splits': .*"),
    "no neighbours": (["reproduce", "--k", "0"], 1, r"ks must be whole numbers of 1 or more, got \[0\]"),
    "neighbours below 0": (["reproduce", "--k", "3", "--k", "-1"], 1, r"ks must be .* of 1 or more, got \[3, -1\]"),
    "more neighbours than documents": (
        ["reproduce", "--method", "knn: tf", "--k", "99999"], 1, "'knn99999: tf' on r8: .*",
    ),
    "no training": (["reproduce", "--train-fraction", "0"], 1, r"train_fractions must be .* 0 .*, got \[0\.0\]"),
    "too much training": (["reproduce", "--train-fraction", "2"], 1, r"train_fractions must be .*, got \[2\.0\]"),
    "training of NaN": (["reproduce", "--train-fraction", "nan"], 1, r"train_fractions must be .*, got \[nan\]"),
    "a sample of none": (["reproduce", "--sample", "0"], 1, ".*sample.* 0"),
    "too many jobs": (["reproduce", "--jobs", "99999"], 1, "n_jobs must be .* from -4096 to 4096 .*, got 99999: .*"),
    "no jobs": (["reproduce", "--jobs", "0"], 1, "n_jobs must be .* other than 0, got 0: -1 uses all processors"),
    "a folder that is a file": (["reproduce", "--out", "a file"], 1, "a file: File exists"),
    "a folder below a file": (["reproduce", "--out", "a file/below"], 1, "a file/below: Not a directory"),
    "transport without vectors": (["reproduce", *WMD], 1, "optimal transport needs word vectors: choose glove-50d .*"),
    "vectors that are not there": (["reproduce", *WMD, "--vectors", "no.txt"], 1, "'no.txt' is neither a file nor .*"),
    "vectors of a line without end": (
        ["reproduce", *WMD, "--vectors", "long.txt.gz"], 1, "line 1 of long.txt.gz exceeds 1,048,576 bytes: .*",
    ),
    "vectors that are prose": (["reproduce", *WMD, "--vectors", "prose.txt"], 1, ".*line 1 of prose.txt .*"),
    "no such option": (["reproduce", "--verbose"], 2, ".*No such option.*"),
    "no such command": (["fit"], 2, ".*No such command.*"),
    "no rows": (["report"], 2, ".*Missing argument.*"),
    "rows that are not there": (["report", "nowhere"], 1, "nowhere: No such file or directory"),
    "rows of a name that is a command": (["report", "\x1b[2J\nx"], 1, r"\\x1b\[2J x: No such file or directory"),
    "a folder without rows": (["report", "."], 1, "rows.jsonl: No such file or directory"),
    "an empty file": (["report", "empty.jsonl"], 1, "empty.jsonl has no rows: run troenpy reproduce first"),
    "one row that is cut off": (["report", "cut.jsonl"], 1, "cut.jsonl has no rows: run troenpy reproduce first"),
    "rows that are lists": (["report", "list.jsonl"], 1, "line 1 of list.jsonl: not a row of results; .*"),
    "rows that are not text": (["report", "binary.jsonl"], 1, "line 1 of .*: not a row of results: .*utf-8.*"),
    "rows without end": (["report", "deep.jsonl"], 1, "line 1 of .*: not a row of results: it is nested too .*"),
    "an error that is no number": (["report", "nan.jsonl"], 1, "line 1 of nan.jsonl: .*NaN is not a number; .*"),
    "an error of 5": (["report", "error.jsonl"], 1, r"line 1 of error.jsonl: error must be .* = 0\.3, got 5; .*"),
    "no test documents": (["report", "nothing tested.jsonl"], 1, "line 1 of .*: n_test must be .*, got 0; .*"),
    "other bits": (["report", "bits.jsonl"], 1, "line 1 of bits.jsonl: correct must hold 10 bits .*"),
    "an old protocol": (["report", "old.jsonl"], 1, "line 1 of old.jsonl: protocol must be 1, got 0; .*"),
    "a bad second row": (["report", "second.jsonl"], 1, "line 2 of second.jsonl: seed must be .*, got -1; .*"),
    "a row twice": (["report", "twice.jsonl"], 1, r"line 2 of twice.jsonl: second row for r8, None, '\\x1b\[2Jx'; .*"),
    "other test documents": (["report", "sizes.jsonl"], 1, "r8 was tested on 10 documents with .*, on 9 with .*"),
    "other versions": (["report", "versions.jsonl"], 1, "rows from different versions of numpy cannot .*"),
    "no such baseline": (["report", "good.jsonl", "--baseline", "x"], 1, "baseline 'x' was not run: .* of knn: tf.*"),
    "a report below a file": (["report", "good.jsonl", "--out", "a file/x"], 1, "a file/x: Not a directory"),
    "rows of another corpus": (
        ["reproduce", "--out", "elsewhere", "--no-page"], 1, ".*has rows for a different corpus named r8: .*",
    ),
}  # fmt: skip


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder with the files, and a small corpus in the place of all others."""
    texts = [f"word{number % 7} other{number % 3}" for number in range(40)]
    split = ["train"] * 30 + ["test"] * 10
    labels = ["a", "b"] * 20
    monkeypatch.setattr(datasets, "load", lambda name, data_dir=None: datasets.Corpus(name, texts, labels, split))
    monkeypatch.setenv("TROENPY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TROENPY_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_bad_command_is_one_line(folder, name):
    words, code, line = COMMANDS[name]
    result = CliRunner().invoke(app, words, prog_name="troenpy")
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code
    assert "Traceback" not in result.output
    shown = result.stderr
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)
    *before, last = shown.splitlines()
    assert re.fullmatch(f"troenpy: {line}", last), last
    assert all(re.fullmatch(r"troenpy: reading \w+", one) for one in before), before
