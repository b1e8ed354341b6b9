"""A chart of lines with intervals, labelled at their ends: errors by size of the training part, or by k."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from troenpy.report.parts.scales import Scale, number
from troenpy.report.parts.shell import Part

TICK_ROOM = 13.0  # of 100: nearer numbers would overlap on a phone

Place = tuple[float, float, float | None, float | None]  # x, y, and the interval of y


@dataclass(frozen=True)
class Line:
    """A line: its points as (x, y, low, high), with its name and group; dashed where nothing was measured."""

    name: str
    points: Sequence[Place]
    group: str = ""
    hue: int = 0
    code: str = ""
    is_strong: bool = False
    is_dashed: bool = False


@dataclass(frozen=True)
class LineChart(Part):
    """The chart; `x_log` for sizes that grow by factors. Titles name what the axes show.

    The vertical axis begins at `lowest`; numbers below are drawn there.
    """

    template: ClassVar[str] = "parts/lines.html"

    label: str
    lines: Sequence[Line]
    x_title: str
    y_title: str
    x_log: bool = True
    digits: int = 1
    lowest: float = 0.0

    @cached_property
    def x(self) -> Scale:
        """The horizontal axis."""
        values = [point[0] for line in self.lines for point in line.points]
        return Scale(min(values), max(values), is_log=self.x_log and min(values) > 0)

    @cached_property
    def y(self) -> Scale:
        """The vertical axis, from `lowest` to just beyond the largest number."""
        ends = [point[1] if point[3] is None else point[3] for line in self.lines for point in line.points]
        room = 0.05 * (max(ends) - self.lowest)
        return Scale(self.lowest, max([max(ends) + room, self.lowest + 1e-9]))

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """Places and text of the ticks below: the sizes that were run, if they are few."""
        run = sorted({point[0] for line in self.lines for point in line.points})
        shown = self._apart(run) if len(run) <= 6 else self.x.ticks()
        return [(self.x.place(tick), number(tick)) for tick in shown]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Places and text of the ticks at the left."""
        return [(self.y.place(tick), number(tick)) for tick in self.y.ticks()]

    def path(self, line: Line) -> str:
        """Return the line as the path of a drawing of 100 by 100."""
        return "M" + " L".join(f"{self.x.place(x):g} {100 - self.y.place(y):g}" for x, y, _, _ in line.points)

    def band(self, line: Line) -> str:
        """Return the intervals of a line as a closed path, or nothing if it has none."""
        known = [(x, low, high) for x, _, low, high in line.points if low is not None and high is not None]
        if len(known) < 2:
            return ""
        there = [f"{self.x.place(x):g} {100 - self.y.place(high):g}" for x, _, high in known]
        back = [f"{self.x.place(x):g} {100 - self.y.place(low):g}" for x, low, _ in reversed(known)]
        return "M" + " L".join(there + back) + " Z"

    def dots(self, line: Line) -> list[tuple[float, float, str]]:
        """Return the places of a line's points, and what is shown on hover."""
        return [
            (self.x.place(x), self.y.place(y), f"{line.name}\n{self.x_title}: {number(x)}\n{self._tip(y, low, high)}")
            for x, y, low, high in line.points
        ]

    def ends(self) -> list[tuple[float, Line]]:
        """Return the height of each line's label, in the order of the last points, moved apart."""
        found = sorted(((self.y.place(line.points[-1][1]), line) for line in self.lines), key=lambda end: -end[0])
        step = min(7.0, 100 / max(len(found), 1))
        heights: list[float] = []
        for place, (height, _) in enumerate(found):
            room = step * (len(found) - 1 - place)  # for the labels below
            highest = 100.0 if not heights else heights[-1] - step
            heights.append(min(max(height, room), highest))
        return [(round(height, 2), line) for height, (_, line) in zip(heights, found, strict=True)]

    def _apart(self, values: Sequence[float]) -> list[float]:
        """Return the last value, and those before it that are far enough from the next."""
        kept: list[float] = []
        for value in reversed(values):
            if not kept or self.x.place(kept[-1]) - self.x.place(value) >= TICK_ROOM:
                kept.append(value)
        return kept[::-1]

    def _tip(self, y: float, low: float | None, high: float | None) -> str:
        interval = "" if low is None or high is None else f" ({low:.{self.digits}f} to {high:.{self.digits}f})"
        return f"{self.y_title}: {y:.{self.digits}f}{interval}"
