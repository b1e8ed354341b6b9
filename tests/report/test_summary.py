"""The one dict that all reports render: on rows made by hand, known by name or not."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from made_up_rows import row

from troenpy.experiments import tables
from troenpy.experiments.journal import versions
from troenpy.experiments.records import compare
from troenpy.report import claims, figures, page
from troenpy.report.summary import summarise


def projection(**changes):
    views = [
        {"scheme": scheme, "name": name, "x": [0, 1], "y": [0, 1], "trustworthiness": 0.9}
        | {"silhouette": silhouette, "silhouette_of_features": 0.2}
        for scheme, name, silhouette in (("idf", "TF-IDF", 0.1), ("pi", "TF-PI", 0.3))
    ]
    base = {"corpus": "r8", "n_documents": 2, "n_test": 5, "seed": 0, "perplexity": 1.0, "classes": ["a", "b"]}
    return base | {"codes": [0, 1], "texts": ["x", "y"], "views": views} | changes


def names(found):
    return [figure.name for figure in found]


def figure(summary, name):
    return next(one for one in figures.figures(summary) if one.name == name)


def test_it_is_plain_and_whole():
    rows = [row("r8", "knn: tf*idf", 12), row("r8", "knn: tf*pi", 6, seconds=0.2)]
    summary = summarise(rows, command="troenpy reproduce", notes=["a note"])
    assert json.loads(page.to_json(summary)) == summary
    assert set(summary) == {
        *("protocol", "command", "rules", "versions", "corpora", "comparison", "claims", "sweeps", "terms"),
        *("projection", "notes"),
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

    def test_the_diagram_needs_five_corpora(self):
        assert "ranks" in names(figures.figures(self.summary(4)))
        assert "ranks" not in names(figures.figures(self.summary(4, self.CORPORA[:4])))

    def test_of_many_methods_the_first_forty_and_the_baseline(self):
        rows = [
            row(corpus, f"m: {place:03}", 10 + place, n_test=1000) for corpus in self.CORPORA for place in range(60)
        ]
        drawn = figure(summarise(rows, baseline="m: 059"), "ranks")
        assert len(drawn.rows) == 41
        assert drawn.rows[-1][0] == "m: 059"
        assert "the first 40 of 60" in drawn.caption


class TestFigures:
    def test_of_the_paper(self):
        run = [(name, 10 + place) for place, name in enumerate((*figures.FIGURE_1, *figures.FIGURE_2, "knn: tf*rf"))]
        summary = summarise(
            [row(corpus, name, wrong) for corpus in ("r8", "classic") for name, wrong in run], projection=projection()
        )
        drawn = figures.figures(summary)
        assert names(drawn) == ["figure-1", "figure-2", "figure-3", "error-reduction", "cost"]
        assert [line[1] for line in drawn[0].rows[:4]] == list(figures.FIGURE_1)
        assert [line[1] for line in drawn[1].rows[:6]] == list(figures.FIGURE_2)
        assert drawn[0].rows[0][2:5] == pytest.approx([10.0, 5.522, 17.437], abs=1e-2)  # Wilson's interval of 10 in 100
        assert "r8: knn: tf*idf 10.00 %" in drawn[0].alt
        assert list(drawn[2].panels) == ["TF-IDF", "TF-PI"]
        assert "a random sample of 2 of 5 (seed 0)" in drawn[2].caption

    def test_a_method_unknown_by_name_is_shown_beside_the_papers(self):
        summary = summarise([row("r8, a sample", name, 5) for name in ("knn: tf*idf", "knn: tf", "hoftt: x")])
        assert figures.shown_methods(summary) == ["knn: tf*idf", "hoftt: x"]
        assert {line[1] for line in figure(summary, "cost").rows} == {"knn: tf*idf", "knn: tf", "hoftt: x"}

    def test_transport_on_a_sample_is_shown_as_such(self):
        run = [("knn: tf*idf", None, 0.1), ("knn: tf*pi", None, 0.2), ("knn: hoftt", "glove-50d", 60.0)]
        rows = [row("r8", name, 5, seconds=time, vectors=vectors, sample=50) for name, vectors, time in run]
        summary = summarise([*rows, row("r8", "knn: tf*idf", 9)])
        assert summary["comparison"]["corpora"] == ["r8", "r8, sample of 50"]
        assert summary["corpora"]["r8, sample of 50"]["sample"] == 50
        assert figures.shown_methods(summary) == ["knn: tf*idf", "knn: tf*pi", "knn: hoftt"]
        drawn = {(line[0], line[1]): line[2] for line in figure(summary, "cost").rows}
        assert drawn["r8, sample of 50", "knn: hoftt"] == "transport"
        assert drawn["r8, sample of 50", "knn: tf*pi"] == "knn"

    def test_without_any_of_the_papers_methods_the_first_ones(self):
        summary = summarise([row("mine", f"knn: tf*x{n}", n + 1) for n in range(12)])
        assert figures.shown_methods(summary) == [f"knn: tf*x{n}" for n in range(8)]
        assert names(figures.figures(summary)) == ["figure-1", "error-reduction", "cost"]

    def test_one_method_on_one_corpus(self):
        assert names(figures.figures(summarise([row("mine", "knn: tf", 3)]))) == ["figure-1", "cost"]

    def test_what_is_best_for_its_time(self):
        times = [("a: x", 20, 1.0), ("b: x", 10, 2.0), ("c: x", 10, 3.0), ("d: x", 30, 0.5), ("e: x", 25, 4.0)]
        rows = [row("c", name, wrong, seconds=seconds) for name, wrong, seconds in times]
        drawn = figure(summarise(rows), "cost")
        assert {line[1] for line in drawn.rows if line[-1] == "yes"} == {"d: x", "a: x", "b: x"}

    def test_sweeps_of_k_and_of_the_training_size(self):
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
        assert names(figures.figures(summary))[-2:] == ["neighbours", "training-size"]
        assert {line[0] for line in figure(summary, "figure-1").rows} == {"r8"}

    def test_a_baseline_without_errors_has_no_reductions(self):
        summary = summarise([row("c", "knn: tf*idf", 0), row("c", "knn: tf*pi", 1)])
        assert "error-reduction" not in names(figures.figures(summary))

    @pytest.mark.parametrize("page", ["#ffffff", "#14171a"])
    def test_colours_stand_out(self, page):
        from troenpy.report.charts import PALETTE

        def luminance(colour):
            parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
            linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
            return float(linear @ [0.2126, 0.7152, 0.0722])

        for colour in PALETTE:
            high, low = sorted((luminance(colour), luminance(page)), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 3, colour


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
            assert self.verdict(shown)[0] == claims.NOT_TESTABLE


def test_figures_that_let_choose_are_one_file_each(tmp_path):
    rows = [row(name, method, 5) for name in ("r8", "a/../<b>") for method in ("knn: tf", "lr: tf")]
    found = {path.name for path in figures.write_figures(summarise(rows), tmp_path / "new")}
    assert {"cost-1-r8.svg", "cost-2-a-b.png", "figure-1.png", "error-reduction.svg"} <= found
    assert found == {path.name for path in (tmp_path / "new").iterdir()}
    assert "Cost against error: a/../&lt;b&gt;" in (tmp_path / "new/cost-2-a-b.svg").read_text()


def test_markdown_has_every_part():
    summary = summarise(
        [row("r8", "knn: tf*idf", 12), row("r8", "knn: tf", 6)], command="troenpy x", notes=["mind <this>"]
    )
    text = page.to_report_markdown(summary)
    for part in ("What the paper claims", "Test error, %", "Corpora", "Sources and licences", "Versions", "Notes"):
        assert f"\n## {part}\n" in text
    assert tables.to_markdown(summary["comparison"]) in text
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
