"""compare: what is measured, said and kept, from Python and from files."""

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from troenpy import tasks
from troenpy.tasks import method_comparison
from troenpy.tasks.comparison_jobs import Job, PlannedTests
from troenpy.tasks.folds import Fold

pytest.importorskip("pyarrow")

from made_up_files import made_up, write_csv
from sklearn.dummy import DummyClassifier

import troenpy

FAST = ["majority", "naive-bayes", "paper"]
ROWS = made_up(150)
TEXTS, LABELS = [row["text"] for row in ROWS], [row["label"] for row in ROWS]


def test_every_method_of_the_short_list_is_compared():
    found = troenpy.compare(TEXTS, LABELS)
    assert [method.short_name for method in found.methods] == [*method_comparison.SHORT_LIST]
    assert found.tested == "5-fold cross-validation"
    majority = found.methods[0]
    assert majority.error == pytest.approx(2 / 3, abs=0.03)
    assert found.best.error == min(method.error for method in found.methods)
    assert found.best.p is None
    assert majority.p < 0.01
    for method in found.methods:
        assert method.low <= method.error <= method.high
        assert 0 <= method.macro_f1 <= 1
        assert (method.log_loss is None) == (method.short_name == "tfidf-svm")
        assert np.mean(method.by_test) == pytest.approx(method.error)
        assert method.train_seconds > 0
    assert found.curve.method == found.recommended
    assert [point.fraction for point in found.curve.points] == [0.1, 0.2, 0.4, 0.7, 1]
    assert found.curve.points[-1].loss == pytest.approx(found.best.error)
    json.dumps(found.to_dict(), allow_nan=False)
    assert max(map(len, str(found).partition("in Python:")[0].splitlines())) <= 80
    assert "<table>" in found._repr_html_()
    assert found.to_frame().shape == (8, 9)


@pytest.mark.parametrize("metric", ["macro-f1", "log-loss"])
def test_another_metric_decides(metric):
    found = troenpy.compare(TEXTS, LABELS, metric=metric, methods=[*FAST, "tfidf-svm"], curve=False)
    values = {method.name: method.value for method in found.methods}
    best = max if metric == "macro-f1" else min
    assert found.recommended == best(values, key=values.get)
    for method in found.methods:
        assert method.low <= method.value <= method.high
    left_out = [notice for notice in found.notices if "left out" in notice]
    if metric == "log-loss":
        assert left_out == [
            "left out, as they have no probabilities and so no log loss: TF-IDF, words and characters, linear SVM"
        ]
        assert len(values) == 3
    else:
        assert left_out == []


def test_the_lines_of_python_build_the_recommended_model(in_folder):
    write_csv(in_folder / "it's <b>.csv", ROWS)
    for short in ("troenpy", "tfidf-svm", "neighbours"):
        found = tasks.compare_file("it's <b>.csv", methods=[short], curve=False)
        names = {}
        exec(found.python, names)  # noqa: S102 (our own code)
        assert names["model"].predict(["own goal of the team"]).tolist() == ["sport"]
        names = {"texts": TEXTS, "labels": LABELS}
        exec(troenpy.compare(TEXTS, LABELS, methods=[short], curve=False).python, names)  # noqa: S102
        assert names["model"].predict(["own goal of the team"]).tolist() == ["sport"]


def test_a_test_file_is_used_whole_and_leaks_are_warned_of(in_folder):
    write_csv(in_folder / "train.csv", ROWS[:100])
    write_csv(in_folder / "test.csv", [*ROWS[95:140]])
    found = tasks.compare_file("train.csv", test="test.csv", methods=FAST, curve=False)
    assert found.sizes == [(100, 45)]
    assert found.n_documents == 100
    assert any("of 45 test documents" in warning and "are copies" in warning for warning in found.warnings)
    assert {method.interval for method in found.methods} == {"Wilson"}
    assert (
        "--test test.csv" in tasks.compare_file("train.csv", test="test.csv", methods=["troenpy"], curve=False).command
    )
    again = troenpy.compare(
        TEXTS[:100], LABELS[:100], test_texts=TEXTS[95:140], test_labels=LABELS[95:140], methods=FAST, curve=False
    )
    assert [method.error for method in again.methods] == [method.error for method in found.methods]


def test_splits_groups_and_times_decide_what_is_tested():
    splits = ["train"] * 100 + ["test"] * 50
    options = {"methods": FAST, "curve": False}
    assert troenpy.compare(TEXTS, LABELS, splits=splits, **options).sizes == [(100, 50)]
    assert len(troenpy.compare(TEXTS, LABELS, groups=np.arange(150) % 20, **options).sizes) == 5
    found = troenpy.compare(TEXTS, LABELS, times=np.arange(150), folds=3, **options)
    assert [learnt for learnt, _ in found.sizes] == [38, 75, 113]
    for bad, message in [
        ({"splits": splits, "times": range(150)}, "split and time each say what is tested: choose one of them"),
        ({"splits": splits, "groups": range(150)}, "split says what is tested: leave out the groups"),
        ({"groups": [1]}, "groups must hold one value for each of the 150 texts, got 1"),
        ({"test_texts": ["x"]}, "test_texts and test_labels go together: pass both, or neither"),
        ({"metric": "accuracy"}, "metric must be error, macro-f1 or log-loss, got 'accuracy'"),
        ({"methods": ["svm"]}, "unknown method 'svm'"),
        ({"methods": ["majority"]}, "methods must name at least one besides the majority class"),
        ({"methods": ["tfidf-svm"], "metric": "log-loss"}, "none of the methods has probabilities"),
        ({"folds": 1}, "folds must be a whole number of at least 2, got 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            troenpy.compare(TEXTS, LABELS, **{**options, **bad})


def test_rows_are_kept_and_a_run_goes_on_from_them(tmp_path, monkeypatch):
    new = DummyClassifier.fit
    calls = []

    def fit(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return new(self, *arguments)

    monkeypatch.setattr(DummyClassifier, "fit", fit)
    options = {"methods": FAST, "rows": tmp_path / "rows", "curve": False}
    with pytest.raises(KeyboardInterrupt):
        troenpy.compare(TEXTS, LABELS, **options)
    assert len(list((tmp_path / "rows").glob("*.jsonl"))) == 1
    found = troenpy.compare(TEXTS, LABELS, **options)
    assert len(calls) == 3 + 3
    assert found.notices[-1].endswith("; 8 of them are of an earlier run")
    assert found.rows in found.notices[-1]
    troenpy.compare(TEXTS, LABELS, **{**options, "metric": "macro-f1"})
    assert len(calls) == 6
    troenpy.compare(TEXTS[1:], LABELS[1:], **options)
    assert len(calls) == 11
    assert len(list((tmp_path / "rows").glob("*.jsonl"))) == 2
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match=r"rows must name a folder, but .*file is a file"):
        troenpy.compare(TEXTS, LABELS, methods=FAST, rows=tmp_path / "file")


def test_processes_give_what_one_process_gives(monkeypatch):
    options = {"methods": [*FAST, "troenpy"]}
    monkeypatch.setattr(
        "troenpy.tasks.method_comparison.SLOW_FIT", np.inf
    )  # the curve has fewer tests if fits are slow
    one = troenpy.compare(TEXTS, LABELS, **options, jobs=1)
    monkeypatch.setattr("troenpy.tasks.comparison_jobs.FEW_CHARACTERS", 0)
    two = troenpy.compare(TEXTS, LABELS, **options, jobs=2)
    assert [method.by_test for method in two.methods] == [method.by_test for method in one.methods]
    assert two.curve == one.curve


def test_smaller_fractions_are_parts_of_larger_ones_with_all_classes():
    codes = np.repeat([0, 1, 2], [100, 40, 10])
    fold = Fold(np.arange(0, 150, 2), np.arange(1, 150, 2))
    plan = PlannedTests("x", ["t"] * 150, codes, [fold], 0)
    parts = [plan.learnt(Job("m", 0, fraction)) for fraction in (0.1, 0.2, 0.4, 0.7, 1.0)]
    for smaller, larger in pairwise(parts):
        assert set(smaller) < set(larger)
    assert [len(part) for part in parts] == [8, 15, 30, 52, 75]
    assert Counter(codes[parts[2]].tolist()) == {0: 20, 1: 8, 2: 2}


@pytest.mark.parametrize("kind", ["lists", "numpy", "pandas", "polars", "arrow"])
def test_texts_and_labels_come_from_anywhere(kind):
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    make = {"lists": list, "numpy": np.array, "pandas": pd.Series, "polars": pl.Series, "arrow": pa.array}[kind]
    labels = make([{"sport": 0, "politics": 1, "food": 2}[label] for label in LABELS])
    found = troenpy.compare(make(TEXTS), labels, groups=make(list(range(150))), methods=FAST, curve=False)
    expected = troenpy.compare(TEXTS, [{"sport": 0, "politics": 1, "food": 2}[label] for label in LABELS], methods=FAST)
    assert [method.error for method in found.methods] == [method.error for method in expected.methods]


def test_labels_that_say_nothing_are_sent_to_the_audit():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["one", "two", "three", "four"], 5)) + str(number) for number in range(60)]
    found = troenpy.compare(texts, rng.choice(["x", "y"], 60), methods=FAST, curve=False)
    assert "no method is clearly better than always predicting the largest class" in " ".join(found.advice)


def test_hostile_names_do_no_harm(in_folder):
    rows = [{**row, "label": f"<script>{row['label']}\x1b[2J"} for row in ROWS]
    write_csv(in_folder / "x\x1b[2J.csv", rows)
    found = tasks.compare_file("x\x1b[2J.csv", methods=FAST)
    assert "\x1b" not in str(found)
    assert "\x1b" not in found._repr_html_()


def test_it_is_saved_by_the_ending(tmp_path):
    pytest.importorskip("jinja2")
    found = troenpy.compare(TEXTS, LABELS, methods=FAST)
    for name in ("c.html", "c.csv", "c.json", "c.jsonl"):
        found.save(tmp_path / name)
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert f"Use {found.best.short_name}: error {100 * found.best.error:.2f} %" in page
    content = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert content == found.to_dict()
    lines = (tmp_path / "c.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == content["methods"]
    header, *rows = csv.reader((tmp_path / "c.csv").read_text(encoding="utf-8").splitlines())
    assert header == [*found.to_frame().columns]
    assert [row[0] for row in rows] == [method.name for method in found.methods]
    assert float(rows[0][1]) == found.methods[0].error


def test_notices_and_warnings_are_heard_before_the_work(in_folder):
    write_csv(in_folder / "x.csv", [*ROWS, {"text": ROWS[0]["text"], "label": "food"}])
    heard, at_start = [], []

    def note_step(step):
        if step.text.startswith("testing") and not at_start:
            at_start.extend(heard)

    options = {"methods": FAST, "curve": False, "jobs": 1, "rows": "rows"}
    found = tasks.compare_file("x.csv", **options, callback=note_step, on_notice=heard.append)
    assert "x.csv: CSV, separated by commas" in at_start
    assert [line for line in at_start if line.startswith("warning: ")] == [f"warning: {w}" for w in found.warnings]
    assert found.warnings
    assert [line for line in heard if not line.startswith("warning: ")] == found.notices


def test_a_very_small_p_is_not_called_zero():
    assert "<0.001" in str(troenpy.compare(TEXTS, LABELS, methods=["majority", "naive-bayes"], curve=False))


def test_what_no_command_builds_and_what_does_not_differ(tmp_path):
    found = troenpy.compare(TEXTS, LABELS, methods=["naive-bayes", "troenpy"], curve=False, jobs=1)
    first, second = found.methods
    best = replace(found, recommended="ComplementNB", reading={"source": "x.csv", "text": "text", "label": "label"})
    ours = next(one for one in best.methods if one.name == "troenpy")
    said = " ".join(str(best).split())
    other = f"the best that `troenpy train` can build is troenpy (error {100 * ours.error:.2f} %):"
    assert f"no command builds naive-bayes; {other}" in said
    alike = replace(found, methods=[replace(first, p=None), replace(second, p=0.4)])
    assert "no method differs significantly from the best (p of 0.05 or more)" in " ".join(str(alike).split())
    clear = replace(found, methods=[replace(first, p=None), replace(second, p=0.01)])
    assert "no method differs" not in str(clear)


def test_a_damaged_row_names_the_file_to_delete(tmp_path):
    troenpy.compare(TEXTS, LABELS, methods=["naive-bayes"], curve=False, jobs=1, rows=tmp_path)
    path = next(tmp_path.glob("*.jsonl"))
    path.write_bytes(b"damaged" + path.read_bytes())
    with pytest.raises(ValueError, match=rf"line 1 of {re.escape(str(path))}: not a row .*; delete this file"):
        troenpy.compare(TEXTS, LABELS, methods=["naive-bayes"], curve=False, jobs=1, rows=tmp_path)
