"""A scatter of labelled points, with the frontier of those that no other point beats.

Points are placed in per cent of the plot, so that text keeps its size on a phone. The script moves labels that would
overlap or lie nearer to another point, hides those without room, and draws the frontier of the groups that are shown;
hovering and the arrow keys show every point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from troenpy.report.parts.scales import Scale, number
from troenpy.report.parts.shell import Part

FAR = 0.5  # of the largest value: above it, an axis from zero would be empty for the most part


@dataclass(frozen=True)
class Point:
    """A point with its label, what is shown on hover, and whether it is on the frontier or strong."""

    x: float
    y: float
    label: str
    group: str = ""
    hue: int = 0
    tip: str = ""
    is_best: bool = False
    is_strong: bool = False


@dataclass(frozen=True)
class Scatter(Part):
    """The chart; points on the frontier are joined by steps, and their labels come first.

    Parameters
    ----------
    label : str
        What the chart shows, for screen readers.
    points : sequence of Point
    x_title, y_title : str
    x_log, y_log : bool
        Whether an axis is logarithmic; its numbers must be positive.
    is_labelled : bool
        Whether every point has a label, as far as there is room; otherwise those on the frontier and strong ones.
    """

    template: ClassVar[str] = "parts/scatter.html"

    label: str
    points: Sequence[Point]
    x_title: str
    y_title: str
    x_log: bool = False
    y_log: bool = False
    is_labelled: bool = False

    @cached_property
    def x(self) -> Scale:
        """The horizontal axis."""
        return _padded([point.x for point in self.points], self.x_log)

    @cached_property
    def y(self) -> Scale:
        """The vertical axis."""
        return _padded([point.y for point in self.points], self.y_log)

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """Places and text of the ticks below."""
        return [(self.x.place(tick), number(tick)) for tick in self.x.ticks()]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Places and text of the ticks at the left."""
        return [(self.y.place(tick), number(tick)) for tick in self.y.ticks()]

    @property
    def placed(self) -> list[tuple[float, float, Point]]:
        """Places of the points; those whose label matters most come first."""
        ordered = sorted(self.points, key=lambda point: (not point.is_best, not point.is_strong))
        return [(self.x.place(point.x), self.y.place(point.y), point) for point in ordered]

    @property
    def has_frontier(self) -> bool:
        """Whether some points are on a frontier."""
        return any(point.is_best for point in self.points)

    @property
    def frontier(self) -> str:
        """The frontier as the path of a drawing of 100 by 100, in steps; empty with fewer than two points."""
        best = sorted((self.x.place(p.x), 100 - self.y.place(p.y)) for p in self.points if p.is_best)
        if len(best) < 2:
            return ""
        steps = "".join(f" H{x:g} V{y:g}" for x, y in best[1:])
        return f"M{best[0][0]:g} {best[0][1]:g}{steps} H100"


def on_frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each (cost, error) whether everything cheaper has a higher error.

    Examples
    --------
    >>> on_frontier([(1, 20), (2, 10), (3, 10), (0.5, 30), (4, 25)])
    [True, True, False, True, False]
    """
    least = float("inf")
    is_best = [False] * len(points)
    for place in sorted(range(len(points)), key=lambda i: points[i]):
        if points[place][1] < least:
            is_best[place], least = True, points[place][1]
    return is_best


def _padded(values: Sequence[float], is_log: bool) -> Scale:
    """Return an axis with room around its values; a linear one begins at zero, unless all are far above it."""
    low, high = min(values), max(values)
    if is_log:
        room = (high / low) ** 0.06 if high > low else 2.0
        return Scale(low / room, high * room, is_log=True)
    if high > low > FAR * high:
        room = 0.1 * (high - low)
        return Scale(low - room, high + room)
    return Scale(min(low, 0.0), high * 1.06 if high > 0 else 1.0)
