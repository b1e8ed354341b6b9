"""The terms that mark classes: search as you type, filter by class and direction, sort, and an address for each term.

Tens of thousands of rows are data; the script shows the first of those that are found, and the account of a term.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from troenpy.report.parts.shell import Part


@dataclass(frozen=True)
class TermSearch(Part):
    """The search, its table, and the account of a term.

    Parameters
    ----------
    table : mapping
        From `report.term_rows`.
    scheme : str
        Of the weights.
    against : str
        What classes are compared with.
    is_rest : bool
        Whether that is all other documents.
    """

    template: ClassVar[str] = "parts/term_search.html"

    table: Mapping[str, Any]
    scheme: str
    against: str
    is_rest: bool

    @property
    def columns(self) -> list[tuple[str, str, str, str]]:
        """Key, title, kind and explanation of the columns."""
        weight = f"the weight of the term by {self.scheme}; one for all classes"
        return [
            ("term", "term", "text", "click a term for all that is known of it"),
            ("class", "class", "text", "which has the term more often, or less often"),
            ("documents", "documents", "number", "of the class, with the term"),
            ("share", "share", "number", "of the documents of the class that have the term"),
            ("others", "others'", "number", f"the same of {self.against}"),
            ("odds", "log-odds", "number", "how much larger the odds are in the class, with the 95 % interval"),
            ("weight", "weight", "number", weight),
            ("q", "q", "number", "false-discovery rate at which the term would still be shown"),
            ("rank", "rank", "number", "among the terms of the class, with its 95 % interval"),
        ]
