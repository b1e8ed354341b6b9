"""The one dict that all reports render: on rows made by hand, known by name or not."""

import json
import re
from dataclasses import replace

import pytest
from made_up_rows import row

from troenpy.experiments import tables
from troenpy.experiments.journal import versions
from troenpy.experiments.records import compare
from troenpy.report import claims, page
from troenpy.report.summary import summarise


def projection(**changes):
    views = [
        {"scheme": scheme, "name": name, "x": [0, 1], "y": [0, 1], "trustworthiness": 0.9}
        | {"silhouette": silhouette, "silhouette_of_features": 0.2}
        for scheme, name, silhouette in (("idf", "TF-IDF", 0.1), ("pi", "TF-PI", 0.3))
    ]
    base = {"corpus": "r8", "n_documents": 2, "n_test": 5, "seed": 0, "perplexity": 1.0, "classes": ["a", "b"]}
    return base | {"codes": [0, 1], "texts": ["x", "y"], "views": views} | changes


def test_it_is_plain_and_whole():
    rows = [row("r8", "knn: tf*idf", 12), row("r8", "knn: tf*pi", 6, seconds=0.2)]
    summary = summarise(rows, command="troenpy reproduce", notes=["a note"])
    assert json.loads(page.to_json(summary)) == summary
    assert set(summary) == {
        *("protocol", "command", "rules", "versions", "corpora", "comparison", "claims", "sweeps", "terms"),
        *("projection", "notes", "headline"),
    }
    assert summary["versions"] == versions()
    assert summary["corpora"]["r8"]["seeds"] == [None]
    assert "Reuters" in summary["corpora"]["r8"]["licence"]
    errors = {record["method"]: record for record in summary["comparison"]["errors"]}
    assert errors["knn: tf*pi"]["reduction"] == pytest.approx(0.5)
    assert errors["knn: tf*pi"]["seconds"] == 0.2


def test_rows_in_any_order_give_the_same():
    rows = [
        row(corpus, method, n_wrong, seed=seed)
        for corpus, method, n_wrong in (("r8", "lr: tf", 3), ("r8", "knn: tf*idf", 9), ("bbcsport", "knn: tf*pi", 4))
        for seed in (0, 1)
    ]
    assert page.to_json(summarise(rows)) == page.to_json(summarise(rows[::-1]))
    assert summarise(rows)["comparison"]["corpora"] == ["bbcsport", "r8"]
    assert [method["name"] for method in summarise(rows)["comparison"]["methods"]] == [
        *("knn: tf*pi", "knn: tf*idf", "lr: tf"),
    ]


@pytest.mark.parametrize(
    ("name", "model", "k", "family"),
    [
        ("knn: tf*pi", "knn", 7, "knn: tf*pi"),
        ("knn3-manhattan: tf/l1", "knn", 3, "knn-manhattan: tf/l1"),
        ("lr: tf + btf", "lr", None, "lr: tf + btf"),
        ("wmd5: tf", "wmd", 5, "wmd: tf"),
        ("something else", "other", None, "something else"),
    ],
)
def test_names_are_read_as_far_as_they_can_be(name, model, k, family):
    read = summarise([row("c", name, 1)])["comparison"]["methods"][0]
    assert (read["name"], read["model"], read["k"], read["family"]) == (name, model, k, family)


class TestRanks:
    CORPORA = ("bbcsport", "twitter", "ohsumed", "classic", "r8")

    def summary(self, n_methods, corpora=CORPORA):
        places = [(corpus, place) for corpus in corpora for place in range(n_methods)]
        return summarise([row(corpus, f"m{place:02}: x", 10 + 5 * place, n_test=1000) for corpus, place in places])

    def test_groups_are_those_of_which_no_two_differ(self):
        friedman = self.summary(12)["comparison"]["friedman"]
        p = {frozenset((a, b)): value for a, b, value in friedman["p_of_pairs"]}
        order = sorted(friedman["mean_ranks"], key=friedman["mean_ranks"].get)
        alike = [
            order[start:end]
            for start in range(len(order))
            for end in range(start + 2, len(order) + 1)
            if all(p[frozenset((a, b))] >= 0.05 for a in order[start:end] for b in order[start:end] if a != b)
        ]
        largest = [run for run in alike if not any(set(run) < set(other) for other in alike)]
        assert len(largest) > 1
        assert friedman["groups"] == largest

    def test_samples_and_parts_of_a_corpus_do_not_count_as_corpora(self):
        rows = [row(corpus, f"m: {n}", 10 + n) for corpus in self.CORPORA for n in range(3)]
        parts = [row("r8", f"m: {n}", 30 - n, train_fraction=0.5) for n in range(3)]
        with_parts = summarise(rows + parts)["comparison"]
        assert with_parts["friedman"] == summarise(rows)["comparison"]["friedman"]
        assert with_parts["friedman"]["n_corpora"] == 5
        assert [method["rank"] for method in with_parts["methods"]] == [1, 2, 3]


def test_sweeps_of_k_and_of_the_training_size():
    rows = [
        row("r8", f"knn{k}: tf", 10 + int(k or 7), train_fraction=part, n_train=int(400 * part))
        for k in ("1", "3", "")
        for part in (0.25, 1.0)
    ]
    summary = summarise(rows)
    whole = [point for point in summary["sweeps"]["k"] if point["corpus"] == "r8"]
    assert [(point["k"], point["error"]) for point in whole] == [(1, 0.11), (3, 0.13), (7, 0.17)]
    curve = [point for point in summary["sweeps"]["training"] if point["method"] == "knn3: tf"]
    assert [(point["corpus"], point["n_train"]) for point in curve] == [("r8", 100), ("r8", 400)]


class TestTheClaimAboutThePicture:
    TEXT = "t-SNE of R8: classes cluster tighter on TF-PI than on TF-IDF"

    def verdict(self, shown):
        found = summarise([row("r8", "knn: tf", 1)], projection=shown)["claims"]
        return next((claim["verdict"], claim["evidence"]) for claim in found if claim["text"] == self.TEXT)

    def test_it_is_the_silhouette(self):
        evidence = "0.30 against 0.10 in the map of 2 documents; 0.20 against 0.20 in the features"
        assert self.verdict(projection()) == (claims.HELD, f"silhouette of the classes {evidence}")
        swapped = projection()
        swapped["views"][0]["silhouette"] = 0.4
        assert self.verdict(swapped)[0] == claims.NOT_HELD

    def test_it_takes_a_picture_of_r8_with_classes(self):
        none = projection()
        none["views"][0]["silhouette"] = None
        for shown in (None, projection(corpus="classic"), none):
            assert self.verdict(shown)[0].startswith("needs ")


def test_markdown_has_every_part():
    summary = summarise(
        [row("r8", "knn: tf*idf", 12), row("r8", "knn: tf", 6)], command="troenpy x", notes=["mind <this>"]
    )
    text = page.to_report_markdown(summary)
    for part in ("What the paper claims", "Test error, %", "Corpora", "Sources and licences", "Versions", "Notes"):
        assert f"\n## {part}\n" in text
    assert tables.to_markdown(summary["comparison"]) in text
    assert summary["headline"]["sentence"] in text
    assert "| r8 | 400 | 100 | 10 | given |" in text
    assert "- `troenpy x`" in text
    assert "mind &lt;this&gt;" in text


def test_markdown_has_no_live_html_whatever_rows_say():
    live = "<img src=x onerror=alert(1)>"
    rows = [row(f"c{live}", f"knn: {live}", 1, versions={f"v{live}": f"1{live}\x1b[31m"})]
    text = page.to_report_markdown(summarise(rows, command=f"troenpy {live}", notes=[live]))
    assert "<img" not in re.sub("`[^`\n]*`", "", text)  # code is shown as it is
    assert "- v&lt;img src=x onerror=alert(1)&gt; 1&lt;img" in text
    assert "\x1b" not in text


def test_rows_that_do_not_compare_are_an_error():
    with pytest.raises(ValueError, match="there are no rows to compare"):
        summarise([])
    rows = [row("c", "a", 1), replace(row("c", "b", 1), versions={"numpy": "0"})]
    with pytest.raises(ValueError, match="different versions"):
        summarise(rows)


def test_compare_takes_no_baseline_too():
    from troenpy.experiments.comparison import Comparison

    found = compare(Comparison([row("c", "a", 1), row("c", "b", 2)]))
    assert [method["wins"] for method in found["methods"]] == [None, None]
