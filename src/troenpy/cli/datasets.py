"""`troenpy datasets`: list the corpora."""

from rich.table import Table
from rich.text import Text

from troenpy import datasets
from troenpy.cli.console import console, one_line_errors


def datasets_command() -> None:
    """List the corpora with their size and licence, and whether they are on this machine."""
    with one_line_errors():
        table = Table()
        for name in ("name", "documents", "classes", "present", "licence"):
            is_number = name in ("documents", "classes")
            table.add_column(name, justify="right" if is_number else "left", no_wrap=name != "licence")
        for listing in datasets.available():
            present = "yes" if listing.present else "no"
            table.add_row(listing.name, str(listing.documents), str(listing.classes), present, Text(listing.licence))
        console().print(table)
