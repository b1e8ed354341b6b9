"""Our own term weights, beyond the paper; symbols and conventions as in `paper`."""

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.information.estimators import Estimator
from troenpy.weights.class_troenpy import Estimate, Prior, troenpy_of_all, troenpy_with_term, two_sided_troenpy
from troenpy.weights.count_table import CountTable, Floats, apply_by_term


def pcf_gain(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """Two-sided certainty gain, q PCF_1 + (1-q) PCF_-1 - PCF_*, with q the fraction of documents that have the term.

    With the plug-in estimator this is the `troenpy_gain` of class and presence, which is never negative; with the
    others it can be. Parameters as in `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf_gain(counts)  # 3/4 * 0.27031 + 1/4 * 0 - log 4/3, and the same with the sides swapped
    array([-0.08494952, -0.08494952])
    """
    estimate = Estimate(smoothing, estimator, prior)

    def gain(table: CountTable) -> Floats:
        difference = two_sided_troenpy(table, estimate) - troenpy_of_all(table, estimate)
        return np.maximum(difference, 0.0) if estimator == "plugin" else difference

    return apply_by_term(counts, gain)


def certainty(counts: ClassCounts, *, smoothing: float = 1.0) -> Floats:
    """Two-sided certainty gain per document that has the term: max(0, G) / q.

    G = q T(p+) + (1-q) T(p-) - T(c). Both sides are shrunk towards the class distribution c by s pseudo-documents:
    p+_i = (n_iw + s c_i) / (n_w + s) among the documents with the term, p-_i = (C_i - n_iw + s c_i) / (n - n_w + s)
    among those without. G is `pcf_gain` with the estimator "dirichlet" and the prior "classes". Unlike `pcf`, it
    includes the documents without the term: G/q = (T(p+) - T(c)) + (1-q)/q (T(p-) - T(c)). It is zero if the term tells
    nothing about the class. For rare terms (q to 0) and little smoothing it tends to the Bregman divergence of T
    between p+ and c, just as information gain per document tends to the Kullback-Leibler divergence.

    Parameters
    ----------
    counts : ClassCounts
    smoothing : float, default=1.0
        The s in the formula: the number of pseudo-documents.

    Returns
    -------
    ndarray of shape (V,)

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 1], [1, 1], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    >>> certainty(counts)  # p+ = 5/6, 1/6; p- = 1/6, 5/6; c = 1/2, 1/2: (1.52352 - log 2) / (1/2); 0
    array([1.66074527, 0.        ])
    """
    estimate = Estimate(smoothing, "dirichlet", "classes")

    def gain(table: CountTable) -> Floats:
        whole = troenpy_of_all(table, estimate)
        difference = two_sided_troenpy(table, estimate) - whole
        # For a term that tells nothing, a rounding error divided by a small q would look like a weight.
        is_gain = difference > 8 * np.finfo(np.float64).eps * whole
        share = table.N_w / table.N
        return np.divide(difference, share, out=np.zeros_like(share), where=is_gain & (share > 0))

    return apply_by_term(counts, gain)


def pcf_boost(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """1 + PCF_1, a factor to multiply another weight by, as in "pcf_boost*idf".

    At least 1, unless sample weights are below 1. Parameters as in `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf_boost(counts)  # 1 + 2/3 log 3/2 + 1/3 log 3/3; 1 + log 1/1
    array([1.27031007, 1.        ])
    """
    estimate = Estimate(smoothing, estimator, prior)
    return apply_by_term(counts, lambda table: 1 + troenpy_with_term(table, estimate))
