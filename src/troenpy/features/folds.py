"""Folds for cross-fitting: each document is in exactly one test fold."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from troenpy.counts.labels import Labels


def folds(cv: Any, random_state: Any, X: Any, labels: Labels) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return the training and test rows of each fold.

    Parameters
    ----------
    cv : int, splitter or iterable of splits
        An int is a number of shuffled folds, stratified if every document has one label.
    random_state : int, RandomState instance or None
        Seed for shuffling, if `cv` is an int.
    X : matrix of shape (n_documents, n_terms)
    labels : Labels
    """
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv  # slow to import, rarely needed

    if isinstance(cv, Integral):
        check_folds(cv, random_state, X.shape[0])
        splitter = (StratifiedKFold if labels.is_single else KFold)(int(cv), shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv)
    y = labels.classes[labels.indicator.indices] if labels.is_single else labels.indicator.toarray()
    try:
        pairs = [(train, test) for train, test in splitter.split(X, y)]
    except (ValueError, TypeError) as error:
        raise ValueError(f"cv cannot split the {X.shape[0]} documents: {error}") from None
    splits = [(_rows(train, X.shape[0]), _rows(test, X.shape[0])) for train, test in pairs]
    times = np.zeros(X.shape[0], dtype=np.int64)
    for _, test in splits:
        np.add.at(times, test, 1)
    if (times != 1).any():
        wrong = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"cv must put every document in exactly one test fold, got {times[wrong]} for document {wrong}: use a"
            " K-fold splitter"
        )
    return splits


def check_folds(cv: Any, random_state: Any, n_documents: int) -> None:
    """Raise ValueError unless the documents can be split into `cv` shuffled folds."""
    if isinstance(cv, bool) or not 2 <= cv <= n_documents:
        raise ValueError(f"cv must be between 2 and the number of documents, {n_documents}, got {cv}")
    try:
        check_random_state(random_state)
    except ValueError:
        message = f"random_state must be None, an int from 0 to 2**32 - 1 or a RandomState, got {random_state!r}"
        raise ValueError(message) from None


def _rows(rows: Any, n_documents: int) -> NDArray[Any]:
    """Convert rows or a mask to row numbers, and check them."""
    rows = np.asarray(rows)
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    if rows.size and not (rows.dtype.kind in "iu" and rows.min() >= 0 and rows.max() < n_documents):
        raise ValueError(f"cv must return rows between 0 and {n_documents - 1}, got {rows.min()} to {rows.max()}")
    return rows.astype(np.int64)
