"""Errors of weights against a plain jackknife, which leaves out each document in turn."""

import numpy as np
import pytest

from troenpy import WEIGHTS, ClassCounts, term_weights
from troenpy.statistics import jackknife_error
from troenpy.weights import weight_errors

RNG = np.random.default_rng(0)
X, LABELS = (RNG.random((40, 6)) < [0.05, 0.2, 0.5, 0.9, 0.3, 1.0]).astype(int), np.arange(40) % 3
X[:, 4] *= LABELS == 1


def counts_of(rows):
    return ClassCounts.from_matrix(X[rows], LABELS[rows])


@pytest.mark.parametrize("scheme", [*(name for name in WEIGHTS if name != "nb"), "sqrt(certainty)*idf"])
@pytest.mark.usefixtures("kernel_or_twin")
def test_the_error_is_that_of_leaving_out_each_document(scheme):
    every = np.arange(40)
    replicates = [term_weights(counts_of(np.delete(every, i)), scheme) for i in every]
    found = weight_errors(counts_of(every), scheme)
    np.testing.assert_allclose(found, jackknife_error(replicates), rtol=1e-7, atol=1e-12)


def test_counts_that_do_not_tell():
    counts = counts_of(np.arange(40))
    assert np.isnan(weight_errors(counts, "nb")).all()
    assert np.isnan(weight_errors(counts, lambda counts: counts.term_docs)).all()
    weighted = ClassCounts.from_matrix(X, LABELS, sample_weight=np.full(40, 0.5))
    assert np.isnan(weight_errors(weighted)).all()
    several = ClassCounts.from_matrix(X, np.stack([LABELS == 1, LABELS > 0], axis=1).astype(int))
    assert np.isnan(weight_errors(several)).all()
    assert np.isnan(weight_errors(counts.prune(3))).all()
    alone = ClassCounts.from_matrix(X, np.arange(40) == 0)
    assert np.isnan(weight_errors(alone)).all()
    assert not np.isnan(weight_errors(ClassCounts.from_matrix(X, np.arange(40) < 2))).any()
    assert weight_errors(counts.select([])).shape == (0,)


def test_the_error_is_the_spread_of_weights_over_samples():
    """Of 300 samples of 400 documents, the spread of the weights is what one sample says it is."""
    rng = np.random.default_rng(1)

    def sample():
        labels = rng.integers(0, 3, 400)
        return ClassCounts.from_matrix(
            rng.random((400, 3)) < np.array([[0.1, 0.3, 0.5], [0.2, 0.3, 0.1], [0.1] * 3])[labels], labels
        )

    samples = [sample() for _ in range(300)]
    spread = np.std([term_weights(one, "pi") for one in samples], axis=0)
    errors = np.mean([weight_errors(one, "pi") for one in samples], axis=0)
    np.testing.assert_allclose(errors, spread, rtol=0.2)
