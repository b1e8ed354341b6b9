"""The page of audit in a real browser: rows are found, filtered and explained, and no text of a file runs."""

from itertools import pairwise

import pytest

pytest.importorskip("jinja2")

from made_up_results import HOSTILE, IMAGE, audit, pair, suspect

from troenpy.report.audit_page import MOST_TEXT, audit_page
from troenpy.report.parts import doubts

SCREEN, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
LONG = "x" * 5000
NAMES = [HOSTILE, IMAGE, "حساب مدين", "房间", "👩‍🚒", LONG, "", "\u202eevil", 'it\'s "quoted"', "=1+1"]


@pytest.fixture
def opened(visit, tmp_path):
    def open_page(found, **options):
        (tmp_path / "page.html").write_text(audit_page(found), encoding="utf-8")
        return visit(tmp_path / "page.html", **options)

    return open_page


def many(n=60):
    """Rows of two kinds of doubt: every third is another one."""
    return [
        suspect(rank, suggested="delivery", text=f"where is parcel {rank}") if rank % 3 == 0 else suspect(rank)
        for rank in range(1, n + 1)
    ]


def shown(page):
    return page.locator(".doubt-list > li:visible")


def test_the_first_screen_is_the_answer(opened):
    visited = opened(audit(many()), viewport=SCREEN)
    page = visited.page
    assert page.locator("h1").inner_text() == (
        "About 6.1 % of the labels are wrong (95 % interval 4.5 to 8.0 %): review 60 rows, 30 of them likely to be"
        " wrong"
    )
    assert [" ".join(one.split()) for one in page.locator(".jumps button").all_inner_texts()] == [
        "billing → returns 40 rows", "billing → delivery 20 rows",
    ]  # fmt: skip
    first = shown(page).first
    assert first.bounding_box()["y"] < 800
    assert "row 10" in first.inner_text()
    assert "billing 0.1 % → suggested: returns 90.0 % likely wrong" in " ".join(
        first.locator(".doubt-labels").text_content().split()
    )
    assert first.locator("mark").all_inner_texts() == ["card", "was declined"]
    assert "card +1.25" in first.inner_text()
    assert "row 7, 0.75" in first.locator(".doubt-near").inner_text()
    assert visited.is_quiet(), visited.messages


def test_rows_are_found_filtered_and_shown_step_by_step(opened):
    page = opened(audit(many())).page
    count = page.locator(".doubts .count")
    assert (shown(page).count(), count.inner_text()) == (25, "60 rows")
    more = page.locator(".doubts .more")
    assert more.inner_text() == "Show 25 more"
    more.focus()
    page.keyboard.press("Enter")
    assert (shown(page).count(), more.inner_text()) == (50, "Show 10 more")
    assert page.evaluate("document.activeElement.textContent").strip().startswith("row 260")
    page.locator(".jumps button").nth(1).click()
    assert (shown(page).count(), count.inner_text()) == (20, "20 of 60 rows")
    assert page.locator(".doubts .suggested").input_value() != ""
    page.locator(".doubts .likely").check()
    assert count.inner_text() == "10 of 60 rows"
    page.locator(".doubts .find").fill("PARCEL 45")
    assert count.inner_text() == "1 of 60 rows"
    assert "row 450" in shown(page).inner_text()
    page.locator(".doubts .find").fill("nowhere")
    assert (shown(page).count(), count.inner_text(), more.is_hidden()) == (0, "0 of 60 rows", True)


def test_a_long_text_is_unfolded(opened):
    text = " ".join(f"word{n}" for n in range(400))
    page = opened(audit([suspect(1, text=text, against=[["word1", 1.0], ["word200", 0.5]])])).page
    row = shown(page).first
    assert row.locator("mark:visible").all_inner_texts() == ["word1"]
    row.locator("summary").focus()
    page.keyboard.press("Enter")
    assert row.locator("mark:visible").all_inner_texts() == ["word1", "word200"]
    whole = "".join(row.locator(".doubt-text").text_content().split())
    assert whole == f"{text[: MOST_TEXT - 1]}…".replace(" ", "")


def test_pieces_of_a_text_are_the_text():
    text = "Café CAFÉ? my  old-address 好房间 cafés"
    terms = ["café", "my old", "房", "", " "]
    pieces = doubts.marked(text, terms)
    assert "".join(piece for piece, _ in pieces) == text
    assert [piece for piece, is_marked in pieces if is_marked] == ["Café", "CAFÉ", "my  old", "房"]
    assert doubts.marked("", ["a"]) == []
    one = doubts.Doubt(1, "a", "b", 0.1, 0.9, "y" * 1000)
    assert [len(part[0][0]) for part in (one.begins, one.rest)] == [doubts.N_FIRST, 1000 - doubts.N_FIRST]


def test_hostile_names_and_texts_are_shown_and_never_run(opened):
    suspects = [
        suspect(rank, label=name, suggested=NAMES[rank % len(NAMES)], text=f"{name} {IMAGE} שלום", copies={name: 2},
                against=[[name, 1.0], [IMAGE, 0.5]])
        for rank, name in enumerate(NAMES, start=1)
    ]  # fmt: skip
    contradictions = [{"rows": [1, 2], "labels": NAMES[:2], "text": IMAGE}]
    pairs = [pair(one, other) for one, other in pairwise(NAMES)]
    found = audit(
        suspects,
        source=HOSTILE,
        contradictions=contradictions,
        pairs=pairs,
        not_judged={IMAGE: 3},
        warnings=[IMAGE],
        notices=[HOSTILE],
        commands=[{"about": "Write:", "command": IMAGE}],
    )
    for size in (SCREEN, PHONE):
        visited = opened(found, viewport=size)
        page = visited.page
        assert HOSTILE in page.locator(".doubt-list").inner_text()
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 1
        assert visited.is_quiet(), (visited.messages, visited.dialogs)
        assert visited.fits()
    page.locator("#copies .sort").first.click()
    page.locator("#pairs .sort").nth(2).click()
    assert visited.violations() == []


def test_a_page_of_150_classes_and_thousands_of_rows_stays_under_3_mb(opened):
    text = f"{IMAGE} <<<&&&\"'\"' a b c d e f g " * 40
    terms = [[letter, 0.5] for letter in "abcdefg"]
    suspects = [
        suspect(rank, label=f"class {rank % 150}", suggested=f"class {(rank + 1) % 150}", text=text, against=terms)
        for rank in range(1, 3001)
    ]
    pairs = [pair(f"class {n % 150}", f"class {(n + 1 + n // 150) % 150}") for n in range(5000)]
    contradictions = [{"rows": [*range(50)], "labels": ["a", "b"] * 25, "text": text}] * 500
    found = audit(suspects, pairs=pairs, contradictions=contradictions)
    assert 1_500_000 < len(audit_page(found).encode()) < 3_000_000
    page = opened(found, viewport=PHONE).page
    n = page.locator(".doubt-list > li").count()
    assert page.locator("#rows .note").inner_text().startswith(f"These are the first {n:,} of 3,000 rows")
    assert "The first 100 of 5,000 pairs" in page.locator("#pairs").inner_text()
    assert "The first 200 are shown." in page.locator("#copies").inner_text()
    short = [suspect(rank, text="short") for rank in range(1, 20_001)]
    assert 1_500_000 < len(audit_page(audit(short)).encode()) < 3_000_000


def test_without_doubts_it_says_so(opened):
    visited = opened(audit([], wrong_share={"share": 0.0, "low": 0.0, "high": 0.0}, commands=[]))
    page = visited.page
    assert page.locator("h1").inner_text().startswith("No label is doubtful")
    assert page.locator("#rows").inner_text().endswith("There are none.")
    assert page.locator(".code-lines").inner_text().startswith("found = troenpy.audit(texts, labels)")
    assert visited.is_quiet(), visited.messages


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everybody(opened, scheme):
    found = audit(
        [*many(), suspect(61, text="long " * 200)],
        pairs=[pair("billing", "returns")],
        contradictions=[{"rows": [3, 9], "labels": ["billing", "returns"], "text": "twice"}],
        not_judged={"rare": 2},
    )
    for size in (SCREEN, PHONE):
        visited = opened(found, viewport=size, color_scheme=scheme)
        assert visited.fits()
        assert visited.violations() == []


def test_without_a_script_all_rows_are_shown(opened):
    page = opened(audit(many()), java_script_enabled=False).page
    assert shown(page).count() == 60


def test_it_prints_the_rows_that_are_shown(opened):
    page = opened(audit(many())).page
    page.emulate_media(media="print")
    assert shown(page).count() == 25
    assert page.locator(".doubts .more").is_hidden()
    assert page.locator(".doubts .tools").is_hidden()
