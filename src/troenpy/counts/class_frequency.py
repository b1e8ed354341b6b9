"""The rule of `min_class_df`: which terms are in enough documents of some class."""

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from troenpy.counts.class_counts import ClassCounts


def check_min_class_df(min_class_df: Any) -> None:
    """Raise unless this is None, a number of documents, or a share of the documents of a class.

    Examples
    --------
    >>> check_min_class_df(0.2)
    >>> check_min_class_df(0)
    Traceback (most recent call last):
        ...
    ValueError: min_class_df must be None, a whole number of at least 1 or a share above 0 and up to 1.0, got 0
    """
    is_number = isinstance(min_class_df, Real) and not isinstance(min_class_df, bool)
    is_whole = is_number and isinstance(min_class_df, Integral)
    if min_class_df is None or (is_number and min_class_df > 0 and (is_whole or min_class_df <= 1)):
        return
    raise ValueError(
        "min_class_df must be None, a whole number of at least 1 or a share above 0 and up to 1.0, got"
        f" {min_class_df!r:.60}"
    )


def frequent_in_some_class(counts: "ClassCounts", min_class_df: Any) -> NDArray[np.bool_]:
    """Return a mask of the terms that some class has in at least `min_class_df` documents.

    Parameters
    ----------
    counts : ClassCounts
    min_class_df : int or float
        A number of documents, or a share of the documents of the class.

    Returns
    -------
    mask : ndarray of shape (V,)

    Examples
    --------
    >>> from troenpy import ClassCounts
    >>> counts = ClassCounts.from_matrix([[1, 0], [1, 0], [1, 0], [1, 1]], ["x", "x", "x", "y"])
    >>> frequent_in_some_class(counts, 2).tolist(), frequent_in_some_class(counts, 0.5).tolist()
    ([True, False], [True, True])
    """
    doc_freq = counts.doc_freq
    slack = 1 + 1e-9 if counts.is_weighted else 1  # sums of weights in a different order differ by rounding
    # A quotient, because 7 / 100 >= 0.07 holds, but 7 >= 0.07 * 100 does not.
    is_whole = isinstance(min_class_df, Integral)
    present = doc_freq.data if is_whole else doc_freq.data / counts.n_docs[doc_freq.indices]
    mask = np.zeros(doc_freq.shape[1], dtype=bool)
    mask[counts.columns()[present * slack >= min_class_df]] = True
    return mask
