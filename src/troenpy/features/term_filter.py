"""Which terms CountVectorizer keeps, beyond the limits of document frequency: by class, and the most frequent."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.class_frequency import frequent_in_some_class
from troenpy.counts.counting import read_weights
from troenpy.counts.labels import Labels, check_labels_fit

#: How errors begin if no term is left, in scikit-learn's words.
NO_TERMS = ("empty vocabulary", "After pruning, no terms remain")


def is_about_missing_terms(error: Exception) -> bool:
    """Whether fitting failed because no document has a term, or none is left."""
    return isinstance(error, ValueError) and str(error).startswith(NO_TERMS)


@dataclass(frozen=True, eq=False)
class ClassFilter:
    """The filter of `min_class_df`, for documents with labels and, if any, sample weights."""

    min_class_df: float
    labels: Labels
    sample_weight: Any = None

    def kept(self, X: Any, n_threads: int = 1) -> NDArray[np.bool_]:
        """Return a mask of the terms that some class has in enough documents.

        Parameters
        ----------
        X : CSR of shape (n_documents, n_terms)
            The counts of all terms: canonical, with positive values only.
        n_threads : int, default=1

        Returns
        -------
        mask : ndarray of shape (n_terms,)
        """
        check_labels_fit(self.labels, X.shape[0], whole=False)
        weights = read_weights(self.sample_weight, len(self.labels))
        counts = ClassCounts.from_present(X, self.labels, weights, n_threads=n_threads)
        return frequent_in_some_class(counts, self.min_class_df)


def most_frequent(kept: NDArray[np.bool_], totals: NDArray[Any], n_terms: int) -> NDArray[np.bool_]:
    """Return a mask of the kept terms with the largest totals, at most this many.

    Ties are broken by numpy's argsort over the sorted terms, as in scikit-learn.

    Examples
    --------
    >>> most_frequent(np.array([True, False, True]), np.array([1, 9, 3]), 1).tolist()
    [False, False, True]
    """
    if np.count_nonzero(kept) <= n_terms:
        return kept
    mask = np.zeros_like(kept)
    mask[np.flatnonzero(kept)[(-totals[kept]).argsort()[:n_terms]]] = True
    return mask
