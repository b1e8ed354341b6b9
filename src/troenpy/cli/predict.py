"""`troenpy predict`: add predictions to the rows of a file."""

import sys
from typing import Annotated, Any

import typer

from troenpy.cli.console import binary_stdout, keep_interrupts, note, one_line_errors, print_json, print_text
from troenpy.cli.options import READING, Delimiter, Encoding, Format, Jobs, OnError, Quiet, Text, read_delimiter
from troenpy.cli.steps import shown_steps
from troenpy.records.wording import counted
from troenpy.tasks.prediction import Predictions, Progress, predict
from troenpy.tasks.row_writers import JsonLinesWriter


def predict_command(
    model: Annotated[str, typer.Argument(metavar="MODEL", show_default=False)],
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Where to write the rows: .csv, .tsv, .jsonl or .parquet; by default stdout."),
    ] = None,
    text: Text = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
    top: Annotated[int | None, typer.Option(help="Add this many of the most probable classes.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Leave the prediction empty if its probability is below this.")
    ] = None,
    explain: Annotated[
        int | None, typer.Option(help="Add this many of the terms that speak for or against the prediction.")
    ] = None,
    on_error: Annotated[
        OnError, typer.Option(help="Keep a broken row, without a prediction, or stop.", rich_help_panel=READING)
    ] = "skip",
    format_: Format = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write rows to stdout as JSON lines; with --out, print the summary as JSON.")
    ] = False,
) -> None:
    """Predict the label of every row of FILE with a saved MODEL.

    All columns and rows are kept, in their order, and a column 'prediction' is added; a broken row has none. FILE is
    read as by `troenpy train`, and may be larger than memory; - is standard input. Without --out, rows are written to
    standard output as CSV.
    """
    with one_line_errors("stopped" if out is None else "stopped: no rows are written"):
        keep_interrupts()
        with shown_steps(quiet=quiet) as show:

            def report(progress: Progress) -> None:
                speed = progress.n_rows / max(progress.seconds, 1e-9)
                show("predicting", progress.done, f"{progress.n_rows:,} rows, {speed:,.0f} a second")

            target: Any = out
            if out is None:
                target = JsonLinesWriter(binary_stdout()) if as_json else binary_stdout()
            result = predict(
                model,
                file,
                target,
                text=text,
                proba=proba,
                top=top,
                threshold=threshold,
                explain=explain,
                on_error=on_error,
                format=format_,
                delimiter=read_delimiter(delimiter),
                encoding=encoding,
                jobs=jobs,
                callback=report,
                on_notice=None if quiet else note,
            )
            if out is None:
                sys.stdout.flush()
        for warning in result.warnings:
            note(f"warning: {warning}")
        if not quiet:
            said = [
                problem for problem in result.problems if not any(line.startswith(problem) for line in result.warnings)
            ]
            for problem in said:
                note(f"warning: {problem}")
            if out is None or as_json:
                note(summary(result))
        if out is not None and as_json:
            print_json(result.to_dict())
        elif out is not None and not quiet:
            print_text(str(result))


def summary(result: Predictions) -> str:
    """Return how many rows were predicted, and how fast."""
    speed = result.n_rows / max(result.seconds, 1e-9)
    broken = f", {result.n_broken:,} of them without a prediction" if result.n_broken else ""
    return f"{counted(result.n_rows, 'row')} in {result.seconds:.1f} s ({speed:,.0f} a second){broken}"
