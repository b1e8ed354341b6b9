"""The charts and the table of a comparison: all methods, the learning curve, cost against the metric."""

from collections.abc import Mapping, Sequence

from troenpy.experiments.loss_words import shown_p
from troenpy.report.comparison_view import GROUPS, MAJORITY, USUAL, ComparisonView, Method, group_of
from troenpy.report.parts import Cell, Column, Dot, DotChart, Line, LineChart, Point, Scatter, Table, TableRow
from troenpy.report.parts.scatter import on_frontier

LEAST_SECONDS = 1e-3  # for the logarithmic axis


def dot_chart(view: ComparisonView) -> DotChart:
    """Draw all methods with their intervals, the best first."""
    dots = [
        Dot(
            one["short_name"],
            view.factor * view.value(one),
            view.factor * one["low"],
            view.factor * one["high"],
            group_of(one),
            GROUPS[group_of(one)].hue,
            about=view.about(one),
            kind="" if one["name"] == MAJORITY else one["description"],
            is_strong=one is view.best,
            is_reference=one["name"] == USUAL,
        )
        for one in view.drawn
    ]
    return DotChart("All methods, the best first", dots, view.axis, view.digits, lowest=_lowest(view, dots))


def curve_chart(view: ComparisonView) -> LineChart | None:
    """Draw the learning curve, with what twice the labels would bring."""
    found = view.found["learning_curve"]
    if found is None:
        return None
    points = [_place(view, point) for point in found["points"]]
    group = GROUPS[group_of(view.best)]
    lines = [Line(view.best["short_name"], points, group.key, group.hue, is_strong=True)]
    if found["twice"] is not None:
        more = [points[-1], _place(view, found["twice"])]
        lines.append(Line("if it goes on", more, group.key, group.hue, is_dashed=True))
    ends = [place for line in lines for _, *ys in line.points for place in ys if place is not None]
    lowest = 10 * (min(ends) // 10) if view.metric == "macro-f1" else 0.0
    label = f"{view.axis} of {view.best['short_name']} by documents learnt from."
    return LineChart(label, lines, "documents learnt from", view.axis, digits=view.digits, lowest=lowest)


def cost_chart(view: ComparisonView) -> Scatter | None:
    """Draw the metric against seconds to learn."""
    if len(view.drawn) < 3:
        return None
    costs = [max(one["train_seconds"], LEAST_SECONDS) for one in view.drawn]
    best = on_frontier([(cost, view.loss(one)) for cost, one in zip(costs, view.drawn, strict=True)])
    points = [
        Point(
            cost,
            view.factor * view.value(one),
            one["short_name"],
            group_of(one),
            GROUPS[group_of(one)].hue,
            f"{one['short_name']}\n{view.axis}: {view.shown(view.value(one))}\n{view.about(one)}",
            is_best,
            one is view.best,
        )
        for cost, one, is_best in zip(costs, view.drawn, best, strict=True)
    ]
    return Scatter(
        f"{view.axis} against seconds to learn.",
        points,
        "seconds to learn",
        view.axis,
        x_log=True,
        is_labelled=True,
    )


def method_table(view: ComparisonView) -> Table:
    """Return all numbers."""
    columns = [
        Column("method", "text"),
        Column(view.axis, digits=view.digits, has_bars=True, has_differences=True),
        Column("95 % interval", "text"),
        Column("p", digits=3, about=f"against {view.best['short_name']}, corrected for the number of methods"),
        *_other_metrics(view),
        Column("train s", digits=2, about="to learn, on one thread", has_differences=True),
        Column("ms/doc", digits=2, about="to predict a document, on one thread", has_differences=True),
        Column("what it is", "text"),
        Column("what it chose", "text", about="while learning, in the first test"),
    ]
    return Table("methods", "All methods", columns, [_row(view, one) for one in view.methods])


def _other_metrics(view: ComparisonView) -> list[Column]:
    return [Column(name, digits=digits) for _, name, digits, _ in _others(view)]


def _others(view: ComparisonView) -> list[tuple[str, str, int, float]]:
    every = [
        ("error", "error, %", 2, 100.0),
        ("macro_f1", "macro-F1, %", 2, 100.0),
        ("log_loss", "log loss", 3, 1.0),
    ]
    return [one for one in every if one[0] != view.metric.replace("-", "_")]


def _row(view: ComparisonView, one: Method) -> TableRow:
    value = view.factor * view.value(one)
    p = Cell(said="best") if one["p"] is None else Cell(one["p"], said=shown_p(one["p"]))
    others = [Cell(None if one[key] is None else factor * one[key]) for key, _, _, factor in _others(view)]
    cells = [
        Cell(one["short_name"]),
        Cell(value, is_best=one is view.best),
        Cell(f"{view.shown(one['low'])} to {view.shown(one['high'])}"),
        p,
        *others,
        Cell(one["train_seconds"]),
        Cell(1000 * one["seconds_per_document"]),
        Cell(one["description"]),
        Cell(one["chosen"] or ""),
    ]
    return TableRow(cells, group_of(one), GROUPS[group_of(one)].hue, is_strong=one is view.best)


def _place(view: ComparisonView, point: Mapping[str, float]) -> tuple[float, float, float, float]:
    losses = [point[name] for name in ("loss", "low", "high")]
    if view.metric == "macro-f1":
        losses = [1 - losses[0], 1 - losses[2], 1 - losses[1]]
    y, low, high = (view.factor * loss for loss in losses)
    return point["n_train"], y, low, high


def _lowest(view: ComparisonView, dots: Sequence[Dot]) -> float:
    lows = [dot.value if dot.low is None else dot.low for dot in dots]
    return max(0.0, 10 * (min(lows) // 10)) if view.metric == "macro-f1" else 0.0
