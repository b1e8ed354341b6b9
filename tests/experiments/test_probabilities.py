"""Log-loss and calibration, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn import metrics

from troenpy.experiments.probabilities import calibration_error, log_loss


def test_log_loss_is_scikit_learns():
    rng = np.random.default_rng(0)
    probabilities, codes = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    expected = metrics.log_loss(codes, probabilities, labels=range(4))
    assert log_loss(probabilities, codes) == pytest.approx(expected)


def test_a_class_that_the_training_part_lacks_counts_as_probability_zero():
    assert log_loss([[1.0, 0.0]], [-1]) == log_loss([[1.0, 0.0]], [1]) == pytest.approx(52 * np.log(2))
    assert str(log_loss([[1.0, 0.0]], [0])) == "0.0"


def test_calibration_error_is_that_of_a_loop_over_bins():
    rng = np.random.default_rng(1)
    probabilities, correct = rng.dirichlet(np.ones(3), 200), rng.random(200) < 0.6
    largest, expected = probabilities.max(axis=1), 0.0
    for low in np.arange(15) / 15:
        inside = (largest > low) & (largest <= low + 1 / 15)
        if inside.any():
            expected += inside.mean() * abs(correct[inside].mean() - largest[inside].mean())
    assert calibration_error(probabilities, correct) == pytest.approx(expected)


def test_sure_and_right_is_calibrated_and_sure_and_wrong_is_not():
    assert calibration_error([[1.0, 0.0]] * 3, [True] * 3) == 0
    assert calibration_error([[1.0, 0.0]] * 3, [False] * 3) == 1
