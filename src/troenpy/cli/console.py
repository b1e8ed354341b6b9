"""What all commands print by: tables, lines, one-line errors."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from troenpy.display import printable

INTERRUPTED = 130
PIPE_WIDTH = 160  # of tables that go to a file or another program


def console() -> Console:
    """Return where tables are printed: as wide as the terminal, or wide where it goes elsewhere."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def print_line(text: str) -> None:
    """Print a line whose names come from data."""
    typer.echo(printable(text))


def typed_command() -> str:
    """Return what was typed, for the report."""
    return shlex.join(["troenpy", *sys.argv[1:]])


def note(message: str) -> None:
    """Say something on stderr, on one line."""
    typer.echo(f"troenpy: {printable(message)}", err=True)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn what a user can put right into one line on stderr."""
    try:
        yield
    except KeyboardInterrupt:
        again = shlex.join(["troenpy", *(word for word in sys.argv[1:] if word != "--fresh")])
        typer.echo(f"\nstopped; all rows so far are kept. To go on: {again}", err=True)
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # an orderly end would wait for the method that is being run; rows are on disk already
    except (ValueError, ImportError, MemoryError) as error:
        _fail(str(error) or "out of memory")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror}" if error.strerror else str(error))


def _fail(message: str) -> None:
    note(" ".join(message.split()))
    raise typer.Exit(1) from None
