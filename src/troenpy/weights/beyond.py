"""Our own term weights, beyond the paper: certainty from both sides of a term, and a factor that never falls below 1.

Symbols and conventions as in `paper`.
"""

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.information.estimators import Estimator
from troenpy.weights.cells import Cells, Floats, by_terms
from troenpy.weights.class_troenpy import Estimate, Prior, troenpy_of_all, troenpy_with_term, two_sided_troenpy


def pcf_gain(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """Two-sided certainty gain, q PCF_1 + (1-q) PCF_-1 - PCF_*, with q the share of the term's documents.

    With the plug-in estimator this is `troenpy_gain` of class and presence, never negative; with others it may be.
    Parameters as in `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf_gain(counts)  # 3/4 * 0.27031 + 1/4 * 0 - log 4/3, and the same with the sides exchanged
    array([-0.08494952, -0.08494952])
    """
    how = Estimate(smoothing, estimator, prior)

    def gain(cells: Cells) -> Floats:
        difference = two_sided_troenpy(cells, how) - troenpy_of_all(cells, how)
        return np.maximum(difference, 0.0) if estimator == "plugin" else difference

    return by_terms(counts, gain)


def certainty(counts: ClassCounts, *, smoothing: float = 1.0) -> Floats:
    """The two-sided certainty gain per document that holds the term: max(0, G) / q.

    G = q T(p+) + (1-q) T(p-) - T(c), where both sides are shrunk to the class distribution c by one pseudo-document:
    p+_i = (n_iw + s c_i) / (n_w + s) among the documents with the term, p-_i = (C_i - n_iw + s c_i) / (n - n_w + s)
    among those without. G is `pcf_gain` with the estimator "dirichlet" and the prior "classes". What `pcf` lacks is the
    second side: G/q = (T(p+) - T(c)) + (1-q)/q (T(p-) - T(c)). It is zero where the term says nothing of the class, and
    tends, for rare terms (q to 0) and little smoothing, to the Bregman divergence of T between p+ and c, as information
    gain per document tends to that of Kullback and Leibler.

    Parameters
    ----------
    counts : ClassCounts
    smoothing : float, default=1.0
        The s, in pseudo-documents.

    Returns
    -------
    ndarray of shape (V,)

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 1], [1, 1], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    >>> certainty(counts)  # p+ = 5/6, 1/6; p- = 1/6, 5/6; c = 1/2, 1/2: (1.52352 - log 2) / (1/2); 0
    array([1.66074527, 0.        ])
    """
    how = Estimate(smoothing, "dirichlet", "classes")

    def gain(cells: Cells) -> Floats:
        whole = troenpy_of_all(cells, how)
        difference = two_sided_troenpy(cells, how) - whole
        # What rounding leaves of a term that says nothing, divided by a small q, would look like a weight.
        is_gain = difference > 8 * np.finfo(np.float64).eps * whole
        share = cells.N_w / cells.N
        return np.divide(difference, share, out=np.zeros_like(share), where=is_gain & (share > 0))

    return by_terms(counts, gain)


def pcf_boost(
    counts: ClassCounts, *, smoothing: float = 1.0, estimator: Estimator = "add_one", prior: Prior = "uniform"
) -> Floats:
    """1 + PCF_1: a factor for another weight, never below 1 for whole documents, as in "pcf_boost*idf".

    Parameters as in `pcf_present`.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    >>> pcf_boost(counts)  # 1 + 2/3 log 3/2 + 1/3 log 3/3; 1 + log 1/1
    array([1.27031007, 1.        ])
    """
    how = Estimate(smoothing, estimator, prior)
    return by_terms(counts, lambda cells: 1 + troenpy_with_term(cells, how))
