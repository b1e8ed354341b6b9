"""Losses, their intervals and tests, over several tests and on one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, log_loss

from troenpy.experiments.journal import PROTOCOL, Row, pack_bits, pack_numbers
from troenpy.experiments.losses import METRICS, compare_losses, estimate, loss_of, macro_f1
from troenpy.experiments.significance import mcnemar_test, resampled_interval, resampled_t_test, wilson_interval


def row(truth, predicted, probabilities=None, fold=0):
    correct = truth == predicted
    n_wrong = int((~correct).sum())
    losses = None if probabilities is None else -np.log(probabilities[np.arange(len(truth)), truth])
    packed = None if losses is None else pack_numbers(losses, "<f4")
    return Row(
        PROTOCOL, "x", "0", False, 1.0, fold, "m", 4 * len(truth), len(truth), 0, n_wrong, n_wrong / len(truth),
        pack_bits(correct), 1.0, 1.0, {}, predicted=pack_numbers(predicted, "<i4"), losses=packed,
    )  # fmt: skip


def made_up(seed, n=40):
    rng = np.random.default_rng(seed)
    truth, probabilities = rng.integers(0, 3, n), rng.dirichlet([1, 1, 1], n)
    return truth, np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n)), probabilities


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_macro_f1_is_that_of_scikit_learn(pairs):
    truth, predicted = np.array(pairs).T
    assert macro_f1(truth, predicted) == pytest.approx(f1_score(truth, predicted, average="macro", zero_division=0))


def test_losses_are_those_of_scikit_learn():
    truth, predicted, probabilities = made_up(0)
    made, places = row(truth, predicted, probabilities), np.arange(7, 31)
    assert loss_of("error", made, truth)(places) == (truth != predicted)[places].mean()
    assert loss_of("macro-f1", made, truth)(places) == 1 - macro_f1(truth[places], predicted[places])
    expected = log_loss(truth[places], probabilities[places], labels=[0, 1, 2])
    assert loss_of("log-loss", made, truth)(places) == pytest.approx(expected, rel=1e-6)
    with pytest.raises(ValueError, match="'m' has no probabilities, and so no log loss"):
        loss_of("log-loss", row(truth, predicted), truth)


@pytest.mark.parametrize("metric", METRICS)
def test_over_several_tests_the_correction_for_their_overlap_applies(metric):
    made = [made_up(seed) for seed in range(4)]
    truths = [truth for truth, _, _ in made]
    rows = [row(*one, fold=fold) for fold, one in enumerate(made)]
    others = [row(truth, truth, probabilities) for truth, _, probabilities in made]
    losses = [loss_of(metric, one, truth)(np.arange(40)) for one, truth in zip(rows, truths, strict=True)]
    found = estimate(metric, rows, truths, 0.25)
    assert (found.loss, found.interval) == (np.mean(losses), "Nadeau-Bengio")
    assert (found.low, found.high) == resampled_interval(losses, 0.25, most=np.inf if metric == "log-loss" else 1)
    theirs = [loss_of(metric, one, truth)(np.arange(40)) for one, truth in zip(others, truths, strict=True)]
    assert compare_losses(metric, rows, others, truths, 0.25) == resampled_t_test(losses, theirs, 0.25).p


def test_on_one_test_the_error_has_wilsons_interval_and_mcnemars_test():
    truth, predicted, _ = made_up(0)
    ours, other = row(truth, predicted), row(truth, truth)
    found = estimate("error", [ours], [truth], 0.25)
    assert (found.low, found.high) == wilson_interval(ours.n_wrong, 40)
    p = mcnemar_test(ours.was_correct(), other.was_correct()).p
    assert compare_losses("error", [ours], [other], [truth], 0.25) == p < 0.05


@pytest.mark.parametrize("metric", ["macro-f1", "log-loss"])
def test_on_one_test_other_metrics_are_bootstrapped(metric):
    truth, predicted, probabilities = made_up(0, n=200)
    ours, other = row(truth, predicted, probabilities), row(truth, truth, 0.5 * probabilities + 0.5 * np.eye(3)[truth])
    found = estimate(metric, [ours], [truth], 0.25)
    assert found.low < found.loss < found.high
    if metric == "log-loss":
        half = 1.96 * ours.document_losses().std() / np.sqrt(200)
        assert [found.loss - found.low, found.high - found.loss] == pytest.approx([half, half], rel=0.2)
    assert compare_losses(metric, [ours], [other], [truth], 0.25) < 0.01
    assert compare_losses(metric, [ours], [ours], [truth], 0.25) == 1
