"""How evenly a term is spread over parts of a corpus."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def deviation_of_proportions(parts: Any, sizes: Any) -> NDArray[np.float64]:
    """Return the deviation of proportions, DP (Gries 2008, "Dispersions and adjusted frequencies in corpora").

    Half the sum, over all parts, of the difference between the part's share of the term's documents and its share of
    all documents. 0 means spread exactly evenly; near 1, all in one small part. A term in few documents cannot be even:
    of one document in 20 equal parts it is 0.95.

    Parameters
    ----------
    parts : array-like of shape (n_parts, n_terms)
        Documents with the term in each part.
    sizes : array-like of shape (n_parts,)
        All documents of each part.

    Returns
    -------
    ndarray of shape (n_terms,)
        NaN for a term in no document.

    Examples
    --------
    >>> deviation_of_proportions([[2, 4], [2, 0]], [10, 10])  # |1/2 - 1/2|; (|1 - 1/2| + |0 - 1/2|) / 2
    array([0. , 0.5])
    """
    parts, sizes = np.asarray(parts, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    totals = parts.sum(axis=0)
    shares = np.divide(parts, totals, out=np.full_like(parts, np.nan), where=totals > 0)
    difference = shares - (sizes / max(sizes.sum(), 1.0))[:, np.newaxis]
    return np.asarray(np.abs(difference).sum(axis=0) / 2)
