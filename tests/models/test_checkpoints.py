"""Checkpoints of fit_batches: a killed process goes on from one; one of another call is refused."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_texts import TOPICS
from small_batches import LABELS, TEXTS, assert_equal, cut, in_batches, linear

from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier
from troenpy.features import checkpoints

pytestmark = pytest.mark.usefixtures("small_chunks")

KILLED = """
import os, signal, sys
from small_batches import LABELS, TEXTS, in_batches
from troenpy import TroenpyClassifier
from troenpy.features import checkpoints
from troenpy.models import document_passes, shuffled_copy

document_passes.CHUNK_CHARACTERS, shuffled_copy.GROUP_CHARACTERS, shuffled_copy.GROUP_DOCUMENTS = 2000, 300, 2
checkpoints.SECONDS_BETWEEN = checkpoints.TIMES_WRITING = 0.0
checkpoint, max_terms, shuffle, kill_at = sys.argv[1:]
n_told = 0

def tell(progress):
    global n_told
    n_told += progress.stage == "counting"
    if n_told == int(kill_at):
        os.kill(os.getpid(), signal.SIGKILL)

model = TroenpyClassifier(C=3, candidates=[("words", "pieces")])
options = {"max_terms": eval(max_terms), "shuffle": eval(shuffle), "checkpoint": checkpoint}
model.fit_batches(in_batches(TEXTS, LABELS), callback=tell, **options)
"""


def learn_and_die(checkpoint, max_terms, shuffle, kill_at):
    """Learn in a process of its own, which is killed when so many chunks have been counted."""
    call = [sys.executable, "-c", KILLED, str(checkpoint), repr(max_terms), repr(shuffle), str(kill_at)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    found = subprocess.run(call, env=environment, capture_output=True, text=True)  # noqa: S603
    assert found.returncode == -signal.SIGKILL, found.stderr


@pytest.mark.parametrize(("max_terms", "shuffle"), [(None, True), (60, False)])
def test_a_killed_process_goes_on_from_its_checkpoint(monkeypatch, tmp_path, max_terms, shuffle):
    def learn(**options):
        model = TroenpyClassifier(C=3, candidates=[("words", "pieces")])
        return model.fit_batches(in_batches(TEXTS, LABELS), max_terms=max_terms, shuffle=shuffle, **options)

    whole, checkpoint, counted = learn(), tmp_path / "counts", []
    learn_and_die(checkpoint, max_terms, shuffle, kill_at=2)
    learn_and_die(checkpoint, max_terms, shuffle, kill_at=4)  # after what was counted the first time
    add = TermFeatures.partial_fit
    monkeypatch.setattr(TermFeatures, "partial_fit", lambda *given: counted.extend(given[1]) or add(*given))
    resumed = learn(checkpoint=checkpoint)
    assert 0 < len(counted) < 60  # the last chunks, of documents that were not counted yet
    assert_equal(resumed, whole)
    for ours, of_whole in zip(resumed.features_.views_, whole.features_.views_, strict=True):
        assert ours.named_counts == of_whole.named_counts
    assert not checkpoint.exists()


@pytest.fixture
def stopped(monkeypatch, tmp_path):
    """Return the path of a checkpoint after some chunks, and a function that makes the same call with changes."""
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoints, "TIMES_WRITING", 0.0)
    path = tmp_path / "counts"

    def learn(texts=TEXTS, labels=LABELS, callback=None, max_terms=None, **options):
        model = linear(**options)
        return model.fit_batches(in_batches(texts, labels), checkpoint=path, callback=callback, max_terms=max_terms)

    def stop(progress):
        if progress.stage == "counting" and progress.n_documents > 90:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learn(callback=stop)
    return path, learn


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"texts": ["another", *TEXTS[1:]]}, "documents"),
        ({"labels": [*LABELS[1:], LABELS[0]]}, "documents"),
        ({"texts": TEXTS[:40], "labels": LABELS[:40]}, "documents"),
        ({"ngram_range": (1, 2)}, "settings"),
        ({"vocabulary": ["goal", "vote"]}, "settings"),
        ({"encoding": "latin-1"}, "settings"),
        ({"tokenizer": cut, "token_pattern": None}, "settings"),
        ({"max_terms": 50}, "settings"),
    ],
)
def test_a_checkpoint_of_another_call(stopped, change, what):
    path, learn = stopped
    content = path.read_bytes()
    with pytest.raises(ValueError, match=f"^{path} has counts of other {what}: delete it, or name another checkpoint$"):
        learn(**change)
    assert path.read_bytes() == content


@pytest.mark.parametrize("change", [{"min_df": 2}, {"max_df": 0.9}, {"n_jobs": 2}, {"C": 10}])
def test_what_does_not_change_the_counts_may_change(stopped, change):
    path, learn = stopped
    model = learn(**change)
    assert_equal(model, linear(**change).fit_batches(in_batches(TEXTS, LABELS)))
    assert not path.exists()


def test_functions_and_sets_are_the_same_in_another_process():
    code = (
        "import shlex\n"
        "from troenpy import CountVectorizer\n"
        "from troenpy.features import checkpoints\n"
        f"counter = CountVectorizer(tokenizer=shlex.split, stop_words=frozenset({sorted(TOPICS)}))\n"
        "print(checkpoints.settings_digest([counter]))"
    )
    call = [sys.executable, "-c", code]
    ours = checkpoints.settings_digest([CountVectorizer(tokenizer=shlex.split, stop_words=frozenset(TOPICS))])
    assert subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip() == ours  # noqa: S603
    assert ours != checkpoints.settings_digest([CountVectorizer(tokenizer=str.split, stop_words=frozenset(TOPICS))])


def test_a_damaged_checkpoint(stopped):
    path, learn = stopped
    content = path.read_bytes()
    for wrong in (content[:-9], b"", content[:200] + bytes([content[200] ^ 1]) + content[201:]):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=f"^{path} is damaged") as caught:
            learn()
        assert "\n" not in str(caught.value)
    linear().fit(TEXTS, LABELS).features_.counts_.save(path)
    with pytest.raises(ValueError, match=f"{path} must be a checkpoint file, got ClassCounts"):
        learn()


def test_a_checkpoint_is_written_whole_or_not_at_all(stopped, monkeypatch):
    path, learn = stopped
    content = path.read_bytes()

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space left on device"):
            learn()
    assert path.read_bytes() == content
    assert sorted(path.parent.iterdir()) == [path, path.parent / "temporary"]
    assert_equal(learn(), linear().fit_batches(in_batches(TEXTS, LABELS)))
    assert not path.exists()


def test_checkpoints_are_written_now_and_then(monkeypatch, tmp_path):
    written = []
    monkeypatch.setattr(checkpoints.archive, "write", lambda path, *content: written.append(path))
    linear().fit_batches(in_batches(TEXTS, LABELS), checkpoint=tmp_path / "counts")
    assert not written  # it took less than half a minute
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    linear().fit_batches(in_batches(TEXTS, LABELS), checkpoint=tmp_path / "counts")
    assert 1 <= len(written) <= 15
