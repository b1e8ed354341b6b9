"""How certain weights are: a jackknife over documents, from the counts alone.

The weight of a term depends on its documents per class. All documents of a class that have the term are alike to it,
and so are all that lack it: so the weight without one document has at most two values per class, and leaving out each
document in turn needs no documents.
"""

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.statistics.log_odds import normal_quantile
from troenpy.weights.count_table import Floats
from troenpy.weights.schemes import Weight, scheme_names, term_weights

#: Weights that depend on other terms, too.
OF_ALL_TERMS = frozenset({"nb"})
#: Terms whose counts are in memory at a time, for every class.
AT_ONCE = 1 << 12


def weight_errors(counts: ClassCounts, scheme: str | Weight = "pi", *, smoothing: float = 1.0) -> Floats:
    """Return the standard error of the weight of each term, by the delete-one jackknife over documents.

    The square root of (n-1)/n sum_d (w_d - mean)^2, with w_d the weight without document d. It takes the time of 2 K
    times the weights of these terms: select a few terms of large counts.

    Parameters
    ----------
    counts : ClassCounts
    scheme, smoothing
        As in :func:`troenpy.term_weights`.

    Returns
    -------
    ndarray of shape (V,)
        NaN if it cannot be computed from counts: for documents with several labels or with weights, for counts that are
        lower bounds, for your own function and for "nb", which depends on all terms; and if there would be a single
        class without one of the documents.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [0], [0]], ["a", "a", "a", "b", "b"])
    >>> weight_errors(counts, "idf")  # 1 + log 4/2 without one of two documents, 1 + log 4/3 without one of three
    array([0.39727305])

    With the mean 1.4499, the square is 4/5 of 2 (1.6931 - 1.4499)^2 + 3 (1.2877 - 1.4499)^2, 0.1578.
    """
    n_terms = len(counts.term_docs)
    if not n_terms or not _is_possible(counts, scheme):
        return np.full(n_terms, np.nan)
    blocks = [counts.select(np.arange(i, min(i + AT_ONCE, n_terms))) for i in range(0, n_terms, AT_ONCE)]
    return np.concatenate([_errors(block, scheme, smoothing) for block in blocks])


def _errors(counts: ClassCounts, scheme: str | Weight, smoothing: float) -> Floats:
    table = counts.doc_freq.toarray()
    values, repeats = list[Floats](), list[Floats]()
    for number in np.flatnonzero(counts.n_docs).tolist():
        for has_term in (1, 0):
            times = table[number] if has_term else counts.n_docs[number] - table[number]
            if times.any():
                is_less = np.where(
                    times > 0, has_term, 1 - has_term
                )  # where no such document is, the other kind, not used
                part = _without_one(counts, table, number, is_less)
                values.append(term_weights(part, scheme, smoothing=smoothing))
                repeats.append(times.astype(np.float64))
    found, times, n = np.array(values), np.array(repeats), float(counts.n_documents)
    mean = (times * found).sum(axis=0) / n
    return np.asarray(np.sqrt((n - 1) / n * (times * (found - mean) ** 2).sum(axis=0)))


def weight_intervals(
    counts: ClassCounts, weights: Floats, scheme: str | Weight = "pi", *, smoothing: float = 1.0
) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % interval of each weight; parameters as in `weight_errors`."""
    width = normal_quantile() * weight_errors(counts, scheme, smoothing=smoothing)
    return weights - width, weights + width


def _is_possible(counts: ClassCounts, scheme: str | Weight) -> bool:
    names = scheme_names(scheme)
    if not names or OF_ALL_TERMS & set(names) or counts.is_weighted or not counts.is_exact:
        return False
    sizes = np.sort(counts.n_docs[counts.n_docs > 0])
    is_single = counts.n_docs.sum() == counts.n_documents and (counts.doc_freq.sum(axis=0) == counts.term_docs).all()
    return bool(is_single) and (len(sizes) > 2 or (len(sizes) == 2 and sizes[0] > 1))


def _without_one(counts: ClassCounts, table: Floats, number: int, is_less: Floats) -> ClassCounts:
    """Return the counts without a document of a class; `is_less` says which terms it had."""
    doc_freq, n_docs = table.copy(), counts.n_docs.copy()
    doc_freq[number] -= is_less
    n_docs[number] -= 1
    return ClassCounts(counts.classes, counts.n_documents - 1, n_docs, doc_freq, counts.term_docs - is_less)
