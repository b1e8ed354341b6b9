"""The bar at the top of a page: one legend, one filter of groups and one choice of a setting for all parts.

A group is a kind of method, with its colour and shape wherever it is drawn. A setting is what the numbers are of, such
as a corpus. Elements with ``data-group`` hide when their group is switched off; `Panels` shows the chosen setting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from troenpy.report.parts.shell import Part

N_HUES = 6  # as many as can be told apart by eye, each with its own shape; shell.css has the colours


@dataclass(frozen=True)
class Group:
    """A group of rows or points.

    Parameters
    ----------
    key : str
        What rows and points refer to.
    name : str
        What the legend says.
    hue : int
        Number of the colour and shape, from 0.
    """

    key: str
    name: str
    hue: int

    @property
    def mark(self) -> str:
        """The style classes of its mark."""
        return f"mark hue-{self.hue % N_HUES}"


@dataclass(frozen=True)
class Choices(Part):
    """The bar itself.

    Parameters
    ----------
    groups : sequence of Group
        Shown as a legend; with two or more, each can be switched off.
    settings : sequence of str
        What can be chosen, in the words of the reader; the first is chosen. Not shown if there is only one.
    what : str
        What a setting is.
    """

    template: ClassVar[str] = "parts/choices.html"

    groups: Sequence[Group]
    settings: Sequence[str] = ()
    what: str = "Corpus"


@dataclass(frozen=True)
class Panels(Part):
    """One part per setting, by its number in `Choices.settings`; a setting without a part says so."""

    template: ClassVar[str] = "parts/panels.html"

    parts: Mapping[int, Part]
    settings: Sequence[str]
    missing: str = "Not drawn for {}: it has too few results."

    def rest(self) -> list[tuple[int, str]]:
        """Return the settings without a part, with what is said instead."""
        return [
            (place, self.missing.format(name)) for place, name in enumerate(self.settings) if place not in self.parts
        ]
