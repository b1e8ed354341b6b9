"""The command line, one file per command."""

from importlib import metadata
from typing import Annotated

import typer

from troenpy.cli.datasets import datasets_command
from troenpy.cli.report import report_command
from troenpy.cli.reproduce import reproduce_command

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
)
app.command("reproduce", epilog="Example: troenpy reproduce --datasets r8,classic --splits 10")(reproduce_command)
app.command("report", epilog="Example: troenpy report troenpy-results --figures figures")(report_command)
app.command("datasets", epilog="Example: troenpy datasets")(datasets_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"troenpy {metadata.version('troenpy')}")
        raise typer.Exit


@app.callback(epilog="Example: troenpy reproduce")
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Text classification with features weighted by troenpy, the dual of Shannon entropy."""
