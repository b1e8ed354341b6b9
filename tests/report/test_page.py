"""The page in a real browser: it draws, filters, sorts and finds, asks for nothing, and runs nothing from a corpus.

Needs Chromium, by TROENPY_CHROMIUM or on the PATH. Where that is "required", as in .ci/run, none is a failure.
"""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from made_up_rows import row

from troenpy import report
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.splits import count_terms
from troenpy.report.figures import FIGURE_1, FIGURE_2
from troenpy.report.projection import project
from troenpy.report.summary import summarise
from troenpy.report.terms import term_table

pytest.importorskip("altair")

HOSTILE = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>{{7*7}}${alert(1)}</script><!--'
CORPORA = ("bbcsport", "twitter", "ohsumed", "classic", "r8")


def chromium():
    """Return the path of a browser, or skip."""
    given = os.environ.get("TROENPY_CHROMIUM", "")
    names = [given] if given not in ("", "required") else ["chromium", "chromium-browser", "google-chrome"]
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None and given:
        pytest.fail(f"TROENPY_CHROMIUM is {given!r}, and there is no such browser: apt-get install chromium")
    if found is None:
        pytest.skip("no Chromium here: install it, or name it in TROENPY_CHROMIUM")
    return found


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api")
    path = chromium()
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visit:
    """A page that was opened, and what it did meanwhile."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.context.set_default_timeout(300_000)
        self.page = self.context.new_page()
        self.messages, self.requests, self.dialogs = [], [], []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-drawn]")

    def is_quiet(self):
        return self.messages == [] and self.dialogs == [] and len(self.requests) == 1


@pytest.fixture
def visit(browser):
    opened = []

    def open_page(path, **options):
        opened.append(Visit(browser, path, **options))
        return opened[-1]

    yield open_page
    for one in opened:
        one.context.close()


def corpus(name, classes, *, n_documents=120, extra=""):
    rng = np.random.default_rng(1)
    labels = np.arange(n_documents) % len(classes)
    texts = tuple(
        " ".join([f"{extra} first{i}", *(f"word{n}" for n in rng.integers(30, size=5)), f"class{label}"])
        for i, label in enumerate(labels)
    )
    split = np.where(np.arange(n_documents) // len(classes) % 2 == 0, "train", "test")
    return Corpus(name, texts, np.array(classes)[labels], split)


def rows(corpora=CORPORA, methods=(*FIGURE_1, *FIGURE_2, "hoftt: x")):
    return [
        row(name, method, 10 + 3 * place + len(name), seconds=0.1 * 3**place)
        for name in corpora
        for place, method in enumerate(methods)
    ]


def written(folder, found, given, **options):
    counted = count_terms(given)
    parts = {"terms": term_table(given, counted), "projection": project(given, counted)}
    summary = summarise(found, **parts, **options)
    report.write_report(summary, folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    sweep = [row("r8", f"knn{k}: tf*idf", 20 + k, train_fraction=0.5, n_train=200) for k in (1, 3)]
    names = ["acq", "earn", "grain", "ship"]
    return written(tmp_path_factory.mktemp("page"), rows() + sweep, corpus("r8", names), notes=["a note"])


def marks(page, panel=0):
    """The documents that a map shows."""
    return page.locator(".map").nth(panel).locator("svg .mark-symbol path")


def eventually(page, condition):
    """Wait until something holds, however busy the machine is."""
    for _ in range(3000):
        if condition():
            return True
        page.wait_for_timeout(100)
    return False


def test_it_draws_every_chart_and_asks_for_nothing(visit, page_path):
    opened = visit(page_path)
    assert opened.is_quiet(), (opened.messages, opened.requests)
    page = opened.page
    figures = [element.get_attribute("id") for element in page.locator("figure").all()]
    assert figures == ["figure-1", "figure-2", "figure-3", "error-reduction", "ranks", "cost", "neighbours"]
    for plot in page.locator(".plot").all():
        box = plot.locator("svg").bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 50
        assert plot.locator("svg path").count() > 3
    words = [element.get_attribute("aria-label") for element in page.get_by_role("img").all()]
    assert len(words) == page.locator(".plot").count() == 8
    assert "r8: knn: tf*idf 12.00 %, knn: tf*pi 15.00 %" in words[0]
    assert all(len(text) > 50 for text in words)


def test_the_legend_filters_by_mouse_and_keyboard(visit, page_path):
    page = visit(page_path).page
    n_all = marks(page).count()
    assert marks(page, 1).count() == n_all > 40
    first = page.locator(".legend [data-code]").first
    n_first = int(first.locator("small").inner_text())

    def shows(n_documents):
        return eventually(page, lambda: marks(page).count() == marks(page, 1).count() == n_documents)

    first.click()
    assert first.get_attribute("aria-pressed") == "false"
    assert shows(n_all - n_first)
    first.press("Enter")
    assert shows(n_all)
    first.click(modifiers=["Shift"])
    assert shows(n_first)
    page.locator(".legend [data-all]").click()
    assert shows(n_all)


def test_hovering_shows_the_first_words_and_the_class(visit, page_path):
    page = visit(page_path).page
    marks(page).first.hover(force=True)
    shown = page.locator("#vg-tooltip-element.visible")
    shown.wait_for()
    assert "first" in shown.inner_text()
    assert any(name in shown.inner_text() for name in ("acq", "earn", "grain", "ship"))


def test_the_search_finds_a_term(visit, page_path):
    page = visit(page_path).page
    page.get_by_label("Find a term").fill("class2")
    page.locator("#term-detail").wait_for()
    assert page.locator("#term-name").inner_text() == "class2"
    assert page.locator("#found-count").inner_text() == "1 found"
    lines = page.locator("#term-classes tr")
    assert lines.count() == 1
    assert lines.first.locator("th").inner_text() == "grain"
    ranks = page.locator("#term-ranks tr")
    assert ranks.count() == 25
    place = ranks.filter(has=page.locator("th", has_text="chi2")).locator("td").inner_text()
    assert place.startswith("1 of")
    page.get_by_label("Find a term").fill("word1")
    assert page.locator("#found button").count() == 11  # word1, word10 to word19
    page.get_by_label("Find a term").fill("nowhere")
    assert "no term on this page contains “nowhere”" in page.locator("#found-count").inner_text()
    page.locator("button.term").first.click()
    assert page.locator("#term-name").inner_text() == page.locator("button.term").first.inner_text()


def test_titles_sort_the_tables(visit, page_path):
    page = visit(page_path).page
    table = page.locator("table.errors")
    column = page.locator("table.errors thead th", has_text="r8").first

    def errors():
        cells = table.locator("tbody td:nth-child(6)").all_inner_texts()
        return [float(text.split()[0]) for text in cells if text != "not run"]

    column.get_by_role("button").click()
    assert column.get_attribute("aria-sort") == "ascending"
    assert errors() == sorted(errors())
    column.get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") == "descending"
    assert errors() == sorted(errors(), reverse=True)
    assert errors() != sorted(errors())


def test_the_corpus_of_the_costs_can_be_chosen(visit, page_path):
    page = visit(page_path).page
    chosen = page.locator('[data-controls="cost"]').get_by_label("Corpus")
    before = page.locator("#cost .plot svg").inner_html()
    chosen.select_option("r8")
    assert eventually(page, lambda: page.locator("#cost .plot svg").inner_html() != before)


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_fits_a_phone_and_reads_in_the_dark(visit, page_path, width, colours):
    opened = visit(page_path, viewport={"width": width, "height": 800}, color_scheme=colours)
    assert opened.is_quiet()
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for plot in page.locator(".plot").all():
        assert plot.locator("svg").bounding_box()["width"] <= width
    text, ground = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
    assert contrast(text, ground) > 7
    for verdict in page.locator(".verdict").all():
        assert contrast(verdict.evaluate("element => getComputedStyle(element).color"), ground) >= 4.5


def contrast(one, other):
    def luminance(colour):
        parts = np.array([int(part) for part in colour.strip("rgba()").split(",")[:3]]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_what_a_corpus_says_is_shown_and_never_run(visit, tmp_path):
    given = corpus(HOSTILE, [HOSTILE, IMAGE, "javascript:alert(1)"], extra=IMAGE)
    counted = count_terms(given)
    terms = term_table(given, counted)
    terms["terms"] = [HOSTILE, IMAGE, *terms["terms"][2:]]
    terms["top"][0] = [0, 1]
    methods = (f"knn: {HOSTILE}", f"knn: {IMAGE}", "knn3: x", "knn: x")
    found = [row(name, method, 5 + place) for name in (HOSTILE, IMAGE) for place, method in enumerate(methods)]
    summary = summarise(found, command=HOSTILE, notes=[IMAGE], terms=terms, projection=project(given, counted))
    report.write_report(summary, tmp_path)
    opened = visit(tmp_path / "report.html")
    page = opened.page
    marks(page).first.hover(force=True)
    page.locator("#vg-tooltip-element.visible").wait_for()
    assert "onerror" in page.locator("#vg-tooltip-element").inner_text()
    page.get_by_label("Find a term").fill(HOSTILE)
    page.locator("#found button").first.click()
    page.locator('[data-controls="cost"] select').select_option(index=1)
    for header in page.locator("table.sortable thead button").all():
        if header.is_visible():
            header.click()
    assert opened.dialogs == []
    assert len(opened.requests) == 1, opened.requests
    assert opened.messages == []
    assert page.locator("#term-name").inner_text() == HOSTILE
    assert HOSTILE in page.locator("#errors").inner_text()
    assert page.locator("img").count() == 0
    scripts = page.locator("script:not([type='application/json'])")
    assert scripts.count() == 2


def test_a_script_that_got_in_would_not_run(visit, page_path, tmp_path):
    """Escaping is the first line; the page's policy is the second."""
    text = page_path.read_text(encoding="utf-8")
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)><img src='https://example.org/x.png'>"
    (tmp_path / "report.html").write_text(text.replace("<h2", f"{bad}<h2", 1), encoding="utf-8")
    opened = visit(tmp_path / "report.html")
    assert eventually(opened.page, lambda: len(opened.messages) >= 3)
    assert opened.dialogs == []
    assert all("Content Security Policy" in message for message in opened.messages)


@pytest.mark.parametrize("n_classes", [2, 100])
def test_few_and_many_classes(visit, tmp_path, n_classes):
    given = corpus("mine", [f"class number {n}" for n in range(n_classes)], n_documents=max(60, 5 * n_classes))
    found = [row("mine", "knn: tf", 10)]
    opened = visit(written(tmp_path, found, given), viewport={"width": 800, "height": 800})
    page = opened.page
    assert opened.is_quiet(), opened.messages
    assert page.locator(".legend [data-code]").count() == n_classes
    assert page.locator(".class-terms").count() == n_classes
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert [element.get_attribute("id") for element in page.locator("figure").all()] == ["figure-1", "figure-3", "cost"]


def test_rows_alone_and_missing_methods(visit, tmp_path):
    found = [row("bbcsport", "knn: tf*idf", 9), row("r8, 50 documents", "wmd: x", 5), row("r8", "knn: tf*pi", 3)]
    report.write_report(summarise(found), tmp_path)
    opened = visit(tmp_path / "report.html")
    assert opened.is_quiet(), opened.messages
    assert "built from rows only" in opened.page.locator("#terms").inner_text()
    assert opened.page.locator(".missing").count() == 6


def test_its_size_leaves_room(page_path):
    assert page_path.stat().st_size < 1_600_000  # Vega is 0.9 MB of it; seven corpora must stay below 3 MB


def test_without_scripts_the_tables_are_there(visit, browser, page_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(Path(page_path).as_uri())
    assert "need JavaScript" in page.inner_text("body")
    assert "knn: tf*idf" in page.inner_text("#errors")
    context.close()
