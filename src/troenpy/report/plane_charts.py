"""The charts on two axes: errors against seconds, against k, and against the size of the training part."""

from collections.abc import Sequence

from troenpy.experiments.tables import Record
from troenpy.report.names import FAMILIES, corpus_name
from troenpy.report.parts import Line, LineChart, Panels, Point, Scatter
from troenpy.report.parts.lines import Place
from troenpy.report.parts.scatter import on_frontier
from troenpy.report.parts.shell import Part
from troenpy.report.view import PER_100, View, seconds

N_LINES = 6
LEAST_SECONDS = 1e-3  # for the logarithmic axis


def cost_chart(view: View) -> Panels | None:
    """Draw errors against seconds, with the methods that no other beats in both."""
    parts: dict[int, Part] = {}
    if view.has_mean:
        points = [
            (method, _mean_seconds(view, method), error, "")
            for method, error, n_corpora in view.means()
            if n_corpora == len(view.main)
        ]
        if len(points) > 2:
            parts[0] = _scatter(view, points, "all corpora", PER_100)
    for place, corpus in view.places:
        points = [(one["method"], one["seconds"], 100 * one["error"], view.about(one)) for one in view.run_on(corpus)]
        if len(points) > 2:
            parts[place] = _scatter(view, points, corpus_name(corpus), "error, %")
    return Panels(parts, view.settings) if parts else None


def sweep_chart(view: View, points: Sequence[Record], place: str, x_title: str, *, x_log: bool) -> Panels | None:
    """Draw errors against k, or against the size of the training part."""
    parts: dict[int, Part] = {}
    numbers = {corpus: number for number, corpus in view.places}
    for corpus in dict.fromkeys(point["corpus"] for point in points):
        chosen = [point for point in points if point["corpus"] == corpus]
        chart = LineChart(
            f"Error by {x_title} on {corpus_name(corpus)}.", _lines(view, chosen, place), x_title,
            f"error on {corpus_name(corpus)}, %", x_log=x_log,
        )  # fmt: skip
        parts[numbers.get(corpus, len(view.settings))] = chart
    if parts and view.has_mean:
        parts = {0: next(iter(parts.values())), **parts}
    return Panels(parts, view.settings, "Not run on {} with several values.") if parts else None


def _scatter(view: View, found: Sequence[tuple[str, float, float, str]], where: str, axis: str) -> Scatter:
    points = []
    best = on_frontier([(cost, error) for _, cost, error, _ in found])
    for (method, cost, error, about), is_best in zip(found, best, strict=True):
        name = view.names[method]
        tip = "\n".join(part for part in (name.full, method, f"{axis}: {error:.1f}", seconds(cost), about) if part)
        points.append(
            Point(
                max(cost, LEAST_SECONDS), error, name.short, name.family, view.hue(method), tip, is_best,
                name.is_ours or method == view.baseline,
            )
        )  # fmt: skip
    return Scatter(f"Error against seconds on {where}.", points, "seconds per split", axis, x_log=True)


def _mean_seconds(view: View, method: str) -> float:
    return sum(view.records[corpus, method]["seconds"] for corpus in view.main) / len(view.main)


def _lines(view: View, points: Sequence[Record], place: str) -> list[Line]:
    by_method: dict[str, list[Place]] = {}
    for point in points:
        numbers = (point[place], *(100 * point[name] for name in ("error", "low", "high")))
        by_method.setdefault(point["method"], []).append(numbers)
    several = [method for method, found in by_method.items() if len(found) > 1]
    wanted = sorted(several, key=lambda method: (method not in view.key, by_method[method][-1][1]))
    lines = []
    for method in wanted[:N_LINES]:
        name = view.names.get(method)
        said = method if name is None else name.short
        hue = len(FAMILIES) - 1 if name is None else view.hue(method)
        is_ours = name is not None and name.is_ours
        lines.append(Line(said, by_method[method], "" if name is None else name.family, hue, method, is_ours))
    return lines
