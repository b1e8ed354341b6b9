"""Term weights by other authors, to compare with; same signature and symbols as in `paper`.

The 2 x 2 table of a term, for a class i against the rest, is a = n_iw, b = C_i - a, c = n_w - a, d = n - C_i - c. The
weight is the maximum over the classes unless stated otherwise, and zero for a term in no document.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from troenpy.counts.class_counts import ClassCounts
from troenpy.fitting.parameters import check_not_negative
from troenpy.weights.count_table import CountTable, Floats, Integers, apply_by_term, check_counts, remainder


def rf(counts: ClassCounts) -> Floats:
    """Relevance frequency, log2(2 + a / max(1, c)), of tf.rf (Lan et al. 2009).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [1]], ["a", "b", "b", "b"])
    >>> rf(counts)  # max of log2(2 + 1/2) and log2(2 + 2/1)
    array([2.])
    """

    def frequency(table: CountTable) -> Floats:
        a = table.n_iw
        ratio = table.max_by_term(a / np.maximum(1.0, remainder(table.n_w[table.w], a)))
        return np.log2(2 + np.maximum(ratio, 0.0))

    return apply_by_term(counts, frequency)


def icf(counts: ClassCounts) -> Floats:
    """Inverse category frequency, log(1 + K / number of classes with the term), of tf.icf (Wang and Zhang 2013).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 1]], ["a", "b"])
    >>> icf(counts)  # log(1 + 2/2), log(1 + 2/1)
    array([0.69314718, 1.09861229])
    """
    return apply_by_term(counts, lambda table: np.log1p(len(table.C) / np.maximum(1, np.diff(table.starts))))


def dc(counts: ClassCounts) -> Floats:
    """Distributional concentration, 1 - H(classes given the term) / log K (Wang et al. 2015).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 1]], ["a", "b"])
    >>> dc(counts)
    array([0., 1.])
    """
    return apply_by_term(counts, lambda table: 1 - _normalised_entropy(table, table.n_iw))


def bdc(counts: ClassCounts) -> Floats:
    """Balanced distributional concentration: `dc` of the rates n_iw / C_i, renormalised (Wang et al. 2015).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0]], ["a", "b", "b"])
    >>> bdc(counts)  # rates 1 and 1/2: 1 - H(2/3, 1/3) / log 2
    array([0.08170417])
    """
    return apply_by_term(counts, lambda table: 1 - _normalised_entropy(table, table.n_iw / table.C[table.i]))


def re(counts: ClassCounts, *, bias: float = 0.1) -> Floats:
    """Regularised entropy, bias + (1 - bias) (1 - h), with h the normalised entropy of `dc` (Wu and Gu 2017).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 1]], ["a", "b"])
    >>> re(counts)
    array([0.1, 1. ])
    """
    if check_not_negative("bias", bias) > 1:
        raise ValueError(f"bias must lie between 0 and 1, got {bias!r}")
    return apply_by_term(counts, lambda table: bias + (1 - bias) * (1 - _normalised_entropy(table, table.n_iw)))


def igm(counts: ClassCounts, *, strength: float = 7.0) -> Floats:
    """Inverse gravity moment, 1 + L f_1 / sum_r r f_r, with f the n_iw in descending order (Chen et al. 2016).

    Parameters
    ----------
    counts : ClassCounts
    strength : float, default=7.0
        The L in the formula.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [1]], ["a", "b", "b"])
    >>> igm(counts)  # 1 + 7 * 2 / (1*2 + 2*1)
    array([4.5])
    """
    check_not_negative("strength", strength)

    def concentration(table: CountTable) -> Floats:
        falling = table.n_iw[np.lexsort((-table.n_iw, table.w))]
        rank = np.arange(1, len(falling) + 1) - table.starts[table.w]
        moment = table.sum_by_term(rank * falling)
        largest = np.maximum(table.max_by_term(table.n_iw), 0.0)
        return 1 + strength * largest / np.where(moment > 0, moment, 1.0)

    return apply_by_term(counts, concentration)


def chi2(counts: ClassCounts) -> Floats:
    """Pearson's chi-squared of presence and class, n (ad - bc)^2 / ((a+c)(b+d)(a+b)(c+d)).

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "a", "b", "b"])
    >>> chi2(counts)
    array([4.])
    """
    check_counts(counts)
    n = float(counts.n_documents)

    def statistic(C: Any, a: Any, n_w: Any) -> Any:
        absent, others = remainder(n, n_w), remainder(n, C)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # ad - bc = a n - n_w C_i
            product = n_w * absent * C * others
            value = n * (a * n - n_w * C) ** 2 / product
            is_in_range = np.isfinite(value) & (product > 1e-280)
            if not np.all(is_in_range):  # square roots, for sample weights whose powers overflow or underflow
                roots = np.sqrt(n_w) * np.sqrt(C)
                phi = (a * (n / roots) - roots) / (np.sqrt(absent) * np.sqrt(others))
                value = np.where(is_in_range, value, n * phi**2)
        return np.where((absent > 0) & (others > 0), value, 0.0)

    return apply_by_term(counts, lambda table: _largest(table, statistic))


def ig(counts: ClassCounts) -> Floats:
    """Information gain: the mutual information between presence and class, in nats.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "a", "b", "b"])
    >>> ig(counts)
    array([0.69314718])
    """
    return apply_by_term(counts, _gain)


def gain_ratio(counts: ClassCounts) -> Floats:
    """Quinlan's gain ratio: information gain divided by the entropy of presence; zero for a term in every document.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "a", "b", "b"])
    >>> gain_ratio(counts)
    array([1.])
    """

    def ratio(table: CountTable) -> Floats:
        share = np.minimum(table.N_w / table.N, 1.0)
        spread = special.entr(share) + special.entr(remainder(1.0, share))
        # At most 1 in theory: a tiny spread would magnify rounding errors.
        return np.where(spread > 0, np.minimum(_gain(table) / np.where(spread > 0, spread, 1.0), 1 + 1e-9), 0.0)

    return apply_by_term(counts, ratio)


def odds_ratio(counts: ClassCounts) -> Floats:
    """Log odds ratio, log( (a+.5)(d+.5) / ((b+.5)(c+.5)) ): the signed value of largest magnitude.

    Two classes always tie, and the first one wins, so that its terms are positive.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "a", "b", "b"])
    >>> odds_ratio(counts)  # log (2.5 * 2.5) / (0.5 * 0.5)
    array([3.21887582])
    """
    check_counts(counts)
    n = float(counts.n_documents)

    def log_odds(C: Any, a: Any, n_w: Any) -> Any:
        b, c = remainder(C, a), remainder(n_w, a)
        d = remainder(n - C, c)
        return (np.log(a + 0.5) + np.log(d + 0.5)) - (np.log(b + 0.5) + np.log(c + 0.5))

    def largest(table: CountTable) -> Floats:
        at_nonzeros = log_odds(table.C[table.i], table.n_iw, table.n_w[table.w])
        return table.largest_magnitude(at_nonzeros, lambda i: log_odds(table.C[i], 0.0, table.n_w), class_key=table.C)

    return apply_by_term(counts, largest)


def bns(counts: ClassCounts) -> Floats:
    """Bi-normal separation, | F^-1(a/C_i) - F^-1(c/(n-C_i)) |, with F the normal distribution (Forman 2008).

    Rates are clipped to 0.0005 and 0.9995.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "a", "b", "b"])
    >>> bns(counts)  # 2 * 3.2905...
    array([6.5810...])
    """
    check_counts(counts)
    n = float(counts.n_documents)

    def separation(C: Any, a: Any, n_w: Any) -> Any:
        others = remainder(n, C)
        rate = remainder(n_w, a) / np.where(others > 0, others, 1.0)
        return np.where(others > 0, np.abs(_normal_quantile(a / C) - _normal_quantile(rate)), 0.0)

    return apply_by_term(counts, lambda table: _largest(table, separation))


def nb(counts: ClassCounts) -> Floats:
    """Naive-Bayes log-count ratio, log( (a+1)/sum(a+1) ) - log( (c+1)/sum(c+1) ), of NB-SVM (Wang and Manning 2012).

    The sums run over all terms, and the weight is the signed value of largest magnitude. Two classes always tie, and
    the first one wins, so that its terms are positive.

    Examples
    --------
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 1]], ["a", "b"])
    >>> nb(counts)  # log 2/3 - log 2/4; log 1/3 - log 2/4
    array([ 0.28768207, -0.40546511])
    """
    check_counts(counts)
    n_classes, n_terms = counts.doc_freq.shape
    has_documents = counts.n_docs > 0
    in_class = np.bincount(counts.doc_freq.indices, weights=counts.doc_freq.data, minlength=n_classes)[has_documents]
    log_sum = np.log(in_class + n_terms)
    log_sum_rest = np.log(remainder(float(counts.term_docs.sum()), in_class) + n_terms)

    def ratio(i: Integers, a: Any, n_w: Any) -> Any:
        return (np.log1p(a) - np.log1p(remainder(n_w, a))) - (log_sum[i] - log_sum_rest[i])

    def largest(table: CountTable) -> Floats:
        at_nonzeros = ratio(table.i, table.n_iw, table.n_w[table.w])
        key = log_sum - log_sum_rest
        return table.largest_magnitude(at_nonzeros, lambda i: ratio(i, 0.0, table.n_w), class_key=key)

    return apply_by_term(counts, largest)


def _gain(table: CountTable) -> Floats:
    C, x, N_w, N = table.C[table.i], table.n_iw, table.N_w[table.w], table.N
    absent = remainder(N, table.N_w)
    left = np.where(absent[table.w] > 0, remainder(C, x), 0.0)  # otherwise the difference is a rounding error
    present_part = x * np.log(x * N / (C * N_w))
    absent_part = special.xlogy(left, left * N / np.where(left > 0, C * absent[table.w], 1.0))
    # Each class without the term contributes C_i log( N / (N - N_w) ).
    lacking = remainder(N, table.sum_by_term(C))
    total = table.sum_by_term(present_part + absent_part) + special.xlogy(lacking, N / np.where(absent > 0, absent, N))
    return np.maximum(total / N, 0.0)


def _normalised_entropy(table: CountTable, values: Floats) -> Floats:
    totals = table.sum_by_term(values)
    return table.sum_by_term(special.entr(values / totals[table.w])) / np.log(len(table.C))


def _normal_quantile(rate: Any) -> Any:
    return special.ndtri(np.clip(rate, 0.0005, 1 - 0.0005))


def _largest(table: CountTable, formula: Callable[[Any, Any, Any], Any]) -> Floats:
    """Return the maximum over all classes of a formula of C_i, a and n_w that increases with C_i at a = 0."""
    at_nonzeros = formula(table.C[table.i], table.n_iw, table.n_w[table.w])
    lacking = table.first_class_without(-table.C)
    zeros = np.where(lacking >= 0, formula(table.C[lacking], 0.0, table.n_w), -np.inf)
    return np.maximum(table.max_by_term(at_nonzeros), zeros)
