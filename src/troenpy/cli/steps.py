"""Progress of work on a file: a bar on a terminal, otherwise an occasional line; always on stderr."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from troenpy.cli.console import note
from troenpy.display import printable

SECONDS_BETWEEN_LINES = 30.0  # when stderr is not a terminal

#: Called with what is being done, the part of it that is done, if known, and details such as a speed.
Show = Callable[[str, float | None, str], None]


@contextmanager
def shown_steps(*, quiet: bool) -> Iterator[Show]:
    """Show what is being done, and the time left of it."""
    if quiet:
        yield lambda text, done, details: None
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _Lines().show


@contextmanager
def _bar() -> Iterator[Show]:
    texts = [TextColumn(f"{{task.{name}}}", markup=False) for name in ("description", "fields[details]")]
    columns = texts[0], BarColumn(bar_width=24), TaskProgressColumn(), texts[1]
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        bar, clock = display.add_task("reading", total=None, details=""), _Clock()

        def show(text: str, done: float | None, details: str) -> None:
            clock.note(text, done)
            left = ", ".join(filter(None, [details, clock.left()]))
            total = None if done is None else 1.0
            display.update(bar, description=printable(text), completed=done or 0.0, total=total, details=left)

        yield show


class _Clock:
    """The time left of a step, from the part that is done."""

    def __init__(self) -> None:
        self._text, self._start, self._first, self._done = "", 0.0, 0.0, 0.0

    def note(self, text: str, done: float | None) -> None:
        """Note how much is done."""
        if text != self._text:
            self._text, self._start, self._first = text, time.monotonic(), done or 0.0
        self._done = done or 0.0

    def left(self) -> str:
        """Return the time left; nothing as long as that is a wild guess."""
        seconds, done = time.monotonic() - self._start, self._done - self._first
        if seconds < 1 or done <= 0.01:
            return ""
        return f"{timedelta(seconds=round(seconds * (1 - self._done) / done))} left"


class _Lines:
    def __init__(self) -> None:
        self._last, self._clock = time.monotonic(), _Clock()

    def show(self, text: str, done: float | None, details: str) -> None:
        """Print a line, but not too often."""
        self._clock.note(text, done)
        if time.monotonic() - self._last < SECONDS_BETWEEN_LINES:
            return
        self._last = time.monotonic()
        share = "" if done is None else f"{math.floor(100 * done)} %"
        note(", ".join(filter(None, [text, share, details, self._clock.left()])))
