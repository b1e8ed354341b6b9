"""The terms of a corpus: the top terms of each class, and the rank of every term under each scheme.

Counts come from the training part of the given split, or of the first random split.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from troenpy.counts.class_counts import ClassCounts
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.splits import CountedCorpus
from troenpy.weights.count_table import Floats
from troenpy.weights.schemes import WEIGHTS, term_weights

N_TOP = 20
N_TERMS = 3000
MOST_COUNTS = 60_000  # limit on document counts by class and term, the largest part of a page
FIRST_SEED = 0


def term_table(corpus: Corpus, counted: CountedCorpus, *, n_top: int = N_TOP, n_terms: int = N_TERMS) -> dict[str, Any]:
    """Return the terms that best identify each class, and the most frequent terms, with counts, weights and ranks.

    Parameters
    ----------
    corpus : Corpus
    counted : CountedCorpus
        The same corpus, from `count_terms`.
    n_top : int, default=20
        Terms per class, ordered by PI weight times the share of the term's documents that are in the class.
    n_terms : int, default=3000
        Number of most frequent terms to add; fewer if there are many classes.

    Returns
    -------
    dict
        Plain lists: `corpus` and which `part` of it; `classes`, `class_documents` (C_i) and `n_documents` (n); `terms`,
        and for each term `documents` (n_w), `by_class` ([class, n_iw, class, n_iw, ...], without zeros), `pcf`, `idf`,
        `weight`, and `ranks` under each of `schemes` (1 is the largest weight of all `n_terms` terms; equal weights
        share the better rank); `top`, indices into `terms` by class.

    Raises
    ------
    ValueError
        If all training documents have the same class.

    Examples
    --------
    >>> from troenpy.datasets.corpora import Corpus
    >>> from troenpy.experiments.splits import count_terms
    >>> texts, labels = ("late goal", "own goal", "close vote", "no vote"), np.array(["s", "s", "p", "p"])
    >>> corpus = Corpus("tiny", texts, labels, np.array(["train"] * 4))
    >>> table = term_table(corpus, count_terms(corpus), n_top=1)
    >>> table["classes"], [table["terms"][top[0]] for top in table["top"]]
    (['p', 's'], ['vote', 'goal'])
    """
    train, _ = counted.parts(None if counted.given is not None else FIRST_SEED)
    rows = counted.counts[train]
    occurs = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    names = [counted.terms[column] for column in occurs]
    counts = ClassCounts.from_matrix(rows[:, occurs], counted.labels[train], terms=names)
    weights = {scheme: term_weights(counts, scheme) for scheme in WEIGHTS}
    tops = _top_terms(counts, weights["pi"], n_top)
    shown = _select_columns(counts, tops, n_terms)
    place = {column: number for number, column in enumerate(shown.tolist())}
    by_class = counts.doc_freq[:, shown].tocsc()
    ranks = np.array([rankdata(-values, method="min")[shown] for values in weights.values()], dtype=np.int64).T
    return {
        "corpus": corpus.name,
        "part": f"the random split of seed {FIRST_SEED}" if counted.given is None else "the given split",
        "n_documents": int(counts.n_documents),
        "n_terms": len(occurs),
        "classes": [str(name) for name in counts.classes],
        "class_documents": counts.n_docs.astype(int).tolist(),
        "schemes": list(WEIGHTS),
        "terms": [names[column] for column in shown],
        "documents": counts.term_docs[shown].astype(int).tolist(),
        "by_class": [_pairs(by_class, number) for number in range(len(shown))],
        "pcf": _round(weights["pcf"][shown]),
        "idf": _round(weights["idf"][shown]),
        "weight": _round(weights["pi"][shown]),
        "ranks": ranks.tolist(),
        "top": [[place[column] for column in top] for top in tops],
    }


def _top_terms(counts: ClassCounts, weights: Floats, n_top: int) -> list[list[int]]:
    by_class = counts.doc_freq.tocsr()
    tops = []
    for code in range(by_class.shape[0]):
        columns = by_class.indices[by_class.indptr[code] : by_class.indptr[code + 1]]
        shares = by_class.data[by_class.indptr[code] : by_class.indptr[code + 1]] / counts.term_docs[columns]
        order = np.lexsort([columns, -weights[columns] * shares])[:n_top]
        tops.append([int(column) for column in columns[order]])
    return tops


def _select_columns(counts: ClassCounts, tops: list[list[int]], n_terms: int) -> NDArray[np.int64]:
    """Select the columns to show: the top terms, and as many of the most frequent terms as fit."""
    frequent = np.argsort(-counts.term_docs, kind="stable")[:n_terms]
    n_counts = np.cumsum(np.diff(counts.doc_freq.tocsc().indptr)[frequent])
    return np.unique([*(column for top in tops for column in top), *frequent[n_counts <= MOST_COUNTS]])


def _pairs(by_class: Any, column: int) -> list[int]:
    place = slice(by_class.indptr[column], by_class.indptr[column + 1])
    return np.column_stack([by_class.indices[place], by_class.data[place]]).astype(int).ravel().tolist()


def _round(values: Floats) -> list[float]:
    return [float(f"{value:.4g}") for value in values]
