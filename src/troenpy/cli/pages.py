"""Helpers shared by the commands that write a report."""

import sys
from contextlib import nullcontext

from rich.console import Console
from rich.text import Text

from troenpy.cli.console import console, note, print_line
from troenpy.display import printable
from troenpy.report.parts.shell import check_extra
from troenpy.report.reproduction import Reproduction
from troenpy.report.summary import Summary
from troenpy.report.terminal import answer_tables, claim_table, open_line


def can_make_pages() -> bool:
    """Warn before the run if a package for the page is missing."""
    try:
        check_extra()
    except ImportError as error:
        note(f"{error}; everything else is written without it")
        return False
    return True


def written_files(result: Reproduction) -> str:
    """Return a line that names the files of a report."""
    kinds = ("html", "md", "json") if result.page else ("md", "json")
    return f"report: {', '.join(f'{result.folder}/report.{kind}' for kind in kinds)}"


def add_projection(result: Reproduction, *, full: bool) -> Reproduction:
    """Add t-SNE, the slow part, once everything else is written, and update the report."""
    if result.corpus is None:
        return result
    waiting = f"t-SNE of {printable(result.corpus.name)} for the page"
    with Console(stderr=True).status(Text(waiting)) if sys.stderr.isatty() else nullcontext():
        result = result.with_projection(full=full)
        result.write()
    if result.projection is not None:
        shown = result.projection
        print_line(f"Added t-SNE to the page: {shown['n_documents']} documents of {shown['corpus']}.")
    return result


def print_answer(summary: Summary, *, everything: bool = False) -> None:
    """Print the answer in a sentence, the errors of the methods that matter, and the claims that were tested."""
    screen = console()
    print_line(f"{summary['headline']['sentence']} {summary['headline']['note']}".strip())
    for table in answer_tables(summary, screen.width, everything=everything):
        screen.print(table)
    left = len(summary["comparison"]["methods"]) - len(summary["headline"]["methods"])
    if left and not everything:
        print_line(f"{left} more methods were run: --all prints them.")
    claims = claim_table(summary["claims"], everything=everything)
    if claims is not None:
        screen.print(claims)
    if not everything and (line := open_line(summary["claims"])):
        print_line(line)
