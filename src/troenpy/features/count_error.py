"""How much the counts of a bounded stream may be wrong."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts


class CountError(NamedTuple):
    """What `max_terms` may have cost; all zero while no term had to be dropped.

    Parameters
    ----------
    by_term : ndarray of shape (n_terms,)
        At most this many documents of each term are missing from `counts_`. It has counted all documents since the
        term entered the table; these are the documents that it may have been in before.
    kept_above : int or float
        A term in more documents than this is certainly in the table. It is at most the sum of the number of different
        terms of every document, divided by `max_terms`.
    """

    by_term: NDArray[Any]
    kept_above: int | float

    @classmethod
    def of(cls, counts: ClassCounts) -> "CountError":
        """Return the error of counts."""
        errors = np.zeros_like(counts.term_docs) if counts.errors is None else counts.errors
        return cls(errors, counts.kept_above)
