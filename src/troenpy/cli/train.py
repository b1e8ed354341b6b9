"""`troenpy train`: fit a classifier to a file, and say how well it predicts."""

from typing import Annotated, Literal

import typer

from troenpy.cli.console import keep_interrupts, note, one_line_errors, print_json, print_text
from troenpy.cli.options import (
    LEARNING,
    READING,
    TESTING,
    Delimiter,
    Encoding,
    Format,
    Jobs,
    Json,
    Label,
    OnError,
    Quiet,
    Text,
    read_delimiter,
    read_ngrams,
    read_number,
    read_strength,
)
from troenpy.cli.steps import shown_steps
from troenpy.tasks.new_models import read_views
from troenpy.tasks.training import train


def train_command(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[str, typer.Option("--out", "-o", help="Where to save the model.", show_default=False)],
    text: Text = None,
    label: Label = None,
    separator: Annotated[
        str | None, typer.Option(help="Between several labels in a cell.", rich_help_panel=READING)
    ] = None,
    format_: Format = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a broken row, or skip and count it.", rich_help_panel=READING)
    ] = "stop",
    in_memory: Annotated[
        bool | None,
        typer.Option(
            "--in-memory/--in-passes",
            help="Hold all documents in memory, or not; by default by their size.",
            rich_help_panel=READING,
        ),
    ] = None,
    model: Annotated[
        Literal["linear", "knn"],
        typer.Option(help="Logistic regression, or nearest neighbours.", rich_help_panel=LEARNING),
    ] = "linear",
    views: Annotated[
        str | None,
        typer.Option(
            help="Views to choose from; by default 'words,pairs,pairs+pieces'. Pieces are of words.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    ngrams: Annotated[
        str | None,
        typer.Option(help="Words in a term, such as 2 or 1,3; by default chosen.", rich_help_panel=LEARNING),
    ] = None,
    stop_words: Annotated[
        str | None,
        typer.Option(help="Words to leave out: english, or a file with one per line.", rich_help_panel=LEARNING),
    ] = None,
    min_df: Annotated[
        str | None,
        typer.Option(help="Fewest documents of a term: a number or a fraction.", rich_help_panel=LEARNING),
    ] = None,
    strength: Annotated[
        str,
        typer.Option("--C", help="Inverse strength of the penalty; auto chooses it.", rich_help_panel=LEARNING),
    ] = "auto",
    max_terms: Annotated[
        int | None,
        typer.Option(help="Terms of a view to keep at most, in passes.", rich_help_panel=LEARNING),
    ] = None,
    test: Annotated[str | None, typer.Option(help="File with test documents.", rich_help_panel=TESTING)] = None,
    split_column: Annotated[
        str | None, typer.Option(help="Column that says train or test.", rich_help_panel=TESTING)
    ] = None,
    group_column: Annotated[
        str | None,
        typer.Option(
            help="Rows with equal cells are tested together, such as those of an author.", rich_help_panel=TESTING
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the documents that are held out.", rich_help_panel=TESTING)] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a text classifier to FILE, measure its error, and save it.

    FILE is a table with a column of text and one of labels: CSV, TSV, JSON lines, a JSON array, Parquet or Arrow; or
    lines of fastText, or a folder with a folder of files for each class. It may be compressed with gzip or zstd; - is
    standard input. The error is measured on documents that the model did not learn from: by cross-validation, or of
    more than 2,000 documents on a fifth of them. The saved model has learnt from all documents, unless --split-column
    says that some are for testing.

    If FILE is too large for memory, it is learnt from in several passes, with a temporary copy in TMPDIR; at most a
    fifth and 20,000 of the documents are held out for testing, and not learnt from. Counts are saved now and then: if
    such a command is killed, repeat it to go on from there.
    """
    with one_line_errors("stopped: no model is written"):
        keep_interrupts()
        with shown_steps(quiet=quiet) as show:
            result = train(
                file,
                out,
                text=text,
                label=label,
                separator=separator,
                test=test,
                split_column=split_column,
                group_column=group_column,
                model=model,
                views=None if views is None else read_views(views),
                ngrams=read_ngrams(ngrams),
                stop_words=stop_words,
                min_df=read_number("min-df", min_df),
                C=read_strength(strength),
                seed=seed,
                on_error=on_error,
                format=format_,
                delimiter=read_delimiter(delimiter),
                encoding=encoding,
                in_memory=in_memory,
                max_terms=max_terms,
                jobs=jobs,
                callback=lambda step: show(step.text, step.done, ""),
                on_notice=None if quiet else note,
            )
        if as_json:
            print_json(result.to_dict())
        elif not quiet:
            print_text(str(result))
