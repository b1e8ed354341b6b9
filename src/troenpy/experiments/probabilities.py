"""How good probabilities are: log-loss, and the expected calibration error of the largest one."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

N_BINS = 15
#: Smaller probabilities of the true class count as this one, or a single zero would make the log-loss infinite.
LEAST = float(np.finfo(np.float64).eps)


def log_loss(probabilities: ArrayLike, codes: ArrayLike) -> float:
    """Return the mean of -log p, with p the probability of the true class.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
    codes : array-like of int, shape (n_documents,)
        Column of the true class; -1 if it has none, which counts as probability zero.

    Examples
    --------
    >>> round(log_loss([[0.5, 0.5], [0.25, 0.75]], [0, 1]), 4)  # (log 2 + log 4/3) / 2
    0.4904
    """
    return float(document_losses(probabilities, codes).mean())


def document_losses(probabilities: ArrayLike, codes: ArrayLike) -> NDArray[np.float64]:
    """Return -log p of each document; see `log_loss`.

    Examples
    --------
    >>> document_losses([[0.5, 0.5], [0.0, 1.0]], [0, 1]).round(4).tolist()
    [0.6931, 0.0]
    """
    rows, true = np.asarray(probabilities, dtype=np.float64), np.asarray(codes)
    of_truth = np.where(true >= 0, rows[np.arange(len(rows)), true], 0.0)
    return np.abs(np.log(of_truth.clip(LEAST, 1.0)))


def calibration_error(probabilities: ArrayLike, correct: ArrayLike) -> float:
    """Return the expected calibration error: |accuracy - mean largest probability|, averaged over 15 equal-width bins.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
    correct : array-like of bool, shape (n_documents,)

    Examples
    --------
    Four documents in one bin, at 0.75 and half of them right; one in another, at 1.0 and right.

    >>> round(calibration_error([[0.75, 0.25]] * 4 + [[0.0, 1.0]], [1, 1, 0, 0, 1]), 4)  # 4/5 x 0.25
    0.2
    """
    largest = np.asarray(probabilities, dtype=np.float64).max(axis=1)
    bins = np.ceil(largest * N_BINS).clip(1, N_BINS).astype(np.int64) - 1
    excess = np.bincount(bins, np.asarray(correct, dtype=np.float64) - largest, minlength=N_BINS)
    return float(np.abs(excess).sum() / len(largest))
