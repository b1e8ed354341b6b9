"""Separate executor processes, one of which is killed, and Spark Connect: the results are those in memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "in_other_mode.py"


def results(mode, folder, *corpus):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SPARK"))}
    environment["PYTHONPATH"] = os.pathsep.join([str(SCRIPT.parent), str(SCRIPT.parent.parent)])
    command = [sys.executable, str(SCRIPT), mode, str(folder), *corpus]
    ended = subprocess.run(  # noqa: S603 (our own script)
        command, capture_output=True, text=True, timeout=500, env=environment, check=False
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize("mode", ["cluster", "connect"])
def test_results_are_those_in_memory(mode, tmp_path):
    found = results(mode, tmp_path)
    assert found.pop("nulls").startswith("a text is missing (null): drop such rows")
    if mode == "cluster":
        assert found.pop("killed") == 1
    assert {name: value for name, value in found.items() if value is False} == {}
    assert list(found.values()).count(True) == 6


@pytest.mark.full_corpus
@pytest.mark.skipif(not os.environ.get("TROENPY_DATA"), reason="TROENPY_DATA names no folder of corpora")
@pytest.mark.parametrize("name", ["r8", "20news"])
def test_corpora_on_a_cluster(name, tmp_path):
    found = results("cluster", tmp_path, name)
    assert (found["counts"], found["weights"], found["terms"]) == (True, True, True)
