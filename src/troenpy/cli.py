"""The command line: parse, call, print."""

import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from importlib import metadata
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from troenpy import datasets, experiments
from troenpy.charts import check_extra
from troenpy.images import write_figures
from troenpy.plain import printable
from troenpy.reproduction import ROWS, Reproduction, corpus_names, rebuild, reproduce
from troenpy.terminal import claim_table, error_tables

INTERRUPTED = 130
PIPE_WIDTH = 160  # of tables that go to a file or another program
SECONDS_BETWEEN_LINES = 30  # of progress, where nobody is looking

OnStart = Callable[[Sequence[str]], None]
OnRow = Callable[[experiments.Progress], None]

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
    full: Annotated[
        bool, typer.Option("--full", help="Every weight, 50 random splits instead of 5, t-SNE of the whole test part.")
    ] = False,
    beyond: Annotated[bool, typer.Option("--beyond", help="Our own settings and linear rivals too.")] = False,
    method: Annotated[list[str] | None, typer.Option(help="Run this method instead, such as 'knn: tf*pi'.")] = None,
    splits: Annotated[int | None, typer.Option(help="Random splits where a corpus has no given one.")] = None,
    k: Annotated[list[int] | None, typer.Option(help="Neighbours, instead of 7.")] = None,
    deduplicated: Annotated[bool, typer.Option("--deduplicated", help="Drop repeated texts first.")] = False,
    train_fraction: Annotated[list[float] | None, typer.Option(help="Learn from this part of the training.")] = None,
    sample: Annotated[int | None, typer.Option(help="Classify this many test documents of a split.")] = None,
    vectors: Annotated[str | None, typer.Option(help="Word vectors for transport: glove-50d, or a file.")] = None,
    out: Annotated[str, typer.Option(help="The folder for rows and report.")] = "troenpy-results",
    jobs: Annotated[int, typer.Option(help="Threads; -1 is all processors.")] = -1,
    fresh: Annotated[bool, typer.Option("--fresh/--resume", help="Forget earlier rows, or go on from them.")] = False,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Write report.html, with t-SNE, or not.")] = True,
) -> None:
    """Run the paper's experiments with their rivals, and answer its claims with numbers.

    Corpora are taken from the folder that TROENPY_DATA names, or downloaded once. A run that was stopped goes on
    where it was when the same command is run again. --method, --k and --train-fraction may be given several times.
    """
    with _one_line_errors():
        has_page = page and _can_make_pages()
        with _progress() as (on_start, on_row):
            result = reproduce(
                corpus_names(datasets),
                out=out,
                is_full=full,
                is_beyond=beyond,
                chosen=method or (),
                splits=splits,
                is_fresh=fresh,
                ks=k or None,
                is_deduplicated=deduplicated,
                train_fractions=train_fraction or (1.0,),
                sample=sample,
                vectors=vectors,
                n_jobs=jobs,
                on_start=on_start,
                on_row=on_row,
                command=_command(),
                has_page=has_page,
            )
        console = _console()
        for table in error_tables(result.summary["comparison"], console.width):
            console.print(table)
        _print_line(f"Rows: {out}/{ROWS}, {_files(result)}")
        if has_page:
            result = _add_projection(result, is_full=full)
        console.print(claim_table(result.summary["claims"]))  # last: one of them is about the projection


@app.command("report", epilog="Example: troenpy report troenpy-results --figures figures")
def report_command(
    rows: Annotated[str, typer.Argument()],
    out: Annotated[str | None, typer.Option(help="The folder for the report; by default that of the rows.")] = None,
    figures: Annotated[str | None, typer.Option(help="Also write each figure as PNG and SVG to this folder.")] = None,
    baseline: Annotated[str | None, typer.Option(help="The method to compare with, by default 'knn: tf*idf'.")] = None,
    rows_only: Annotated[bool, typer.Option("--rows-only", help="Leave out what takes the text of a corpus.")] = False,
    full: Annotated[bool, typer.Option("--full", help="t-SNE of the whole test part, not of 1,000 documents.")] = False,
) -> None:
    """Make report.html, report.md and report.json anew from the rows of a run.

    ROWS is a file of rows, or the folder that has it. Terms and t-SNE are added if a corpus of the rows is on this
    machine (in the folder that TROENPY_DATA names, or downloaded before); --rows-only leaves them out.
    """
    with _one_line_errors():
        check_extra()
        result = rebuild(rows, out=out, baseline=baseline, with_corpus=not rows_only, command=_command())
        _print_line(_files(result).capitalize())
        result = _add_projection(result, is_full=full)
        if figures is not None:
            written = write_figures(result.summary, figures)
            _print_line(f"{len(written)} files of figures: {figures}")


@app.command("datasets", epilog="Example: troenpy datasets")
def datasets_command() -> None:
    """List the corpora: how large they are, under which licence, and whether they are here."""
    with _one_line_errors():
        table = Table()
        for name in ("name", "documents", "classes", "present", "licence"):
            is_number = name in ("documents", "classes")
            table.add_column(name, justify="right" if is_number else "left", no_wrap=name != "licence")
        for listing in datasets.available():
            present = "yes" if listing.present else "no"
            table.add_row(listing.name, str(listing.documents), str(listing.classes), present, Text(listing.licence))
        _console().print(table)


def _console() -> Console:
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def _print_line(text: str) -> None:
    typer.echo(printable(text))


def _command() -> str:
    return shlex.join(["troenpy", *sys.argv[1:]])


def _can_make_pages() -> bool:
    """Say at once, not after the run, what a page would need."""
    try:
        check_extra()
    except ImportError as error:
        _note(f"{error}; the rest comes without it")
        return False
    return True


def _files(result: Reproduction) -> str:
    kinds = ("html", "md", "json") if result.has_page else ("md", "json")
    return f"report: {', '.join(f'{result.folder}/report.{kind}' for kind in kinds)}"


def _add_projection(result: Reproduction, *, is_full: bool) -> Reproduction:
    """Draw the slow part when everything else is written, and write the page again."""
    if result.corpus is None:
        return result
    waiting = f"t-SNE of {printable(result.corpus.name)} for the page"
    with Console(stderr=True).status(Text(waiting)) if sys.stderr.isatty() else nullcontext():
        result = result.with_projection(is_full=is_full)
        result.write()
    if result.projection is not None:
        shown = result.projection
        _print_line(f"The page now has t-SNE of {shown['n_documents']} documents of {shown['corpus']}.")
    return result


@contextmanager
def _progress() -> Iterator[tuple[OnStart, OnRow]]:
    """Show how far the run is and the time left: a bar if somebody is looking, else a line now and then."""
    with _bar() if sys.stderr.isatty() else nullcontext(_lines()) as shown:
        yield shown


@contextmanager
def _bar() -> Iterator[tuple[OnStart, OnRow]]:
    texts = [TextColumn(f"{{task.{name}}}", markup=False) for name in ("description", "fields[left]")]
    columns = texts[0], BarColumn(), MofNCompleteColumn(), texts[1]
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        bar = display.add_task("reading", total=None, left="")

        def on_row(progress: experiments.Progress) -> None:
            display.update(
                bar, description=_at(progress), completed=progress.done, total=progress.total, left=_left(progress)
            )

        yield lambda names: None, on_row


def _lines() -> tuple[OnStart, OnRow]:
    last = -math.inf

    def on_start(names: Sequence[str]) -> None:
        nonlocal last
        last = time.monotonic()
        _note(f"reading {', '.join(names)}")

    def on_row(progress: experiments.Progress) -> None:
        nonlocal last
        if progress.done == progress.total or time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            _note(f"{progress.done} of {progress.total}, {_left(progress)}, {_at(progress)}")

    return on_start, on_row


def _at(progress: experiments.Progress) -> str:
    return printable(f"{progress.row.setting}  {progress.row.method}")


def _left(progress: experiments.Progress) -> str:
    return f"{timedelta(seconds=round(progress.seconds_left))} left"


def _note(message: str) -> None:
    """Say something on stderr, on one line."""
    typer.echo(f"troenpy: {printable(message)}", err=True)


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
    _note(" ".join(message.split()))
    raise typer.Exit(1) from None
