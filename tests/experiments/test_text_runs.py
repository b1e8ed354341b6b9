"""Rows of methods from raw text: what they hold, and how a run goes on."""

import json
from dataclasses import replace

import numpy as np
import pytest

from troenpy.datasets import Corpus
from troenpy.experiments import text_runs
from troenpy.experiments.journal import Row, read_rows
from troenpy.experiments.text_methods import TEXT_METHODS, TextMethod
from troenpy.experiments.text_runs import TextSplit, evaluate, run_text_methods, settings_of, text_splits

TEXTS = ("late goal", "own goal", "close vote", "no vote") * 5
LABELS = np.array(["s", "s", "p", "p"] * 5)
TINY = Corpus("tiny", TEXTS, LABELS)
GIVEN = Corpus("given", TEXTS, LABELS, np.array(["train"] * 12 + ["test"] * 8))
METHODS = [TEXT_METHODS[name] for name in ("majority class", "log TF-IDF, linear SVM", "troenpy, words, C=3")]


def test_a_row_holds_errors_probabilities_seconds_and_settings():
    majority, svm, ours = run_text_methods([GIVEN], METHODS)
    assert (majority.error, majority.n_wrong, majority.n_train, majority.n_test, majority.seed) == (0.5, 4, 12, 8, None)
    assert majority.log_loss == pytest.approx(np.log(2), abs=1e-6)
    assert majority.calibration_error == 0
    assert majority.was_correct().tolist() == (GIVEN.labels[12:] == "p").tolist()
    assert majority.n_terms == 6
    assert (svm.error, svm.log_loss, svm.calibration_error) == (0, None, None)
    assert 0 < ours.calibration_error < ours.log_loss < 0.2
    assert "sublinear_tf=True" in svm.settings
    assert "C=3, " in ours.settings
    assert "('certainty', 'boost', 'profile')" in ours.settings
    assert min(majority.cpu_seconds, svm.cpu_seconds, ours.cpu_seconds, ours.wall_seconds) > 0
    assert Row.from_json(ours.to_json()) == ours


def test_a_row_may_say_what_was_predicted_for_each_document():
    codes = (LABELS == "s").astype(np.int64)
    split = TextSplit("tiny", "0", 3, list(TEXTS[:12]), codes[:12], list(TEXTS[12:]), codes[12:], 0.6, True)
    row = Row.from_json(evaluate(split, METHODS[2]).to_json())
    assert (row.seed, row.train_fraction, row.n_terms, row.error) == (3, 0.6, 0, 0)
    assert row.predictions().tolist() == codes[12:].tolist()
    assert row.document_losses().mean() == pytest.approx(row.log_loss, abs=1e-6)
    assert 0 < row.fit_seconds < row.wall_seconds
    for name in ("predicted", "losses"):
        with pytest.raises(ValueError, match=f"{name} must hold 8 numbers of 0 or more in base64, got 'AAAA'"):
            Row.from_json(replace(row, **{name: "AAAA"}).to_json())
    assert evaluate(split, METHODS[1]).document_losses() is None


def test_a_corpus_without_a_split_has_random_ones_by_seed():
    rows = run_text_methods([TINY], METHODS[:1], splits=3)
    assert [row.seed for row in rows] == [0, 1, 2]
    assert {(row.n_train, row.n_test) for row in rows} == {(16, 4)}
    first, second = text_splits(TINY, 2)
    assert sorted([*first.texts, *first.test_texts]) == sorted(TEXTS)
    assert first.texts != second.texts


def test_a_run_computes_only_the_rows_that_are_missing(tmp_path, monkeypatch):
    path, new = tmp_path / "rows.jsonl", []
    run_text_methods([TINY], METHODS[:1], splits=1, out=path)
    rows = run_text_methods([TINY, GIVEN], METHODS[:2], splits=2, out=path, on_row=new.append)
    assert [(row.corpus, row.seed, row.method == "majority class") for row in new] == [
        ("tiny", 0, False),
        ("tiny", 1, True),
        ("tiny", 1, False),
        ("given", None, True),
        ("given", None, False),
    ]
    assert len(rows) == len(read_rows(path)) == 6
    monkeypatch.setattr(text_runs, "evaluate", pytest.fail)
    assert run_text_methods([TINY, GIVEN], METHODS[:2], splits=2, out=path) == rows


def test_rows_of_other_settings_are_not_taken_for_ours(tmp_path):
    path = tmp_path / "rows.jsonl"
    run_text_methods([GIVEN], METHODS, out=path)
    changed = replace(METHODS[2], factory=TEXT_METHODS["troenpy, both views, C=3"].factory)
    with pytest.raises(ValueError, match="row of 'troenpy, words, C=3' on given was made with other settings: remove"):
        run_text_methods([GIVEN], [changed], out=path)


def test_a_changed_default_of_ours_changes_the_settings(monkeypatch):
    default = TEXT_METHODS["troenpy"]
    before = settings_of(default.new())
    features = TEXT_METHODS["troenpy, both views, C=3"].new().features
    monkeypatch.setattr(type(default.new()), "default_features", staticmethod(lambda: features))
    assert settings_of(default.new()) != before


def test_what_a_classifier_chose_is_recorded():
    class Chooses(type(METHODS[0].new())):
        def fit(self, X, y):
            self.C_ = 10.0
            return super().fit(X, y)

    (row,) = run_text_methods([GIVEN], [TextMethod("chooses", "", Chooses)])
    assert row.chosen == "C=10"
    assert json.loads(row.to_json())["chosen"] == "C=10"


def test_a_pretrained_method_encodes_the_test_part_once():
    calls = []

    class Pretrained(type(METHODS[0].new())):
        def predict_proba(self, X):
            calls.append(len(X))
            return super().predict_proba(X)

        predict = pytest.fail

    (row,) = run_text_methods([GIVEN], [TextMethod("vectors", "", Pretrained, "pretrained")])
    assert (row.error, calls) == (0.5, [8])


def test_a_class_that_only_the_test_part_has_is_an_error_of_every_method():
    corpus = replace(GIVEN, labels=np.array([*LABELS[:-1], "new"]))
    rows = run_text_methods([corpus], METHODS[1:])
    assert [row.n_wrong for row in rows] == [1, 1]
    assert rows[1].log_loss > 4  # one of eight documents at the least probability


def test_errors_of_a_method_name_it_and_the_corpus():
    corpus = replace(GIVEN, labels=np.array(["s"] * 20))
    with pytest.raises(ValueError, match=r"^'log TF-IDF, linear SVM' on given: "):
        run_text_methods([corpus], METHODS[1:2])
