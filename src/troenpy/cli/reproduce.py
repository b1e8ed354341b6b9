"""`troenpy reproduce`: the paper's experiments, and the answer to its claims."""

from typing import Annotated

import typer

from troenpy.cli.console import console, one_line_errors, print_line, typed_command
from troenpy.cli.pages import add_projection, can_make_pages, written_files
from troenpy.cli.progress import progress
from troenpy.experiments.runs import RunOptions
from troenpy.report.reproduction import ROWS, corpus_names, reproduce
from troenpy.report.terminal import claim_table, error_tables


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
    with one_line_errors():
        has_page = page and can_make_pages()
        with progress() as (on_start, on_row):
            result = reproduce(
                corpus_names(datasets),
                out=out,
                full=full,
                beyond=beyond,
                chosen=method or (),
                splits=splits,
                options=RunOptions(
                    overwrite=fresh,
                    ks=k or None,
                    deduplicate=deduplicated,
                    train_fractions=train_fraction or (1.0,),
                    sample=sample,
                    vectors=vectors,
                    n_jobs=jobs,
                    on_start=on_start,
                    on_row=on_row,
                ),
                command=typed_command(),
                has_page=has_page,
            )
        screen = console()
        for table in error_tables(result.summary["comparison"], screen.width):
            screen.print(table)
        print_line(f"Rows: {out}/{ROWS}, {written_files(result)}")
        if has_page:
            result = add_projection(result, full=full)
        screen.print(claim_table(result.summary["claims"]))  # last: one of them is about the projection
