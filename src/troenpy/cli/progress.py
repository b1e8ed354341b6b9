"""Progress of a run: a bar on a terminal, otherwise an occasional line."""

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from troenpy import experiments
from troenpy.cli.console import note
from troenpy.display import printable

SECONDS_BETWEEN_LINES = 30  # when stderr is not a terminal

OnStart = Callable[[Sequence[str]], None]
OnRow = Callable[[experiments.Progress], None]


@contextmanager
def progress() -> Iterator[tuple[OnStart, OnRow]]:
    """Show progress and the time left: a bar on a terminal, otherwise an occasional line."""
    with _bar() if sys.stderr.isatty() else nullcontext(_lines()) as shown:
        yield shown


@contextmanager
def _bar() -> Iterator[tuple[OnStart, OnRow]]:
    texts = [TextColumn(f"{{task.{name}}}", markup=False) for name in ("description", "fields[left]")]
    columns = texts[0], BarColumn(), MofNCompleteColumn(), texts[1]
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        bar = display.add_task("reading", total=None, left="")

        def on_row(progress: experiments.Progress) -> None:
            display.update(
                bar, description=_at(progress), completed=progress.done, total=progress.total, left=_left(progress)
            )

        yield lambda names: None, on_row


def _lines() -> tuple[OnStart, OnRow]:
    last = -math.inf

    def on_start(names: Sequence[str]) -> None:
        nonlocal last
        last = time.monotonic()
        note(f"reading {', '.join(names)}")

    def on_row(progress: experiments.Progress) -> None:
        nonlocal last
        if progress.done == progress.total or time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            note(f"{progress.done} of {progress.total}, {_left(progress)}, {_at(progress)}")

    return on_start, on_row


def _at(progress: experiments.Progress) -> str:
    return printable(f"{progress.row.setting}  {progress.row.method}")


def _left(progress: experiments.Progress) -> str:
    return f"{timedelta(seconds=round(progress.seconds_left))} left"
