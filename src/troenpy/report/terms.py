"""The terms of a corpus: the counts and weights of every term, and the terms that mark each class.

Counts come from the training part of the given split, or of the first random split. Terms with equal counts have equal
weights: a table holds each distinct row of counts once, and has room for the whole vocabulary of most corpora.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.splits import CountedCorpus
from troenpy.report.quotes import quotes
from troenpy.weights.count_table import Floats
from troenpy.weights.paper import pcf
from troenpy.weights.schemes import WEIGHTS, term_weights

N_TOP = 20
MOST_CHARACTERS = 1_600_000  # of a table as JSON, so that a page stays well below 3 MB
FIRST_SEED = 0
SCHEME = "certainty"

#: The weights of a vocabulary that does not fit with all of them.
CORE = ("idf", "pcf", "pcf_present", "pi", "certainty", "rf", "chi2", "ig")
_PER_WEIGHT, _PER_COUNT = 9, 7  # characters of a row of counts, with the next
_PER_ROW = 8
_PER_TERM = 8  # besides the term itself


def term_table(
    corpus: Corpus,
    counted: CountedCorpus,
    *,
    n_top: int = N_TOP,
    n_characters: int = MOST_CHARACTERS,
    scheme: str = SCHEME,
) -> dict[str, Any]:
    """Return the terms of a corpus with their counts and weights, and the terms that mark each class.

    Parameters
    ----------
    corpus : Corpus
    counted : CountedCorpus
        The same corpus, from `count_terms`.
    n_top : int, default=20
        Terms that mark a class, by weight times documents of the class with the term times the share of the term's
        documents that are in the class.
    n_characters : int, default=1,600,000
        Approximate size of the table as JSON. If not all terms fit, fewer weights are kept, then the most frequent
        terms, and those that mark the classes.
    scheme : str, default="certainty"
        The weight that orders them, one of `WEIGHTS`. PI weights of small classes are often negative; certainty is
        not.

    Returns
    -------
    dict
        Plain lists: `corpus` and which `part` of it; `classes`, `class_documents` (C_i) and `n_documents` (n),
        `n_terms` of the corpus; `terms`, and in `rows` the number of each term's row of counts. For each row,
        `documents` (n_w), `counts` ([class, n_iw, class, n_iw, ...], without zeros), and `weights` by scheme. `top` has
        indices into `terms` by class, in the order of `scheme`; `contexts`, by term, pairs of class and text of a
        training document that has the term, if the licence of the corpus lets a page quote it; `pcf_all` is PCF_*.

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
    >>> table["classes"], [table["terms"][top[0]] for top in table["top"]], table["contexts"]["goal"]
    (['p', 's'], ['vote', 'goal'], [[1, 'late goal'], [1, 'own goal']])
    >>> table["terms"], table["rows"], table["counts"]
    (['close', 'goal', 'late', 'vote'], [0, 1, 2, 3], [[0, 1], [1, 2], [1, 1], [0, 2]])
    """
    train, _ = counted.parts(None if counted.given is not None else FIRST_SEED)
    rows = counted.counts[train]
    occurs = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    names = [counted.terms[column] for column in occurs]
    counts = ClassCounts.from_matrix(rows[:, occurs], counted.labels[train], terms=names)
    weights = {scheme: term_weights(counts, scheme) for scheme in WEIGHTS}
    tops = _top_terms(counts, weights[scheme], n_top)
    shown = _select_columns(counts, names, tops, n_characters, len(weights))
    if len(shown) < len(names):
        weights = {name: values for name, values in weights.items() if name in (*CORE, scheme)}
        shown = _select_columns(counts, names, tops, n_characters, len(weights))
    place = {column: number for number, column in enumerate(shown.tolist())}
    first, row_of = _distinct_rows(counts, shown)
    by_class = counts.doc_freq[:, first].tocsc()
    marked = {code: [names[column] for column in top] for code, top in enumerate(tops)}
    return {
        "corpus": corpus.name,
        "part": f"the random split of seed {FIRST_SEED}" if counted.given is None else "the given split",
        "n_documents": int(counts.n_documents),
        "n_terms": len(occurs),
        "classes": [str(name) for name in counts.classes],
        "class_documents": counts.n_docs.astype(int).tolist(),
        "terms": [names[column] for column in shown],
        "rows": row_of,
        "documents": counts.term_docs[first].astype(int).tolist(),
        "counts": [_pairs(by_class, number) for number in range(len(first))],
        "weights": {scheme: _round(values[first]) for scheme, values in weights.items()},
        "scheme": scheme,
        "pcf_all": _round(_certainty_of_any(counts))[0],
        "top": [[place[column] for column in top] for top in tops],
        "contexts": quotes(corpus, train, [str(name) for name in counts.classes], marked) if corpus.quotable else {},
    }


def _top_terms(counts: ClassCounts, weights: Floats, n_top: int) -> list[list[int]]:
    by_class = counts.doc_freq.tocsr()
    tops = []
    for code in range(by_class.shape[0]):
        cells = slice(by_class.indptr[code], by_class.indptr[code + 1])
        columns, inside = by_class.indices[cells], by_class.data[cells]
        worth = weights[columns] * inside * inside / counts.term_docs[columns]
        tops.append([int(column) for column in columns[np.lexsort([columns, -worth])[:n_top]]])
    return tops


def _select_columns(
    counts: ClassCounts, names: list[str], tops: list[list[int]], n_characters: int, n_weights: int
) -> NDArray[np.int64]:
    """Select the terms that fit, the most frequent first, and those that mark a class."""
    by_class = counts.doc_freq.tocsc()
    by_class.sort_indices()
    seen: set[bytes] = set()
    left, chosen = n_characters, {column for top in tops for column in top}
    for column in np.argsort(-counts.term_docs, kind="stable").tolist():
        mark = _mark(by_class, column)
        cost = _PER_TERM + len(names[column])
        if mark not in seen:
            n_counts = int(by_class.indptr[column + 1] - by_class.indptr[column])
            cost += _PER_ROW + _PER_WEIGHT * n_weights + _PER_COUNT * n_counts
        if cost > left:
            break
        seen.add(mark)
        chosen.add(column)
        left -= cost
    return np.array(sorted(chosen), dtype=np.int64)


def _distinct_rows(counts: ClassCounts, columns: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """Return a column for each distinct row of counts, and for each column the number of its row."""
    by_class = counts.doc_freq.tocsc()
    by_class.sort_indices()
    known: dict[bytes, int] = {}
    first: list[int] = []
    numbers = []
    for column in columns.tolist():
        number = known.setdefault(_mark(by_class, column), len(known))
        if number == len(first):
            first.append(column)
        numbers.append(number)
    return first, numbers


def _mark(by_class: Any, column: int) -> bytes:
    """Return the counts of a column as bytes, to compare them."""
    cells = slice(by_class.indptr[column], by_class.indptr[column + 1])
    return bytes(np.concatenate([by_class.indices[cells], by_class.data[cells]]).astype(np.float64).tobytes())


def _certainty_of_any(counts: ClassCounts) -> Floats:
    """Return PCF_*, the same for all terms, from the difference of two weights."""
    return term_weights(counts, "pcf_present")[:1] - pcf(counts)[:1]


def _pairs(by_class: Any, column: int) -> list[int]:
    cells = slice(by_class.indptr[column], by_class.indptr[column + 1])
    return np.column_stack([by_class.indices[cells], by_class.data[cells]]).astype(int).ravel().tolist()


def _round(values: Floats) -> list[float]:
    return [float(f"{value:.5g}") for value in values]
