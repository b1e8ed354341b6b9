"""audit: planted errors are found and explained, contradictions reported, small classes left alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer

import troenpy
from troenpy import CountVectorizer, tasks
from troenpy.tasks.nearest_texts import nearest_texts
from troenpy.tasks.tested_parts import group_documents

pytest.importorskip("pyarrow")

from kernel_switch import needs_kernel
from made_up_files import made_up, write_csv

ROWS = [{**row, "text": f"{row['text']} number {number}"} for number, row in enumerate(made_up(240))]
TEXTS, TRUE = [row["text"] for row in ROWS], [row["label"] for row in ROWS]
WRONG = {7: "food", 31: "politics", 98: "sport", 155: "food", 200: "politics"}
LABELS = [WRONG.get(place, label) if TRUE[place] != WRONG.get(place) else label for place, label in enumerate(TRUE)]
PLANTED = {place for place in range(240) if LABELS[place] != TRUE[place]}


@pytest.fixture(scope="module")
def found():
    return troenpy.audit(TEXTS, LABELS, jobs=1)


def test_planted_errors_rank_first_with_the_right_label_and_reasons(found):
    assert len(PLANTED) >= 3
    first = found.suspects[: len(PLANTED)]
    assert {one.row for one in first} == PLANTED
    for rank, one in enumerate(first, start=1):
        assert one.rank == rank
        assert (one.label, one.suggested) == (LABELS[one.row], TRUE[one.row])
        assert one.p_label < one.p_suggested
        assert one.text == TEXTS[one.row]
        assert any(term in one.text.lower() and value > 0 for term, value in one.against)
        assert len(one.nearest) == 3
        assert one.row not in {near.row for near in one.nearest}
    assert first[0].is_likely
    assert [one.p_label for one in found.suspects] == sorted(one.p_label for one in found.suspects)


def test_the_share_of_wrong_labels_is_estimated(found):
    share = found.wrong_share
    assert share.low <= len(PLANTED) / 240 <= share.high
    assert found.n_likely <= len(found.suspects)
    assert 0 < found.error < 0.2


def test_the_result_is_plain_data_text_and_a_table(found):
    content = found.to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content | {
        "suspects": json.loads(json.dumps(content["suspects"]))
    }
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert f"row {found.suspects[0].row:,}: " in str(found)
    frame = found.to_frame()
    assert frame["row"].tolist() == [one.row for one in found.suspects]
    assert "<table>" in found._repr_html_()


def test_processes_give_what_one_process_gives(found, monkeypatch):
    monkeypatch.setattr("troenpy.tasks.audit_jobs.FEW_CHARACTERS", 0)
    other = troenpy.audit(TEXTS, LABELS, jobs=2)
    assert other.suspects == found.suspects
    assert other.wrong_share == found.wrong_share


def test_copies_with_different_labels_are_contradictions_and_the_minority_is_doubted():
    texts, labels = [*TEXTS, *[TEXTS[0]] * 2, TEXTS[1]], [*TRUE, TRUE[0], "food", "food"]
    found = troenpy.audit(texts, labels)
    assert [one.rows for one in found.contradictions] == [[0, 240, 241], [1, 242]]
    assert found.contradictions[0].labels == ["sport", "sport", "food"]
    doubted = {one.row: one for one in found.suspects if one.copies}
    assert {241, 1, 242} <= set(doubted)
    assert 0 not in doubted
    assert 240 not in doubted
    assert doubted[241].is_likely
    assert doubted[241].copies == {"sport": 2, "food": 1}
    assert "2 texts with different labels, 5 rows:" in str(found)


def test_small_classes_are_not_judged():
    extra = ["an oboe in the hall", "an oboe and a harp", "the harp", "chess"]
    found = troenpy.audit([*TEXTS, *extra], [*LABELS, "music", "music", "music", "games"])
    assert found.not_judged == {"games": 1, "music": 3}
    assert found.n_judged == 240
    assert not {one.label for one in found.suspects} & {"music", "games"}
    assert "not judged, with fewer than 5 different texts: 'games' (1) and 'music' (3)" in str(found)
    with pytest.raises(ValueError, match="no class has 5 different texts or more, which an audit needs"):
        troenpy.audit([f"text {i}" for i in range(12)], list("aaabbbcccddd"))


@needs_kernel  # the counts are close to a limit
def test_classes_that_are_taken_for_each_other_are_candidates_for_merging():
    rng = np.random.default_rng(0)
    labels = [rng.choice(["soup", "stew"]) if label == "food" else label for label in TRUE]
    pair = troenpy.audit(TEXTS, labels).pairs[0]
    assert {pair.first, pair.second} == {"soup", "stew"}
    assert pair.advice == "merge them, or draw a clearer line"
    assert pair.share > 0.2
    assert pair.n_first + pair.n_second == 80


def test_labels_keep_their_kind_and_the_groups_are_together():
    codes = [{"sport": 0, "politics": 1, "food": 2}[label] for label in LABELS]
    found = troenpy.audit(np.array(TEXTS), np.array(codes), groups=np.arange(240) // 2)
    assert {type(one.suggested) for one in found.suspects} == {int}
    assert {one.row for one in found.suspects[: len(PLANTED)]} == PLANTED
    json.dumps(found.to_dict())


def test_rows_of_a_file_have_their_numbers_whatever_is_skipped(in_folder):
    rows = [{"id": "x", "text": "", "label": "sport"}, *[{**row, "label": LABELS[i]} for i, row in enumerate(ROWS)]]
    write_csv(in_folder / "x.csv", rows)
    found = tasks.audit_file("x.csv", on_error="skip")
    assert {one.row for one in found.suspects[: len(PLANTED)]} == {place + 2 for place in PLANTED}
    write_csv(in_folder / "sets.csv", [{"text": row["text"], "label": "a;b"} for row in ROWS])
    with pytest.raises(ValueError, match=r"column 'label' of sets\.csv may hold several labels, but this takes one"):
        tasks.audit_file("sets.csv", separator=";")


def test_the_nearest_texts_are_those_by_brute_force():
    counts = CountVectorizer(analyzer="text").fit_transform(TEXTS)
    rows = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    similar = (rows @ rows.T).toarray()
    np.fill_diagonal(similar, 0)
    for place, near in zip((3, 50), nearest_texts(TEXTS, group_documents(TEXTS)[0], [3, 50], 3), strict=True):
        best = np.sort(similar[place])[::-1][:3]
        assert [one.similarity for one in near] == pytest.approx(best, abs=1e-4)
    assert nearest_texts(["a b", "a b"], np.array([0, 0]), [0], 3) == [[]]
    assert nearest_texts(TEXTS, np.arange(240), [], 3) == []


def test_hostile_text_and_names_do_no_harm():
    labels = [f"<script>{label}\x1b[2J\u202e" for label in LABELS]
    texts = [f"{text} <img src=x onerror=alert(1)> \x1b[2J \udcff" for text in TEXTS]
    found = troenpy.audit(texts, labels)
    for shown in (str(found), found._repr_html_()):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        shown.encode()
    assert "<script>" not in found._repr_html_()
    assert "<img" not in found._repr_html_()


def test_it_is_saved_by_the_ending(found, tmp_path):
    pytest.importorskip("jinja2")
    for name in ("a.html", "a.csv", "a.json", "a.jsonl"):
        found.save(tmp_path / name)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert f"review {len(found.suspects)} row" in page
    assert "found.save(&#39;doubtful.csv&#39;)" in page
    found.write_csv(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    content = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == content["suspects"] == json.loads(json.dumps(found.to_dict()["suspects"]))
    assert TEXTS[rows[0]["nearest"][0]["row"]].startswith(rows[0]["nearest"][0]["text"])
    with pytest.raises(ValueError, match=r"results are written to .html, .csv, .json or .jsonl, got a.xlsx: choose"):
        found.save(tmp_path / "a.xlsx")


def test_labels_by_chance_make_an_audit_that_means_nothing():
    labels = np.random.default_rng(0).permutation(["a"] * 160 + ["b"] * 80).tolist()
    found = troenpy.audit(TEXTS, labels, jobs=1)
    assert found.baseline == pytest.approx(1 / 3)
    assert found.error >= found.baseline
    assert found.warnings[-1].startswith("the audit means nothing: the model cannot tell the classes apart")


def test_how_to_write_all_is_said_unless_it_was_done(found):
    assert len(found.suspects) > 10 or "FILE.csv" not in str(found)
    more = replace(found, suspects=found.suspects * 20)
    assert "more doubtful labels; -o FILE.csv or FILE.html writes all" in str(more)
    assert "FILE.csv" not in more.text(is_written=True)


def test_lone_surrogates_are_saved(tmp_path):
    pytest.importorskip("jinja2")
    found = troenpy.audit([f"{text} \ud800" for text in TEXTS], LABELS, jobs=1)
    for name in ("a.html", "a.csv", "a.json", "a.jsonl"):
        found.save(tmp_path / name)
    content = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert content["suspects"][0]["text"] == found.suspects[0].text
    assert "\\ud800" in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_what_to_type_next_reads_the_same_file(in_folder):
    rows = [{"body": text, "kind": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    write_csv(in_folder / "my file.csv", rows)
    heard = []
    found = tasks.audit_file("my file.csv", text="body", label="kind", on_notice=heard.append)
    assert heard == [*found.notices, *(f"warning: {warning}" for warning in found.warnings)]
    assert [one["command"] for one in found.commands] == [
        "troenpy audit 'my file.csv' --text body --label kind -o doubtful.csv",
        "troenpy audit 'my file.csv' --text body --label kind --apply doubtful.csv -o corrected.csv",
    ]
