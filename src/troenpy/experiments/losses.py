"""Errors, macro-F1 and log loss of a method over its tests, with intervals and paired tests; all as losses.

Over several tests, Nadeau and Bengio's correction applies (see `significance`). On a single one, the error has Wilson's
interval and McNemar's test; macro-F1 and log loss have percentiles of a bootstrap over the tested documents.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.experiments.journal import Row
from troenpy.experiments.significance import mcnemar_test, resampled_interval, resampled_t_test, wilson_interval

Metric = Literal["error", "macro-f1", "log-loss"]
METRICS: tuple[Metric, ...] = ("error", "macro-f1", "log-loss")
N_RESAMPLES = 1000

Codes = NDArray[np.int64]
#: The loss of some of the tested documents, by their places.
LossOf = Callable[[Codes], float]


class Estimate(NamedTuple):
    """A mean loss, its 95 % interval, and the kind of interval."""

    loss: float
    low: float
    high: float
    interval: str


def macro_f1(truth: Codes, predicted: Codes) -> float:
    """Return the mean F1 of the classes that are true or predicted somewhere.

    Examples
    --------
    >>> macro_f1(np.array([0, 0, 1]), np.array([0, 1, 1]))  # each class: 2 x 1 / (1 + 2)
    0.6666666666666666
    """
    n_classes = int(max(truth.max(), predicted.max())) + 1
    total = np.bincount(truth, minlength=n_classes) + np.bincount(predicted, minlength=n_classes)
    correct = np.bincount(truth[truth == predicted], minlength=n_classes)
    return float((2 * correct[total > 0] / total[total > 0]).mean())


def loss_of(metric: Metric, row: Row, truth: Codes) -> LossOf:
    """Return a function that computes a loss from some of the tested documents of a row.

    Parameters
    ----------
    metric : {"error", "macro-f1", "log-loss"}
        The loss of macro-F1 is one minus it.
    row : Row
    truth : ndarray of int, shape (n_test,)
        The number of the class of each tested document.
    """
    if metric == "macro-f1":
        predicted = row.predictions()
        return lambda places: 1 - macro_f1(truth[places], predicted[places])
    losses = row.document_losses() if metric == "log-loss" else 1.0 - row.was_correct()
    if losses is None:
        raise ValueError(f"{row.method!r} has no probabilities, and so no log loss")
    return lambda places: float(losses[places].mean())


def estimate(metric: Metric, rows: Sequence[Row], truths: Sequence[Codes], test_to_train: float) -> Estimate:
    """Return the mean loss over tests, with an interval."""
    functions = [loss_of(metric, row, truth) for row, truth in zip(rows, truths, strict=True)]
    losses = [function(np.arange(row.n_test)) for function, row in zip(functions, rows, strict=True)]
    mean = float(np.mean(losses))
    if len(rows) > 1:
        most = np.inf if metric == "log-loss" else 1.0
        return Estimate(mean, *resampled_interval(losses, test_to_train, most=most), "Nadeau-Bengio")
    if metric == "error":
        return Estimate(mean, *wilson_interval(rows[0].n_wrong, rows[0].n_test), "Wilson")
    found = [functions[0](places) for places in _resamples(rows[0].n_test)]
    low, high = np.quantile(found, [0.025, 0.975]).tolist()
    return Estimate(mean, low, high, "bootstrap")


def compare_losses(
    metric: Metric, rows: Sequence[Row], others: Sequence[Row], truths: Sequence[Codes], test_to_train: float
) -> float:
    """Return the two-sided p-value for a difference of two methods on the same tests."""
    pairs = zip([*rows, *others], [*truths, *truths], strict=True)
    functions = [loss_of(metric, row, truth) for row, truth in pairs]
    if len(rows) > 1:
        losses = [
            function(np.arange(len(truth))) for function, truth in zip(functions, [*truths, *truths], strict=True)
        ]
        return resampled_t_test(losses[: len(rows)], losses[len(rows) :], test_to_train).p
    if metric == "error":
        return mcnemar_test(rows[0].was_correct(), others[0].was_correct()).p
    ours, theirs = functions
    differences = np.array([ours(places) - theirs(places) for places in _resamples(len(truths[0]))])
    below, above = (differences <= 0).sum(), (differences >= 0).sum()
    return float(min(1.0, 2 * (1 + min(below, above)) / (1 + N_RESAMPLES)))


def _resamples(n_documents: int) -> list[Codes]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, n_documents, n_documents) for _ in range(N_RESAMPLES)]
