"""Draw charts: Vega-Lite specifications as plain dicts, built with Altair. A figure is a chart with text and numbers.

Text and lines use the colour of the surrounding text, so that a chart suits light pages, dark pages and paper. Altair
is an optional dependency, imported only when a chart is drawn.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Spec = dict[str, Any]
Values = list[dict[str, Any]]

#: Ten colours with a contrast of at least 3 to 1 on light and dark pages; after ten, they repeat with another shape.
PALETTE = (
    "#3a7fc4", "#d2601a", "#2f8f5b", "#b0529c", "#a5761c", "#7a68c8", "#c9434c", "#1f8a99", "#7b8434", "#80726a",
)  # fmt: skip
SHAPES = (
    "circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right", "triangle-left", "wedge",
    "arrow",
)  # fmt: skip

#: The chart parameter that selects one of several corpora.
CHOICE = "chosen"

_NEEDED = {"jinja2": "jinja2", "altair": "altair", "vl_convert": "vl-convert-python"}
_TEXT = "currentColor"
_LABEL_LIMIT = 180
_TEXT_FIELDS = ("corpus", "method", "class", "document")
_CONFIG: Spec = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        **dict.fromkeys(("labelColor", "titleColor", "domainColor", "tickColor", "gridColor"), _TEXT),
        **{"gridOpacity": 0.15, "domainOpacity": 0.5, "tickOpacity": 0.5, "titleFontWeight": "normal"},
        **{"labelFontSize": 11, "titleFontSize": 12, "labelLimit": _LABEL_LIMIT, "labelOverlap": "greedy"},
    },
    "legend": {
        **{"labelColor": _TEXT, "titleColor": _TEXT, "labelFontSize": 12, "labelLimit": 300},
        **{"orient": "bottom", "columns": 2},
    },
    "title": {"color": _TEXT, "fontWeight": "normal"},
}


@dataclass(frozen=True)
class Figure:
    """A chart with its title, caption, text alternative and numbers.

    Parameters
    ----------
    name : str
        File name, and anchor on the page.
    title, caption, alt : str
        `alt` describes the chart in words.
    panels : dict
        Vega-Lite specifications by title, shown side by side.
    header, rows : list
        The numbers as a table.
    """

    name: str
    title: str
    caption: str
    alt: str
    panels: dict[str, Spec]
    header: list[str]
    rows: list[list[Any]]


def check_extra() -> None:
    """Raise an ImportError that says what to install if a package for pages is missing."""
    for module, package in _NEEDED.items():
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            message = f"the page needs {package}: pip install 'troenpy[report]'"
            raise ImportError(message, name=error.name) from None


def intervals(values: Values, methods: Sequence[str]) -> Spec:
    """Draw errors with their intervals, grouped by corpus."""
    import altair as alt

    axis = {"title": "test error, %", "scale": alt.Scale(type="sqrt", zero=True)}
    corpora = _unique(values, "corpus")
    base = _chart(values).encode(
        y=_by_corpus(corpora),
        yOffset=alt.YOffset("method:N", sort=list(methods)),
        color=_colour("method", methods),
        tooltip=_tooltip(values),
    )
    rules = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **axis), x2="high:Q")  # type: ignore[arg-type]
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        x=alt.X("error:Q", **axis),  # type: ignore[arg-type]
        shape=_shape("method", methods),
    )
    return _spec(alt.layer(rules, points), len(corpora) * (11 * len(methods) + 12))


def bars(values: Values, methods: Sequence[str], name: str, title: str) -> Spec:
    """Draw a bar for each corpus and method."""
    import altair as alt

    corpora = _unique(values, "corpus")
    chart = _chart(values).mark_bar()
    chart = chart.encode(
        x=alt.X(f"{name}:Q", title=title),
        y=_by_corpus(corpora),
        yOffset=alt.YOffset("method:N", sort=list(methods)),
        color=_colour("method", methods),
        tooltip=_tooltip(values),
    )
    return _spec(chart, len(corpora) * (11 * len(methods) + 12))


def ranks(values: Values, groups: list[list[str]], kinds: Sequence[str]) -> Spec:
    """Draw mean ranks, best first, with a bar along each group of methods that do not differ."""
    import altair as alt

    order = _unique(values, "method")
    limit = alt.ExprRef(f"max({_LABEL_LIMIT}, 0.45 * (containerSize()[0] || 700))")  # full names where there is space
    y = {"title": None, "sort": None, "scale": alt.Scale(domain=order), "axis": alt.Axis(labelLimit=limit)}
    last = max(value["rank"] for value in values)
    along_them = [
        {"first": group[0], "last": group[-1], "place": last * (1.05 + 0.035 * lane)}
        for group, lane in zip(groups, lanes([(order.index(g[0]), order.index(g[-1])) for g in groups]), strict=True)
    ]
    colours = alt.Scale(domain=list(kinds), range=[PALETTE[1], PALETTE[0], PALETTE[9]])
    points = _chart(values).mark_point(filled=True, size=60, opacity=1)
    points = points.encode(
        x=alt.X("rank:Q", title="mean rank (1 is best)"),
        y=alt.Y("method:N", **y),  # type: ignore[arg-type]
        color=alt.Color("kind:N", title=None, legend=alt.Legend(columns=1), scale=colours),
        tooltip=_tooltip(values, "kind"),
    )
    along = _chart(along_them).mark_rule(strokeWidth=3, color=_TEXT, opacity=0.6)
    along = along.encode(x="place:Q", y=alt.Y("first:N", **y), y2="last:N")  # type: ignore[arg-type]
    return _spec(alt.layer(points, along), 17 * len(order))


def lanes(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Assign spans to lanes so that spans in the same lane do not overlap.

    Examples
    --------
    >>> lanes([(0, 4), (2, 6), (5, 9), (7, 9)])
    [0, 1, 0, 1]
    """
    ends: list[int] = []
    chosen = []
    for start, end in spans:
        free = [lane for lane, other in enumerate(ends) if other < start]
        lane = free[0] if free else len(ends)
        ends[lane : lane + 1] = [end]
        chosen.append(lane)
    return chosen


def costs(values: Values) -> Spec:
    """Draw error against seconds, with a line through the Pareto front."""
    import altair as alt

    models = _unique(values, "model")
    base = _chart(values).encode(
        x=alt.X("seconds:Q", scale=alt.Scale(type="log"), title="seconds (log scale)"),
        y=alt.Y("error:Q", title="test error, %", scale=alt.Scale(zero=False)),
    )
    line = base.transform_filter("datum.is_best")
    line = line.mark_line(interpolate="step-after", color=_TEXT, opacity=0.4, strokeDash=[4, 3])
    points = base.mark_point(filled=True, size=60, opacity=0.9).encode(
        color=_colour("model", models), shape=_shape("model", models), tooltip=_tooltip(values, "is_best", "model")
    )
    return _spec(_of_one_corpus(alt.layer(line, points), values), 320)


def curves(values: Values, methods: Sequence[str], place: str, title: str) -> Spec:
    """Draw errors with intervals against a parameter, one line per method."""
    import altair as alt

    base = _chart(values).encode(
        x=alt.X(f"{place}:Q", scale=alt.Scale(type="log"), title=f"{title}, log scale"),
        color=_colour("method", methods),
    )
    rules = base.mark_rule(opacity=0.5).encode(
        y=alt.Y("low:Q", title="test error, %", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    lines = base.mark_line().encode(y=alt.Y("error:Q", title="test error, %"))
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        y="error:Q", shape=_shape("method", methods), tooltip=_tooltip(values)
    )
    return _spec(_of_one_corpus(alt.layer(rules, lines, points), values), 300)


def scatter(n_classes: int) -> Spec:
    """Draw a scatter plot without data: the page stores documents once for all maps, and sets `hidden` classes."""
    import altair as alt

    codes = list(range(n_classes))
    colours, shapes = zip(*(class_mark(code) for code in codes), strict=True)
    chart = _chart([]).mark_point(filled=True, size=28, opacity=0.75)
    chart = chart.encode(
        x=alt.X("x:Q", axis=None),
        y=alt.Y("y:Q", axis=None),
        color=alt.Color("code:N", scale=alt.Scale(domain=codes, range=colours), legend=None),
        shape=alt.Shape("code:N", scale=alt.Scale(domain=codes, range=shapes), legend=None),
        tooltip=[alt.Tooltip("class:N"), alt.Tooltip("document:N")],
    )
    chart = chart.transform_filter("indexof(hidden, datum.code) < 0").add_params(alt.param(name="hidden", value=[]))
    return _spec(chart, 380)


def class_mark(code: int) -> tuple[str, str]:
    """Return the colour and shape of a class: ten colours, which repeat with another shape."""
    return PALETTE[code % len(PALETTE)], SHAPES[code // len(PALETTE) % len(SHAPES)]


def _chart(values: Values) -> Any:
    import altair as alt

    return alt.Chart(alt.InlineData(values=values))


def _unique(values: Values, name: str) -> list[str]:
    return list(dict.fromkeys(value[name] for value in values))


def _of_one_corpus(chart: Any, values: Values) -> Any:
    """Add a menu to choose the corpus, if there are several."""
    import altair as alt

    corpora = _unique(values, "corpus")
    if len(corpora) < 2:
        return chart
    chosen = alt.param(name=CHOICE, value=corpora[0], bind=alt.binding_select(options=corpora, name="Corpus "))
    return chart.transform_filter(f"datum.corpus == {CHOICE}").add_params(chosen)


def _spec(chart: Any, height: int) -> Spec:
    """Return the Vega-Lite specification, as wide as its container."""
    spec: Spec = chart.properties(width="container", height=height).to_dict()
    autosize = {"type": "fit-x", "contains": "padding"}
    return {name: part for name, part in spec.items() if name != "$schema"} | {"config": _CONFIG, "autosize": autosize}


def _by_corpus(corpora: list[str]) -> Any:
    import altair as alt

    scale = alt.Scale(paddingInner=0.3, paddingOuter=0.1)
    return alt.Y("corpus:N", sort=corpora, title=None, axis=alt.Axis(ticks=False), scale=scale)


def _colour(name: str, domain: Sequence[str]) -> Any:
    import altair as alt

    return alt.Color(f"{name}:N", title=None, sort=list(domain), scale=_scale(domain, PALETTE))


def _shape(name: str, domain: Sequence[str]) -> Any:
    import altair as alt

    return alt.Shape(f"{name}:N", title=None, sort=list(domain), scale=_scale(domain, SHAPES))


def _scale(domain: Sequence[str], marks: Sequence[str]) -> Any:
    import altair as alt

    return alt.Scale(domain=list(domain), range=[marks[place % len(marks)] for place in range(len(domain))])


def _tooltip(values: Values, *excluded: str) -> list[Any]:
    """Show every field of a point, except those excluded."""
    import altair as alt

    names = [name for name in values[0] if name not in excluded]
    return [alt.Tooltip(name, type="nominal" if name in _TEXT_FIELDS else "quantitative") for name in names]
