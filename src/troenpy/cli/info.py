"""`troenpy info`: say what a saved model is."""

from typing import Annotated

import typer

from troenpy.cli.console import one_line_errors, print_json, print_text
from troenpy.cli.options import Json
from troenpy.tasks.model_info import info


def info_command(
    model: Annotated[str, typer.Argument(metavar="MODEL", show_default=False)], as_json: Json = False
) -> None:
    """Say what a saved MODEL is: its classes, terms, views and settings, where it comes from, and its error."""
    with one_line_errors():
        found = info(model)
        if as_json:
            print_json(found.to_dict())
        else:
            print_text(str(found))
