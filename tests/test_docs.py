"""The documentation is run and compared, not believed."""

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

import troenpy

DOCS = Path(__file__).parent.parent / "docs"


def text(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_example_of_the_guide_gives_what_it_shows(capsys):
    pytest.importorskip("jinja2")
    guide = text("guide.md")
    blocks = re.findall(r"```pycon\n(.*?)```", guide, flags=re.DOTALL)
    assert len(blocks) == guide.count("```") // 2
    names = {}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(optionflags=flags)
    for number, block in enumerate(blocks):
        example = doctest.DocTestParser().get_doctest(block, names, f"block {number}", "guide.md", 0)
        runner.run(example, clear_globs=False)
        names = example.globs
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out


def test_every_task_of_the_guide_has_an_example():
    for part in text("guide.md").split("\n## ")[1:]:
        assert ">>>" in part, part.splitlines()[0]


def test_the_commands_are_those_that_there_are():
    ended = subprocess.run(  # noqa: S603 (our own script)
        [sys.executable, DOCS / "write_commands.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_interface_has_every_public_name():
    page = text("api.md")
    missing = [name for name in troenpy.__all__ if not re.search(rf"\b{name}\b", page)]
    assert missing == []


def test_the_functions_of_the_equations_exist():
    referred = re.findall(r"\{(?:func|class|mod)\}`([\w.]+)`", text("maths.md"))
    assert len(referred) > 25
    for name in referred:
        module, _, attribute = name.rpartition(".")
        assert attribute in dir(importlib.import_module(module)), name


def test_every_weight_of_the_paper_has_its_equation():
    page = text("maths.md")
    paper = [name for name, weight in troenpy.WEIGHTS.items() if weight.__module__ == "troenpy.weights"]
    assert [name for name in paper if f"troenpy.weights.{name}`" not in page] == []


def test_the_gallery_has_the_pictures_that_its_command_writes():
    pytest.importorskip("playwright")
    pytest.importorskip("PIL")
    specification = importlib.util.spec_from_file_location("write_gallery", DOCS / "write_gallery.py")
    gallery = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(gallery)
    written = {f"gallery/{picture.name}.png" for picture in gallery.PICTURES}
    shown = set(re.findall(r"\]\((gallery/\S+\.png)\)", text("gallery.md")))
    assert shown == written == {f"gallery/{path.name}" for path in (DOCS / "gallery").iterdir()}
    assert max(path.stat().st_size for path in (DOCS / "gallery").iterdir()) < 100_000
    assert "docs/gallery/r8.png" in (DOCS.parent / "README.md").read_text(encoding="utf-8")
