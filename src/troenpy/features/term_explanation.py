"""Explanations of terms: the counts and quantities that a weight was computed from."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.display.frames import data_frame, html_table, text_table
from troenpy.display.plain import printable
from troenpy.information.measures import troenpy
from troenpy.weights.count_table import Floats
from troenpy.weights.intervals import weight_intervals
from troenpy.weights.paper import idf, pcf_present
from troenpy.weights.schemes import Weight, scheme_names, term_weights


@dataclass(frozen=True)
class TermExplanation:
    """How the weight of a term was computed; shown as a small table in a terminal or notebook.

    Attributes
    ----------
    term : str
    weight : float
        The weight by the fitted scheme.
    rank : int
        Rank among the terms that occur: 1 is the largest weight; equal weights have the same rank.
    n_terms : int
        Number of terms that occur.
    documents, all_documents : int or float
        Documents with the term (n_w), and all documents (n).
    documents_by_class : dict
        Documents with the term in each class (n_iw).
    pcf_present, pcf_all : float
        Smoothed troenpy of the classes among the documents with the term (PCF_1), and among all (PCF_*).
    idf : float
    parts : dict
        The quantities in the scheme, by name: PCF_1, PCF_* and IDF for "pi", the named weights for other expressions,
        empty for your own function.
    low, high : float or None
        The ends of the 95 % interval of the weight, by a jackknife over documents (`weight_errors`); None if counts do
        not tell: with several labels, sample weights, `max_terms`, the scheme "nb" or your own.
    """

    term: str
    weight: float
    rank: int
    n_terms: int
    documents: int | float
    all_documents: int | float
    documents_by_class: dict[Any, int | float]
    pcf_present: float
    pcf_all: float
    idf: float
    parts: dict[str, float] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        lines = self._lines()
        width = max(len(name) for name, _ in lines)
        return "\n".join([printable(self.term), *(f"  {name:<{width}}  {value}" for name, value in lines)])

    def _repr_html_(self) -> str:
        return html_table([printable(self.term), ""], self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        by_class = sorted(self.documents_by_class.items(), key=lambda item: -item[1])
        return [
            ("weight", f"{self.weight:.6g}"),
            *([] if self.low is None else [("95 % interval", f"{self.low:.3g} to {self.high:.3g}")]),
            ("rank", f"{self.rank} of {self.n_terms}"),
            ("documents (n_w)", f"{self.documents:g} of {self.all_documents:g}"),
            *((f"  in class {printable(str(name))}", f"{documents:g}") for name, documents in by_class if documents),
            *((name, f"{value:.6g}") for name, value in self.parts.items()),
        ]


class TermExplanations(tuple[TermExplanation, ...]):
    """Explanations of several terms: a tuple of :class:`TermExplanation` that is shown as one table."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(text_table([self._header(), *self._rows()], indent="")) if self else "no terms"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._header(), self._rows())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per term: weight, rank, documents in total and per class, and the parts.

        Returns
        -------
        pandas.DataFrame
        """
        classes = [*self[0].documents_by_class] if self else []
        by_class = [[explanation.documents_by_class[name] for explanation in self] for name in classes]
        parts = [[explanation.parts[name] for explanation in self] for name in self._parts()]
        known = [
            [getattr(explanation, name) for explanation in self]
            for name in ("term", "weight", "rank", "documents", "low", "high")
        ]
        names = [
            "term",
            "weight",
            "rank",
            "documents",
            "low",
            "high",
            *(f"documents in {name}" for name in classes),
            *self._parts(),
        ]
        return data_frame(names, [*known, *by_class, *parts])

    def _parts(self) -> list[str]:
        return [*self[0].parts] if self else []

    def _header(self) -> list[str]:
        return ["term", "weight", "rank", "documents", "most in", *self._parts()]

    def _rows(self) -> list[list[str]]:
        return [
            [
                printable(explanation.term),
                f"{explanation.weight:.6g}",
                str(explanation.rank),
                f"{explanation.documents:g}",
                _most_frequent(explanation.documents_by_class),
                *(f"{value:.6g}" for value in explanation.parts.values()),
            ]
            for explanation in self
        ]


def explain_terms(
    terms: Any, names: NDArray[Any], counts: ClassCounts, weights: Floats, *, scheme: str | Weight, smoothing: float
) -> TermExplanation | TermExplanations:
    """Explain the weight of one term, or of several.

    Parameters
    ----------
    terms : str, int, or iterable of them
        Column names or numbers.
    names : ndarray of shape (n_terms,)
    counts : ClassCounts
    weights : ndarray of shape (n_terms,)
    scheme : str or callable
        The scheme that the weights were computed with.
    smoothing : float

    Returns
    -------
    TermExplanation or TermExplanations

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 1], [0, 2]], ["a", "a", "b"])
    >>> print(explain_terms(["no", "yes"], np.array(["yes", "no"]), counts, idf(counts), scheme="idf", smoothing=1.0))
    term  weight  rank  documents  most in  IDF
    no         1     1          2      a 1    1
    yes        1     1          2      a 2    1
    """
    is_one = isinstance(terms, str | Integral) or not isinstance(terms, Iterable)
    columns = [find_column(term, names) for term in ([terms] if is_one else terms)]
    chosen, occurs = counts.select(np.array(columns, dtype=np.int64)), counts.term_docs > 0
    of_class = chosen.doc_freq.toarray().T.tolist()
    with_term, by_rarity = pcf_present(chosen, smoothing=smoothing), idf(chosen)
    of_all = float(troenpy(counts.n_docs[counts.n_docs > 0], estimator="add_one", smoothing=smoothing))
    paper = {"PCF_1": with_term, "PCF_*": np.full(len(columns), of_all), "IDF": by_rarity}
    parts = _parts(counts, columns, scheme, smoothing, paper)
    low, high = weight_intervals(chosen, weights[columns], scheme, smoothing=smoothing)
    explanations = TermExplanations(
        TermExplanation(
            term=str(names[column]),
            weight=float(weights[column]),
            rank=1 + int(np.count_nonzero(weights[occurs] > weights[column])),
            n_terms=int(occurs.sum()),
            documents=chosen.term_docs.tolist()[i],
            all_documents=counts.n_documents,
            documents_by_class=dict(zip(counts.classes.tolist(), of_class[i], strict=True)),
            pcf_present=float(with_term[i]),
            pcf_all=of_all,
            idf=float(by_rarity[i]),
            parts={name: float(values[i]) for name, values in parts.items()},
            low=None if np.isnan(low[i]) else float(low[i]),
            high=None if np.isnan(high[i]) else float(high[i]),
        )
        for i, column in enumerate(columns)
    )
    return explanations[0] if is_one else explanations


#: The weights that are shown as the paper's quantities.
_PAPER = {"pi": ("PCF_1", "PCF_*", "IDF"), "pcf": ("PCF_1", "PCF_*"), "pcf_present": ("PCF_1",), "idf": ("IDF",)}


def _parts(
    counts: ClassCounts, columns: list[int], scheme: str | Weight, smoothing: float, paper: dict[str, Floats]
) -> dict[str, Floats]:
    """Return the quantities in a scheme by name; the paper's weights are broken down into theirs."""
    found: dict[str, Floats] = {}
    for name in scheme_names(scheme):
        if name in _PAPER:
            found |= {part: paper[part] for part in _PAPER[name]}
        else:  # over all terms, because a weight may depend on the whole vocabulary
            found[name] = term_weights(counts, name, smoothing=smoothing)[columns]
    return found


def _most_frequent(documents_by_class: dict[Any, int | float]) -> str:
    name, documents = max(documents_by_class.items(), key=lambda item: item[1])
    return f"{printable(str(name))} {documents:g}" if documents else ""


def find_column(term: str | int, names: NDArray[Any]) -> int:
    """Return the column of a term, given by name or number; the error for an unknown name suggests similar ones."""
    if isinstance(term, Integral) and not isinstance(term, bool):
        if not 0 <= int(term) < len(names):
            raise ValueError(f"a column number must be between 0 and {len(names) - 1}, got {term}")
        return int(term)
    found = np.flatnonzero(names == term)
    if len(found) == 0:
        close = get_close_matches(str(term), names.tolist(), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "pass a known term or a column number"
        raise ValueError(f"unknown term {term!r}: {hint}")
    return int(found[0])
