"""The pages on one's own files are run: commands in a shell, Python as doctests, in one folder, in order."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_switch import needs_kernel
from shown_output import is_shown

pytest.importorskip("typer")
pytest.importorskip("pyarrow")

ROOT = Path(__file__).parent.parent
PAGES = ("files.md", "labels.md", "terms.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"```(console|pycon)\n(.*?)```", flags=re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)


def run(command):
    """Return what a command prints, on both of its outputs."""
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    return subprocess.run(  # noqa: S602 (our own page)
        command, shell=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    ).stdout


@needs_kernel  # which decides the last digits of what is shown
@pytest.mark.skipif(shutil.which("head") is None, reason="the page is written for a POSIX shell")
@pytest.mark.parametrize("name", PAGES)
def test_every_example_gives_what_it_shows(name, tmp_path, monkeypatch, capsys):
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    runner, names = doctest.DocTestRunner(optionflags=FLAGS), {}
    blocks = BLOCK.findall(page)
    assert len(blocks) == page.count("```console") + page.count("```pycon") > 4
    for number, (kind, block) in enumerate(blocks):
        if kind == "pycon":
            example = doctest.DocTestParser().get_doctest(block, names, f"block {number}", name, 0)
            runner.run(example, clear_globs=False)
            names = example.globs
            continue
        for command, shown in COMMAND.findall(block):
            printed = run(command)
            assert is_shown(printed, shown), f"$ {command}\n{printed}"
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out
