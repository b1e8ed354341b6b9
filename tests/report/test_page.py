"""The page in a real browser: it answers a reader's questions, asks for nothing, and runs nothing from a corpus."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from made_up_rows import row

from troenpy import WEIGHTS, ClassCounts, report
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.grammar import read_methods
from troenpy.experiments.methods import ALL_WEIGHTS, BEYOND, USUAL
from troenpy.experiments.splits import count_terms
from troenpy.information.measures import troenpy
from troenpy.report.claims import SEVEN, TF_IDF, TF_PI
from troenpy.report.projection import project
from troenpy.report.selection import OURS
from troenpy.report.summary import summarise
from troenpy.report.terms import term_table

pytest.importorskip("jinja2")

HOSTILE = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>{{7*7}}${alert(1)}</script><!--'
PHONE = {"width": 390, "height": 844}

# The points of the cost chart in the order of cost, as seen from below, and the corners of its frontier.
FRONTIER = """() => {
  const plane = [...document.querySelectorAll("#cost .plane")].find((one) => one.checkVisibility());
  const shown = [...plane.querySelectorAll(".point:not(.is-off)")].map((one) => one.style);
  const points = shown.map((one) => [parseFloat(one.left), 100 - parseFloat(one.bottom)]);
  points.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const numbers = plane.querySelector(".frontier").getAttribute("d").replace(/H100$/, "").match(/[\\d.]+/g).map(Number);
  return [points, numbers.flatMap((x, i) => (i % 2 ? [] : [[x, 100 - numbers[i + 1]]]))];
}"""
# The labels of the cost chart, each with the number of its point and its line, and the places of all points.
LABELS = """() => {
  const plane = [...document.querySelectorAll("#cost .plane")].find((one) => one.checkVisibility());
  const points = [...plane.querySelectorAll(".point")];
  const box = (one) => one && one.getBoundingClientRect().toJSON();
  const labels = points.map((one, i) => [i, one.querySelector("b"), one.querySelector(".leader")]);
  const seen = labels.filter(([, label]) => label.checkVisibility());
  return [seen.map(([i, label, line]) => [i, box(label), box(line)]), points.map(box)];
}"""


def corpus(name, classes, *, n_documents=120, extra=""):
    rng = np.random.default_rng(1)
    labels = np.arange(n_documents) % len(classes)
    texts = tuple(
        " ".join([f"{extra} first{i}", *(f"word{n}" for n in rng.integers(30, size=5)), f"class{label}"])
        for i, label in enumerate(labels)
    )
    split = np.where(np.arange(n_documents) // len(classes) % 2 == 0, "train", "test")
    return Corpus(name, texts, np.array(classes)[labels], split)


METHODS = tuple(method.name for method in read_methods(USUAL))


def rows(corpora=SEVEN, methods=METHODS):
    """Errors that differ by corpus and method; ours are the lowest."""
    return [
        row(name, method, 40 + (7 * place + 11 * number) % 200, n_test=1000, seconds=0.05 * 1.3**place)
        for number, name in enumerate(corpora)
        for place, method in enumerate(methods)
    ]


def written(folder, found, given=None, **options):
    parts = {}
    if given is not None:
        counted = count_terms(given)
        parts = {"terms": term_table(given, counted), "projection": project(given, counted)}
    report.write_report(summarise(found, **parts, **options), folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def seven(tmp_path_factory):
    """The page of seven corpora, with terms and maps of r8, a sweep of k and a learning curve."""
    extra = [row("r8", f"knn{k}: tf*idf", 90 + k, n_test=1000) for k in (1, 3)]
    extra += [row("r8", method, 300, n_test=1000, train_fraction=0.5, n_train=200) for method in (TF_IDF, TF_PI)]
    names = ["acq", "earn", "grain", "ship"]
    return written(tmp_path_factory.mktemp("seven"), rows() + extra, corpus("r8", names), notes=["a note"])


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    """The page of one corpus, by the default methods."""
    return written(tmp_path_factory.mktemp("single"), rows(["r8"]), corpus("r8", ["acq", "earn", "grain", "ship"]))


@pytest.fixture(scope="module")
def falling(tmp_path_factory):
    """The page of one corpus on which the slower methods, which come later, make fewer errors, as a rule."""
    found = [
        row("r8", method, 300 - 7 * place + 13 * place % 17, n_test=1000, seconds=0.05 * 1.3**place)
        for place, method in enumerate(METHODS)
    ]
    return written(tmp_path_factory.mktemp("falling"), found)


class TestTheAnswer:
    def test_the_numbers_of_the_first_screen_are_those_of_the_rows(self, visit, single):
        opened = visit(single, viewport={"width": 1280, "height": 800})
        errors = {one.method: one.error for one in rows(["r8"])}
        fewer = {method: round(100 * (1 - errors[method] / errors[TF_IDF])) for method in (TF_PI, OURS)}
        said = opened.page.locator("h1").inner_text()
        assert said.startswith("On Reuters R8, nearest neighbours on TF-PI make ")
        for share in fewer.values():
            assert f"{abs(share)} % {'fewer' if share > 0 else 'more'}" in said
        shown = opened.page.locator("#answer .dot-row")
        methods = json.loads((single.parent / "report.json").read_text())["headline"]["methods"]
        assert shown.count() == len(methods)
        for place, method in enumerate(methods):
            assert shown.nth(place).locator("td.number").inner_text().split()[0] == f"{100 * errors[method]:.1f}"
            assert method in shown.nth(place).get_attribute("data-tip")
        box = shown.last.bounding_box()
        assert box["y"] + box["height"] < 800

    def test_dots_lie_where_their_numbers_say(self, visit, single):
        page = visit(single, viewport={"width": 1280, "height": 800}).page
        errors = {one.method: one.error for one in rows(["r8"])}
        found = []
        for line in page.locator("#answer .dot-row").all():
            dot, track = line.locator(".dot").bounding_box(), line.locator(".track").bounding_box()
            place = (dot["x"] + dot["width"] / 2 - track["x"]) / track["width"]
            found.append((100 * errors[line.get_attribute("data-tip").splitlines()[1]], place))
        (one, here), (other, there) = min(found), max(found)
        slope = (there - here) / (other - one)
        for error, place in found:
            assert place == pytest.approx(error * slope, abs=0.01)

    def test_the_mean_is_first_and_one_choice_serves_all_charts(self, visit, seven):
        page = visit(seven).page
        assert page.locator("h1").inner_text().startswith("On average over seven corpora, ")
        assert "the mean of the changes on each corpus" in page.locator("header").inner_text()
        chosen = page.get_by_label("Corpus")
        assert chosen.locator("option").count() == 8
        chosen.select_option(label="Reuters R8")
        errors = {one.method: one.error for one in rows() if one.corpus == "r8"}
        first = page.locator("#answer .dot-row:visible").first
        assert first.locator("td.number").inner_text().split()[0] == f"{100 * errors[TF_IDF]:.1f}"
        shown = [part.get_attribute("data-setting") for part in page.locator("[data-setting]:visible").all()]
        assert set(shown) == {"5"}
        assert len(shown) >= 4

    def test_what_to_type_next_can_be_copied(self, visit, single):
        opened = visit(single, permissions=["clipboard-read", "clipboard-write"])
        page = opened.page
        page.locator(".commands [data-copies]").last.click()
        assert page.evaluate("navigator.clipboard.readText()") == "troenpy reproduce --datasets all"
        assert page.locator("#said").inner_text() == "copied"

    def test_groups_are_switched_by_mouse_and_keyboard(self, visit, seven):
        page = visit(seven).page
        knn = page.get_by_role("button", name="nearest neighbours")
        visible = page.locator('#answer .dot-row[data-group="knn"]:visible')
        others = page.locator('#answer .dot-row[data-group="lr"]:visible')
        n_all = visible.count()
        assert n_all == 4
        knn.click()
        assert (visible.count(), others.count() > 0, knn.get_attribute("aria-pressed")) == (0, True, "false")
        knn.press("Enter")
        assert visible.count() == n_all
        knn.click(modifiers=["Shift"])
        assert (visible.count(), others.count()) == (n_all, 0)
        knn.click(modifiers=["Shift"])
        assert others.count() > 0

    def test_what_is_switched_off_leaves_nothing_behind(self, visit, falling):
        """Headings go with their rows, the frontier with its points, and a line says so where nothing is left."""
        page = visit(falling).page
        groups = page.locator("button[data-choice]")
        headings = page.locator("#answer .heading:visible")
        before = headings.all_inner_texts()
        _, first = page.evaluate(FRONTIER)
        page.get_by_role("button", name="nearest neighbours").click()
        assert headings.all_inner_texts() == [text for text in before if text != "nearest neighbours"]
        points, corners = page.evaluate(FRONTIER)
        assert corners != first
        best = [one for n, one in enumerate(points) if all(other[1] < one[1] for other in points[:n])]
        assert (len(best) > 1, corners) == (True, [[x, pytest.approx(100 - y)] for x, y in best])
        for number in range(groups.count()):
            if groups.nth(number).get_attribute("aria-pressed") == "true":
                groups.nth(number).click()
        for part in ("answer", "methods", "cost", "errors"):
            assert page.locator(f"#{part}").get_by_text("Nothing to show").is_visible(), part
        assert page.locator(".dot-rows:visible, .chart:visible, #all-errors:visible").count() == 0
        groups.last.click()
        assert page.locator("#errors").get_by_text("Nothing to show").is_hidden()
        assert page.locator("#all-errors").is_visible()

    def test_caption_and_tooltip_are_about_what_is_shown(self, visit, seven):
        page = visit(seven, viewport={"width": 1280, "height": 900}).page
        caption = page.locator("#answer .dots:visible p")
        tip = page.locator("#tip")
        assert caption.inner_text().startswith("Small dots are corpora")
        page.locator("#answer .dot-row:visible").nth(2).hover()
        assert re.search(r"[\d.]+ s per split, mean over the corpora$", tip.inner_text())
        assert all(f"{name}: " in tip.inner_text() for name in ("BBC Sport", "Reuters R8", "Twitter"))
        page.get_by_label("Corpus").select_option(label="Twitter")
        assert tip.is_hidden()
        assert caption.inner_text().startswith("Lines are 95 % intervals")
        page.locator("#answer .dot-row:visible").nth(2).hover()
        for said in ("95 % interval", ", p ", " s per split"):
            assert said in tip.inner_text()

    def test_hovering_tells_the_interval_p_seconds_and_the_name_in_commands(self, visit, single):
        page = visit(single, viewport={"width": 1280, "height": 800}).page
        page.locator("#answer .dot-row", has_text="TF-PI").first.hover()
        lines = page.locator("#tip").inner_text().splitlines()
        assert lines[:2] == ["TF-PI, nearest neighbours", TF_PI]
        assert re.fullmatch(r"error: \d+\.\d %", lines[2])
        assert re.fullmatch(r"95 % interval: \d+\.\d to \d+\.\d", lines[3])
        assert any(
            re.search(r"(fewer|more) errors than TF-IDF, nearest neighbours, p [=<] [\d.]+", line) for line in lines
        )
        assert re.fullmatch(r"[\d.]+ s per split", lines[-1])
        page.locator("h1").hover()
        assert page.locator("#tip").is_hidden()

    def test_a_finger_shows_it_too(self, visit, single):
        page = visit(single, viewport=PHONE, has_touch=True, is_mobile=True).page
        page.locator("#answer .dot-row").nth(2).tap()
        assert page.locator("#tip").is_visible()
        assert "95 % interval" in page.locator("#tip").inner_text()

    def test_arrow_keys_show_what_hovering_shows(self, visit, single):
        page = visit(single).page
        page.locator("#answer .dot-rows").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        tip = page.locator("#tip")
        assert page.locator("#answer .dot-row").nth(1).get_attribute("data-tip") == tip.inner_text()
        assert page.locator("#said").text_content() == tip.inner_text()
        assert "95 % interval" in tip.inner_text()
        assert "per split" in tip.inner_text()
        page.keyboard.press("Escape")
        assert tip.is_hidden()


class TestClaims:
    def test_those_that_were_tested_come_first_and_the_rest_is_one_line(self, visit, single):
        page = visit(single).page
        claims = json.loads((single.parent / "report.json").read_text())["claims"]
        tested = [claim for claim in claims if claim["verdict"] in ("held", "not held")]
        shown = page.locator(".claims > li")
        assert shown.count() == len(tested) > 0
        assert tested[0]["text"] in shown.first.inner_text()
        rest = page.locator(".open-claims")
        assert rest.locator("summary").inner_text().startswith(f"{14 - len(tested)} claims of the paper need more")
        assert rest.locator("li").first.is_hidden()
        rest.locator("summary").click()
        assert "needs 7 corpora" in rest.inner_text()

    def test_on_seven_corpora_each_has_a_picture(self, visit, seven):
        page = visit(seven).page
        assert page.locator(".claims > li").count() >= 11
        bars = page.locator(".claims > li").first.locator(".changes > span")
        assert bars.count() == 7
        assert "BBC Sport" in bars.first.get_attribute("data-tip")

    def test_on_a_phone_a_number_stays_on_its_line(self, visit, seven):
        page = visit(seven, viewport=PHONE).page
        for number in page.locator(".claim-number").all():
            assert number.bounding_box()["height"] < 35, number.inner_text()

    def test_on_a_corpus_of_ones_own_they_are_not_in_the_way(self, visit, tmp_path):
        page = visit(written(tmp_path, rows(["mine"]))).page
        assert page.locator(".claims").count() == 0
        assert page.locator("main > section").last.get_attribute("id") == "made"
        assert page.locator("main > section").nth(-2).get_attribute("id") == "claims"
        assert "about other corpora" in page.locator("#claims-title").inner_text()


class TestCharts:
    def test_the_page_asks_for_nothing_and_has_every_part(self, visit, seven):
        opened = visit(seven)
        assert opened.is_quiet(), (opened.messages, opened.requests)
        ids = [section.get_attribute("id") for section in opened.page.locator("main > section").all()]
        assert ids == [
            *("answer", "claims", "methods", "cost", "ranks", "training-size", "neighbours", "map", "errors"),
            *("terms", "made"),
        ]
        for link in opened.page.locator("nav a").all():
            assert opened.page.locator(link.get_attribute("href")).count() == 1

    def test_all_methods_are_sorted_and_unfolded_by_a_button(self, visit, single):
        page = visit(single).page
        shown = page.locator("#methods .dot-row:visible")
        n_folded = shown.count()
        page.get_by_role("button", name="Show all").click()
        assert n_folded < shown.count() == len(USUAL)
        numbers = [float(text.split()[0]) for text in page.locator("#methods td.number").all_inner_texts()]
        assert numbers == sorted(numbers)

    def test_labels_of_points_do_not_overlap(self, visit, single):
        page = visit(single).page
        page.locator("#cost").scroll_into_view_if_needed()
        boxes = [label.bounding_box() for label in page.locator("#cost .point b:visible").all()]
        assert len(boxes) >= 3
        for place, one in enumerate(boxes):
            for other in boxes[:place]:
                is_apart = (
                    one["x"] + one["width"] <= other["x"] + 1 or other["x"] + other["width"] <= one["x"] + 1
                    or one["y"] + one["height"] <= other["y"] + 1 or other["y"] + other["height"] <= one["y"] + 1
                )  # fmt: skip
                assert is_apart, (one, other)

    @pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}], ids=["phone", "desk"])
    def test_a_label_is_nearest_to_its_own_point_or_has_a_line_to_it(self, visit, falling, size):
        page = visit(falling, viewport=size).page
        page.locator("#cost").scroll_into_view_if_needed()
        labels, centres = page.evaluate(LABELS)
        assert len(labels) >= 5
        for own, label, line in labels:
            if line is None:
                assert gap(label, centres[own]) == min(gap(label, other) for other in centres)
            else:
                assert gap(label, line) < 3

    def test_pointing_at_a_rank_marks_what_does_not_differ(self, visit, seven):
        page = visit(seven).page
        like = page.locator("#ranks .is-like")
        before = like.all_inner_texts()
        assert len(before) >= 1
        page.locator("#ranks .dot-row:visible").last.hover()
        assert like.all_inner_texts() != before

    def test_nothing_with_one_bar_is_drawn(self, visit, tmp_path):
        opened = visit(written(tmp_path, [row("mine", "knn: tf", 10)]))
        assert opened.is_quiet()
        page = opened.page
        assert "on TF make errors on 10.0 % of the test documents" in page.locator("h1").inner_text()
        ids = [section.get_attribute("id") for section in page.locator("main > section").all()]
        assert ids == ["answer", "errors", "claims", "made"]

    def test_the_maps_filter_classes_and_tell_documents(self, visit, single):
        opened = visit(single)
        page = opened.page
        page.locator("#map").scroll_into_view_if_needed()
        canvas = page.locator(".map canvas").first

        def shows(number):
            return opened.eventually(lambda: canvas.get_attribute("data-shown") == str(number))

        n_all = sum(int(text.split()[-1]) for text in page.locator("[data-class]").all_inner_texts())
        assert shows(n_all)
        first = page.locator("[data-class]").first
        n_first = int(first.inner_text().split()[-1])
        first.click()
        assert shows(n_all - n_first)
        first.press("Enter")
        assert shows(n_all)
        first.click(modifiers=["Shift"])
        assert shows(n_first)
        page.get_by_role("button", name="All or none").click()
        assert shows(n_all)
        page.locator(".map").first.focus()
        page.keyboard.press("ArrowRight")
        assert "first" in page.locator("#tip").inner_text()
        assert page.locator("#tip").inner_text().split("\n")[0] in ("acq", "earn", "grain", "ship")


class TestTheTable:
    def errors(self, page, column=3):
        cells = page.locator(f"#all-errors tbody tr:visible td:nth-child({column}) .cell").all_inner_texts()
        return [float(text.replace("−", "-").replace("+", "")) for text in cells if text != "not run"]

    def test_titles_sort(self, visit, single):
        page = visit(single).page
        title = page.locator("#all-errors thead th").nth(2)
        title.get_by_role("button").click()
        assert title.get_attribute("aria-sort") == "ascending"
        assert self.errors(page) == sorted(self.errors(page))
        title.get_by_role("button").press("Enter")
        assert title.get_attribute("aria-sort") == "descending"
        assert self.errors(page) == sorted(self.errors(page), reverse=True)

    def test_it_finds_rows_by_name_and_by_method(self, visit, single):
        page = visit(single).page
        find = page.locator("#errors").get_by_label("Find")
        for typed, method in (("tf-pi neigh", "knn: tf*pi"), ("knn: tf*chi2", "knn: tf*chi2")):
            find.fill(typed)
            assert page.locator("#all-errors tbody tr:visible .code").all_inner_texts() == [method]
        assert f"1 of {len(USUAL)} rows" in page.locator("#errors .count").inner_text()

    def test_differences_from_a_row(self, visit, single):
        page = visit(single).page
        errors = {one.method: 100 * one.error for one in rows(["r8"])}
        page.get_by_label("Show differences from").select_option(label="TF-IDF, nearest neighbours")
        methods = page.locator("#all-errors td.code").all_inner_texts()
        expected = [errors[m] if m == TF_IDF else errors[m] - errors[TF_IDF] for m in methods]
        assert self.errors(page) == pytest.approx(expected, abs=0.006)

    def test_differences_say_that_they_are(self, visit, single):
        """On the screen and in copies; no interval of a number stands beneath a difference."""
        page = visit(single, permissions=["clipboard-read", "clipboard-write"]).page
        part = page.locator("#errors")
        assert "95 % intervals" in part.inner_text()
        select = page.get_by_label("Show differences from")
        select.select_option(label="TF-PI, nearest neighbours")
        assert "differences from TF-PI, nearest neighbours, which keeps its own" in part.inner_text()
        assert "95 % intervals" not in part.inner_text()
        assert page.locator("#all-errors td.number small:visible").count() == 0
        for kind, title in (
            ("CSV", '"error, %: difference from TF-PI, nearest neighbours"'),
            ("Markdown", "error, %: diff"),
        ):
            page.get_by_role("button", name=f"Copy as {kind}").click()
            copied = page.evaluate("navigator.clipboard.readText()")
            assert title in copied.splitlines()[0]
            assert sum("TF-PI (its numbers)" in line for line in copied.splitlines()) == 1
        select.select_option("")
        page.get_by_role("button", name="Copy as CSV").click()
        assert "difference" not in page.evaluate("navigator.clipboard.readText()")
        assert page.locator("#all-errors td.number small:visible").count() == len(USUAL)

    def test_what_is_shown_is_copied(self, visit, single):
        page = visit(single, permissions=["clipboard-read", "clipboard-write"]).page
        page.locator("#errors").get_by_label("Find").fill("TF-PI nearest")
        page.get_by_role("button", name="Copy as CSV").click()
        header, line, end = page.evaluate("navigator.clipboard.readText()").split("\r\n")
        error = next(one.error for one in rows(["r8"]) if one.method == TF_PI)
        assert header.split(",")[:2] == ["method", "model"]
        assert line.startswith(f"TF-PI,nearest neighbours,{100 * error:.2f},")
        assert (line.endswith(",knn: tf*pi"), end) == (True, "")
        page.get_by_role("button", name="Copy as Markdown").click()
        lines = page.evaluate("navigator.clipboard.readText()").splitlines()
        assert lines[1].startswith("| --- | --- | ---: |")
        assert lines[2].startswith(f"| TF-PI | nearest neighbours | {100 * error:.2f} |")
        assert "knn: tf\\*pi" in lines[2]

    def test_its_header_and_first_column_stay(self, visit, seven):
        page = visit(seven, viewport=PHONE).page
        box = page.locator("#errors .table-box")
        box.scroll_into_view_if_needed()
        box.evaluate("box => box.scrollTo(300, 300)")
        frame = box.bounding_box()
        head, first = page.locator("#all-errors thead th").nth(4), page.locator("#all-errors tbody th").nth(12)
        assert head.bounding_box()["y"] == pytest.approx(frame["y"], abs=3)
        assert first.bounding_box()["x"] == pytest.approx(frame["x"], abs=3)


class TestTerms:
    def test_the_search_finds_a_term_and_accounts_for_its_weight(self, visit, single):
        page = visit(single).page
        page.get_by_label("Find a term").fill("class2")
        detail = page.locator("#term-detail")
        detail.wait_for()
        assert page.locator("#term-name").inner_text() == "class2"
        assert page.locator("#term-count").inner_text() == "1 found."
        assert "Marks grain most: 100.0 % of its documents have the term, 0.0 % of the others." in detail.inner_text()
        lines = page.locator("#term-classes tr")
        assert lines.all_inner_texts() == ["grain\t15\t100.0 %\t100.0 %"]
        given = corpus("r8", ["acq", "earn", "grain", "ship"])
        table = term_table(given, count_terms(given))
        place = table["rows"][table["terms"].index("class2")]
        for scheme in ("certainty", "pi"):
            page.locator("#scheme").select_option(scheme)
            weight = f"{table['weights'][scheme][place]:.4g}"
            assert f"its weight by {scheme} is {weight}." in page.locator("#term-said").inner_text()
            assert re.search(rf"{scheme} .*= {weight}\b", page.locator("#term-account li").last.inner_text(), re.I)
        assert "class2" in page.locator("#term-contexts mark").first.inner_text()
        page.get_by_label("Find a term").fill("word1")
        assert page.locator("#found a").count() == 11  # word1, word10 to word19
        page.get_by_label("Find a term").fill("nowhere")
        assert "No term on this page contains “nowhere”." in page.locator("#term-count").inner_text()

    def test_the_steps_to_a_weight_are_those_of_the_weights(self, visit, single):
        """Each number of the list, from the functions of the package; other schemes are told as PI is made."""
        page = visit(single, address="#term=word3").page
        given = corpus("r8", ["acq", "earn", "grain", "ship"])
        counted = count_terms(given)
        train, _ = counted.parts(None)
        counts = ClassCounts.from_matrix(counted.counts[train], counted.labels[train], terms=counted.terms)
        column = list(counted.terms).index("word3")
        weight = {name: float(function(counts)[column]) for name, function in WEIGHTS.items()}
        n, n_w, sizes = counts.n_documents, counts.term_docs[column], counts.n_docs
        inside = counts.doc_freq.toarray()[:, column]
        shrunk = {"estimator": "dirichlet", "prior": sizes}
        having, lacking, of_all = troenpy(inside, **shrunk), troenpy(sizes - inside, **shrunk), troenpy(sizes, **shrunk)
        gain = float(WEIGHTS["pcf_gain"](counts, estimator="dirichlet", prior="classes")[column])
        assert gain == pytest.approx(n_w / n * having + (1 - n_w / n) * lacking - of_all)
        pi = [n_w, weight["pcf_present"], weight["pcf_present"] - weight["pcf"], weight["pcf"], weight["idf"]]
        expected = {
            "certainty": [n_w, n_w / n, having, lacking, of_all, max(0, gain), weight["certainty"]],
            "pi": [*pi, weight["pi"]],
            "idf": [n_w, weight["idf"]],
            "pcf": pi[:4],
            "pcf_present": pi[:2],
            "pcf_boost": [*pi[:2], weight["pcf_boost"]],
            "rf": [*pi, weight["pi"]],
        }
        for scheme, numbers in expected.items():
            page.locator("#scheme").select_option(scheme)
            lines = page.locator("#term-account li").all_inner_texts()
            assert len(lines) == len(numbers)
            for line, value in zip(lines, numbers, strict=True):
                said = [float(text.replace("−", "-")) for text in re.findall(r"= (−?[\d.]*\d)\b", line)]
                assert any(one == pytest.approx(value, rel=6e-4) for one in said), (scheme, line, value)
            made = page.locator("#term-account-title").inner_text()
            assert made == ("How PI is made" if scheme == "rf" else "How its weight is made")

    def test_another_weight_or_order_keeps_the_term_that_is_open(self, visit, single):
        page = visit(single).page
        page.get_by_label("Find a term").fill("class2")
        page.locator('.class-columns a[href="#term=class1"]').click()
        page.locator("#scheme").select_option("rf")
        assert page.locator("#term-name").inner_text() == "class1"
        assert page.url.endswith("#term=class1")
        assert "its weight by rf" in page.locator("#term-said").inner_text()
        assert page.locator("#found a").all_inner_texts() == ["class2"]
        page.get_by_label("Find a term").fill("class")
        page.get_by_label("Order").select_option("name")
        assert page.locator("#term-detail").is_hidden()
        assert page.locator("#found a").count() == 4

    def test_on_a_phone_a_term_opens_at_its_heading(self, visit, single):
        page = visit(single, viewport=PHONE, has_touch=True, is_mobile=True, address="#term=word3").page
        top = page.locator("#term-name").bounding_box()["y"]
        bar = page.locator(".choices").bounding_box()
        assert bar["y"] + bar["height"] <= top < 120

    def test_on_a_phone_no_step_to_a_weight_is_cut(self, visit, single):
        page = visit(single, viewport=PHONE, address="#term=word3").page
        for part in page.locator(".term-columns > div").all():
            assert part.evaluate("e => e.scrollHeight - e.clientHeight") == 0

    def test_on_a_phone_no_class_is_cut(self, visit, tmp_path):
        given = corpus("mine", [f"class number {n}" for n in range(20)])
        page = visit(written(tmp_path, rows(["mine"]), given), viewport=PHONE).page
        assert page.evaluate("(e => e.scrollHeight - e.clientHeight)(document.querySelector('.class-columns'))") == 0

    def test_class_columns_break_no_usual_word_and_keep_their_format(self, visit, tmp_path):
        given = corpus("r8", [f"class{n}" for n in range(8)], n_documents=16_800)
        given = replace(given, texts=tuple(text.replace("class", "undisclose") for text in given.texts))
        page = visit(written(tmp_path, rows(["r8"]), given), viewport={"width": 1280, "height": 800}).page
        assert page.locator(".class-columns a.term", has_text="undisclose").count() == 8
        heights = {link.bounding_box()["height"] for link in page.locator(".class-columns a.term").all()}
        assert max(heights) < 1.5 * min(heights)
        before = page.locator(".class-columns").inner_text()
        page.locator("#scheme").select_option("idf")
        page.locator("#scheme").select_option("certainty")
        shown = re.compile(r"^undisclose0\s+1,050", re.MULTILINE)
        assert shown.search(before), before
        assert shown.search(page.locator(".class-columns").inner_text())

    def test_ranks_are_those_of_all_terms(self, visit, single):
        from troenpy import TfPiVectorizer

        page = visit(single, address="#term=word3").page
        page.locator("#term-detail summary").click()
        given = corpus("r8", ["acq", "earn", "grain", "ship"])
        train = [i for i, part in enumerate(given.split) if part == "train"]
        fitted = TfPiVectorizer(stop_words="english").fit([given.texts[i] for i in train], given.labels[train])
        line = page.locator("#term-ranks tr").filter(has=page.locator("th", has_text="pi")).first.inner_text()
        assert line.split("\t")[2] == str(fitted.explain("word3").rank)

    def test_a_term_has_an_address_and_a_way_back(self, visit, single):
        opened = visit(single, address="#term=class1")
        page = opened.page
        assert page.locator("#term-name").inner_text() == "class1"
        page.get_by_role("button", name="Back to all terms").click()
        assert page.locator("#term-detail").is_hidden()
        link = page.locator(".class-columns a.term").first
        name = link.inner_text()
        link.click()
        assert page.url.endswith(f"#term={name}")
        assert opened.eventually(lambda: page.locator("#term-name").inner_text() == name)
        assert page.evaluate("document.activeElement.id") == "term-detail"
        page.go_back()
        assert opened.eventually(lambda: page.locator("#term-detail").is_hidden())
        page.goto(page.url.split("#")[0] + "#term=nowhere")
        assert "No term on this page is “nowhere”" in page.locator("#term-count").inner_text()

    def test_the_order_and_the_weight_can_be_chosen(self, visit, single):
        page = visit(single).page
        first = page.locator('[data-class-terms="0"] li')
        before = first.all_inner_texts()
        assert before[0].startswith("class0")
        page.get_by_label("Order").select_option("documents")
        by_documents = [int(text.split()[-1]) for text in first.all_inner_texts()]
        assert by_documents == sorted(by_documents, reverse=True)
        page.get_by_label("Order").select_option("both")
        assert [text.split()[0] for text in first.all_inner_texts()] == [text.split()[0] for text in before]
        page.locator("#scheme").select_option("pi")
        assert "Weight: pi" in page.locator("#marks-said").inner_text()


class TestEverywhere:
    @pytest.mark.parametrize("name", ["seven", "single"])
    @pytest.mark.parametrize("width", [360, 390, 1280])
    def test_it_fits(self, visit, request, name, width):
        opened = visit(request.getfixturevalue(name), viewport={"width": width, "height": 800})
        assert opened.fits()
        opened.page.get_by_label("Find a term").fill("class2")
        assert opened.fits()

    @pytest.mark.parametrize("colours", ["light", "dark"])
    @pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}], ids=["phone", "desk"])
    def test_axe_finds_nothing(self, visit, seven, colours, size):
        opened = visit(seven, color_scheme=colours, viewport=size, address="#term=class1")
        opened.page.locator(".open-claims summary").click()
        assert opened.violations() == []

    @pytest.mark.parametrize("colours", ["light", "dark"])
    def test_marks_stand_out(self, visit, single, colours):
        page = visit(single, color_scheme=colours).page
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        for number in range(6):
            colour = page.evaluate(
                "n => { const e = document.createElement('i'); e.style.color = `var(--hue-${n})`;"
                " document.body.append(e); return getComputedStyle(e).color; }",
                number,
            )
            assert contrast(colour, ground) >= 3, number

    def test_without_scripts_charts_tables_and_terms_are_there(self, browser, single):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(single.as_uri())
        assert "need JavaScript" in page.inner_text("body")
        assert page.locator("#answer .dot-row").count() >= 8
        assert "knn: tf*idf" in page.inner_text("#errors")
        assert "class0" in page.inner_text("#terms")
        context.close()

    def test_it_prints(self, visit, seven):
        page = visit(seven).page
        page.emulate_media(media="print")
        assert page.locator(".choices").is_hidden()
        assert page.locator("#methods .dot-row.is-rest").first.is_visible()
        assert len(page.pdf()) > 10_000

    @pytest.mark.parametrize("name", ["seven", "single"])
    def test_it_is_printed_in_full_size(self, visit, request, name):
        """A4 is 718 pixels wide between the margins; what is wider shrinks all the text."""
        opened = visit(request.getfixturevalue(name), viewport={"width": 718, "height": 1000})
        opened.page.emulate_media(media="print")
        assert opened.fits()

    def test_a_hundred_and_thirty_methods_stay_small(self, visit, tmp_path):
        methods = tuple(dict.fromkeys((*USUAL, *BEYOND, *ALL_WEIGHTS)))
        path = written(tmp_path, rows(methods=methods))
        assert len(methods) > 110
        assert path.stat().st_size < 2_000_000
        opened = visit(path, viewport=PHONE)
        assert opened.is_quiet()
        assert opened.fits()

    @pytest.mark.parametrize("n_classes", [2, 150])
    def test_few_and_many_classes(self, visit, tmp_path, n_classes):
        given = corpus("mine", [f"class number {n}" for n in range(n_classes)], n_documents=max(60, 5 * n_classes))
        opened = visit(written(tmp_path, rows(["mine"]), given), viewport=PHONE)
        assert opened.is_quiet(), opened.messages
        assert opened.page.locator(".class-column").count() == n_classes
        assert opened.page.locator("[data-class]").count() == n_classes
        assert opened.fits()

    def test_rows_alone_and_missing_methods(self, visit, tmp_path):
        found = [row("bbcsport", "knn: tf*idf", 9), row("r8, 50 documents", "wmd: x", 5), row("r8", "knn: tf*pi", 3)]
        note = "Built from rows only: terms and t-SNE need the text of a corpus."
        opened = visit(written(tmp_path, found, notes=[note]))
        assert opened.is_quiet()
        assert opened.page.get_by_text("built from rows only").count() == 1
        assert opened.page.locator("#terms").count() == 0
        assert opened.page.get_by_text("not run", exact=True).count() == 6


class TestHostileText:
    @pytest.fixture
    def hostile(self, visit, tmp_path):
        given = corpus(HOSTILE, [HOSTILE, IMAGE, "javascript:alert(1)"], extra=IMAGE)
        counted = count_terms(given)
        terms = term_table(given, counted)
        terms["terms"] = [HOSTILE, IMAGE, *terms["terms"][2:]]
        terms["top"][0] = [0, 1]
        terms["contexts"] = {HOSTILE: [[0, f"x {HOSTILE} {IMAGE}"]]}
        methods = (f"knn: {HOSTILE}", f"knn: {IMAGE}", "knn3: x", "knn: x", "=1+1")
        found = [row(name, method, 5 + place) for name in (HOSTILE, IMAGE) for place, method in enumerate(methods)]
        summary = summarise(found, command=HOSTILE, notes=[IMAGE], terms=terms, projection=project(given, counted))
        report.write_report(summary, tmp_path)
        return visit(tmp_path / "report.html", permissions=["clipboard-read", "clipboard-write"])

    def test_it_is_shown_and_never_run(self, hostile):
        page = hostile.page
        page.locator(".class-columns a.term").first.click()
        assert hostile.eventually(lambda: page.locator("#term-name").inner_text() == HOSTILE)
        assert HOSTILE in page.locator("#term-contexts").inner_text()
        page.get_by_label("Find a term").fill("<script")
        page.locator("#map").scroll_into_view_if_needed()
        page.locator(".map").first.focus()
        page.keyboard.press("ArrowRight")
        assert "onerror" in page.locator("#tip").inner_text() or "alert" in page.locator("#tip").inner_text()
        assert HOSTILE in page.locator("#errors").inner_text()
        assert page.locator("img").count() == 0
        assert page.locator("script:not([type='application/json'])").count() == 1
        assert hostile.is_quiet(), (hostile.messages, hostile.dialogs)

    def test_a_name_reorders_nothing_around_it(self, visit, tmp_path):
        """Control characters are shown, in the sentence, what can be chosen, tooltips, tables, classes and terms."""
        name, shown = "mine\u202e\x1b\u2067", "mine\\u202e\\x1b\\u2067"
        given = corpus(name, [name, "b\u202e"])
        terms = term_table(given, count_terms(given))
        terms["terms"][terms["top"][0][0]] = "term\u202e"
        found = [row(one, method, 5 + n) for one in (name, "r8") for n, method in enumerate((TF_IDF, TF_PI, name))]
        report.write_report(summarise(found, terms=terms, notes=[name]), tmp_path)
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert not set(text) & set("\u202e\x1b\u2067")
        page = visit(tmp_path / "report.html").page
        assert shown in page.get_by_label("Corpus").inner_text()
        page.get_by_label("Corpus").select_option(label=shown)
        page.locator("#answer .dot-row:visible").last.hover()
        assert shown in page.locator("#tip").inner_text()
        assert shown in page.locator("#all-errors").inner_text()
        page.locator(".class-columns a.term", has_text="term\\u202e").first.click()
        page.locator("#term-detail").wait_for()
        assert page.locator("#term-name").inner_text() == "term\\u202e"
        assert "Marks b\\u202e most" in page.locator("#term-said").inner_text()

    def test_a_copied_table_holds_no_formula(self, hostile):
        hostile.page.get_by_role("button", name="Copy as CSV").click()
        copied = hostile.page.evaluate("navigator.clipboard.readText()")
        assert "\n'=1+1," in copied
        assert copied.endswith(",'=1+1\r\n") or ",'=1+1\r\n" in copied

    def test_a_script_that_got_in_would_not_run(self, visit, single, tmp_path):
        """Escaping is the first line; the page's policy is the second."""
        text = single.read_text(encoding="utf-8")
        bad = "<script>alert(1)</script><img src=x onerror=alert(1)><img src='https://example.org/x.png'>"
        (tmp_path / "report.html").write_text(text.replace("<h2", f"{bad}<h2", 1), encoding="utf-8")
        opened = visit(tmp_path / "report.html")
        assert opened.eventually(lambda: len(opened.messages) >= 3)
        assert opened.dialogs == []
        assert all("Content Security Policy" in message for message in opened.messages)


def gap(box, other):
    """The pixels between two boxes."""
    across = max(other["x"] - box["x"] - box["width"], box["x"] - other["x"] - other["width"], 0)
    down = max(other["y"] - box["y"] - box["height"], box["y"] - other["y"] - other["height"], 0)
    return float(np.hypot(across, down))


def contrast(one, other):
    def luminance(colour):
        parts = np.array([int(part) for part in colour.strip("rgba()").split(",")[:3]]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
