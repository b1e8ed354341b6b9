"""The paper's term weights: each a pure function from class counts to one number per term.

Symbols: `n` documents, `C_i` of class i, `n_w` that hold the term w, `n_iw` of class i that hold it. With several
labels per document, the class distributions are those of label occurrences, IDF and CIB count documents.
A term that no document holds weighs zero. Fewer than two classes are an error.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from scipy import special

from troenpy.counts.class_counts import ClassCounts
from troenpy.information.estimators import Estimator, check_smoothing
from troenpy.information.measures import entropy
from troenpy.weights.cells import Cells, Floats, by_terms, check_counts, check_two_classes, remainder
from troenpy.weights.class_troenpy import Estimate, Prior, troenpy_of_all, troenpy_with_term


def idf(counts: ClassCounts) -> Floats:
    """Inverse document frequency, 1 + log( n / (1 + n_w) ).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> idf(counts)  # n = 4, n_w = 3 and 1
    array([1.        , 1.69314718])
    """
    return by_terms(counts, _idf)


def pcf_present(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """PCF_1, the troenpy of the classes among the documents that hold the term.

    Parameters
    ----------
    counts : ClassCounts
    smoothing : float, default=1.0
        The s in sum n_iw/n_w log( n_w / (s + n_w - n_iw) ), or the pseudo-documents of the other estimators.
    estimator : {"add_one", "plugin", "dirichlet", "posterior_mean"}, default="add_one"
        As in `troenpy.troenpy`. The plug-in is infinite for a term that occurs in one class only.
    prior : {"uniform", "classes"}, default="uniform"
        Where "dirichlet" and "posterior_mean" put their pseudo-documents: evenly, or by the sizes of the classes.

    Returns
    -------
    ndarray of shape (V,)

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf_present(counts)  # 2/3 log 3/2 + 1/3 log 3/3; log 1/1
    array([0.27031007, 0.        ])
    """
    how = Estimate(smoothing, estimator, prior)
    return by_terms(counts, lambda cells: troenpy_with_term(cells, how))


def pcf(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """The PCF weight, PCF_1 - PCF_*: the certainty of the class that the presence of the term adds.

    Negative where the classes are less certain among the documents with the term than among all.
    Parameters as in `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf(counts)  # PCF_* = log 4/3
    array([-0.017372  , -0.28768207])
    """
    how = Estimate(smoothing, estimator, prior)
    return by_terms(counts, lambda cells: _pcf(cells, how))


def ncf(counts: ClassCounts) -> Floats:
    """The NCF weight, NCF_1 - NCF_*: the PCF weight with (plug-in) entropy in the place of troenpy.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> ncf(counts)  # H(2/3, 1/3) - log 2; 0 - log 2
    array([-0.05663301, -0.69314718])
    """

    def difference(cells: Cells) -> Floats:
        return cells.sum_of_cells(special.entr(cells.n_iw / cells.N_w[cells.w])) - entropy(cells.C)

    return by_terms(counts, difference)


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
    how = Estimate(smoothing, estimator, prior)
    return by_terms(counts, lambda cells: _pcf(cells, how) * _idf(cells))


def cib_ncf(counts: ClassCounts, *, smoothing: float = 1.0, per_class: bool = False) -> Floats:
    """Expected class information bias by NCF: sum_i C_i/n CIB_i.

    CIB_i = log C_i/(1+n_iw) - log (n-C_i)/(1+n_w-n_iw). For two classes it is zero for every term if
    they are of equal size: see `cib_ncf_abs`.

    Parameters
    ----------
    counts : ClassCounts
    smoothing : float, default=1.0
        What stands for the 1.
    per_class : bool, default=False
        Return CIB_i itself, dense and of shape (K, V), instead of its expectation. Classes without documents, and
        those that every document has, have none and give zero.

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
    """Delta-IDF, log( C_i (1+n_w-n_iw) / ((1+n_iw) (n-C_i)) ): the CIB_i of largest magnitude, sign kept.

    Martineau and Finin (2009), smoothed, each class against the rest. Two classes always tie: the first one's
    value, so that its terms are negative.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> delta_idf(counts)  # log (1 * 3) / (2 * 3)
    array([-0.69314718])
    """
    check_smoothing(smoothing)

    def largest(cells: Cells) -> Floats:
        at_cells = _ncf_bias(cells.C[cells.i], cells.n, cells.n_iw, cells.n_w[cells.w], smoothing)
        return cells.largest_magnitude(
            at_cells, lambda i: _ncf_bias(cells.C[i], cells.n, 0.0, cells.n_w, smoothing), class_key=cells.C
        )

    return by_terms(counts, largest)


def _idf(cells: Cells) -> Floats:
    return 1 + np.log(cells.n / (1 + cells.n_w))


def _pcf(cells: Cells, how: Estimate) -> Floats:
    return troenpy_with_term(cells, how) - troenpy_of_all(cells, how)


def _ncf_bias(C: Any, n: float, n_iw: Any, n_w: Any, s: float) -> Any:
    """CIB_i by NCF. Written so that two classes have exactly opposite values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = (np.log(C) - np.log(n - C)) + (np.log(s + remainder(n_w, n_iw)) - np.log(s + n_iw))
    return np.where(np.isfinite(bias), bias, 0.0)


def _pcf_bias(C: Any, n: float, n_iw: Any, n_w: Any, s: float) -> Any:
    """CIB_i by PCF; zero where the class and the term cannot be disjoint, which only cells that cancel ask for."""
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
    return by_terms(counts, lambda cells: _expected_bias(cells, formula, smoothing, magnitude))


def _expected_bias(
    cells: Cells, formula: Callable[..., Any], smoothing: float, magnitude: Callable[[Any], Any]
) -> Floats:
    def share(C: Any, n_iw: Any, n_w: Any) -> Floats:
        return cast(Floats, C / cells.n * magnitude(formula(C, cells.n, n_iw, n_w, smoothing)))

    if len(cells.C) == 2 and np.isclose(cells.N, cells.n) and np.allclose(cells.N_w, cells.n_w):
        # With one label each, CIB_2 = -CIB_1: written out, so that classes of equal size give zero and not rounding.
        n_1w = cells.sum_of_cells(np.where(cells.i == 0, cells.n_iw, 0.0))
        first = formula(cells.C[0], cells.n, n_1w, cells.n_w, smoothing)
        return cast(Floats, magnitude(first) if magnitude is np.abs else (cells.C[0] - cells.C[1]) / cells.n * first)
    at_cells = share(cells.C[cells.i], cells.n_iw, cells.n_w[cells.w])
    return cells.sum(at_cells, lambda C, n_w: share(C, 0.0, n_w), cells.n_w)
