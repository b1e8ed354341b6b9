"""`troenpy reproduce`: run the paper's experiments and check its claims."""

from typing import Annotated

import typer

from troenpy.cli.console import one_line_errors, print_line, typed_command
from troenpy.cli.pages import add_projection, can_make_pages, print_answer, written_files
from troenpy.cli.progress import progress
from troenpy.experiments.runs import RunOptions
from troenpy.report.reproduction import ROWS, corpus_names, reproduce


def reproduce_command(
    datasets: Annotated[str, typer.Option(help="Names of corpora, separated by commas, or all.")] = "r8",
    full: Annotated[
        bool, typer.Option("--full", help="Every weight, 50 random splits instead of 5, t-SNE of the whole test part.")
    ] = False,
    beyond: Annotated[
        bool, typer.Option("--beyond", help="Also run the ablations of our settings and linear rivals.")
    ] = False,
    method: Annotated[list[str] | None, typer.Option(help="Run only this method, such as 'knn: tf*pi'.")] = None,
    splits: Annotated[int | None, typer.Option(help="Random splits for corpora without a given split.")] = None,
    k: Annotated[list[int] | None, typer.Option(help="Number of neighbours, instead of 7.")] = None,
    deduplicated: Annotated[bool, typer.Option("--deduplicated", help="Remove duplicate texts first.")] = False,
    train_fraction: Annotated[
        list[float] | None, typer.Option(help="Train on this fraction of the training documents.")
    ] = None,
    sample: Annotated[int | None, typer.Option(help="Classify only this many test documents per split.")] = None,
    vectors: Annotated[
        str | None, typer.Option(help="Word vectors for optimal transport: glove-50d, or a file.")
    ] = None,
    out: Annotated[str, typer.Option(help="Folder for the rows and the report.")] = "troenpy-results",
    jobs: Annotated[int, typer.Option(help="Number of threads; -1 means one per processor.")] = -1,
    fresh: Annotated[bool, typer.Option("--fresh/--resume", help="Discard earlier rows, or resume from them.")] = False,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Write report.html with t-SNE, or not.")] = True,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all methods and claims, not only those that matter most.")
    ] = False,
) -> None:
    """Run the paper's methods, their rivals and our settings, and check the paper's claims.

    Corpora are read from the folder TROENPY_DATA, or downloaded once. To resume a stopped run, repeat the command.
    --method, --k and --train-fraction may be given several times.
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
                page=has_page,
            )
        if has_page:
            result = add_projection(result, full=full)
        print_answer(result.summary, everything=everything)
        print_line(f"Rows: {out}/{ROWS}, {written_files(result)}")
