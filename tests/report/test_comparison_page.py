"""The page of compare in a real browser: the answer is right, every part works, and nothing from a file runs."""

import pytest

pytest.importorskip("jinja2")

from made_up_results import HOSTILE, IMAGE, comparison, curve, method

from troenpy.report.comparison_page import comparison_page

SCREEN, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture
def opened(visit, tmp_path):
    def open_page(found, **options):
        (tmp_path / "page.html").write_text(comparison_page(found), encoding="utf-8")
        return visit(tmp_path / "page.html", **options)

    return open_page


def test_the_first_screen_is_the_answer(opened):
    visited = opened(comparison(), viewport=SCREEN)
    page = visited.page
    assert page.locator("h1").inner_text() == (
        "Use troenpy: error 10.00 % (95 % interval 8.00 to 12.00 %); TF-IDF with logistic regression has 16.00 %, a"
        " clear difference (p <0.001)"
    )
    assert page.locator("header p").last.inner_text() == "Twice the labels would help."
    rows = page.locator("#answer .dot-row")
    assert [rows.nth(i).locator("td.number").inner_text().split()[0] for i in range(3)] == ["10.00", "12.00", "16.00"]
    assert rows.count() == 3
    assert "Not drawn: always predicting the largest class, 70.00 %." in page.locator("#answer").inner_text()
    box = page.locator("#answer .code-lines").bounding_box()
    assert box["y"] + box["height"] < 800
    assert visited.is_quiet(), visited.messages


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ([method("tfidf-lr", 0.1)], "Use tfidf-lr: error 10.00 % (95 % interval 8.00 to 12.00 %), the usual method"),
        ([method("naive-bayes", 0.1)], "Use naive-bayes: error 10.00 % (95 % interval 8.00 to 12.00 %)"),
        (
            [method("troenpy", 0.1), method("tfidf-lr", 0.105, 0.4)],
            "Use troenpy: error 10.00 % (95 % interval 8.00 to 12.00 %); TF-IDF with logistic regression has 10.50 %,"
            " no clear difference (p 0.400)",
        ),
        (
            [method("troenpy", 0.49), method("majority", 0.5, 0.8)],
            "No method is clearly better than always predicting the largest class (50.00 %). The best is troenpy:"
            " error 49.00 % (95 % interval 47.00 to 51.00 %)",
        ),
    ],
)
def test_the_sentence_says_no_more_than_the_numbers(methods, said):
    text = comparison_page(comparison(methods, learning_curve=None))
    assert f"<h1>{said.replace('<', '&lt;')}</h1>" in text
    assert 'id="labels"' not in text


@pytest.mark.parametrize(
    ("metric", "numbers", "axis"),
    [("macro-f1", ["90.00", "84.00"], "macro-F1, %"), ("log-loss", ["0.200", "0.320"], "log loss")],
)
def test_another_metric_has_its_own_direction_and_unit(metric, numbers, axis, opened):
    methods = [method("troenpy", 0.1, metric=metric), method("tfidf-lr", 0.16, 0.01, metric=metric)]
    page = opened(comparison(methods, metric=metric)).page
    rows = page.locator("#answer .dot-row")
    assert [rows.nth(i).locator("td.number").inner_text().split()[0] for i in range(2)] == numbers
    assert page.locator("#labels .y-title").inner_text() == axis
    tips = [tip.get_attribute("data-tip") for tip in page.locator("#labels .point").all()]
    assert ("87.00" in tips[-1] or "93.00" in tips[-1]) == (metric == "macro-f1")
    titles = page.locator("#methods .sort").all_inner_texts()
    assert titles[1] == axis
    assert len(set(titles)) == len(titles) == 10


def test_the_extrapolation_is_dashed_and_has_its_interval(opened):
    page = opened(comparison()).page
    chart = page.locator("#labels .plane")
    assert chart.locator("path.line.is-dashed").count() == 1
    assert chart.locator("path.band").count() == 2
    last = chart.locator(".point").last.get_attribute("data-tip")
    assert last == "if it goes on\ndocuments learnt from: 800\nerror, %: 7.00 (4.00 to 10.00)"
    unsaid = {**curve(), "twice": None}
    assert opened(comparison(learning_curve=unsaid)).page.locator("#labels .is-dashed").count() == 0


def test_the_cheap_ones_that_nothing_beats_are_on_the_frontier(opened):
    page = opened(comparison()).page
    assert page.locator("#cost .point").count() == 3
    assert page.locator("#cost .frontier").count() == 1
    assert "learns in 2.00 s\npredicts a document in 0.40 ms" in page.locator("#cost .is-strong").get_attribute(
        "data-tip"
    )


def test_lines_command_and_table_can_be_copied(opened):
    page = opened(comparison(), permissions=["clipboard-read", "clipboard-write"]).page
    copied = "navigator.clipboard.readText()"
    page.get_by_label("Copy: the lines of Python").click()
    assert page.evaluate(copied) == comparison()["python"]
    page.get_by_label("Copy: troenpy train").click()
    assert page.evaluate(copied) == "troenpy train tickets.csv -o tickets.model"
    page.get_by_role("button", name="Copy as CSV").click()
    lines = page.evaluate(copied).splitlines()
    assert lines[0].startswith('method,"error, %",95 % interval,p,')
    assert lines[1].startswith("troenpy,10.00,8.00 to 12.00,best,90.00,0.200,2.00,0.40,")
    assert "<0.001" in lines[-1]
    page.get_by_role("button", name="Copy as Markdown").click()
    assert page.evaluate(copied).startswith("| method | error, % |")
    page.locator("#methods .sort", has_text="train s").click()
    assert page.locator("#methods tbody th").first.inner_text().strip() == "majority"


def test_a_hostile_file_is_shown_and_never_run(opened):
    found = comparison(
        source=f"{HOSTILE}\u202e\ud800.csv",
        warnings=[IMAGE],
        notices=[f"text from column {HOSTILE}"],
        python=IMAGE,
        command=HOSTILE,
        tested=f"by {IMAGE}",
    )
    visited = opened({**found, "source": HOSTILE + "\u202e.csv"}, viewport=PHONE)
    page = visited.page
    assert HOSTILE in page.locator(".kicker").inner_text()
    assert "\\u202e" in page.locator(".kicker").inner_text()
    assert IMAGE in page.locator(".note").first.inner_text()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert visited.is_quiet(), (visited.messages, visited.dialogs)
    assert visited.fits()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everybody(opened, scheme):
    for size in (SCREEN, PHONE):
        visited = opened(comparison(warnings=["a leak"]), viewport=size, color_scheme=scheme)
        assert visited.fits()
        assert visited.violations() == []


def test_keys_show_what_hovering_shows(opened):
    page = opened(comparison()).page
    page.locator("#answer .dot-rows").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "p 0.200 against troenpy" in page.locator("#tip").inner_text()


def test_it_prints(opened):
    page = opened(comparison()).page
    page.emulate_media(media="print")
    assert page.locator("#methods").is_visible()
    assert page.locator(".tools").first.is_hidden()
    assert page.locator(".code-lines pre").is_visible()
