"""Confident learning: how many labels are wrong, and which, from probabilities of documents that were not learnt from.

Northcutt, Jiang and Chuang (2021), "Confident Learning: Estimating Uncertainty in Dataset Labels".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.experiments.significance import wilson_interval

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

N_RESAMPLES = 200
#: Probabilities that are compared with thresholds at a time: 32 MB.
AT_ONCE = 1 << 22


class Share(NamedTuple):
    """A share, and its 95 % interval."""

    share: float
    low: float
    high: float


def class_thresholds(probabilities: Floats, codes: Codes, weights: Floats | None = None) -> Floats:
    """Return the mean probability of each class among the documents that are labelled so; infinite for no document.

    Examples
    --------
    >>> class_thresholds(np.array([[0.9, 0.1], [0.7, 0.3], [0.4, 0.6]]), np.array([0, 0, 1])).tolist()
    [0.8, 0.6]
    """
    own = probabilities[np.arange(len(codes)), codes]
    weight = np.ones(len(codes)) if weights is None else weights
    n_classes = probabilities.shape[1]
    totals = np.bincount(codes, weight, minlength=n_classes)
    sums = np.bincount(codes, weight * own, minlength=n_classes)
    return np.divide(sums, totals, out=np.full(n_classes, np.inf), where=totals > 0)


def confident_classes(probabilities: Floats, thresholds: Floats) -> Codes:
    """Return the most probable of the classes whose threshold a document reaches; -1 if there is none.

    Examples
    --------
    >>> confident_classes(np.array([[0.9, 0.1], [0.5, 0.5], [0.3, 0.7]]), np.array([0.8, 0.6])).tolist()
    [0, -1, 1]
    """
    found = np.empty(len(probabilities), dtype=np.int64)
    step = max(1, AT_ONCE // probabilities.shape[1])
    for first in range(0, len(probabilities), step):
        part = probabilities[first : first + step]
        reached = np.where(part >= thresholds, part, -1.0)
        best = reached.argmax(axis=1)
        found[first : first + step] = np.where(reached[np.arange(len(part)), best] >= 0, best, -1)
    return found


def joint_estimate(probabilities: Floats, codes: Codes, weights: Floats | None = None) -> Floats:
    """Return the estimated share of documents by given class (rows) and true class (columns).

    Documents are counted by given and confident class; the counts of a given class are scaled to its size.

    Examples
    --------
    >>> probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.1, 0.9]])
    >>> joint_estimate(probabilities, np.array([0, 0, 0, 1])).round(3).tolist()
    [[0.5, 0.25], [0.0, 0.25]]
    """
    n_classes = probabilities.shape[1]
    weight = np.ones(len(codes)) if weights is None else weights
    confident = confident_classes(probabilities, class_thresholds(probabilities, codes, weight))
    is_sure = confident >= 0
    pairs = codes[is_sure] * n_classes + confident[is_sure]
    counts = np.bincount(pairs, weight[is_sure], minlength=n_classes**2).astype(np.float64)  # of no pairs: int64
    counts = counts.reshape(n_classes, n_classes)
    sizes = np.bincount(codes, weight, minlength=n_classes)
    counts[np.arange(n_classes), np.arange(n_classes)] += np.where(counts.sum(axis=1) > 0, 0.0, sizes)
    sums = counts.sum(axis=1)
    scaled = counts * np.divide(sizes, sums, out=np.zeros(n_classes), where=sums > 0)[:, np.newaxis]
    return scaled / sizes.sum()


def wrong_share(probabilities: Floats, codes: Codes, groups: Codes, seed: int = 0) -> Share:
    """Return the estimated share of wrong labels, with the percentiles of a bootstrap over groups of documents.

    The bootstrap draws groups, such as copies of a text, and keeps the probabilities as they are: its interval is that
    of sampling, and not of how well the model tells the classes apart. If no label counts as wrong, or all draws agree,
    the interval includes Wilson's for so many groups: with none of 300 the share may be 1.3 %.

    Parameters
    ----------
    probabilities : ndarray of shape (n_documents, n_classes)
    codes, groups : ndarrays of int, shape (n_documents,)
        The given class and the group of each document.
    seed : int, default=0
    """
    rng = np.random.default_rng(seed)
    n_groups = int(groups.max()) + 1
    draws = (rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups))[groups] for _ in range(N_RESAMPLES))
    drawn = [_off_diagonal(joint_estimate(probabilities, codes, draw.astype(np.float64))) for draw in draws]
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    share = _off_diagonal(joint_estimate(probabilities, codes))
    if share == 0 or low == high:
        least, most = wilson_interval(round(share * n_groups), n_groups)
        low, high = min(low, least), max(high, most)
    return Share(share, min(low, share), max(high, share))


def _off_diagonal(joint: Floats) -> float:
    return float(max(0.0, joint.sum() - np.trace(joint)))
