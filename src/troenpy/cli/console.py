"""Output of all commands: tables, lines and one-line errors."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from troenpy.display import printable

INTERRUPTED = 130
PIPE_WIDTH = 160  # width of tables that go to a file or another program


def console() -> Console:
    """Return a console as wide as the terminal, or of fixed width if output is redirected."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def print_line(text: str) -> None:
    """Print a line, with control characters in names escaped."""
    typer.echo(printable(text))


def typed_command() -> str:
    """Return the command line, for the report."""
    return shlex.join(["troenpy", *sys.argv[1:]])


def note(message: str) -> None:
    """Print one line on stderr."""
    typer.echo(f"troenpy: {printable(message)}", err=True)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn errors that a user can fix into one line on stderr."""
    try:
        yield
    except KeyboardInterrupt:
        again = shlex.join(["troenpy", *(word for word in sys.argv[1:] if word != "--fresh")])
        typer.echo(f"\nstopped; all rows so far are saved. To resume: {again}", err=True)
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # a clean exit would wait for the running method; rows are already on disk
    except (ValueError, ImportError, MemoryError) as error:
        _fail(str(error) or "out of memory")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror}" if error.strerror else str(error))


def _fail(message: str) -> None:
    note(" ".join(message.split()))
    raise typer.Exit(1) from None
