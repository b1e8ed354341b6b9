"""The terms of a corpus: search as you type, order by any weight, an address for each, and the account of its weight.

All terms with equal counts have equal weights, so the data holds each distinct row of counts once, with its weights,
and each term only refers to its row: that lets the whole vocabulary of a corpus into one page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from troenpy.report.parts.shell import Part

N_SHOWN = 10  # terms of a class


@dataclass(frozen=True)
class TermExplorer(Part):
    """The explorer.

    Parameters
    ----------
    table : mapping
        From `report.term_table`: `terms` with the number of their row of counts (`rows`), `counts` by row as [class,
        documents, class, documents, ...], `documents` by row, `weights` by scheme and row, `top` terms by class under
        `scheme`, and `contexts` by term.
    """

    template: ClassVar[str] = "parts/term_explorer.html"

    table: Mapping[str, Any]

    @property
    def scheme(self) -> str:
        """The scheme that is shown first."""
        return str(self.table["scheme"])

    @property
    def columns(self) -> list[tuple[str, int, list[tuple[int, str, int, int]]]]:
        """Each class with its number of documents and its top terms: index, term, documents in the class and in all."""
        table = self.table
        found = []
        for code, (name, top) in enumerate(zip(table["classes"], table["top"], strict=True)):
            terms = [
                (place, table["terms"][place], self._documents(place, code), table["documents"][table["rows"][place]])
                for place in top[:N_SHOWN]
            ]
            found.append((name, table["class_documents"][code], terms))
        return found

    @property
    def schemes(self) -> Sequence[str]:
        """Names of the schemes."""
        return list(self.table["weights"])

    def _documents(self, place: int, code: int) -> int:
        pairs = self.table["counts"][self.table["rows"][place]]
        return dict(zip(pairs[::2], pairs[1::2], strict=True)).get(code, 0)
