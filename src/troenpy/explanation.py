"""Why a document got its label: the contribution of each term to each decision value."""

import html
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Explanation:
    """The terms that decided, with their contributions; a table in a terminal, highlighted text in a notebook.

    Attributes
    ----------
    text : str
    label : class, or list of classes for multi-label targets
        The prediction.
    classes : ndarray of shape (n_decisions,)
        The class that each decision value is for; with two classes there is one value, for the second.
    decision : ndarray of shape (n_decisions,)
        ``intercept + contributions.sum(axis=0)``.
    intercept : ndarray of shape (n_decisions,)
    terms : ndarray of str
        The document's terms, those that decided most first.
    contributions : ndarray of shape (n_terms, n_decisions)
    """

    text: str
    label: Any
    classes: NDArray[Any]
    decision: NDArray[np.float64]
    intercept: NDArray[np.float64]
    terms: NDArray[np.object_]
    contributions: NDArray[np.float64]

    def _column(self) -> int:
        """Return the decision to show: that of the label, or the largest."""
        found: Any = np.flatnonzero(self.classes == self.label) if np.ndim(self.label) == 0 else []
        return int(found[0]) if len(found) else int(np.argmax(np.abs(self.decision)))

    def __str__(self) -> str:
        column = self._column()
        order = np.argsort(-np.abs(self.contributions[:, column]), kind="stable")[:_SHOWN]
        width = max([len("everything else"), *(len(self.terms[i]) for i in order)])
        rest = self.decision[column] - self.intercept[column] - self.contributions[order, column].sum()
        lines = [
            f"label: {self.label}",
            f"contributions to the decision value of {self.classes[column]}:",
            *(f"  {self.terms[i]:<{width}}  {self.contributions[i, column]:+.4f}" for i in order),
            f"  {'everything else':<{width}}  {rest:+.4f}",
            f"  {'intercept':<{width}}  {self.intercept[column]:+.4f}",
            f"  {'decision value':<{width}}  {self.decision[column]:+.4f}",
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the text with its words coloured: green for the label, red against it."""
        column = self._column()
        by_term = dict(zip(self.terms.tolist(), self.contributions[:, column].tolist(), strict=True))
        largest = max(map(abs, by_term.values()), default=0.0) or 1.0
        pieces, end = [], 0
        for match in re.finditer(r"\w+", self.text):
            value = by_term.get(match[0], by_term.get(match[0].lower()))
            if value:
                pieces += [html.escape(self.text[end : match.start()]), _mark(match[0], value, largest)]
                end = match.end()
        pieces.append(html.escape(self.text[end:]))
        title = f"{self.label} (decision value of {self.classes[column]}: {self.decision[column]:+.3f})"
        return f"<div><p><b>{html.escape(title)}</b></p><p style='white-space:pre-wrap'>{''.join(pieces)}</p></div>"


def _mark(word: str, value: float, largest: float) -> str:
    colour = "0,150,60" if value > 0 else "200,40,40"
    strength = 0.1 + 0.6 * abs(value) / largest
    style = f"background:rgba({colour},{strength:.2f});border-radius:3px"
    return f"<span style='{style}' title='{value:+.4f}'>{html.escape(word)}</span>"
