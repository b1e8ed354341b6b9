"""The parts alone, and on a page of their own, as a colleague would use them."""

import html
import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from troenpy.report.parts import (
    Cell,
    ChangeBar,
    ChangeBars,
    Choices,
    Column,
    Dot,
    DotChart,
    Group,
    Line,
    LineChart,
    Panels,
    Point,
    Scatter,
    Table,
    TableRow,
    shell,
)
from troenpy.report.parts.scales import Scale, number

HOSTILE = "<img src=x onerror=alert(1)>\"'{{7*7}}</script>"
finite = st.floats(0.001, 1e6)


class TestScales:
    @given(finite, finite, st.booleans())
    @example(0.0010000000000904867, 0.0010000000000904869, False)
    def test_places_are_within_the_axis_and_ticks_too(self, one, other, is_log):
        scale = Scale(min(one, other), max(one, other), is_log=is_log)
        ticks = scale.ticks()
        assert len(ticks) <= 7
        assert all(0 <= scale.place(tick) <= 100 for tick in ticks)
        assert ticks == sorted(set(ticks))

    def test_ticks_are_round_and_few(self):
        assert Scale(0, 100).ticks() == [0, 20, 40, 60, 80, 100]
        assert Scale(0, 0.35).ticks() == [0, 0.1, 0.2, 0.3]
        assert Scale(2, 2).ticks() == [2]
        assert Scale(0, 3e-13).ticks() == [0, 1e-13, 2e-13, 3e-13]

    @pytest.mark.parametrize("low", [0.001, 0.0014792213440846273, 7.0, 123456.7])
    @pytest.mark.parametrize("share", [1e-16, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 0.01])
    def test_ticks_of_a_narrow_axis_have_different_texts(self, low, share):
        ticks = Scale(low, low * (1 + share)).ticks()
        assert 1 <= len(ticks) <= 7
        if low < 1000:
            assert len({number(tick) for tick in ticks}) == len(ticks)


def dots():
    first = Dot("a", 10, 8, 12, group="one", hue=0, code="knn: a", heading="ones", is_reference=True)
    return [first, Dot("b", 5, group="two", hue=1, aside=((4, "x"), (6, "y")), is_strong=True, is_folded=True)]


def test_a_dot_chart_is_a_table_with_its_numbers():
    text = str(DotChart("errors", dots()).__html__())
    assert re.findall(r'<td class="number">([\d.]+)', text) == ["10.0", "5.0"]
    assert "(8.0 to 12.0)" in text
    assert "knn: a" in html.unescape(text)
    assert "Show all 2" in text


def test_dots_of_several_charts_have_one_axis_and_links():
    chart = DotChart("marks", [Dot("<a>", 2, 1, 3, address="#term=%3Ca%3E")], lowest=-1, highest=9)
    assert chart.scale.place(4.09) == pytest.approx(50, abs=0.01)
    assert '<a class="term" href="#term=%3Ca%3E">&lt;a&gt;</a>' in str(chart.__html__())


def test_data_is_compact_and_cannot_end_its_element():
    text = str(
        shell._environment().from_string("{{ data | tojson }}").render(data={"b": ["é\u6c34", "</script>"], "a": 1})
    )
    assert text == '{"b":["é\u6c34","\\u003c/script\\u003e"],"a":1}'


def test_the_frontier_goes_through_the_best_points():
    points = [Point(1, 20, "a", is_best=True), Point(2, 10, "b", is_best=True), Point(3, 15, "c")]
    chart = Scatter("cost", points, "seconds", "error")
    a, b = ((chart.x.place(p.x), 100 - chart.y.place(p.y)) for p in points[:2])
    assert chart.frontier == f"M{a[0]:g} {a[1]:g} H{b[0]:g} V{b[1]:g} H100"
    assert Scatter("cost", points[2:], "seconds", "error").frontier == ""


def test_an_axis_of_errors_begins_at_zero_unless_all_are_far_above_it():
    near = Scatter("cost", [Point(1, 20, "a"), Point(2, 5, "b")], "seconds", "error")
    assert (near.y.low, near.y_ticks[0]) == (0, (0, "0"))
    far = Scatter("cost", [Point(1, 31, "a"), Point(2, 25, "b")], "seconds", "error")
    assert 24 < far.y.low < 25
    assert {text for _, text in far.y_ticks} == {"26", "28", "30"}
    same = Scatter("cost", [Point(1, 30, "a"), Point(2, 30, "b")], "seconds", "error")
    assert 0 < same.y.place(30) < 100


def test_labels_at_the_ends_of_lines_do_not_overlap():
    lines = [Line(f"line {n}", [(1, 10, 9, 11), (10, 5 + 0.01 * n, 4, 6)]) for n in range(6)]
    chart = LineChart("errors", lines, "documents", "error, %")
    heights = [height for height, _ in chart.ends()]
    assert all(upper - lower >= 6.99 for upper, lower in pairwise(heights))
    assert all(0 <= height <= 100 for height in heights)
    assert chart.x_ticks[0][1] == "1"


def test_an_axis_may_begin_above_zero_and_a_line_may_be_dashed():
    lines = [Line("measured", [(1, 90, 80, 95)]), Line("expected", [(1, 90, 90, 90), (2, 95, 85, 100)], is_dashed=True)]
    chart = LineChart("F1", lines, "documents", "macro-F1, %", lowest=80)
    assert (chart.y.low, chart.y.high) == (80, 101)
    assert chart.y.place(90) == pytest.approx(100 * 10 / 21, abs=0.01)
    text = str(chart.__html__())
    assert text.count('class="line is-dashed"') == 1


def table(**options):
    columns = [Column("name", "text"), Column("error", has_bars=True, has_differences=True), Column("code", "code")]
    rows = [TableRow([Cell(f"row {n}"), Cell(float(n)), Cell(f"knn{n}: tf")], group="one", hue=0) for n in range(4)]
    rows.append(TableRow([Cell("none"), Cell(None), Cell("=1")]))
    return Table("mine", "my table", columns, rows, **options)


def test_a_table_has_bars_and_says_what_is_missing():
    text = str(table().__html__())
    assert re.findall(r"--share:([\d.]+)%", text) == ["0.0", "33.3", "66.7", "100.0"]
    assert text.count(">–<") == 1
    assert "Copy as CSV" not in str(table(has_tools=False).__html__())


def test_bars_of_changes_are_scaled_to_the_longest():
    bars = [ChangeBar(-0.4, True, "r8: 40 %"), ChangeBar(0.1, False, "twitter")]
    assert [height for height, _ in ChangeBars("changes", bars).heights] == [100, 25]
    assert ChangeBars("none", []).heights == []
    assert [height for height, _ in ChangeBars("zero", [ChangeBar(0, False, "")]).heights] == [0]


@pytest.mark.parametrize(
    "part",
    [
        DotChart(HOSTILE, [Dot(HOSTILE, 1, 0, 2, HOSTILE, 0, HOSTILE, HOSTILE, HOSTILE, ((1, HOSTILE),), HOSTILE)]),
        Scatter(HOSTILE, [Point(1, 2, HOSTILE, HOSTILE, 0, HOSTILE)], HOSTILE, HOSTILE),
        LineChart(HOSTILE, [Line(HOSTILE, [(1, 2, 1, 3), (2, 3, 2, 4)], HOSTILE, 0, HOSTILE)], HOSTILE, HOSTILE),
        Table(HOSTILE, HOSTILE, [Column(HOSTILE, "text", about=HOSTILE)], [TableRow([Cell(HOSTILE, HOSTILE)])]),
        Choices([Group(HOSTILE, HOSTILE, 0), Group("b", "b", 1)], [HOSTILE, "x"], HOSTILE),
        ChangeBars(HOSTILE, [ChangeBar(1, True, HOSTILE)]),
        Panels({0: ChangeBars(HOSTILE, [])}, [HOSTILE, HOSTILE]),
    ],
    ids=lambda part: type(part).__name__,
)  # fmt: skip
def test_text_is_escaped_everywhere(part):
    text = str(part.__html__())
    assert "<img" not in text
    assert "\"'{{" not in text


def test_a_page_of_ones_own(visit, tmp_path, monkeypatch):
    """A template that extends the shell, with parts as values, is a page."""
    template = (
        '{% extends "parts/shell.html" %}{% block header %}<header><h1>{{ title }}</h1></header>{{ choices }}'
        "{% endblock %}{% block main %}<section>{% for part in shown %}{{ part }}{% endfor %}</section>{% endblock %}"
    )
    read = shell.read_template
    monkeypatch.setattr(shell, "read_template", lambda name: template if name == "own.html" else read(name))
    shell._environment.cache_clear()
    choices = Choices([Group("one", "ones", 0), Group("two", "twos", 1)], ["first", "second"], "Corpus")
    panels = Panels({0: DotChart("errors", dots()), 1: ChangeBars("changes", [])}, choices.settings)
    lines = LineChart("e.", [Line("a", [(1, 2, 1, 3), (2, 3, 2, 4)])], "documents", "error")
    scatter = Scatter("c.", [Point(1, 2, "p"), Point(2, 3, "q")], "seconds", "error", x_log=True)
    text = shell.render_page("own.html", title="Mine", choices=choices, shown=[panels, scatter, lines, table()])
    shell._environment.cache_clear()
    (tmp_path / "own.html").write_text(text, encoding="utf-8")
    opened = visit(tmp_path / "own.html", viewport={"width": 390, "height": 800})
    assert opened.is_quiet(), opened.messages
    assert opened.fits()
    opened.page.get_by_role("button", name="twos").click()
    assert opened.page.locator(".dot-row:visible").count() == 1
    opened.page.get_by_label("Corpus").select_option("1")
    assert opened.page.locator(".dot-row:visible").count() == 0
    assert opened.page.locator(".plane .point").count() == 4
