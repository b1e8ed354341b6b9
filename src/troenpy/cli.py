"""The command line: parse, call, print."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib import metadata
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from troenpy import datasets, experiments
from troenpy.claims import HELD, NOT_HELD, Claim
from troenpy.reproduction import REPORT, ROWS, corpus_names, reproduce
from troenpy.tables import to_terminal

INTERRUPTED = 130
PIPE_WIDTH = 160  # of tables that go to a file or another program
COLOURS = {HELD: "green", NOT_HELD: "red"}

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"troenpy {metadata.version('troenpy')}")
        raise typer.Exit


@app.callback(epilog="Example: troenpy reproduce")
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Features from labelled text by troenpy, the dual of Shannon entropy."""


@app.command("reproduce", epilog="Example: troenpy reproduce --datasets r8,classic --splits 10")
def reproduce_command(
    datasets: Annotated[str, typer.Option(help="Names of corpora with commas between them, or all.")] = "r8",
    full: Annotated[bool, typer.Option("--full", help="Every weight, and 50 random splits instead of 5.")] = False,
    method: Annotated[list[str] | None, typer.Option(help="Run this method instead, such as 'knn: tf*pi'.")] = None,
    splits: Annotated[int | None, typer.Option(min=1, help="Random splits where a corpus has no given one.")] = None,
    k: Annotated[list[int] | None, typer.Option(min=1, help="Neighbours, instead of 7.")] = None,
    deduplicated: Annotated[bool, typer.Option("--deduplicated", help="Drop repeated texts first.")] = False,
    train_fraction: Annotated[list[float] | None, typer.Option(help="Learn from this part of the training.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Classify this many test documents of a split.")] = None,
    vectors: Annotated[str | None, typer.Option(help="Word vectors for transport: glove-50d, or a file.")] = None,
    out: Annotated[str, typer.Option(help="The folder for rows and report.")] = "troenpy-results",
    jobs: Annotated[int, typer.Option(help="Threads; -1 is all processors.")] = -1,
    fresh: Annotated[bool, typer.Option("--fresh/--resume", help="Forget earlier rows, or go on from them.")] = False,
) -> None:
    """Run the paper's experiments with their rivals, and answer its claims with numbers.

    Corpora are taken from the folder that TROENPY_DATA names, or downloaded once. A run that was stopped goes on
    where it was when the same command is run again. --method, --k and --train-fraction may be given several times.
    """
    with _one_line_errors():
        with _progress() as on_row:
            result = reproduce(
                corpus_names(datasets),
                out=out,
                is_full=full,
                chosen=method or (),
                splits=splits,
                is_fresh=fresh,
                ks=k or None,
                is_deduplicated=deduplicated,
                train_fractions=train_fraction or (1.0,),
                sample=sample,
                vectors=vectors,
                n_jobs=jobs,
                on_row=on_row,
            )
        console = _console()
        console.print(to_terminal(result.comparison))
        console.print(_claims(result.claims))
        console.print(f"Rows: {out}/{ROWS}, report: {out}/{REPORT}", markup=False, highlight=False)


@app.command("datasets", epilog="Example: troenpy datasets")
def datasets_command() -> None:
    """List the corpora: how large they are, under which licence, and whether they are here."""
    with _one_line_errors():
        table = Table()
        for name in ("name", "documents", "classes", "present", "licence"):
            table.add_column(name, justify="right" if name in ("documents", "classes") else "left")
        for listing in datasets.available():
            present = "yes" if listing.present else "no"
            table.add_row(listing.name, str(listing.documents), str(listing.classes), present, escape(listing.licence))
        _console().print(table)


def _console() -> Console:
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def _claims(claims: list[Claim]) -> Table:
    table = Table(title="what the paper claims", show_lines=True)
    for name in ("claim", "verdict", "number"):
        table.add_column(name)
    for claim in claims:
        verdict = f"[{COLOURS[claim.verdict]}]{claim.verdict}[/]" if claim.verdict in COLOURS else claim.verdict
        table.add_row(claim.text, verdict, escape(claim.evidence))
    return table


@contextmanager
def _progress() -> Iterator[Any]:
    """Show how far the run is and the time left, if somebody is looking."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        bar = display.add_task("reading", total=None, left="")

        def on_row(progress: experiments.Progress) -> None:
            left = timedelta(seconds=round(progress.seconds_left))
            display.update(
                bar,
                description=escape(f"{progress.row.setting}  {progress.row.method}"),
                completed=progress.done,
                total=progress.total,
                left=f"{left} left",
            )

        yield on_row


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what a user can put right into one line on stderr."""
    try:
        yield
    except KeyboardInterrupt:
        again = shlex.join(["troenpy", *(word for word in sys.argv[1:] if word != "--fresh")])
        typer.echo(f"\nstopped; all rows so far are kept. To go on: {again}", err=True)
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # an orderly end would wait for the method that is being run; rows are on disk already
    except (ValueError, ImportError, MemoryError) as error:
        _fail(str(error) or "out of memory")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror}" if error.strerror else str(error))


def _fail(message: str) -> None:
    typer.echo(f"troenpy: {' '.join(message.split())}", err=True)
    raise typer.Exit(1) from None
