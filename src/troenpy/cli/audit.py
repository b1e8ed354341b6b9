"""`troenpy audit`: which labels of a file are probably wrong, and a corrected copy from a review."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from troenpy.cli.console import keep_interrupts, note, one_line_errors, print_json, print_text
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
from troenpy.cli.outputs import check_outputs, print_written
from troenpy.cli.steps import shown_steps
from troenpy.tasks.audit_result import Audit
from troenpy.tasks.label_audit import audit_file
from troenpy.tasks.review import Corrected, apply_review


def audit_command(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            "-o",
            help="Where to write all doubtful rows: a page.html, .csv, .json or .jsonl; or several. With --apply, the"
            " corrected copy.",
        ),
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

    To look at the rows, write a page with filters that needs no network: `troenpy audit reviews.csv -o doubtful.html`.
    To correct labels, write them with `-o doubtful.csv`, put right labels into the column *corrected*, and repeat the
    command with --apply: `troenpy audit reviews.csv --apply doubtful.csv -o corrected.csv`. All columns and rows are
    kept.
    """
    outputs = out or []
    if apply_ is not None and len(outputs) != 1:
        raise typer.BadParameter("--apply needs one -o, the name of the corrected copy")
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
        if apply_ is None:
            check_outputs(outputs, "the result", {"the file": file})
        with shown_steps(quiet=quiet) as show:
            reading["callback"] = lambda step: show(step.text, step.done, "")
            if apply_ is not None:
                result: Audit | Corrected = apply_review(file, apply_, outputs[0], **reading)
            else:
                reading["on_notice"] = None if quiet else note
                result = audit_file(file, group_column=group_column, folds=folds, seed=seed, jobs=jobs, **reading)
        if isinstance(result, Audit):
            for path in outputs:
                result.save(path)
        _say(result, outputs, quiet=quiet, as_json=as_json)


def _say(result: Audit | Corrected, outputs: Sequence[str], *, quiet: bool, as_json: bool) -> None:
    if isinstance(result, Corrected) and not quiet:
        for warning in result.warnings:
            note(f"warning: {warning}")
    if as_json:
        print_json(result.to_dict())
    elif not quiet:
        print_text(result.text(is_written=bool(outputs)) if isinstance(result, Audit) else str(result))
        if isinstance(result, Audit):
            print_written(outputs)
