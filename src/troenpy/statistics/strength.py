"""In which order the terms of a class are read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.statistics.log_odds import PRIOR, Comparison, log_share_ratio, normal_quantile


def mark_strength(found: Comparison, sign: Any = 1, prior: float = PRIOR) -> NDArray[np.float64]:
    """Return how strongly a term marks a class: share x certain ratio x rarity.

    share is that of the documents of the class that have the term; the ratio is the lower end of the 95 % interval of
    the logarithm of that share over the reference's; rarity is the logarithm of all documents over those with the term.
    It is what the term adds to the divergence of the class from the reference, if the ratio is no larger than what is
    certain, times how rare it is. The order by p-value, or by log-odds over their error, begins with function words;
    by the lower end of the log-odds it begins with rare terms.

    Parameters
    ----------
    found : Comparison
    sign : int or array-like, default=1
        1 for terms that the class has more often; -1 for terms that it has less often: then the two sides are swapped.
    prior : float, default=10.0
        Pseudo-documents, as in `log_share_ratio`.

    Returns
    -------
    ndarray
        Below zero if the interval includes equal shares.

    Examples
    --------
    >>> found = Comparison([40, 90], 100, [0, 45], 100)  # all of 40 documents; 90 and 45 of 100
    >>> mark_strength(found).round(2)
    array([1.01, 0.14])
    """
    a, n_in, b, n_out = (np.asarray(part, dtype=np.float64) for part in found)
    value, error = log_share_ratio(found, prior)
    certain = np.asarray(sign) * value - normal_quantile() * error
    is_more = np.asarray(sign) > 0
    with_term, without = found.priors(prior)
    size = with_term + without
    share = np.where(is_more, (a + with_term) / (n_in + size), (b + with_term) / (n_out + size))
    rarity = np.log((n_in + n_out + 1) / (a + b + 0.5))
    return np.asarray(share * certain * rarity, dtype=np.float64)
