"""The ledger of a term: the counts and quantities that its weight was made of."""

from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.cells import Floats
from troenpy.counts import ClassCounts
from troenpy.information import troenpy
from troenpy.weights import idf, pcf_present


@dataclass(frozen=True)
class TermLedger:
    """What is known of one term; printed, a small table.

    Attributes
    ----------
    term : str
    weight : float
        By the fitted scheme.
    rank : int
        Among the terms that occur: 1 for the largest weight, equal weights share the better rank.
    n_terms : int
        How many terms occur.
    documents, all_documents : int or float
        Documents that hold the term (n_w), documents in all (n).
    documents_by_class : dict
        Documents of each class that hold the term (n_iw).
    pcf_present, pcf_all : float
        Smoothed troenpy of the classes among the documents that hold the term (PCF_1), and among all (PCF_*).
    idf : float
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

    def __str__(self) -> str:
        by_class = sorted(self.documents_by_class.items(), key=lambda item: -item[1])
        lines = [
            ("weight", f"{self.weight:.6g}"),
            ("rank", f"{self.rank} of {self.n_terms}"),
            ("documents (n_w)", f"{self.documents:g} of {self.all_documents:g}"),
            *((f"  in class {name}", f"{documents:g}") for name, documents in by_class if documents),
            ("PCF_1", f"{self.pcf_present:.6g}"),
            ("PCF_*", f"{self.pcf_all:.6g}"),
            ("IDF", f"{self.idf:.6g}"),
        ]
        width = max(len(name) for name, _ in lines)
        return "\n".join([self.term, *(f"  {name:<{width}}  {value}" for name, value in lines)])


def term_ledger(counts: ClassCounts, weights: Floats, column: int, *, term: str, smoothing: float) -> TermLedger:
    """Write the ledger of one column."""
    alone = counts.select([column])
    occurs = counts.term_docs > 0
    return TermLedger(
        term=term,
        weight=float(weights[column]),
        rank=1 + int(np.count_nonzero(weights[occurs] > weights[column])),
        n_terms=int(occurs.sum()),
        documents=alone.term_docs.tolist()[0],
        all_documents=counts.n_documents,
        documents_by_class=dict(zip(counts.classes.tolist(), alone.doc_freq.toarray()[:, 0].tolist(), strict=True)),
        pcf_present=float(pcf_present(alone, smoothing=smoothing)[0]),
        pcf_all=float(troenpy(counts.n_docs[counts.n_docs > 0], estimator="add_one", smoothing=smoothing)),
        idf=float(idf(alone)[0]),
    )


def find_column(term: str | int, names: NDArray[Any]) -> int:
    """Return the column of a term given by name or number; a ValueError suggests similar names."""
    if isinstance(term, Integral):
        if not 0 <= int(term) < len(names):
            raise ValueError(f"column must lie between 0 and {len(names) - 1}, got {term}")
        return int(term)
    found = np.flatnonzero(names == term)
    if len(found) == 0:
        close = get_close_matches(str(term), names.tolist(), n=3)
        hint = f"; did you mean {' or '.join(close)}?" if close else "; a column's number works too"
        raise ValueError(f"there is no term {term!r}{hint}")
    return int(found[0])
