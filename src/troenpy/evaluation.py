"""Methods on a split: weighted rows, a model fitted on the training part, the classes it gives the test part."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.neighbors import Space, build_index, nearest_rows
from troenpy.logistic import fit_logistic
from troenpy.methods import Method
from troenpy.neighbors import METRICS, count_votes
from troenpy.splits import Split

C = 1.0
TOLERANCE = 1e-4  # predictions are then those of scikit-learn's lbfgs (test_evaluation.py)

Codes = NDArray[np.int64]


def groups(methods: Iterable[Method]) -> list[list[Method]]:
    """Put methods together that differ in k only: one search finds the neighbours of all."""
    found: dict[Method, list[Method]] = {}
    for method in methods:
        found.setdefault(method.with_k(1), []).append(method)
    return list(found.values())


def predict(split: Split, group: Sequence[Method]) -> list[Codes]:
    """Return the class of each test document by each method of a group, as numbers of the training part's classes.

    Parameters
    ----------
    split : Split
    group : sequence of Method
        Methods that differ in k only.

    Returns
    -------
    list of ndarray of shape (n_test,)

    Examples
    --------
    >>> from troenpy.datasets import Corpus
    >>> from troenpy.methods import read_method
    >>> from troenpy.splits import count_terms
    >>> texts, labels = ("goal", "goal", "vote", "vote", "goal"), np.array(list("sspps"))
    >>> parts = np.array(["train"] * 4 + ["test"])
    >>> split = count_terms(Corpus("tiny", texts, labels, parts)).split(None)
    >>> predict(split, [read_method("knn1: tf*idf")])
    [array([1])]
    """
    if group[0].model == "lr":
        return [_by_logistic_regression(split, group[0])]
    return _by_neighbours(split, group)


def _by_neighbours(split: Split, group: Sequence[Method]) -> list[Codes]:
    """Vote among the nearest training documents; one without any weight is nobody's neighbour.

    Its row of zeros would be at distance 1 from every row of length 1, nearer than all documents but the most similar:
    the six empty documents among the training tweets, and no order of cosine, would decide most votes.
    """
    method, largest = group[0], max(method.k for method in group)
    pairs = [split.rows(block.tf, block.scheme, block.norm) for block in method.blocks]
    train, test = ([METRICS[method.metric](_without_zeros(rows)) for rows in part] for part in zip(*pairs, strict=True))
    kept = np.flatnonzero(sum(np.diff(rows.indptr) for rows in train))
    if largest > len(kept):
        raise ValueError(f"{largest} neighbours are more than the {len(kept)} training documents that have any weight")
    if len(kept) < len(split.codes):
        train = [rows[kept] for rows in train]
    spaces = [Space(rows, method.metric) for rows in train]
    _, nearest = nearest_rows(spaces, build_index(spaces), test, largest)
    codes = split.codes[kept[nearest]]
    return [_vote(codes[:, : method.k], len(split.counts.classes)) for method in group]


def _without_zeros(rows: Any) -> sparse.csr_array:
    rows.eliminate_zeros()
    return sparse.csr_array(rows)


def _vote(codes: Codes, n_classes: int) -> Codes:
    return np.concatenate([winner for _, winner in count_votes(codes, np.ones(codes.shape), n_classes)])


def _by_logistic_regression(split: Split, method: Method) -> Codes:
    pairs = [split.rows(block.tf, block.scheme, block.norm) for block in method.blocks]
    train, test = (sparse.hstack(part, format="csr") for part in zip(*pairs, strict=True))
    n_classes = len(split.counts.classes)
    coef, intercept, _ = fit_logistic(train, split.codes, n_classes, n_blocks=len(method.blocks), C=C, tol=TOLERANCE)
    decisions = np.asarray(test @ coef.T) + intercept
    return (decisions[:, 0] > 0).astype(np.int64) if n_classes == 2 else decisions.argmax(axis=1)
