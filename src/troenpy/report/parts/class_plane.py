"""Two classes against each other: a point for each term, by its share of the documents of each.

Axes are square roots of shares. That shows rare terms and those that a class lacks, which a logarithm cannot, and makes
the errors of all shares about equal: terms equally far from the diagonal differ about equally clearly. The script draws
the points of `TermSearch`, as a `Scatter` would look, since any two classes can be chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from troenpy.report.parts.shell import Part


@dataclass(frozen=True)
class ClassPlane(Part):
    """The plane; `classes` can be chosen, and the first two are."""

    template: ClassVar[str] = "parts/class_plane.html"

    classes: Sequence[str]
