"""The folds of cross-fitting: each document in exactly one test fold."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.labels import Labels


def folds(cv: Any, random_state: Any, X: Any, labels: Labels) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return the training and test rows of each fold.

    Parameters
    ----------
    cv : int, splitter or iterable of splits
        An int makes that many shuffled folds, stratified if documents have one label each.
    random_state : int, RandomState instance or None
        Shuffles the folds of an int `cv`.
    X : matrix of shape (n_documents, n_terms)
    labels : Labels
    """
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv  # half of our import time, rarely needed

    if isinstance(cv, Integral) and not isinstance(cv, bool):
        splitter = (StratifiedKFold if labels.is_single else KFold)(int(cv), shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv)
    y = labels.indicator.indices if labels.is_single else labels.indicator.toarray()
    splits = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y)]
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=X.shape[0])
    if len(times) != X.shape[0] or (times != 1).any():
        wrong = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"cv must put every document in exactly one test fold, document {wrong} is in {times[wrong]}: use a"
            " K-fold splitter"
        )
    return splits
