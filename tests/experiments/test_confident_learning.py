"""Confident learning, against plain loops and against errors that were planted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troenpy.experiments import confident_learning
from troenpy.experiments.confident_learning import class_thresholds, confident_classes, joint_estimate, wrong_share


def joint_by_loops(probabilities, codes):
    """Return the joint estimate of Northcutt et al. (2021), equations 1 to 3."""
    n, K = probabilities.shape
    thresholds = [
        np.mean([probabilities[i, k] for i in range(n) if codes[i] == k]) if k in codes else np.inf for k in range(K)
    ]
    counts = np.zeros((K, K))
    for i in range(n):
        reached = [k for k in range(K) if probabilities[i, k] >= thresholds[k]]
        if reached:
            counts[codes[i], max(reached, key=lambda k: probabilities[i, k])] += 1
    for k in range(K):
        size = np.sum(codes == k)
        counts[k] = counts[k] / counts[k].sum() * size if counts[k].sum() else np.eye(K)[k] * size
    return counts / n


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(2, 6))
def test_the_joint_estimate_is_that_of_the_paper(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    probabilities, codes = rng.dirichlet(np.ones(n_classes), n), rng.integers(0, n_classes, n)
    assert joint_estimate(probabilities, codes) == pytest.approx(joint_by_loops(probabilities, codes), abs=1e-12)


@given(st.integers(0, 10**6))
def test_a_weight_is_a_number_of_copies(seed):
    rng = np.random.default_rng(seed)
    probabilities, codes, weights = rng.dirichlet(np.ones(3), 20), rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    weights[0] = 1
    copies = np.repeat(np.arange(20), weights)
    weighted = joint_estimate(probabilities, codes, weights.astype(float))
    assert weighted == pytest.approx(joint_estimate(probabilities[copies], codes[copies]), abs=1e-9)


def test_without_a_sure_document_no_label_is_wrong():
    probabilities, codes = np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([0, 1])
    assert joint_estimate(probabilities, codes, np.array([0.0, 0.0]) + 1) == pytest.approx(
        joint_by_loops(probabilities, codes)
    )
    assert joint_estimate(np.array([[0.3, 0.2, 0.5], [0.5, 0.2, 0.3]]), np.array([0, 0]))[1:].sum() == 0
    assert joint_estimate(np.zeros((2, 2)) - 1e-9, codes).tolist() == [[0.5, 0], [0, 0.5]]


def test_blocks_give_what_one_block_gives(monkeypatch):
    probabilities = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    thresholds = class_thresholds(probabilities, np.arange(50) % 4)
    expected = confident_classes(probabilities, thresholds)
    monkeypatch.setattr(confident_learning, "AT_ONCE", 12)
    assert confident_classes(probabilities, thresholds).tolist() == expected.tolist()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.0, 0.05, 0.2]))
def test_planted_errors_are_estimated_if_classes_are_far_apart(seed, share):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 1500)
    codes = np.where(rng.random(1500) < share, (truth + rng.integers(1, 3, 1500)) % 3, truth)
    probabilities = 0.9 * np.eye(3)[truth] + 0.1 * rng.dirichlet(np.ones(3), 1500)
    found = wrong_share(probabilities, codes, np.arange(1500))
    assert found.low <= found.share <= found.high
    assert found.share == pytest.approx((codes != truth).mean(), abs=0.02)
    if share:
        half = 1.96 * np.sqrt(share * (1 - share) / 1500)
        assert found.high - found.low == pytest.approx(2 * half, rel=0.4)


def test_without_a_wrong_label_the_interval_is_wilsons():
    codes = np.arange(300) % 3
    found = wrong_share(0.7 * np.eye(3)[codes] + 0.1, codes, np.arange(300))
    assert (found.share, found.low) == (0, 0)
    assert found.high == pytest.approx(0.0126, abs=1e-4)


def test_the_bootstrap_draws_groups():
    rng = np.random.default_rng(0)
    truth = np.repeat(rng.integers(0, 2, 50), 20)
    codes = np.where(np.repeat(rng.random(50) < 0.1, 20), 1 - truth, truth)
    probabilities = 0.8 * np.eye(2)[truth] + 0.1
    alone = wrong_share(probabilities, codes, np.arange(1000))
    together = wrong_share(probabilities, codes, np.repeat(np.arange(50), 20))
    assert together.high - together.low > 2 * (alone.high - alone.low)
