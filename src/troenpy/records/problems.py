"""Broken rows: counted and named by kind, or one error for the first of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from troenpy.records.wording import counted, listed

#: How many rows of a kind are named.
N_NAMED = 5

# kind: for one row, for several
PHRASES = {
    "no text": ("has no text", "have no text"),
    "no label": ("has no label", "have no label"),
    "bad encoding": ("has bytes that are not text", "have bytes that are not text"),
    "ragged": ("has too many or too few cells", "have too many or too few cells"),
    "unclosed quote": ("opens a quote that never ends", "open a quote that never ends"),
    "not JSON": ("is not JSON", "are not JSON"),
    "not an object": ("is not a JSON object", "are not JSON objects"),
    "not text": ("holds a list or an object in place of text", "hold a list or an object in place of text"),
    "several labels": ("has several labels, unlike the first rows", "have several labels, unlike the first rows"),
    "not yes or no": (
        "has a label column that says neither yes nor no",
        "have label columns that say neither yes nor no",
    ),
}
#: Kinds of rows that cannot be written as they were, and what is not kept of them.
NOT_KEPT = {
    "ragged": "cells beyond those of the header are not in the output",
    "not JSON": "such content is not in the output",
    "not an object": "such content is not in the output",
    "bad encoding": "such bytes are replaced in the output",
}
FIXES = {
    "bad encoding": "pass the right encoding with encoding= (--encoding), mend it",
    "ragged": "put quotes around cells that contain the delimiter",
    "several labels": "mend it, name a separator with separator= (--separator)",
}
SKIP = "or skip such rows with on_error='skip' (--on-error skip)"


@dataclass(frozen=True)
class Fault:
    """Why a row is broken: its number in the chunk, from 0; the kind of problem; details for the error."""

    row: int
    kind: str
    detail: str = ""

    def error(self, name: str, number: int, line: int | None) -> ValueError:
        """Return the error for row `number`, from 1, of a file."""
        where = f"row {number}" + ("" if line is None else f" (line {line})")
        detail = f" ({self.detail})" if self.detail else ""
        fix = f"{FIXES.get(self.kind, 'mend it')}, {SKIP}"
        return ValueError(f"{where} of {name} {PHRASES[self.kind][0]}{detail}: {fix}")


@dataclass
class Problems:
    """Rows that were left out, by kind.

    Attributes
    ----------
    counts : dict of str to int
        How many rows have each kind of problem. A row with several is counted under the first.
    first : dict of str to list of int
        The numbers, from 1, of the first five rows of each kind.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add("no text", [4, 9, 12])
    >>> problems.total, problems.lines()
    (3, ['3 rows have no text: 4, 9 and 12'])
    """

    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, list[int]] = field(default_factory=dict)

    def add(self, kind: str, rows: Iterable[int]) -> None:
        """Count rows with a kind of problem."""
        added = list(rows)
        self.counts[kind] = self.counts.get(kind, 0) + len(added)
        named = self.first.setdefault(kind, [])
        named += added[: N_NAMED - len(named)]

    @property
    def total(self) -> int:
        """Number of broken rows."""
        return sum(self.counts.values())

    def lines(self) -> list[str]:
        """Return a line per kind, most frequent first."""
        kinds = sorted(self.counts, key=lambda kind: -self.counts[kind])
        return [self._line(kind) for kind in kinds]

    def not_kept(self) -> list[str]:
        """Return a line for each kind of row that cannot be written as it was."""
        return [f"{self._line(kind)}; {NOT_KEPT[kind]}" for kind in self.counts if kind in NOT_KEPT]

    def to_dict(self) -> dict[str, Any]:
        """Return the total, and the number and first rows of each kind."""
        kinds = {kind: {"rows": count, "first": list(self.first[kind])} for kind, count in self.counts.items()}
        return {"total": self.total, "kinds": kinds}

    def _line(self, kind: str) -> str:
        count, rows = self.counts[kind], self.first[kind]
        phrase = PHRASES[kind][count != 1]
        named = listed([f"{row:,}" for row in rows])
        return f"{counted(count, 'row')} {phrase}" + (f": {named}" if count == len(rows) else f", the first: {named}")
