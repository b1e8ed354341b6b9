"""`troenpy report`: rebuild the report from rows."""

from typing import Annotated

import typer

from troenpy.cli.console import one_line_errors, print_line, typed_command
from troenpy.cli.pages import add_projection, written_files
from troenpy.report.parts.shell import check_extra
from troenpy.report.reproduction import rebuild


def report_command(
    rows: Annotated[str, typer.Argument()],
    out: Annotated[str | None, typer.Option(help="Folder for the report; by default that of the rows.")] = None,
    baseline: Annotated[str | None, typer.Option(help="Method to compare with; by default 'knn: tf*idf'.")] = None,
    rows_only: Annotated[
        bool, typer.Option("--rows-only", help="Leave out the parts that need the text of a corpus.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="t-SNE of the whole test part, not just 1,000 documents.")
    ] = False,
) -> None:
    """Rebuild report.html, report.md and report.json from the rows of a run.

    ROWS is a file of rows, or a folder with rows.jsonl. Terms and t-SNE are included if a corpus of the rows is on this
    machine (in the folder TROENPY_DATA, or downloaded before); --rows-only leaves them out.
    """
    with one_line_errors():
        check_extra()
        result = rebuild(rows, out=out, baseline=baseline, with_corpus=not rows_only, command=typed_command())
        print_line(written_files(result).capitalize())
        add_projection(result, full=full)
