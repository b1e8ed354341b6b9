"""How much more often a class has a term than a reference: log-odds and log shares, shrunk by an informative prior.

Monroe, Colaresi and Quinn (2008), "Fightin' Words": before anything is counted, both sides are given pseudo-documents
with the term's share of all documents, so that few documents of a rare term do not look like a large difference. Here
a document counts once, whatever it repeats: documents are independent of each other, words of a document are not.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

#: Pseudo-documents on either side, at least.
PRIOR = 10.0
#: The level of all intervals.
LEVEL = 0.95


class Comparison(NamedTuple):
    """Documents with a term, and all documents, of a class and of a reference; arrays that broadcast."""

    a: Any
    n_in: Any
    b: Any
    n_out: Any

    def priors(self, strength: float) -> tuple[Any, Any]:
        """Return pseudo-documents with and without the term, which both sides are given.

        Both sides get the term's share of all documents (plus half a document, for terms in all or none). There are
        `strength` pseudo-documents, or as many more as it takes for half a one with the term, and half a one without:
        with fewer, the interval of a term that the reference lacks would be too wide to say anything.

        Examples
        --------
        >>> [float(prior) for prior in Comparison(2, 4, 1, 5).priors(10.0)]  # 10 * 3.5 / 10
        [3.5, 6.5]
        >>> [float(prior) for prior in Comparison(2, 40, 0, 59).priors(10.0)]  # 0.5 / (2.5 / 100) = 20
        [0.5, 19.5]
        """
        n = np.asarray(self.n_in, dtype=np.float64) + self.n_out
        share = (np.asarray(self.a, dtype=np.float64) + self.b + 0.5) / (n + 1)
        number = np.maximum(strength, 0.5 / np.minimum(share, 1 - share))
        return number * share, number * (1 - share)


class Interval(NamedTuple):
    """Estimates and their standard errors."""

    value: Floats
    error: Floats

    def ends(self, critical: float | None = None) -> tuple[Floats, Floats]:
        """Return the ends, by default those of the 95 % interval of the normal distribution."""
        width = (normal_quantile() if critical is None else critical) * self.error
        return self.value - width, self.value + width


def normal_quantile() -> float:
    """Return how many standard errors the interval has to either side."""
    return float(special.ndtri(0.5 + LEVEL / 2))


def log_odds_ratio(found: Comparison, prior: float = PRIOR) -> Interval:
    """Return log( (a+p)/(n_in-a+r) ) - log( (b+p)/(n_out-b+r) ) and its standard error (Monroe et al. 2008).

    p and r are the pseudo-documents with and without the term. The variance is the sum of the reciprocals of the four
    counts; the paper leaves out those without the term, which are many if words are counted, not documents.

    Parameters
    ----------
    found : Comparison
    prior : float, default=10.0
        Pseudo-documents on either side, at least; see `Comparison.priors`.

    Returns
    -------
    Interval

    Examples
    --------
    >>> value, error = log_odds_ratio(Comparison(2, 4, 1, 5), prior=10.0)  # log 5.5/8.5 - log 4.5/10.5
    >>> float(value.round(4)), float(error.round(4))  # 1/5.5 + 1/8.5 + 1/4.5 + 1/10.5 = 0.6169
    (0.412, 0.7854)
    """
    a, n_in, b, n_out = (np.asarray(part, dtype=np.float64) for part in found)
    with_term, without = found.priors(prior)
    cells = a + with_term, n_in - a + without, b + with_term, n_out - b + without
    value = np.log(cells[0]) - np.log(cells[1]) - np.log(cells[2]) + np.log(cells[3])
    return Interval(value, np.sqrt(sum(1 / cell for cell in cells)))


def log_share_ratio(found: Comparison, prior: float = PRIOR) -> Interval:
    """Return log( (a+p)/(n_in+p+r) ) - log( (b+p)/(n_out+p+r) ) and its standard error, p and r as in `log_odds_ratio`.

    Unlike odds, shares near one are alike: a word in 99 % of the documents of a class and 90 % of the others has ten
    times the odds, but hardly marks the class.

    Parameters
    ----------
    found, prior
        As in `log_odds_ratio`.

    Returns
    -------
    Interval

    Examples
    --------
    >>> value, error = log_share_ratio(Comparison(2, 4, 1, 5), prior=10.0)  # log 5.5/14 - log 4.5/15
    >>> float(value.round(4)), float(error.round(4))  # 1/5.5 - 1/14 + 1/4.5 - 1/15 = 0.2659
    (0.2697, 0.5157)
    """
    a, n_in, b, n_out = (np.asarray(part, dtype=np.float64) for part in found)
    with_term, without = found.priors(prior)
    shares = (a + with_term) / (n_in + with_term + without), (b + with_term) / (n_out + with_term + without)
    variance = (1 - shares[0]) / (a + with_term) + (1 - shares[1]) / (b + with_term)
    return Interval(np.log(shares[0]) - np.log(shares[1]), np.sqrt(variance))
