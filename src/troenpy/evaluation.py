"""Methods on a split: weighted rows, a model fitted on the training part, the classes it gives the test part."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.logistic import fit_logistic
from troenpy.methods import Method
from troenpy.neighbors import SparseKNeighborsClassifier, count_votes
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
    >>> split = count_terms(Corpus("tiny", texts, labels, parts, None, "", "", "")).split(None)
    >>> predict(split, [read_method("knn1: tf*idf")])
    [array([1])]
    """
    if group[0].model == "lr":
        return [_by_logistic_regression(split, group[0])]
    return _by_neighbours(split, group)


def _by_neighbours(split: Split, group: Sequence[Method]) -> list[Codes]:
    method, largest = group[0], max(method.k for method in group)
    if largest > len(split.codes):
        raise ValueError(f"{largest} neighbours are more than the {len(split.codes)} training documents")
    train, test = _side_by_side(split, method)
    width = split.train.shape[1]
    blocks = {str(i): (slice(i * width, (i + 1) * width), method.metric) for i in range(len(method.blocks))}
    metric: Any = method.metric if len(blocks) == 1 else blocks
    model = SparseKNeighborsClassifier(largest, metric=metric).fit(train, split.codes)
    nearest = split.codes[model.kneighbors(test, return_distance=False)]
    return [_vote(nearest[:, : method.k], len(split.counts.classes)) for method in group]


def _vote(nearest: Codes, n_classes: int) -> Codes:
    return np.concatenate([winner for _, winner in count_votes(nearest, np.ones(nearest.shape), n_classes)])


def _by_logistic_regression(split: Split, method: Method) -> Codes:
    train, test = _side_by_side(split, method)
    n_classes = len(split.counts.classes)
    coef, intercept, _ = fit_logistic(train, split.codes, n_classes, n_blocks=len(method.blocks), C=C, tol=TOLERANCE)
    decisions = np.asarray(test @ coef.T) + intercept
    return (decisions[:, 0] > 0).astype(np.int64) if n_classes == 2 else decisions.argmax(axis=1)


def _side_by_side(split: Split, method: Method) -> tuple[Any, Any]:
    """Return the rows of the training and the test part, one block of columns after the other."""
    parts = zip(*(split.rows(block.tf, block.scheme, block.norm) for block in method.blocks), strict=True)
    train, test = (blocks[0] if len(blocks) == 1 else sparse.hstack(blocks, format="csr") for blocks in parts)
    return train, test
