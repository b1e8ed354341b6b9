"""`troenpy audit`: which labels of a file are probably wrong, and a corrected copy from a review."""

from typing import Annotated, Any

import typer

from troenpy.cli.console import keep_interrupts, note, one_line_errors, print_json, print_line, print_text
from troenpy.cli.options import (
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
from troenpy.cli.steps import shown_steps
from troenpy.files.drafts import check_target
from troenpy.tasks.audit_result import Audit
from troenpy.tasks.label_audit import audit_file
from troenpy.tasks.review import Corrected, apply_review


def audit_command(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="CSV of all doubtful rows; with --apply, the corrected copy."),
    ] = None,
    apply_: Annotated[
        str | None,
        typer.Option("--apply", metavar="REVIEWED", help="Correct the labels that this reviewed CSV corrects."),
    ] = None,
    folds: Annotated[int, typer.Option(help="How many parts are judged in turn.", rich_help_panel=TESTING)] = 5,
    group_column: Annotated[
        str | None,
        typer.Option(
            help="Rows with equal cells are judged together, such as those of an author.", rich_help_panel=TESTING
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the parts.", rich_help_panel=TESTING)] = 0,
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
    """Find the labels of FILE that are probably wrong, and say why.

    FILE is read as by `train`, with one label for each text. Each text is judged by a model that has learnt from other
    texts only. For each doubtful row: the given label and a better one with their probabilities, the terms that speak
    against the label, and the nearest texts. Then texts that occur with different labels, and classes that are taken
    for each other.

    To correct labels, write the doubtful rows with -o, put right labels into the column *corrected*, and repeat the
    command with --apply: `troenpy audit reviews.csv --apply doubtful.csv -o corrected.csv`. All columns and rows are
    kept.
    """
    if apply_ is not None and out is None:
        raise typer.BadParameter("--apply needs -o, the name of the corrected copy")
    reading: dict[str, Any] = {
        "text": text,
        "label": label,
        "format": format_,
        "delimiter": read_delimiter(delimiter),
        "encoding": encoding,
        "on_error": on_error,
    }
    with one_line_errors("stopped: nothing is written"):
        keep_interrupts()
        if out is not None:
            check_target(out)
        with shown_steps(quiet=quiet) as show:
            reading["callback"] = lambda step: show(step.text, step.done, "")
            if apply_ is not None:
                result: Audit | Corrected = apply_review(file, apply_, str(out), **reading)
            else:
                result = audit_file(file, group_column=group_column, folds=folds, seed=seed, jobs=jobs, **reading)
        if isinstance(result, Audit) and out is not None:
            result.write_csv(out)
        _say(result, out, quiet=quiet, as_json=as_json)


def _say(result: Audit | Corrected, out: str | None, *, quiet: bool, as_json: bool) -> None:
    notices = result.notices if isinstance(result, Audit) else []
    if not quiet:
        for line in (*notices, *(f"warning: {warning}" for warning in result.warnings)):
            note(line)
    if as_json:
        print_json(result.to_dict())
    elif not quiet:
        print_text(str(result))
        if isinstance(result, Audit) and out is not None:
            print_text("")
            print_line(f"all doubtful rows: {out}")
