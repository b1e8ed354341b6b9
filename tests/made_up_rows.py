"""Rows of results made by hand."""

import numpy as np

from troenpy.experiments.journal import PROTOCOL, Row, pack_bits, versions


def row(corpus, method, n_wrong, *, seed=None, n_test=100, n_train=400, seconds=0.1, **changes):
    """A method that gets the first so many test documents wrong."""
    values = {
        "protocol": PROTOCOL,
        "corpus": corpus,
        "fingerprint": f"of {corpus}",
        "deduplicated": False,
        "train_fraction": 1.0,
        "seed": seed,
        "method": method,
        "n_train": n_train,
        "n_test": n_test,
        "n_terms": 10,
        "n_wrong": n_wrong,
        "error": n_wrong / n_test,
        "correct": pack_bits(np.arange(n_test) >= n_wrong),
        "wall_seconds": seconds,
        "cpu_seconds": seconds,
        "versions": versions(),
    }
    return Row(**values | changes)
