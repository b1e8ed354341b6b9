"""The README is run, not believed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run_blocks(text):
    """Run the blocks of Python one after the other, and return how many there were."""
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    for block in blocks:
        exec(block, names)  # noqa: S102 (our own text)
    return len(blocks)


def test_the_python_blocks_run_as_pasted(capsys):
    assert run_blocks(README) >= 4
    assert "['sport']" in capsys.readouterr().out


def test_the_python_blocks_of_the_page_on_our_settings_run():
    assert run_blocks((ROOT / "docs/beyond.md").read_text(encoding="utf-8")) >= 1


@pytest.mark.parametrize(
    "value", re.findall(r"^(troenpy\.troenpy\(.*\)) +# ([\d.]+)\.\.\.", README, flags=re.MULTILINE)
)
def test_the_numbers_in_comments_are_right(value):
    import troenpy

    code, shown = value
    assert str(eval(code, {"troenpy": troenpy})).startswith(shown)  # noqa: S307 (our own text)


def test_the_tree_names_every_file():
    tree = README.split("## The tree")[1]
    files = {path.name for path in (ROOT / "src/troenpy").glob("*.py")} - {"__init__.py"}
    assert {name for name in files if name not in tree} == set()
    shown = set(re.findall(r"^  ([a-z]\w*\.py) ", tree, flags=re.MULTILINE))
    assert shown - files == set()


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
