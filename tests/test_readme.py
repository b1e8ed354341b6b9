"""The README is run, not believed."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from shown_output import is_shown

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", flags=re.DOTALL)


def run_blocks(text):
    """Run the blocks of Python one after the other; yield what each prints, and what is shown below it."""
    names: dict[str, object] = {}
    for block, shown in BLOCK.findall(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, names)  # noqa: S102 (our own text)
        yield printed.getvalue(), shown


@pytest.fixture
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_a_folder")
def test_the_python_blocks_print_what_is_shown_below_them():
    blocks = [*run_blocks(README)]
    assert len(blocks) == 2
    for printed, shown in blocks:
        assert is_shown(printed, shown), f"printed:\n{printed}\nshown:\n{shown}"
    assert README.count("```text") == sum(bool(shown) for _, shown in blocks)


def test_a_shown_output_that_is_wrong_is_found():
    assert is_shown("vote  +0.4716", "vote +0.4717")
    for wrong in ("vote -0.4716", "vote +0.4816", "goal +0.4716", "vote", "vote: +0.4716", ""):
        assert not is_shown("vote  +0.4716", wrong)


def test_what_is_said_of_the_tuned_rival_is_in_the_table():
    results = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in results.splitlines() if line[:1] == "|"]
    assert "the setting `linear` with C = 3 wins on two corpora and\nties on five" in results
    assert next(row for row in rows if row[1].startswith("`lr3: "))[-1] == "2/5/0"


def test_the_python_blocks_of_the_page_on_our_settings_run():
    assert len([*run_blocks((ROOT / "docs/beyond.md").read_text(encoding="utf-8"))]) >= 1


def test_the_quickstart_shows_that_labels_help():
    command = [sys.executable, ROOT / "examples/quickstart.py"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 (our own script)
    errors = dict(re.findall(r"(TF-\w+) +([\d.]+)%", shown))
    assert float(errors["TF-PI"]) < float(errors["TF-IDF"])
    assert "PCF_1" in shown


def test_the_tree_names_every_package():
    tree = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## The tree")[1]
    packages = {path.parent.name for path in (ROOT / "src/troenpy").glob("*/__init__.py")}
    assert set(re.findall(r"^  (\w+)/ ", tree, flags=re.MULTILINE)) == packages


def test_the_tables_are_those_of_the_committed_rows():
    command = [sys.executable, ROOT / "experiments/table.py", "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own script)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("path", sorted((ROOT / "experiments/results").rglob("*.json*")), ids=lambda path: path.name)
def test_results_hold_no_text_and_no_path_of_a_machine(path):
    content = path.read_text(encoding="utf-8")
    assert not re.search(r"/(tmp|home|work|root|Users)/", content)
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', content)
    assert {word for word in strings if len(word.split()) > 50} == set()
