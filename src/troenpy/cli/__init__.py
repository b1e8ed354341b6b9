"""The command line, one file per command."""

from importlib import metadata
from typing import Annotated

import typer

from troenpy.cli.audit import audit_command
from troenpy.cli.compare import compare_command
from troenpy.cli.datasets import datasets_command
from troenpy.cli.info import info_command
from troenpy.cli.predict import predict_command
from troenpy.cli.report import report_command
from troenpy.cli.reproduce import reproduce_command
from troenpy.cli.terms import terms_command
from troenpy.cli.train import train_command
from troenpy.cli.usage import OneLineGroup, OneOutputCommand

__all__ = ["app"]

app = typer.Typer(cls=OneLineGroup, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown")
app.command("train", cls=OneOutputCommand, epilog="Example: troenpy train reviews.csv -o reviews.model")(train_command)
app.command("predict", cls=OneOutputCommand, epilog="Example: troenpy predict reviews.model new.csv -o predicted.csv")(
    predict_command
)
app.command("info", epilog="Example: troenpy info reviews.model")(info_command)
app.command("compare", epilog="Example: troenpy compare reviews.csv --metric macro-f1")(compare_command)
app.command("terms", epilog="Example: troenpy terms reviews.csv -o terms.html")(terms_command)
app.command("audit", epilog="Example: troenpy audit reviews.csv -o doubtful.csv")(audit_command)
app.command("reproduce", epilog="Example: troenpy reproduce --datasets r8,classic --splits 10")(reproduce_command)
app.command("report", epilog="Example: troenpy report troenpy-results")(report_command)
app.command("datasets", epilog="Example: troenpy datasets")(datasets_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"troenpy {metadata.version('troenpy')}")
        raise typer.Exit


@app.callback(epilog="Example: troenpy train reviews.csv -o reviews.model")
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Text classification with features weighted by troenpy, the dual of Shannon entropy."""
