"""Counts by class and group: sums of groups are the counts of all, and without one they are those of the others."""

import numpy as np
import pytest

from troenpy import ClassCounts
from troenpy.counts.grouped_counts import GroupedCounts
from troenpy.counts.labels import read_label_sets


def pairs_of(X, label_sets, groups, names, n_groups, terms):
    """Return counts with a number as the class of each pair of class and group, and of each group."""
    sets = [
        [f"{(1 + names.index(name)) * n_groups + group:04d}" for name in labels] + [f"{group:04d}"]
        for labels, group in zip(label_sets, groups, strict=True)
    ]
    labels = read_label_sets(sets)
    counts = ClassCounts.from_matrix(X, labels, terms=terms)
    return ClassCounts(
        [int(name) for name in counts.classes], counts.n_documents, counts.n_docs, counts.doc_freq, counts.term_docs
    )


@pytest.fixture
def documents():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, (60, 7))
    names = ["c", "a", "b"]
    return X, [tuple(np.array(names)[rng.random(3) < 0.4].tolist()) for _ in range(60)], rng.integers(0, 5, 60), names


def test_sums_are_the_counts_of_the_documents(documents):
    X, sets, groups, names = documents
    terms = np.array([f"t{i}" for i in range(7)], dtype=object)
    grouped = GroupedCounts.from_pairs(pairs_of(X, sets, groups, names, 5, terms), names, 5, terms, has_all=True)

    def counts(chosen):
        kept = [labels for labels, is_chosen in zip(sets, chosen, strict=True) if is_chosen]
        return ClassCounts.from_matrix(X[chosen], read_label_sets(kept), terms=terms)

    assert grouped.classes.tolist() == ["a", "b", "c"]
    assert grouped.total() == counts(np.ones(60, dtype=bool))
    for group in range(5):
        assert grouped.without(group) == counts(groups != group)
    assert grouped.n_documents.tolist() == np.bincount(groups).tolist()
    np.testing.assert_array_equal(grouped.of_all([1, 3])[2], (X[groups == 2] > 0).sum(axis=0)[[1, 3]])
    of_class = np.array(["b" in labels for labels in sets])
    np.testing.assert_array_equal(grouped.of_class(1, [0, 6])[4], (X[(groups == 4) & of_class] > 0).sum(axis=0)[[0, 6]])


def test_without_sets_the_classes_sum_to_all(documents):
    X, _, groups, _ = documents
    labels = np.arange(60) % 2
    pairs = ClassCounts.from_matrix(X, (labels + 1) * 5 + groups)
    grouped = GroupedCounts.from_pairs(pairs, ["x", "y"], 5, np.arange(7).astype(str).astype(object), has_all=False)
    np.testing.assert_array_equal(grouped.of_all(range(7)).sum(axis=0), (X > 0).sum(axis=0))
    assert grouped.n_groups == 5
    assert grouped.select([2, 4]).total() == grouped.total().select([2, 4])
