"""Maps of documents in the plane, side by side, with a filter of classes.

Thousands of documents are drawn on canvases by the script, when they come into view; pointing at one shows its first
words. Classes are named where most of their documents lie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from troenpy.report.parts.shell import Part

N_COLOURS = 10  # then they repeat with another shape; document_map.js has the shapes


@dataclass(frozen=True)
class MapView:
    """One map: its title, what it says in words, and the places of the documents."""

    name: str
    said: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class DocumentMap(Part):
    """The maps.

    Parameters
    ----------
    label : str
        What the maps show, for screen readers.
    classes : sequence of str
    codes : sequence of int
        The class of each document, as an index into `classes`.
    texts : sequence of str
        The first words of each document.
    views : sequence of MapView
    """

    template: ClassVar[str] = "parts/document_map.html"

    label: str
    classes: Sequence[str]
    codes: Sequence[int]
    texts: Sequence[str]
    views: Sequence[MapView]

    @property
    def legend(self) -> list[tuple[int, str, int]]:
        """The classes with their numbers of documents, the largest first; those without a document are left out."""
        counts = [(code, name, self.codes.count(code)) for code, name in enumerate(self.classes)]
        return sorted((entry for entry in counts if entry[2]), key=lambda entry: -entry[2])

    @property
    def data(self) -> dict[str, object]:
        """What the script draws."""
        return {
            "classes": self.classes,
            "codes": self.codes,
            "texts": self.texts,
            "views": [{"x": view.x, "y": view.y} for view in self.views],
        }
