"""Output of all commands: tables, lines and one-line errors."""

import io
import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console

from troenpy.display import printable
from troenpy.records.arrow import arrow

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141  # 2 is a command line that cannot be read
PIPE_WIDTH = 160  # width of tables that go to a file or another program


def console() -> Console:
    """Return a console as wide as the terminal, or of fixed width if output is redirected."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def print_line(text: str) -> None:
    """Print a line, with control characters in names escaped."""
    typer.echo(printable(text))


def print_text(text: str) -> None:
    """Print lines whose parts are escaped already."""
    typer.echo(text)


def print_json(value: Any) -> None:
    """Print data as JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def binary_stdout() -> Any:
    """Return standard output for bytes."""
    out = sys.stdout.buffer
    return _WholeWriter(out) if isinstance(out, io.RawIOBase) else out


class _WholeWriter:
    """Writes all of the bytes to a raw file, which may take only some of them: stdout with PYTHONUNBUFFERED."""

    def __init__(self, file: io.RawIOBase) -> None:
        self._file = file

    def write(self, content: Any) -> int:
        rest = memoryview(content).cast("B")
        while rest:
            rest = rest[self._file.write(rest) or 0 :]
        return len(memoryview(content).cast("B"))


def typed_command() -> str:
    """Return the command line, for the report."""
    return shlex.join(["troenpy", *sys.argv[1:]])


def note(message: str) -> None:
    """Print one line on stderr."""
    typer.echo(f"troenpy: {printable(message)}", err=True)


@contextmanager
def one_line_errors(interrupted: str | None = None) -> Iterator[None]:
    """Turn errors that a user can fix into one line on stderr, and end quietly if nobody reads the output.

    Parameters
    ----------
    interrupted : str, optional
        What Ctrl-C leaves behind; by default rows of experiments, from which the same command goes on.
    """
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        if "troenpy.files.processes" in sys.modules:
            sys.modules["troenpy.files.processes"].end_processes()
        typer.echo(f"\n{interrupted or _saved_rows()}", err=True)
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # a clean exit would wait for what runs in threads; files are closed or removed
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes
        raise typer.Exit(PIPE_CLOSED) from None
    except (ValueError, TypeError, ImportError, MemoryError) as error:
        _fail(str(error) or "out of memory")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror}" if error.strerror else str(error))


def keep_interrupts() -> None:
    """Let Python handle Ctrl-C while pyarrow reads; pyarrow's own handler now and then loses it.

    This applies to the whole process, so it is for commands only.
    """
    arrow().enable_signal_handlers(False)


def _saved_rows() -> str:
    again = shlex.join(["troenpy", *(word for word in sys.argv[1:] if word != "--fresh")])
    return f"stopped; all rows so far are saved. To resume: {again}"


def _fail(message: str) -> None:
    note(" ".join(message.split()))
    raise typer.Exit(FAILED) from None
