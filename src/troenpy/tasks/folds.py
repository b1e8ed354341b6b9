"""What a method learns from and what it is tested on, turn by turn: drawn, given, or from the past to the future."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.records.wording import counted, quoted
from troenpy.tasks.tested_parts import LEAST_DOCUMENTS, draw_folds, given_parts, group_documents, unused_rows
from troenpy.tasks.times import read_times

Places = NDArray[np.int64]


class Fold(NamedTuple):
    """The documents that are learnt from, and those that are tested."""

    learnt: Places
    tested: Places


class Folds(NamedTuple):
    """How methods are tested.

    Attributes
    ----------
    method : str
    folds : list of Fold
    notices, warnings : list of str
        What was decided, and what may be wrong.
    """

    method: str
    folds: list[Fold]
    notices: list[str]
    warnings: list[str]

    @property
    def test_to_train(self) -> float:
        """Tested documents per document learnt from."""
        return float(np.mean([len(fold.tested) / len(fold.learnt) for fold in self.folds]))


def cross_validation(
    texts: Sequence[str], labels: Sequence[Any], cells: Sequence[str] | None, n_folds: int, seed: int
) -> Folds:
    """Return parts that are tested in turn; copies of a text, and documents with the same cell, are in one part.

    Examples
    --------
    >>> texts = [f"text {number // 2}" for number in range(20)]
    >>> found = cross_validation(texts, 10 * ["a", "b"], None, 5, seed=0)
    >>> found.method, [len(fold.tested) for fold in found.folds]
    ('5-fold cross-validation', [4, 4, 4, 4, 4])
    """
    (group, n_groups), n_texts = group_documents(texts, cells), group_documents(texts)[1]
    least = max(LEAST_DOCUMENTS, n_folds)
    if n_texts < least:
        raise ValueError(f"there must be at least {least} different texts to test methods on in turn, got {n_texts}")
    if n_groups < n_folds:
        raise ValueError(
            f"there must be at least {n_folds} groups to test methods on in turn, got {n_groups}: ask for fewer parts"
            " with folds= (--folds)"
        )
    fold = draw_folds(labels, group, n_folds, seed)
    parts = [Fold(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(n_folds)]
    folds = [part for part in parts if len(part.tested) and _can_learn(labels, part.learnt)]
    if len(folds) < 2:
        raise ValueError("too few documents of a second class to test methods on in turn")
    n_copies = len(texts) - n_texts
    notices = [f"{counted(n_copies, 'copy', 'copies')} of texts kept on one side of every split"] if n_copies else []
    return Folds(f"{len(folds)}-fold cross-validation", folds, notices, [])


def by_column(texts: Sequence[str], labels: Sequence[Any], splits: Sequence[str], column: str) -> Folds:
    """Return the one test that a column of splits says."""
    parts = given_parts(splits, column)
    tested = parts.parts[0]
    is_learnt = np.ones(len(texts), dtype=bool)
    is_learnt[tested] = is_learnt[parts.unused] = False
    n_unused = len(parts.unused)
    notices = [f"warning: {unused_rows(n_unused, column, splits)}"] if n_unused else []
    return given(texts, labels, Fold(np.flatnonzero(is_learnt), tested), parts.method, notices)


def given(texts: Sequence[str], labels: Sequence[Any], fold: Fold, method: str, notices: list[str]) -> Folds:
    """Return one test, with a warning if it is leaky: if tested texts are also learnt from."""
    if not _can_learn(labels, fold.learnt):
        raise ValueError("the documents to learn from must have at least two classes")
    learnt = {texts[i] for i in fold.learnt.tolist()}
    n_leaks, n_tested = sum(texts[i] in learnt for i in fold.tested.tolist()), len(fold.tested)
    warnings = []
    if n_leaks:
        share = 100 * n_leaks / n_tested
        warnings.append(
            f"{n_leaks:,} of {n_tested:,} test documents ({share:.1f} %) are copies of documents learnt from: the"
            " errors are too low for new texts"
        )
    return Folds(method, [fold], notices, warnings)


def in_time(
    texts: Sequence[str],
    labels: Sequence[Any],
    times: Sequence[Any],
    column: str,
    cells: Sequence[str] | None,
    n_folds: int,
) -> Folds:
    """Return tests on the future: each part, in order of time, is tested after learning from all before it.

    Documents of the same time are in one part. Tested documents with a copy or a member of their group in the past are
    left out, as are documents without a time.

    Examples
    --------
    >>> texts = [f"text {number}" for number in range(12)]
    >>> found = in_time(texts, 6 * ["a", "b"], range(12), "day", None, 2)
    >>> [(fold.learnt.tolist(), fold.tested.tolist()) for fold in found.folds]
    [([0, 1, 2, 3], [4, 5, 6, 7]), ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11])]
    """
    values = read_times(times, column)
    known = np.flatnonzero(~np.isnan(values))
    notices = []
    if len(known) < len(texts):
        notices.append(f"{counted(len(texts) - len(known), 'row')} without a time in column {quoted(column)} left out")
    moments, place, sizes = np.unique(values[known], return_inverse=True, return_counts=True)
    part = ((np.cumsum(sizes) - sizes) * (n_folds + 1) // max(len(known), 1))[place.ravel()]
    group, folds, n_seen = group_documents(texts, cells)[0], list[Fold](), 0
    for number in range(1, n_folds + 1):
        learnt, later = known[part < number], known[part == number]
        tested = later[~np.isin(group[later], group[learnt])]
        n_seen += len(later) - len(tested)
        if len(tested) and _can_learn(labels, learnt):
            folds.append(Fold(learnt, tested))
    if not folds:
        n_times = counted(len(moments), "different time")
        raise ValueError(f"column {quoted(column)} has too few times to learn from the past: {n_times}")
    if n_seen:
        what = "a copy" if cells is None else "a copy or a member of their group"
        notices.append(f"{counted(n_seen, 'tested row')} with {what} in the past left out")
    turns = "once" if len(folds) == 1 else f"{len(folds)} times"
    return Folds(f"tested on the future {turns}, by {quoted(column)}", folds, notices, [])


def _can_learn(labels: Sequence[Any], places: Places) -> bool:
    return len({labels[i] for i in places.tolist()}) > 1
