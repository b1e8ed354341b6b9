"""A small picture of changes: a bar down for fewer, a bar up for more, pale where the difference is not clear."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from troenpy.report.parts.shell import Part


@dataclass(frozen=True)
class ChangeBar:
    """A bar: the relative change, whether it is clear, and what is shown on hover."""

    change: float
    is_clear: bool
    tip: str


@dataclass(frozen=True)
class ChangeBars(Part):
    """The picture; `label` says in words what it shows. The longest bar is as high as the picture allows."""

    template: ClassVar[str] = "parts/changes.html"

    label: str
    bars: Sequence[ChangeBar]

    @property
    def heights(self) -> list[tuple[float, ChangeBar]]:
        """The bars with their heights in per cent of half the picture."""
        longest = max((abs(bar.change) for bar in self.bars), default=0.0)
        return [(round(100 * abs(bar.change) / longest, 1) if longest else 0.0, bar) for bar in self.bars]
