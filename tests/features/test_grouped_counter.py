"""Counting by class and group in one pass: the same whatever the order and the batches."""

import numpy as np
import pytest
from made_up_files import made_up

from troenpy import ClassCounts, CountVectorizer
from troenpy.counts.labels import read_label_sets, read_labels
from troenpy.features.grouped_counter import GroupedCounter, text_hashes

ROWS = made_up(90)
TEXTS, LABELS = [row["text"] for row in ROWS], [row["label"] for row in ROWS]


def counted(order, step, read=read_labels, labels=LABELS, **options):
    counter = GroupedCounter(CountVectorizer(), **options)
    for first in range(0, len(order), step):
        places = order[first : first + step]
        texts = [TEXTS[i] for i in places]
        counter.add(texts, read([labels[i] for i in places]), text_hashes(texts))
    pairs, terms = counter.end()
    return counter.grouped(pairs, terms, np.arange(len(terms))), counter.total(pairs)


@pytest.mark.usefixtures("kernel_or_twin")
def test_any_order_and_batches_give_the_same_counts():
    vectorizer = CountVectorizer().fit(TEXTS)
    expected = ClassCounts.from_matrix(vectorizer.transform(TEXTS), LABELS, terms=vectorizer.get_feature_names_out())
    first, total = counted(list(range(90)), 90)
    assert first.total() == expected
    assert total == expected.without_terms()
    other, _ = counted(np.random.default_rng(0).permutation(90).tolist(), 7)
    assert other.terms.tolist() == first.terms.tolist()
    assert [other.without(g) == first.without(g) for g in range(20)] == [True] * 20


def test_documents_with_any_number_of_labels():
    sets = [(label,) if i % 3 else (label, "new") if i % 2 else () for i, label in enumerate(LABELS)]
    vectorizer = CountVectorizer().fit(TEXTS)
    expected = ClassCounts.from_matrix(
        vectorizer.transform(TEXTS), read_label_sets(sets), terms=vectorizer.get_feature_names_out()
    )
    grouped, total = counted(list(range(90)), 11, read_label_sets, sets, has_sets=True)
    assert grouped.total() == expected
    assert total == expected.without_terms()


def test_copies_of_a_text_are_in_one_group():
    hashes = text_hashes(["late goal", "late goal\n", "vote", "\ud800"])
    assert hashes[0] == hashes[1] != hashes[2]
    assert hashes[0] == 7565337444931091769  # on every machine and in every process
    groups = text_hashes(map(str, range(20_000))) % np.uint64(20)
    assert np.bincount(groups.astype(int)).min() > 850


def test_a_vocabulary_is_an_error():
    with pytest.raises(ValueError, match="a counter with a vocabulary cannot be used with terms"):
        GroupedCounter(CountVectorizer(vocabulary=["a"]))
