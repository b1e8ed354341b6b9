"""The paper's term weights: pure functions from class counts to one number per term.

Symbols: `n` documents, `C_i` in class i, `n_w` with the term w, `n_iw` in class i with the term. With several labels
per document, class distributions count label occurrences, while IDF and CIB count documents. A term in no document has
weight zero. At least two classes are required.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from scipy import special

from troenpy.counts.class_counts import ClassCounts
from troenpy.information.estimators import Estimator, check_smoothing
from troenpy.information.measures import entropy
from troenpy.weights.class_troenpy import Estimate, Prior, troenpy_of_all, troenpy_with_term
from troenpy.weights.count_table import CountTable, Floats, apply_by_term, check_counts, check_two_classes, remainder


def idf(counts: ClassCounts) -> Floats:
    """Inverse document frequency, 1 + log( n / (1 + n_w) ).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> idf(counts)  # n = 4, n_w = 3 and 1
    array([1.        , 1.69314718])
    """
    return apply_by_term(counts, _idf)


def pcf_present(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """PCF_1, the troenpy of the classes among the documents that have the term.

    Parameters
    ----------
    counts : ClassCounts
    smoothing : float, default=1.0
        The s in sum n_iw/n_w log( n_w / (s + n_w - n_iw) ), or the number of pseudo-documents of other estimators.
    estimator : {"add_one", "plugin", "dirichlet", "posterior_mean"}, default="add_one"
        As in `troenpy.troenpy`. "plugin" is infinite for a term that occurs in only one class.
    prior : {"uniform", "classes"}, default="uniform"
        How "dirichlet" and "posterior_mean" distribute their pseudo-documents: evenly, or by class size.

    Returns
    -------
    ndarray of shape (V,)

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf_present(counts)  # 2/3 log 3/2 + 1/3 log 3/3; log 1/1
    array([0.27031007, 0.        ])
    """
    estimate = Estimate(smoothing, estimator, prior)
    return apply_by_term(counts, lambda table: troenpy_with_term(table, estimate))


def pcf(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """The PCF weight, PCF_1 - PCF_*: how much the term's presence adds to the certainty of the class.

    Negative if the class is less certain among the documents with the term than among all documents. Parameters as in
    `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf(counts)  # PCF_* = log 4/3
    array([-0.017372  , -0.28768207])
    """
    estimate = Estimate(smoothing, estimator, prior)
    return apply_by_term(counts, lambda table: _pcf(table, estimate))


def ncf(counts: ClassCounts) -> Floats:
    """The NCF weight, NCF_1 - NCF_*: the PCF weight with plug-in entropy instead of troenpy.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> ncf(counts)  # H(2/3, 1/3) - log 2; 0 - log 2
    array([-0.05663301, -0.69314718])
    """

    def difference(table: CountTable) -> Floats:
        return table.sum_by_term(special.entr(table.n_iw / table.N_w[table.w])) - entropy(table.C)

    return apply_by_term(counts, difference)


def pi(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """The PI weight of TF-PI: PCF x IDF. Parameters as in `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pi(counts)
    array([-0.017372  , -0.48708809])
    """
    estimate = Estimate(smoothing, estimator, prior)
    return apply_by_term(counts, lambda table: _pcf(table, estimate) * _idf(table))


def cib_ncf(counts: ClassCounts, *, smoothing: float = 1.0, per_class: bool = False) -> Floats:
    """Expected class information bias by NCF: sum_i C_i/n CIB_i.

    CIB_i = log C_i/(1+n_iw) - log (n-C_i)/(1+n_w-n_iw). With two classes of equal size it is zero for every term: see
    `cib_ncf_abs`.

    Parameters
    ----------
    counts : ClassCounts
    smoothing : float, default=1.0
        Replaces the 1 in the formula.
    per_class : bool, default=False
        Return CIB_i itself, a dense array of shape (K, V), instead of its expectation. It is zero for a class without
        documents and for a class that every document has.

    Returns
    -------
    ndarray of shape (V,) or (K, V)

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> cib_ncf(counts)  # 1/4 (log 1/2 - log 3/3) + 3/4 (log 3/3 - log 1/2)
    array([0.34657359])
    """
    return _bias(counts, _ncf_bias, smoothing, per_class, np.positive)


def cib_pcf(counts: ClassCounts, *, smoothing: float = 1.0, per_class: bool = False) -> Floats:
    """Expected class information bias by PCF: sum_i C_i/n CIB_i over the documents without the term.

    CIB_i = log C_i/(1+C_i-n_iw) - log (n-C_i)/(1+n-C_i-n_w+n_iw). Parameters as in `cib_ncf`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> cib_pcf(counts)  # 1/4 (log 1/1 - log 3/2) + 3/4 (log 3/2 - log 1/1)
    array([0.20273255])
    """
    return _bias(counts, _pcf_bias, smoothing, per_class, np.positive)


def cib_ncf_abs(counts: ClassCounts, *, smoothing: float = 1.0, per_class: bool = False) -> Floats:
    """`cib_ncf` with the absolute value inside the sum, so that it also works for two classes of equal size.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> cib_ncf_abs(counts)
    array([0.69314718])
    """
    return _bias(counts, _ncf_bias, smoothing, per_class, np.abs)


def cib_pcf_abs(counts: ClassCounts, *, smoothing: float = 1.0, per_class: bool = False) -> Floats:
    """`cib_pcf` with the absolute value inside the sum, so that it also works for two classes of equal size.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> cib_pcf_abs(counts)
    array([0.40546511])
    """
    return _bias(counts, _pcf_bias, smoothing, per_class, np.abs)


def delta_idf(counts: ClassCounts, *, smoothing: float = 1.0) -> Floats:
    """Delta-IDF, log( C_i (1+n_w-n_iw) / ((1+n_iw) (n-C_i)) ): the signed CIB_i of largest magnitude.

    Martineau and Finin (2009), smoothed, each class against the rest. Two classes always tie, and the first one wins,
    so that its terms are negative.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> delta_idf(counts)  # log (1 * 3) / (2 * 3)
    array([-0.69314718])
    """
    check_smoothing(smoothing)

    def largest(table: CountTable) -> Floats:
        at_nonzeros = _ncf_bias(table.C[table.i], table.n, table.n_iw, table.n_w[table.w], smoothing)
        return table.largest_magnitude(
            at_nonzeros, lambda i: _ncf_bias(table.C[i], table.n, 0.0, table.n_w, smoothing), class_key=table.C
        )

    return apply_by_term(counts, largest)


def _idf(table: CountTable) -> Floats:
    return 1 + np.log(table.n / (1 + table.n_w))


def _pcf(table: CountTable, estimate: Estimate) -> Floats:
    return troenpy_with_term(table, estimate) - troenpy_of_all(table, estimate)


def _ncf_bias(C: Any, n: float, n_iw: Any, n_w: Any, s: float) -> Any:
    """CIB_i by NCF. Written so that two classes have exactly opposite values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = (np.log(C) - np.log(n - C)) + (np.log(s + remainder(n_w, n_iw)) - np.log(s + n_iw))
    return np.where(np.isfinite(bias), bias, 0.0)


def _pcf_bias(C: Any, n: float, n_iw: Any, n_w: Any, s: float) -> Any:
    """CIB_i by PCF; zero where the class and the term must overlap, which only happens for entries that cancel out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = remainder(n - C, n_w - n_iw)
        bias = (np.log(C) - np.log(n - C)) + (np.log(s + rest) - np.log(s + remainder(C, n_iw)))
    return np.where(np.isfinite(bias), bias, 0.0)


def _bias(
    counts: ClassCounts, formula: Callable[..., Any], smoothing: float, per_class: bool, magnitude: Callable[[Any], Any]
) -> Floats:
    check_smoothing(smoothing)
    check_counts(counts)
    if per_class:
        check_two_classes(counts.classes[counts.n_docs > 0])
        dense = counts.doc_freq.toarray().astype(np.float64)
        sizes, n_w = counts.n_docs[:, np.newaxis].astype(np.float64), counts.term_docs.astype(np.float64)
        return np.where(n_w > 0, magnitude(formula(sizes, float(counts.n_documents), dense, n_w, smoothing)), 0.0)
    return apply_by_term(counts, lambda table: _expected_bias(table, formula, smoothing, magnitude))


def _expected_bias(
    table: CountTable, formula: Callable[..., Any], smoothing: float, magnitude: Callable[[Any], Any]
) -> Floats:
    def share(C: Any, n_iw: Any, n_w: Any) -> Floats:
        return cast(Floats, C / table.n * magnitude(formula(C, table.n, n_iw, n_w, smoothing)))

    if len(table.C) == 2 and np.isclose(table.N, table.n) and np.allclose(table.N_w, table.n_w):
        # With one label per document CIB_2 = -CIB_1; written out so that classes of equal size give exactly zero.
        n_1w = table.sum_by_term(np.where(table.i == 0, table.n_iw, 0.0))
        first = formula(table.C[0], table.n, n_1w, table.n_w, smoothing)
        return cast(Floats, magnitude(first) if magnitude is np.abs else (table.C[0] - table.C[1]) / table.n * first)
    at_nonzeros = share(table.C[table.i], table.n_iw, table.n_w[table.w])
    return table.sum(at_nonzeros, lambda C, n_w: share(C, 0.0, n_w), table.n_w)
