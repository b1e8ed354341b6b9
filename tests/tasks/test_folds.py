"""What is learnt from and what is tested: no copy, group or future on the wrong side."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from troenpy.tasks.folds import Fold, by_column, cross_validation, in_time
from troenpy.tasks.folds import given as given_fold
from troenpy.tasks.times import read_times

LABELS = ["a", "b"] * 30


def sides(values, fold):
    """Return the values on both sides of a split."""
    return {values[i] for i in fold.learnt.tolist()}, {values[i] for i in fold.tested.tolist()}


@given(st.integers(0, 100), st.integers(10, 60), st.integers(10, 60))
def test_no_copy_and_no_group_is_on_both_sides(seed, n_texts, n_groups):
    rng = np.random.default_rng(seed)
    texts = [f"text {number}" for number in rng.permutation(60) % n_texts]
    cells = [f"group {number}" if number else "" for number in rng.permutation(60) % n_groups]
    try:
        found = cross_validation(texts, LABELS, cells, 5, seed)
    except ValueError:
        return  # all is one group
    for fold in found.folds:
        assert set(fold.learnt) | set(fold.tested) == set(range(60))
        for values in (texts, cells):
            learnt, tested = sides(values, fold)
            assert (learnt & tested) <= {""}


def test_every_document_is_tested_once_and_classes_are_spread():
    found = cross_validation([f"text {i}" for i in range(60)], ["a"] * 50 + ["b"] * 10, None, 5, 0)
    assert sorted(np.concatenate([fold.tested for fold in found.folds]).tolist()) == list(range(60))
    assert [(fold.tested >= 50).sum() for fold in found.folds] == [2] * 5
    assert found.test_to_train == pytest.approx(0.25)
    assert found.notices == []


def test_copies_are_counted():
    texts = [f"text {min(i, 50)}" for i in range(60)]
    assert cross_validation(texts, LABELS, None, 5, 0).notices == ["9 copies of texts kept on one side of every split"]


@pytest.mark.parametrize("texts", [["one"] * 60, [f"text {i % 9}" for i in range(60)]])
def test_too_few_different_texts_are_an_error(texts):
    with pytest.raises(ValueError, match="there must be at least 10 different texts to test methods on in turn, got"):
        cross_validation(texts, LABELS, None, 5, 0)


def test_few_groups_need_fewer_parts():
    texts, cells = [f"text {i}" for i in range(60)], ["x", "y", "z"] * 20
    assert [len(fold.tested) for fold in cross_validation(texts, LABELS, cells, 3, 0).folds] == [20] * 3
    with pytest.raises(ValueError, match=r"at least 5 groups .* in turn, got 3: ask for .* \(--folds\)"):
        cross_validation(texts, LABELS, cells, 5, 0)


def test_a_column_of_splits_is_followed_and_leaks_are_counted():
    texts, splits = [f"text {i % 25}" for i in range(60)], ["train"] * 30 + ["TEST "] * 20 + ["dev"] * 10
    found = by_column(texts, LABELS, splits, "part")
    assert found.folds[0].learnt.tolist() == list(range(30))
    assert found.folds[0].tested.tolist() == list(range(30, 50))
    assert found.notices == ["warning: 10 rows with 'dev' in column 'part' left out: neither train nor test"]
    assert found.warnings == [
        "20 of 20 test documents (100.0 %) are copies of documents learnt from: the errors are too low for new texts"
    ]
    with pytest.raises(ValueError, match="the documents to learn from must have at least two classes"):
        given_fold(texts, ["a"] * 60, Fold(np.arange(5), np.arange(5, 9)), "x", [])


@given(st.integers(0, 100), st.integers(1, 6))
def test_methods_learn_from_the_past_only(seed, n_folds):
    rng = np.random.default_rng(seed)
    times, texts = rng.integers(0, 40, 60), [f"text {number}" for number in rng.integers(0, 50, 60)]
    found = in_time(texts, LABELS, times.tolist(), "day", None, n_folds)
    for fold in found.folds:
        assert times[fold.learnt].max() < times[fold.tested].min()
        learnt, tested = sides(texts, fold)
        assert not learnt & tested


def test_what_was_seen_or_has_no_time_is_left_out():
    texts = [f"text {i}" for i in range(12)]
    found = in_time(texts, LABELS[:12], [*range(11), None], "day", ["x", *texts[1:8], "x", *texts[9:]], 1)
    assert found.folds[0].learnt.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.folds[0].tested.tolist() == [6, 7, 9, 10]
    assert found.notices == [
        "1 row without a time in column 'day' left out",
        "1 tested row with a copy or a member of their group in the past left out",
    ]
    assert found.method == "tested on the future once, by 'day'"
    with pytest.raises(ValueError, match="column 'day' has too few times to learn from the past: 1 different time"):
        in_time(texts, LABELS[:12], [1] * 12, "day", None, 3)


def test_times_are_numbers_or_dates_of_any_kind():
    day = date(1970, 1, 2)
    assert read_times([day, datetime(1970, 1, 2, tzinfo=UTC), "1970-01-02"], "x").tolist() == [86400.0] * 3
    ahead = datetime(1970, 1, 2, tzinfo=timezone(timedelta(hours=1)))
    assert read_times([ahead, "1970-01-02T00:00:00+01:00", "1970-01-01T23:00Z"], "x").tolist() == [82800.0] * 3
    assert read_times([1, 2.5, "3e2"], "x").tolist() == [1, 2.5, 300]
    assert np.isnan(read_times([None, "", " ", float("nan")], "x")).all()
    for bad in ("tomorrow", "31.05.2024", "nan", "1e999", object):
        with pytest.raises(ValueError, match="column 'x' must hold numbers or dates such as 2024-05-31, got"):
            read_times([bad, "2024-05-31"], "x")
