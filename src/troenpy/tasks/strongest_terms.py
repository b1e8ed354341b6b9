"""The strongest terms of each class: those in more documents of the class than chance would have."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts

#: Views of pieces of words are only shown if there is no other.
WHOLE_TERMS = ("word", "text")


def strongest_terms(model: Any, n_terms: int = 8) -> dict[str, list[str]]:
    """Return the strongest terms of each class, strongest first, from the counts that a classifier learnt from.

    Parameters
    ----------
    model : TroenpyClassifier or TextKNeighborsClassifier
        Fitted on text.
    n_terms : int, default=8

    Examples
    --------
    >>> from troenpy import settings
    >>> model = settings.classifier("linear").fit(["own goal", "late goal", "late vote", "vote"], ["s", "s", "p", "p"])
    >>> strongest_terms(model, 1)
    {'p': ['vote'], 's': ['goal']}
    """
    views = model.features_.views_
    whole = [view for view in views if getattr(view.counter, "analyzer", None) in WHOLE_TERMS]
    view = (whole or views)[0]
    found = strongest_columns(view.counts, n_terms)
    names = [str(name) for name in view.counts.classes.tolist()]
    return {name: [str(term) for term in view.terms_of(columns)] for name, columns in zip(names, found, strict=True)}


def strongest_columns(counts: ClassCounts, n_terms: int) -> list[NDArray[np.int64]]:
    """Return the columns of the strongest terms of each class.

    The strength is n_iw log(n_iw n / (n_w n_i)): what the term adds to the divergence of the class from all documents.
    Columns with the same strength are in order.
    """
    by_class = counts.doc_freq.tocsr()
    n_documents, found = float(counts.n_documents), []
    for number, size in enumerate(counts.n_docs.tolist()):
        of_class = slice(by_class.indptr[number], by_class.indptr[number + 1])
        columns, held = by_class.indices[of_class], by_class.data[of_class].astype(np.float64)
        strengths = held * np.log(held * n_documents / (counts.term_docs[columns] * max(size, 1)))
        strongest = np.lexsort((columns, -strengths))[:n_terms]
        found.append(columns[strongest[strengths[strongest] > 0]].astype(np.int64))
    return found
