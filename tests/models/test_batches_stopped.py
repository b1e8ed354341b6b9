"""fit_batches tells how far it is; stopped at any moment it leaves everything as it was; it holds few documents."""

import gc
import tempfile
import weakref
from itertools import pairwise

import numpy as np
import pytest
from interruptions import Interrupted, answers
from kernel_switch import kernel_off
from small_batches import LABELS, NEW_LABELS, NEW_TEXTS, TEXTS, in_batches, linear

from troenpy import TroenpyClassifier, kernel_available

pytestmark = pytest.mark.usefixtures("small_chunks")


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("kernel", [True, False])
def test_the_callback_follows_the_passes(shuffle, kernel):
    seen = []
    model = TroenpyClassifier(candidates=[("words",)])
    if kernel:
        model.fit_batches(in_batches(TEXTS, LABELS), shuffle=shuffle, callback=seen.append)
    else:
        with kernel_off():
            model.fit_batches(in_batches(TEXTS, LABELS), shuffle=shuffle, callback=seen.append)
    stages = list(dict.fromkeys((progress.stage, progress.n_pass) for progress in seen))
    learning = [("learning", n) for n in range(1, model.n_iter_ + 1)]
    assert stages == [("reading", 1), ("choosing", 1), ("counting", 1), ("counting", 2), *learning]
    assert [(progress.stage, progress.n_pass) for progress in seen] == sorted(
        ((progress.stage, progress.n_pass) for progress in seen), key=stages.index
    )
    for stage, n_pass in stages:
        within = [progress for progress in seen if (progress.stage, progress.n_pass) == (stage, n_pass)]
        numbers = [progress.n_documents for progress in within]
        assert numbers == sorted(set(numbers))
        assert {progress.total for progress in within} == {None if stage == "reading" else 120}
        if stage != "choosing":
            assert numbers[-1] == 120
            assert len(numbers) > 3
            assert within[-1].done == (None if stage == "reading" else 1.0)


def test_the_callback_is_told_of_what_is_done(monkeypatch):
    """Not of documents that have been read, but not yet counted."""
    seen, counted = [], 0
    add = TroenpyClassifier.default_features().partial_fit.__func__

    def count(self, raw_documents, *others):
        nonlocal counted
        assert [progress.n_documents for progress in seen if progress.stage == "counting"][-1:] in ([], [counted])
        counted += len(raw_documents)
        return add(self, raw_documents, *others)

    monkeypatch.setattr("troenpy.features.term_features.TermFeatures.partial_fit", count)
    linear().fit_batches(in_batches(TEXTS, LABELS), callback=seen.append)
    assert counted == 120


class Recorded:
    """Temporary files, and whether they are closed."""

    def __init__(self, monkeypatch):
        self.files, create = [], tempfile.TemporaryFile

        def record(*arguments, **options):
            self.files.append(create(*arguments, **options))
            return self.files[-1]

        monkeypatch.setattr(tempfile, "TemporaryFile", record)

    def are_closed(self):
        return all(file.closed for file in self.files)


def test_an_error_in_the_callback_changes_nothing(monkeypatch):
    texts, labels = TEXTS[:60], LABELS[:60]
    model = linear().fit(NEW_TEXTS, NEW_LABELS)
    before, files, stages = answers(model, TEXTS), Recorded(monkeypatch), []
    linear().fit_batches(in_batches(texts, labels), callback=stages.append)
    # The copy of the texts, keys of rows, and what the kernel knows of each row.
    assert len(files.files) == 2 + kernel_available()
    firsts = [number for number, progress in enumerate(stages) if progress.n_pass <= 2]

    def stop_at(number):
        left = iter(range(number))

        def stop(progress):
            if next(left, None) is None:
                raise RuntimeError("enough")

        return stop

    for number in [*firsts, len(stages) - 1]:
        with pytest.raises(RuntimeError, match="enough"):
            model.fit_batches(in_batches(texts, labels), callback=stop_at(number))
        assert answers(model, TEXTS) == before
        assert files.are_closed()


@pytest.mark.parametrize("shuffle", [True, False])
def test_an_interruption_at_any_call_changes_nothing(monkeypatch, shuffle):
    texts, labels = TEXTS[:40], LABELS[:40]
    model = linear().fit(NEW_TEXTS, NEW_LABELS)
    before, files = answers(model, TEXTS), Recorded(monkeypatch)
    fresh = linear()
    with Interrupted(at=0) as calls:
        fresh.fit_batches(in_batches(texts, labels), shuffle=shuffle)
    for at in np.linspace(1, 0.98 * calls.n_calls, 20).astype(int):  # a second fit may make fewer calls
        with pytest.raises(KeyboardInterrupt), Interrupted(at):
            model.fit_batches(in_batches(texts, labels), shuffle=shuffle)
        assert answers(model, TEXTS) == before
        assert files.are_closed()


def test_an_interruption_of_the_source_changes_nothing():
    model = linear().fit(NEW_TEXTS, NEW_LABELS)
    before = answers(model, TEXTS)

    def batches():
        yield TEXTS[:50], LABELS[:50]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit_batches(batches)
    assert answers(model, TEXTS) == before


def test_chunks_are_all_that_is_held():
    alive, most, sizes = weakref.WeakSet(), 0, []

    class Texts(list):
        __hash__ = object.__hash__

    def batches():
        nonlocal most
        for texts, labels in in_batches(TEXTS * 5, list(LABELS) * 5, 20)():
            alive.add(held := Texts(texts))
            most = max(most, len(alive))
            yield held, labels
            del held

    gc.collect()
    linear().fit_batches(batches, shuffle=False, callback=lambda progress: sizes.append(progress.n_documents))
    assert most <= 2
    longest = max(map(len, TEXTS))
    held = [end - start for start, end in pairwise(sizes) if end > start]
    assert max(held) * min(map(len, TEXTS)) <= 2000 + longest
