"""The page of `terms` in a real browser: the numbers are those of the result, and nothing in the data runs."""

import json
import re
from html import unescape

import pytest
from made_up_files import made_up

import troenpy

pytest.importorskip("jinja2")

from troenpy.report.term_rows import shown, term_rows
from troenpy.report.terms_page import MOST_BYTES, terms_page
from troenpy.report.terms_wording import commands, cut_said, sentence

HOSTILE = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>{{7*7}}${alert(1)}</script><!--'
ARABIC, EMOJI, LONG = "\u202eمرحبا", "👩\u200d🚀", "x" * 5000
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
ROWS = made_up(150)
ISOLATES = {0x2068: None, 0x2069: None}


def many_classes(n_classes, n_documents=12):
    """Documents with a term of their class, one that two classes share, and common ones."""
    texts, labels = [], []
    for k in range(n_classes):
        for i in range(n_documents):
            texts.append(f"mark{k} pair{k // 2} common{i % 5} the" + " rare" * (i == 0))
            labels.append(f"class number {k}")
    return troenpy.terms(texts, labels)


@pytest.fixture(scope="module")
def found():
    return troenpy.terms([row["text"] for row in ROWS], [row["label"] for row in ROWS])


@pytest.fixture(scope="module")
def three(found, tmp_path_factory):
    """The page of three classes."""
    path = tmp_path_factory.mktemp("three") / "terms.html"
    found.save(path)
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The page of 150 classes."""
    path = tmp_path_factory.mktemp("many") / "terms.html"
    many_classes(150).save(path)
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The page of classes and terms that would break out if they could."""
    names = [HOSTILE, IMAGE, ARABIC, EMOJI, "=1+1", LONG, "\ud800"]
    own = ["<b>bold</b>", "\"quoted'", "مرحبا", "👩\u200d🚀", "&amp;", LONG, "水"]
    texts = [f"{own[i % 7]} {IMAGE} number{i}" for i in range(140)]
    result = troenpy.terms(texts, [names[i % 7] for i in range(140)], view="pairs", reference="rest")
    path = tmp_path_factory.mktemp("hostile") / "terms.html"
    result.save(path)
    return path


class TestRows:
    def test_they_are_those_of_the_result(self, found):
        data = term_rows(found.to_dict(), 10)
        rows = [row for one in found.classes for row in one.rows()]
        columns = data["rows"]
        assert len(columns["term"]) == len(rows)
        for i, row in enumerate(rows):
            assert data["classes"][columns["class"][i]] == row["class"]
            assert data["terms"][columns["term"][i]] == row["term"]
            assert columns["is_more"][i] == (row["direction"] == "more")
            assert columns["documents"][i] == row["documents"]
            assert columns["reference_documents"][i] == row["reference_documents"]
            assert columns["log_odds"][i] == pytest.approx(row["log_odds"], rel=1e-3)
            assert columns["error"][i] == pytest.approx(row["log_odds_high"] - row["log_odds"], rel=1e-2)
            assert columns["q"][i] == pytest.approx(row["q"], rel=0.05)
            assert "".join(columns["examples"][i]) == str(row["example"] or "")
            inside = dict(zip(*[iter(data["counts"][columns["term"][i]])] * 2, strict=True))
            assert inside.get(columns["class"][i], 0) == row["documents"]
        assert data["compared"] == [one.n_reference for one in found.classes]

    def test_the_first_of_each_class_are_kept(self):
        given = many_classes(20).to_dict()
        whole, cut = term_rows(given, 20), term_rows(given, 20, 3000)
        n_terms = cut["cut"]["n_terms"]
        assert 1 <= n_terms < whole["cut"]["n_terms"] == whole["cut"]["n_most"]
        ranks = dict.fromkeys(zip(cut["rows"]["class"], cut["rows"]["is_more"], strict=True), 0)
        for c, m in zip(cut["rows"]["class"], cut["rows"]["is_more"], strict=True):
            ranks[c, m] += 1
        assert max(ranks.values()) == n_terms
        assert max(cut["rows"]["rank"]) == n_terms
        few = term_rows(given, 3)
        assert few["n_described"] == 3
        assert max(few["rows"]["class"]) == 2
        assert len(few["classes"]) <= 4
        assert "Of 20 classes, the 3 largest are on this page." in cut_said(given, few)
        assert f"the strongest {n_terms} term" in cut_said(given, cut)

    def test_text_is_cut_and_can_be_written(self):
        assert len(shown(LONG)) == 120
        assert shown("\ud800") == "\\ud800"

    def test_a_reference_can_be_compared_with(self):
        texts = ["late goal", "own goal", "late vote", "close vote"] * 10
        found = troenpy.terms(texts, ["sport", "sport", "politics", "politics"] * 10, reference=["a recipe"] * 20)
        data = term_rows(found.to_dict(), 5)
        assert data["classes"] == ["politics", "sport", "reference"]
        assert data["n_described"] == 2
        assert data["sizes"] == [20, 20, 20]


class TestWords:
    def said(self, **found):
        return sentence({"n_documents": 40, **found}).translate(ISOLATES)

    def test_the_sentence(self):
        def classes(**numbers):
            return {"classes": [{"name": k, "n_more": n} for k, n in numbers.items()], "n_classes": len(numbers)}

        assert self.said(**classes(a=0, b=0)) == "In 40 documents of 2 classes, no term marks a class."
        assert self.said(**classes(a=1, b=1200)) == "In 40 documents, 1,200 terms mark b and 1 marks a."
        three = classes(a=5, b=3, c=9)
        assert self.said(**three) == "In 40 documents of 3 classes, each is marked by 3 (b) to 9 terms (c)."
        assert "each of these 3 is marked" in self.said(**{**three, "n_classes": 7})
        assert self.said(**classes(a=5, b=0, c=9)).endswith("up to 9 terms mark a class (c); no term marks b.")
        assert self.said(**classes(a=0, b=0, c=9)).endswith("(c); 2 classes have none.")

    def test_commands_can_be_typed(self):
        assert commands("my file.csv")[0][1] == "troenpy terms 'my file.csv' -o terms.csv"
        assert "./-x.csv" in commands("-x.csv")[0][1]
        assert commands("a'; rm x")[1][1] == "troenpy audit 'a'\"'\"'; rm x' -o doubtful.csv"
        assert "your.csv" in commands("texts")[2][1]


class TestTheAnswer:
    def test_dots_and_numbers_are_those_of_the_result(self, visit, three, found):
        opened = visit(three, viewport=DESK)
        page = opened.page
        assert opened.is_quiet(), opened.messages
        assert page.locator("h1").inner_text().translate(ISOLATES) == sentence(found.to_dict()).translate(ISOLATES)
        assert page.locator(".class-card h2").all_inner_texts() == [str(one.name) for one in found.classes]
        top = found.top(7)
        for card, one in zip(page.locator(".class-card").all(), found.classes, strict=True):
            assert card.locator(".dot-row th").all_inner_texts() == top[one.name]
            odds = [one.more["log_odds"][one.more["term"].index(term)] for term in top[one.name]]
            numbers = [float(text.split()[0]) for text in card.locator("td.number").all_inner_texts()]
            assert numbers == pytest.approx(odds, abs=0.051)
            assert "95 % interval" in card.locator(".dot-row").first.get_attribute("data-tip")
        dots = [
            (float(row.locator("td.number").inner_text().split()[0]), row) for row in page.locator(".dot-row").all()
        ]
        low, high = (pick(dots, key=lambda pair: pair[0])[1].locator(".dot") for pick in (min, max))
        assert low.bounding_box()["width"] == high.bounding_box()["width"]
        box = page.locator(".class-card").last.bounding_box()
        assert box["y"] + box["height"] < 800

    def test_what_to_type_next_can_be_copied(self, visit, three):
        page = visit(three, permissions=["clipboard-read", "clipboard-write"]).page
        page.locator(".commands [data-copies]").first.click()
        assert page.evaluate("navigator.clipboard.readText()") == "troenpy terms your.csv -o terms.csv"

    def test_a_class_leads_to_its_terms(self, visit, three, found):
        opened = visit(three)
        page = opened.page
        name = str(found.classes[1].name)
        page.locator(".class-card h2 a").nth(1).click()
        assert opened.eventually(lambda: page.locator("#term-class option:checked").inner_text() == name)
        shown_classes = set(page.locator("#term-rows tbody td:nth-child(2)").all_inner_texts())
        assert shown_classes == {name}
        assert page.locator("#term-rows tbody tr").count() == len(found.classes[1].more["term"])


class TestSearch:
    def test_as_you_type(self, visit, three, found):
        opened = visit(three)
        page = opened.page
        term = found.classes[0].more["term"][0]
        page.get_by_label("Find a term").fill(term[:3].upper())
        names = page.locator("#term-rows tbody th").all_inner_texts()
        assert names
        assert all(term[:3] in name for name in names)
        page.get_by_label("Find a term").fill(term)
        assert page.locator("#term-name").inner_text() == term
        assert page.evaluate("decodeURIComponent(location.hash)") == f"#term={term}"
        page.get_by_label("Find a term").fill("nowhere")
        assert "No term on this page contains “nowhere”" in page.locator("#term-count").inner_text()
        assert page.locator("#term-detail").is_hidden()

    def test_terms_that_are_rarer_and_all_of_both(self, visit, three, found):
        page = visit(three).page
        rows = page.locator("#term-rows tbody tr")
        assert rows.count() == min(100, sum(len(one.more["term"]) for one in found.classes))
        page.locator("#term-direction").select_option("0")
        less = {(term, str(one.name)) for one in found.classes for term in one.less["term"]}
        texts = [text.split("\t") for text in rows.all_inner_texts()]
        assert {(cells[0], cells[1].removesuffix(" less often")) for cells in texts} == less
        page.locator("#term-direction").select_option("")
        assert rows.count() == min(100, sum(1 for one in found.classes for _ in one.rows()))

    def test_titles_sort_by_mouse_and_keyboard(self, visit, three):
        page = visit(three).page
        cells = page.locator("#term-rows tbody td:nth-child(3)")
        title = page.locator('#term-rows th[data-key="documents"]')
        title.get_by_role("button").click()
        numbers = [int(text.replace(",", "")) for text in cells.all_inner_texts()]
        assert numbers == sorted(numbers, reverse=True)
        assert title.get_attribute("aria-sort") == "descending"
        title.get_by_role("button").press("Enter")
        numbers = [int(text.replace(",", "")) for text in cells.all_inner_texts()]
        assert numbers == sorted(numbers)

    def test_more_are_shown_and_what_is_shown_is_copied(self, visit, many):
        page = visit(many, permissions=["clipboard-read", "clipboard-write"]).page
        rows = page.locator("#term-rows tbody tr")
        assert rows.count() == 100
        page.locator("#term-more").click()
        assert rows.count() > 100
        page.locator("#term-class").select_option(label="class number 7")
        page.locator("#terms .copy-csv").click()
        header, _, second, _ = page.evaluate("navigator.clipboard.readText()").split("\r\n")
        assert header.startswith("term,class,documents")
        assert second.startswith("mark7,class number 7,12,100.0 %,0.0 %,")


class TestATerm:
    def test_its_account_is_that_of_the_result(self, visit, three, found):
        one = found.classes[0]
        row = next(one.rows())
        page = visit(three, address=f"#term={row['term']}").page
        assert page.locator("#term-name").inner_text() == row["term"]
        said = page.locator("#term-said").inner_text().translate(ISOLATES)
        assert said.startswith(f"Marks {one.name} most: {100 * row['share']:.1f} % of its documents have the term")
        cells = page.locator("#term-tests tr").first.inner_text().split("\t")
        assert cells[:3] == [str(one.name), "more often", f"{row['documents']} of {one.n_documents}"]
        assert cells[5] == (
            f"{row['log_odds']:.1f} ({row['log_odds_low']:.1f} to {row['log_odds_high']:.1f})".replace("-", "−")
        )
        assert cells[-1] == f"{row['dispersion']:.2f}"
        assert page.locator("#term-contexts mark").first.inner_text() == row["example"].term
        page.locator("#term-detail summary").click()
        shares = page.locator("#term-classes tr").all_inner_texts()
        assert any(text.startswith(f"{one.name}\t{row['documents']}\t") for text in shares)

    def test_an_address_and_a_way_back(self, visit, three, found):
        opened = visit(three)
        page = opened.page
        link = page.locator(".class-card .dot-row a.term").first
        name = link.inner_text()
        link.click()
        assert opened.eventually(lambda: page.locator("#term-name").inner_text() == name)
        assert page.evaluate("document.activeElement.id") == "term-detail"
        page.get_by_role("button", name="Back to all terms").click()
        assert page.locator("#term-detail").is_hidden()
        assert page.evaluate("document.activeElement.textContent") == name
        page.go_back()
        assert opened.eventually(lambda: page.locator("#term-detail").is_visible())
        page.goto(page.url.split("#")[0] + "#term=nowhere")
        assert "No term on this page is “nowhere”" in page.locator("#term-count").inner_text()


class TestClassAgainstClass:
    def test_points_lie_where_their_shares_say(self, visit, three, found):
        opened = visit(three, viewport=DESK)
        page = opened.page
        page.locator("#plane").scroll_into_view_if_needed()
        counts = found.to_dict()["class_counts"]
        places = {name: counts["classes"].index(name) for name in counts["classes"]}
        sizes = {name: counts["documents"][place] for name, place in places.items()}
        across, up = found.classes[0].name, found.classes[1].name
        plane = page.locator(".plane")
        frame = plane.bounding_box()
        found_places = []
        for point in page.locator(".point").all():
            term = point.get_attribute("data-tip").split("\n")[0].translate(ISOLATES)
            inside = dict(zip(*counts["terms"][term], strict=True))
            x, y = (inside.get(places[name], 0) / sizes[name] for name in (across, up))
            box = point.bounding_box()
            found_places.append((x, (box["x"] - frame["x"]) / frame["width"]))
            found_places.append((y, 1 - (box["y"] - frame["y"]) / frame["height"]))
        largest, place = max(found_places)
        for share, here in found_places:
            assert here == pytest.approx(place * (share / largest) ** 0.5, abs=0.01)

    def test_any_two_classes_can_be_chosen(self, visit, three, found):
        opened = visit(three)
        page = opened.page
        names = [str(one.name) for one in found.classes]
        page.locator("#plane-y").select_option(label=names[2])
        assert names[2] in page.locator("#plane-y-title").inner_text()
        page.locator("#plane-x").select_option(label=names[2])  # then the other one gives way
        chosen = [page.locator(f"#plane-{axis} option:checked").inner_text() for axis in "xy"]
        assert chosen == [names[2], names[0]]
        page.get_by_role("button", name="Swap").click()
        chosen = [page.locator(f"#plane-{axis} option:checked").inner_text() for axis in "xy"]
        assert chosen == [names[0], names[2]]
        top = [text.translate(ISOLATES) for text in page.locator(".point.is-labelled b").all_text_contents()]
        assert found.classes[0].more["term"][0] in top

    def test_keys_go_from_point_to_point_and_open_one(self, visit, three):
        opened = visit(three)
        page = opened.page
        page.locator(".plane").focus()
        page.keyboard.press("ArrowRight")
        lines = page.locator("#tip").inner_text().translate(ISOLATES).split("\n")
        assert len(lines) == 3
        assert "documents" in lines[1]
        page.keyboard.press("Enter")
        assert opened.eventually(lambda: page.locator("#term-name").inner_text() == lines[0])

    def test_a_click_opens_a_term(self, visit, three):
        opened = visit(three, viewport=DESK)
        page = opened.page
        label = page.locator(".point.is-labelled b:visible").first
        name = label.inner_text()
        label.click()
        assert opened.eventually(lambda: page.locator("#term-name").inner_text() == name)


class TestEverywhere:
    @pytest.mark.parametrize("name", ["three", "many", "hostile"])
    @pytest.mark.parametrize("width", [360, 390, 1280])
    def test_it_fits(self, visit, request, name, width):
        opened = visit(request.getfixturevalue(name), viewport={"width": width, "height": 800})
        assert opened.fits()
        opened.page.locator("#term-rows a.term").first.click()
        opened.page.locator("#term-detail").wait_for()
        assert opened.fits()

    @pytest.mark.parametrize("colours", ["light", "dark"])
    @pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
    @pytest.mark.parametrize("name", ["three", "many", "hostile"])
    def test_axe_finds_nothing(self, visit, request, name, colours, size):
        opened = visit(request.getfixturevalue(name), color_scheme=colours, viewport=size)
        assert opened.violations() == []
        opened.page.locator("#term-rows a.term").first.click()
        opened.page.locator("#term-detail").wait_for()
        opened.page.locator("#term-detail summary").click()
        assert opened.violations() == []

    def test_it_prints(self, visit, three):
        page = visit(three).page
        page.emulate_media(media="print")
        assert page.locator("#terms .tools").first.is_hidden()
        assert page.locator(".class-card").last.is_visible()
        assert len(page.pdf()) > 10_000

    def test_without_scripts_the_answer_is_there(self, browser, many):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(many.as_uri())
        assert "need JavaScript" in page.inner_text("body")
        assert page.locator(".dot-row").count() >= 9
        assert "class number 149" in page.inner_text("#classes")
        context.close()


class TestManyClasses:
    def test_the_largest_have_charts_and_all_are_in_a_table(self, visit, many):
        opened = visit(many)
        page = opened.page
        assert opened.is_quiet(), opened.messages
        assert page.locator(".class-card").count() == 9
        assert "141 more are below" in page.locator("#answer").inner_text()
        assert page.locator("#classes-table tbody tr").count() == 150
        page.locator("#classes").get_by_label("Find").fill("mark77")
        link = page.locator("#classes-table tbody tr:visible a")
        assert link.all_inner_texts() == ["class number 77"]
        link.click()
        assert opened.eventually(lambda: page.locator("#term-rows tbody th").all_inner_texts() == ["pair38", "mark77"])
        assert many.stat().st_size < MOST_BYTES

    def test_no_page_is_larger_than_three_megabytes(self, monkeypatch):
        rows = many_classes(60).to_dict()
        example = {"before": "🚀" * 60, "term": "x", "after": "水" * 60}
        for one in rows["classes"]:
            one["terms"] = [{**row, "example": example} for row in one["terms"]]
        whole = terms_page(rows)
        for most in (len(whole.encode()) - 1, 150_000):
            monkeypatch.setattr("troenpy.report.terms_page.MOST_BYTES", most)
            page = terms_page(rows)
            assert len(page.encode()) <= most
            assert "are on this page" in page or "have an example" in page or "the page has" in page


class TestHostileText:
    def test_it_is_shown_and_never_run(self, visit, hostile):
        opened = visit(hostile)
        page = opened.page
        assert HOSTILE in page.locator(".class-cards").inner_text()
        assert page.locator("#term-class option").count() == 8
        for number in range(page.locator(".class-card .dot-row a.term").count()):
            page.locator(".class-card .dot-row a.term").nth(number).click()
        page.get_by_label("Find a term").fill("<b")
        page.locator(".plane").focus()
        page.keyboard.press("ArrowRight")
        assert page.locator("img").count() == 0
        assert page.locator("script:not([type='application/json'])").count() == 1
        assert opened.is_quiet(), (opened.messages, opened.dialogs)

    def test_every_term_has_an_address_that_works(self, visit, hostile):
        opened = visit(hostile)
        page = opened.page
        for link in page.locator(".class-card .dot-row a.term").all():
            name = link.text_content()
            link.click()
            assert opened.eventually(lambda name=name: page.locator("#term-name").text_content() == name)

    def test_no_scripts_of_ours_hold_text_of_data(self, hostile):
        text = hostile.read_text(encoding="utf-8")
        data = re.search(r'<script type="application/json" id="term-table">(.*?)</script>', text, re.S).group(1)
        names = json.loads(data)["classes"]
        assert {HOSTILE, IMAGE, shown(ARABIC), EMOJI, "=1+1", shown(LONG), "\\ud800"} == set(names)
        assert HOSTILE not in text.replace("</script>", "", 1) or HOSTILE not in data
        assert unescape("&lt;script&gt;alert(1)") in unescape(text)


def test_several_labels(visit, tmp_path):
    labels = [["goal", "late"], ["goal"], ["vote", "late"], ["vote"], []] * 20
    texts = ["late goal", "own goal", "late vote", "a vote", "nothing"] * 20
    troenpy.terms(texts, labels).save(tmp_path / "page.html")
    opened = visit(tmp_path / "page.html")
    assert opened.is_quiet(), opened.messages
    assert set(opened.page.locator(".class-card h2").all_inner_texts()) == {"goal", "late", "vote"}


def test_nothing_found(visit, tmp_path):
    troenpy.terms(["late goal", "own goal"] * 4, ["x", "x", "y", "y"] * 2).save(tmp_path / "page.html")
    opened = visit(tmp_path / "page.html")
    assert opened.is_quiet(), opened.messages
    assert "no term marks a class" in opened.page.locator("h1").inner_text()
    assert opened.fits()
