"""`troenpy compare`: which method to use for a file, and whether more labels would help."""

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
    Json,
    Label,
    OnError,
    Processes,
    Quiet,
    Text,
    read_delimiter,
)
from troenpy.cli.outputs import check_outputs, print_written
from troenpy.cli.steps import shown_steps
from troenpy.experiments.text_methods import SHORT_LIST, TEXT_METHODS
from troenpy.tasks.method_comparison import compare_file

#: Where the results of single tests are kept.
ROWS = "troenpy-compare"


def compare_command(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[
        list[str] | None,
        typer.Option("--out", "-o", help="Where to write the result: a page.html, .csv, .json or .jsonl; or several."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            help=f"What to compare, separated by commas; by default {', '.join(SHORT_LIST)}.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    metric: Annotated[
        Literal["error", "macro-f1", "log-loss"],
        typer.Option(help="What decides.", rich_help_panel=TESTING),
    ] = "error",
    folds: Annotated[int, typer.Option(help="How many parts are tested in turn.", rich_help_panel=TESTING)] = 5,
    test: Annotated[str | None, typer.Option(help="File with test documents.", rich_help_panel=TESTING)] = None,
    split_column: Annotated[
        str | None, typer.Option(help="Column that says train or test.", rich_help_panel=TESTING)
    ] = None,
    group_column: Annotated[
        str | None,
        typer.Option(
            help="Rows with equal cells are on one side of a split, such as those of an author.",
            rich_help_panel=TESTING,
        ),
    ] = None,
    time_column: Annotated[
        str | None,
        typer.Option(help="Column of times: learn from the past, test on the future.", rich_help_panel=TESTING),
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve/--no-curve", help="Measure the learning curve, or not.", rich_help_panel=TESTING)
    ] = True,
    seed: Annotated[int, typer.Option(help="Draws the parts.", rich_help_panel=TESTING)] = 0,
    rows: Annotated[
        str, typer.Option(help="Folder for the results of single tests, to go on from.", rich_help_panel=TESTING)
    ] = ROWS,
    text: Text = None,
    label: Label = None,
    format_: Format = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a broken row, or skip and count it.", rich_help_panel=READING)
    ] = "stop",
    jobs: Processes = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Compare ways to classify the texts of FILE: their errors, seconds, and whether more labels would help.

    FILE is read as by `train`, with one label for each text. Methods are tested by cross-validation; copies of a text
    are on one side of every split. The best one is recommended, with the Python lines and the command that build it.
    Its learning curve says what twice the labels would bring: an extrapolation, with its uncertainty.

    --out writes a page with charts, which needs no network, or the numbers: `troenpy compare texts.csv -o page.html`.
    To resume a stopped run, repeat the command: results of single tests are kept in the folder --rows.
    """
    with one_line_errors(f"stopped; results so far are saved in {rows}: repeat the command to go on from them"):
        keep_interrupts()
        check_outputs(out or [], "the result", {"the file": file, "the test file": test})
        with shown_steps(quiet=quiet) as show:
            result = compare_file(
                file,
                text=text,
                label=label,
                format=format_,
                delimiter=read_delimiter(delimiter),
                encoding=encoding,
                on_error=on_error,
                test=test,
                split_column=split_column,
                group_column=group_column,
                time_column=time_column,
                methods=_names(methods),
                metric=metric,
                folds=folds,
                curve=curve,
                seed=seed,
                rows=rows,
                jobs=jobs,
                callback=lambda step: show(step.text, step.done, ""),
                on_notice=None if quiet else note,
            )
        for path in out or []:
            result.save(path)
        if as_json:
            print_json(result.to_dict())
        elif not quiet:
            print_text(str(result))
            print_written(out or [])


def _names(given: list[str] | None) -> list[str] | None:
    """Read names of methods; some of them contain commas."""
    if given is None:
        return None
    parts = [[one] if one in TEXT_METHODS else one.split(",") for one in given]
    return [name.strip() for names in parts for name in names]
