"""A chart of dots with intervals: a row per method with its name, its place on a common axis, and its number.

The rows are those of a real table, so that a screen reader reads them, a phone shows them, and nobody has to look for
a legend.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from troenpy.report.parts.scales import Scale, number
from troenpy.report.parts.shell import Part


@dataclass(frozen=True)
class Dot:
    """A row of the chart.

    Parameters
    ----------
    name : str
        What people call it; `kind`, in small print, is what it is an instance of.
    value : float
    low, high : float, optional
        The interval.
    group : str
        Key of a `Group`; `hue` is its colour.
    code, full : str
        The exact name and the whole one, shown on hover.
    about : str
        Further lines on hover.
    said : str
        What stands to the right, instead of the value.
    aside : tuple of (float, str)
        Small dots beside the main one, each with a name: the value on each corpus, for example.
    heading : str
        A line above the row, where its group begins.
    is_strong : bool
        Whether the row is what the page is about.
    is_reference : bool
        Whether the others are compared with it: a line through the chart marks its value.
    is_folded : bool
        Whether the row is shown only after "Show all".
    address : str
        Where the name leads, such as "#term=oil".
    like : tuple of int
        Numbers of the rows, itself included, that do not clearly differ; they stand out when the row is pointed at.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    group: str = ""
    hue: int = 0
    code: str = ""
    about: str = ""
    said: str = ""
    aside: tuple[tuple[float, str], ...] = ()
    heading: str = ""
    kind: str = ""
    full: str = ""
    is_strong: bool = False
    is_reference: bool = False
    is_folded: bool = False
    address: str = ""
    like: tuple[int, ...] = ()


@dataclass(frozen=True)
class DotChart(Part):
    """The chart.

    Parameters
    ----------
    label : str
        What the chart shows, for screen readers.
    dots : sequence of Dot
        In the order of the rows.
    axis : str
        What the numbers are, with their unit.
    digits : int
        Decimal places of the numbers.
    first : str
        Title of the first column.
    lowest, highest : float
        Where the axis begins, and what it reaches at least: the same for charts to be compared.
    note : str
        What is said beneath the chart.
    """

    template: ClassVar[str] = "parts/dots.html"

    label: str
    dots: Sequence[Dot]
    axis: str = "error, %"
    digits: int = 1
    first: str = "method"
    lowest: float = 0.0
    highest: float = 0.0
    note: str = ""

    @cached_property
    def scale(self) -> Scale:
        """The common axis, from `lowest` to just beyond the largest number, or `highest`."""
        ends = [dot.value if dot.high is None else dot.high for dot in self.dots]
        ends += [value for dot in self.dots for value, _ in dot.aside]
        return Scale(self.lowest, max([*ends, self.highest, self.lowest + 1e-9]) * 1.02)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and text of the ticks."""
        return [(self.scale.place(tick), number(tick)) for tick in self.scale.ticks()]

    @property
    def reference(self) -> float | None:
        """Place of the line that marks the reference."""
        return next((self.scale.place(dot.value) for dot in self.dots if dot.is_reference), None)

    @property
    def n_folded(self) -> int:
        """Number of rows that are folded away at first."""
        return sum(dot.is_folded for dot in self.dots)

    def said(self, dot: Dot) -> str:
        """Return what stands to the right of a row."""
        return dot.said or f"{dot.value:.{self.digits}f}"

    def interval(self, dot: Dot) -> str:
        """Return the interval in words, or nothing."""
        return "" if dot.low is None or dot.high is None else f"{dot.low:.{self.digits}f} to {dot.high:.{self.digits}f}"

    def tip(self, dot: Dot) -> str:
        """Return what is shown on hover."""
        name = dot.full or ", ".join(part for part in (dot.name, dot.kind) if part)
        percent = " %" if self.axis.endswith(", %") else ""
        lines = [name, dot.code if dot.code != dot.name else ""]
        lines.append(f"{self.axis.removesuffix(', %')}: {self.said(dot)}{percent}")
        lines += [f"95 % interval: {self.interval(dot)}" if dot.low is not None else "", dot.about]
        return "\n".join(line for line in lines if line)
