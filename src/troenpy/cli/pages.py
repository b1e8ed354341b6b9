"""What the commands that write a report share."""

import sys
from contextlib import nullcontext

from rich.console import Console
from rich.text import Text

from troenpy.cli.console import note, print_line
from troenpy.display import printable
from troenpy.report.charts import check_extra
from troenpy.report.reproduction import Reproduction


def can_make_pages() -> bool:
    """Say at once, not after the run, what a page would need."""
    try:
        check_extra()
    except ImportError as error:
        note(f"{error}; the rest comes without it")
        return False
    return True


def written_files(result: Reproduction) -> str:
    """Name the files of a report."""
    kinds = ("html", "md", "json") if result.has_page else ("md", "json")
    return f"report: {', '.join(f'{result.folder}/report.{kind}' for kind in kinds)}"


def add_projection(result: Reproduction, *, full: bool) -> Reproduction:
    """Draw the slow part when everything else is written, and write the page again."""
    if result.corpus is None:
        return result
    waiting = f"t-SNE of {printable(result.corpus.name)} for the page"
    with Console(stderr=True).status(Text(waiting)) if sys.stderr.isatty() else nullcontext():
        result = result.with_projection(full=full)
        result.write()
    if result.projection is not None:
        shown = result.projection
        print_line(f"The page now has t-SNE of {shown['n_documents']} documents of {shown['corpus']}.")
    return result
