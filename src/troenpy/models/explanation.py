"""Explain a prediction: the contribution of each term, or the terms shared with each neighbour."""

import html
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.display.frames import data_frame, html_table, text_table
from troenpy.display.plain import printable
from troenpy.models.folding import ShownTerms, ViewTerms, shown_terms

_SHOWN = 10
_SHOWN_TOGETHER = 5
#: Colour the fewest terms that make up this share of all contributions by magnitude, so that terms which add next to
#: nothing stay plain.
_COLOURED = 0.8


@dataclass(frozen=True, eq=False)
class Explanation:
    """The terms that speak for and against a class: a table in a terminal, highlighted text in a notebook.

    Attributes
    ----------
    text : str
    label : class
        The explained class.
    prediction : class, or list of classes for multi-label targets
    probability : float
        Probability of `label`.
    classes : ndarray of shape (n_classes,)
    decision : ndarray of shape (n_classes,)
        ``intercept + contributions.sum(axis=0)``, plus `rest`. With two classes, the values differ only in sign.
    intercept : ndarray of shape (n_classes,)
    shown_views : list of ViewTerms
        The terms and contributions of each view that is shown.
    rest : dict of ndarrays of shape (n_classes,)
        The sums of the other views; they are part of `decision`.
    terms : ndarray of str
        The terms of the text, sorted by the magnitude of their contribution to `label`.
    contributions : ndarray of shape (n_terms, n_classes)
    views : ndarray of str
        The view of each term.
    places : dict of sets of int, or None
        The characters of the text that each term covers; None if the analyzer does not report them. With several views,
        a dict of such dicts by view.
    has_known_terms : bool
        Whether any term of the text was in the training documents. If not, the probabilities are the class frequencies
        of the training documents.
    shown : ShownTerms
        What is shown: with several views, pieces of words are part of the words they stand in.
    """

    text: str
    label: Any
    prediction: Any
    probability: float
    classes: NDArray[Any]
    decision: NDArray[np.float64]
    intercept: NDArray[np.float64]
    shown_views: list[ViewTerms]
    rest: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    has_known_terms: bool = True

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        values = np.concatenate([view.values for view in self.shown_views])
        return np.argsort(-np.abs(values[:, self._column()]), kind="stable")

    @cached_property
    def terms(self) -> NDArray[np.object_]:
        """The terms, sorted by the magnitude of their contribution to `label`."""
        return np.concatenate([view.terms for view in self.shown_views])[self._order]

    @cached_property
    def contributions(self) -> NDArray[np.float64]:
        """The contribution of each term to each class."""
        return np.concatenate([view.values for view in self.shown_views])[self._order]

    @cached_property
    def views(self) -> NDArray[np.object_]:
        """The view of each term."""
        names = np.array([view.name for view in self.shown_views], dtype=object)
        return np.repeat(names, [len(view.terms) for view in self.shown_views])[self._order]

    @property
    def places(self) -> dict[str, Any] | None:
        """The characters of the text that each term covers; with several views, by view."""
        if len(self.shown_views) == 1:
            return self.shown_views[0].places
        return {view.name: view.places for view in self.shown_views}

    @cached_property
    def shown(self) -> ShownTerms:
        """What is shown: with several views, pieces of words are part of the words they stand in."""
        return shown_terms(self.shown_views).sort(self._column())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per term: the term, then its contribution to each class.

        With several views, the view comes first.

        Returns
        -------
        pandas.DataFrame
        """
        names, columns = ["term", *self.classes.tolist()], [self.terms.tolist(), *self.contributions.T]
        if len(self.shown_views) == 1 and not self.rest:
            return data_frame(names, columns)
        return data_frame(["view", *names], [self.views.tolist(), *columns])

    def __str__(self) -> str:
        return "\n".join([*self._title(), *text_table(self._rows())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show the text with the most important terms coloured: green for the label, red against it."""
        title = "<br>".join(html.escape(line) for line in self._title())
        text = f"<p style='white-space:pre-wrap'>{self._coloured_text()}</p>"
        return f"<div><p><b>{title}</b></p>{text}{html_table(['term', 'contribution'], self._rows())}</div>"

    def _column(self) -> int:
        return self.classes.tolist().index(self.label)

    def _title(self) -> list[str]:
        label = printable(str(self.label))
        unknown = [] if self.has_known_terms else ["no known term: the probabilities do not depend on the text"]
        return [
            f"label: {printable(str(self.prediction))}",
            f"probability of {label}: {self.probability:.4f}",
            *unknown,
            f"contributions to the decision value of {label}:",
        ]

    def _rows(self) -> list[tuple[str, str]]:
        column, shown = self._column(), self.shown
        values, intercept = shown.values[:, column], self.intercept[column]
        rows = [
            *((printable(shown.names[i]), values[i]) for i in range(min(_SHOWN, len(values)))),
            ("everything else", values[_SHOWN:].sum()),
            *((f"all of {printable(name)}", sums[column]) for name, sums in self.rest.items()),
            ("intercept", intercept),
            ("decision value", self.decision[column]),
        ]
        return [(name, f"{value:+.4f}") for name, value in rows]

    def _coloured_text(self) -> str:
        shown = self.shown
        values = shown.values[:, self._column()]
        covering: list[tuple[int, ...]] = [()] * len(self.text)  # the coloured terms at each character
        for i in range(_n_deciding(values)):
            for character in shown.places[i]:
                covering[character] += (i,)
        totals = {terms: float(values[list(terms)].sum()) for terms in set(covering)}
        largest = max(map(abs, totals.values()), default=0.0) or 1.0
        pieces = []
        for terms, run in groupby(range(len(self.text)), key=covering.__getitem__):
            characters = [*run]
            piece = _escape(self.text[characters[0] : characters[-1] + 1])
            pieces.append(_mark(piece, terms, totals[terms] / largest, shown.names, values) if terms else piece)
        return "".join(pieces)


def _mark(piece: str, terms: tuple[int, ...], strength: float, names: list[str], values: NDArray[np.float64]) -> str:
    title = ", ".join(f"{printable(names[i])} {values[i]:+.4f}" for i in terms[:_SHOWN_TOGETHER])
    colour = "0,150,60" if strength > 0 else "200,40,40"
    style = f"background:rgba({colour},{0.1 + 0.6 * abs(strength):.2f});border-radius:3px"
    return f"<span style='{style}' title='{html.escape(title)}'>{piece}</span>"


def _escape(text: str) -> str:
    """Escape for HTML; lone surrogates, which a page cannot hold, become escape sequences."""
    return html.escape(text).encode("utf-8", "backslashreplace").decode("utf-8")


def _n_deciding(values: NDArray[np.float64]) -> int:
    """Return how many of the values, sorted by magnitude, make up most of their total magnitude."""
    total = np.cumsum(np.abs(values))
    return int(np.searchsorted(total, _COLOURED * total[-1])) + 1 if len(values) and total[-1] > 0 else 0


@dataclass(frozen=True, eq=False)
class NeighborExplanation:
    """The training documents that voted, and the terms that each shares with the text, as a table.

    A squared distance is that of two documents without a common term, plus that of their class profiles, minus the
    contribution of the common terms: ``distances**2 == apart + profile - shared.sum(axis=0)``.

    Attributes
    ----------
    text : str
    label : class
        The predicted class.
    documents : ndarray of shape (n_neighbors,)
        Row numbers of training documents, nearest first; the model does not store their texts.
    labels : ndarray of shape (n_neighbors,)
    distances : ndarray of shape (n_neighbors,)
    votes : ndarray of shape (n_neighbors,)
        Weight of each vote: 1, or 1 / distance.
    terms : ndarray of str
        The terms that the text shares with any neighbour, largest contribution first; with several views, each is
        followed by the name of its view.
    shared : ndarray of shape (n_terms, n_neighbors)
        How much each term reduces the squared distance: twice its term in the inner product of the rows.
    apart : ndarray of shape (n_neighbors,)
        The squared distance if no term were shared, without the class profiles.
    profile : ndarray of shape (n_neighbors,)
        The squared distance of the class profiles; zero without that block.
    """

    text: str
    label: Any
    documents: NDArray[np.int64]
    labels: NDArray[Any]
    distances: NDArray[np.float64]
    votes: NDArray[np.float64]
    terms: NDArray[np.object_]
    shared: NDArray[np.float64]
    apart: NDArray[np.float64]
    profile: NDArray[np.float64]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per neighbour, including a list of shared terms.

        Returns
        -------
        pandas.DataFrame
        """
        columns = [self.documents, self.labels, self.distances, self.votes]
        sums = [self.apart, self.profile, self.shared.sum(axis=0)]
        terms = [[str(self.terms[i]) for i in self._common(neighbor)] for neighbor in range(len(self.documents))]
        names = ["document", "label", "distance", "vote", "apart", "profile", "shared", "terms"]
        return data_frame(names, [*columns, *sums, terms])

    def __str__(self) -> str:
        table = text_table([self._header(), *self._rows()])
        return "\n".join([*self._title(), *table])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = "<br>".join(html.escape(line) for line in self._title())
        return f"<div><p><b>{title}</b></p>{html_table(self._header(), self._rows())}</div>"

    def _title(self) -> list[str]:
        by_class: dict[str, float] = {}
        for label, vote in zip(self.labels.tolist(), self.votes.tolist(), strict=True):
            by_class[printable(str(label))] = by_class.get(printable(str(label)), 0.0) + vote
        votes = ", ".join(f"{label} {vote:.4g}" for label, vote in sorted(by_class.items(), key=lambda item: -item[1]))
        return [
            f"label: {printable(str(self.label))}",
            f"votes: {votes}",
            "neighbours: class profiles add to the squared distance, shared terms reduce it:",
        ]

    def _header(self) -> list[str]:
        return ["document", "label", "distance", "vote", "profile", "shared", "terms"]

    def _rows(self) -> list[list[str]]:
        numbers = (self.documents, self.labels, self.distances, self.votes, self.profile, self.shared.sum(axis=0))
        return [
            [
                str(document),
                printable(str(label)),
                f"{distance:.4f}",
                f"{vote:.4g}",
                f"{profile:.4f}",
                f"{shared:.4f}",
                self._most_common(neighbor),
            ]
            for neighbor, (document, label, distance, vote, profile, shared) in enumerate(zip(*numbers, strict=True))
        ]

    def _common(self, neighbor: int) -> NDArray[np.int64]:
        """Return the terms shared with a neighbour, largest contribution first."""
        values = self.shared[:, neighbor]
        order = np.argsort(-values, kind="stable")
        return order[values[order] != 0]

    def _most_common(self, neighbor: int) -> str:
        common = self._common(neighbor)
        shown = [f"{printable(str(self.terms[i]))} {self.shared[i, neighbor]:.3f}" for i in common[:_SHOWN_TOGETHER]]
        more = len(common) - len(shown)
        return ", ".join([*shown, *([f"{more} more"] if more else [])]) or "none"
