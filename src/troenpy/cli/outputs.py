"""Files that a command writes its result to: checked before the work, named after it."""

from collections.abc import Mapping, Sequence
from typing import Any

from troenpy.cli.console import print_line, print_text
from troenpy.tasks.result_files import check_result_file
from troenpy.tasks.spared_files import check_spared


def check_outputs(paths: Sequence[str], what: str, inputs: Mapping[str, Any]) -> None:
    """Raise if a result cannot be written there, or would replace what is read."""
    for path in paths:
        check_result_file(path)
        check_spared(path, what, inputs)


def print_written(paths: Sequence[str]) -> None:
    """Name the files that were written."""
    if paths:
        print_text("")
        print_line(f"written: {', '.join(paths)}")
