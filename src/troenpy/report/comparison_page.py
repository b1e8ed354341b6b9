"""The page of `compare`: which method to use, whether more labels would help, what it costs, and how to build it."""

from collections.abc import Mapping, Sequence
from typing import Any

from troenpy.display import printable
from troenpy.experiments.loss_words import LOSS_NAMES, shown_loss, shown_p, unit_of
from troenpy.experiments.significance import ALPHA
from troenpy.report.parts import (
    Cell,
    Choices,
    Column,
    Dot,
    DotChart,
    Group,
    Line,
    LineChart,
    Point,
    Scatter,
    Table,
    TableRow,
    render_page,
)
from troenpy.report.parts.scatter import on_frontier

Found = Mapping[str, Any]
Method = Mapping[str, Any]

GROUPS = {
    "ours": Group("ours", "troenpy", 0),
    "rivals": Group("rivals", "usual methods", 1),
    "pretrained": Group("pretrained", "pretrained", 2),
    "majority": Group("majority", "largest class", 5),
}
MAJORITY, USUAL = "majority class", "TF-IDF, logistic regression"
#: The majority class is not drawn if its loss is so many times that of the worst method: the others would look alike.
FAR = 1.5
LEAST_SECONDS = 1e-3  # for the logarithmic axis
INTERVALS = {
    "Nadeau-Bengio": "Intervals and tests are corrected for the overlap of the tests (Nadeau and Bengio 2003).",
    "Wilson": "Intervals are Wilson's, tests McNemar's exact ones, over the tested documents.",
    "bootstrap": "Intervals and tests are of a bootstrap over the tested documents.",
}


def comparison_page(found: Found) -> str:
    """Return the page of a comparison, given as plain data, as HTML."""
    view = _View(found)
    curve, cost = view.curve(), view.cost()
    sections = {"labels": "More labels?", "cost": "Cost", "table": "Table", "made": "How this was measured"}
    shown = {"labels": curve is not None, "cost": cost is not None}
    return render_page(
        "comparison.html",
        title=f"troenpy compare: {view.source}"[:100],
        found=found,
        view=view,
        curve=curve,
        cost=cost,
        sections=[(anchor, name) for anchor, name in sections.items() if shown.get(anchor, True)],
    )


class _View:
    """The numbers in the unit that is shown, best method first."""

    def __init__(self, found: Found) -> None:
        self._found, self._metric = found, found["metric"]
        self.methods: list[Method] = sorted(
            found["methods"], key=lambda one: (round(self._loss(one), 9), one["name"] != found["recommended"])
        )
        self.source = printable(str(found["source"]))
        self._best = next(one for one in self.methods if one["name"] == found["recommended"])
        others = [self._loss(one) for one in self.methods if one["name"] != MAJORITY]
        far = FAR * max(others)
        self._drawn = [one for one in self.methods if one["name"] != MAJORITY or self._loss(one) <= far]
        self._left_out = [one for one in self.methods if one not in self._drawn]
        self._factor = 1.0 if self._metric == "log-loss" else 100.0
        self._digits = 3 if self._metric == "log-loss" else 2
        unit = unit_of(self._metric)
        self.axis = LOSS_NAMES[self._metric] + (f",{unit}" if unit else "")

    @property
    def kicker(self) -> str:
        found = self._found
        return (
            f"troenpy compare · {self.source} · {found['n_documents']:,} documents · {found['n_classes']:,} classes"
            f" · {len(self.methods)} methods"
        )

    @property
    def sentence(self) -> str:
        """Which method, its error, and how the usual one compares."""
        best = self._best
        low, high = self._shown(best["low"]), self._shown(best["high"])
        unit = unit_of(self._metric)
        use = f"{best['short_name']}: {LOSS_NAMES[self._metric]} {self._shown(self._value(best))}{unit}"
        use += f" (95 % interval {low} to {high}{unit})"
        majority = self._named(MAJORITY)
        if majority is not None and majority["p"] is not None and majority["p"] >= ALPHA:
            return (
                "No method is clearly better than always predicting the largest class"
                f" ({self._shown(self._value(majority))}{unit}). The best is {use}"
            )
        usual = self._named(USUAL)
        if usual is None or usual is best:
            return f"Use {use}{', the usual method' if usual is best else ''}"
        theirs = f"TF-IDF with logistic regression has {self._shown(self._value(usual))}{unit}"
        is_clear = usual["p"] is not None and usual["p"] < ALPHA
        said = "a clear difference" if is_clear else "no clear difference"
        return f"Use {use}; {theirs}, {said} (p {shown_p(usual['p'])})"

    @property
    def details(self) -> list[str]:
        """What follows from the numbers, in sentences; the first piece of advice is the headline."""
        return [_sentence(line) for line in self._found["advice"][1:]]

    @property
    def choices(self) -> Choices:
        used = {_group(one) for one in self._drawn}
        return Choices([group for key, group in GROUPS.items() if key in used])

    @property
    def undrawn(self) -> str:
        """What is not drawn, in words."""
        said = [f"{self._shown(self._value(one))}{unit_of(self._metric)}" for one in self._left_out]
        return f"Not drawn: always predicting the largest class, {said[0]}." if said else ""

    def dots(self) -> DotChart:
        """Draw all methods with their intervals, the best first."""
        dots = [
            Dot(
                one["short_name"],
                self._factor * self._value(one),
                self._factor * one["low"],
                self._factor * one["high"],
                _group(one),
                GROUPS[_group(one)].hue,
                about=self._about(one),
                kind="" if one["name"] == MAJORITY else one["description"],
                is_strong=one is self._best,
                is_reference=one["name"] == USUAL,
            )
            for one in self._drawn
        ]
        return DotChart("All methods, the best first", dots, self.axis, self._digits, lowest=self._lowest(dots))

    def curve(self) -> LineChart | None:
        """Draw the learning curve, with what twice the labels would bring."""
        found = self._found["learning_curve"]
        if found is None:
            return None
        points = [self._place(point) for point in found["points"]]
        group = GROUPS[_group(self._best)]
        lines = [Line(self._best["short_name"], points, group.key, group.hue, is_strong=True)]
        if found["twice"] is not None:
            more = [points[-1], self._place(found["twice"])]
            lines.append(Line("if it goes on", more, group.key, group.hue, is_dashed=True))
        ends = [place for line in lines for _, *ys in line.points for place in ys if place is not None]
        lowest = 10 * (min(ends) // 10) if self._metric == "macro-f1" else 0.0
        label = f"{self.axis} of {self._best['short_name']} by documents learnt from."
        return LineChart(label, lines, "documents learnt from", self.axis, digits=self._digits, lowest=lowest)

    def cost(self) -> Scatter | None:
        """Draw the metric against seconds to learn."""
        if len(self._drawn) < 3:
            return None
        costs = [max(one["train_seconds"], LEAST_SECONDS) for one in self._drawn]
        best = on_frontier([(cost, self._loss(one)) for cost, one in zip(costs, self._drawn, strict=True)])
        points = [
            Point(
                cost,
                self._factor * self._value(one),
                one["short_name"],
                _group(one),
                GROUPS[_group(one)].hue,
                f"{one['short_name']}\n{self.axis}: {self._shown(self._value(one))}\n{self._about(one)}",
                is_best,
                one is self._best,
            )
            for cost, one, is_best in zip(costs, self._drawn, best, strict=True)
        ]
        return Scatter(
            f"{self.axis} against seconds to learn.",
            points,
            "seconds to learn",
            self.axis,
            x_log=True,
            is_labelled=True,
        )

    def table(self) -> Table:
        """Return all numbers."""
        columns = [
            Column("method", "text"),
            Column(self.axis, digits=self._digits, has_bars=True, has_differences=True),
            Column("95 % interval", "text"),
            Column("p", digits=3, about=f"against {self._best['short_name']}, corrected for the number of methods"),
            *self._other_metrics(),
            Column("train s", digits=2, about="to learn, on one thread", has_differences=True),
            Column("ms/doc", digits=2, about="to predict a document, on one thread", has_differences=True),
            Column("what it is", "text"),
            Column("what it chose", "text", about="while learning, in the first test"),
        ]
        return Table("methods", "All methods", columns, [self._row(one) for one in self.methods])

    def measured(self) -> list[str]:
        """Say how the methods were tested."""
        found = self._found
        tests = found["tests"]
        each = "" if len(tests) == 1 else "each time "
        n_train, n_test = (round(sum(test[name] for test in tests) / len(tests)) for name in ("n_train", "n_test"))
        rules = [
            f"Tested: {printable(found['tested'])}; {each}{n_train:,} documents learnt from and {n_test:,} tested.",
            INTERVALS.get(self._best["interval"], ""),
            f"p is against {self._best['short_name']}, the best, corrected for the number of methods (Holm). The best"
            " of several looks a little better than it is.",
            "Seconds are of one thread.",
        ]
        if found["learning_curve"] is not None:
            rules.append(
                f"The learning curve is the mean of {found['learning_curve']['n_tests']} tests; its intervals are of a"
                " bootstrap over tests and documents. What twice the labels would bring is an extrapolation by a power"
                " law, with an interval widened by how far the law of the smaller parts missed the last point."
            )
        return [*filter(None, rules), *map(printable, found["notices"])]

    def _other_metrics(self) -> list[Column]:
        return [Column(name, digits=digits) for _, name, digits, _ in self._others()]

    def _others(self) -> list[tuple[str, str, int, float]]:
        every = [
            ("error", "error, %", 2, 100.0),
            ("macro_f1", "macro-F1, %", 2, 100.0),
            ("log_loss", "log loss", 3, 1.0),
        ]
        return [one for one in every if one[0] != self._metric.replace("-", "_")]

    def _row(self, one: Method) -> TableRow:
        value = self._factor * self._value(one)
        p = Cell(said="best") if one["p"] is None else Cell(one["p"], said=shown_p(one["p"]))
        others = [Cell(None if one[key] is None else factor * one[key]) for key, _, _, factor in self._others()]
        cells = [
            Cell(one["short_name"]),
            Cell(value, is_best=one is self._best),
            Cell(f"{self._shown(one['low'])} to {self._shown(one['high'])}"),
            p,
            *others,
            Cell(one["train_seconds"]),
            Cell(1000 * one["seconds_per_document"]),
            Cell(one["description"]),
            Cell(one["chosen"] or ""),
        ]
        return TableRow(cells, _group(one), GROUPS[_group(one)].hue, is_strong=one is self._best)

    def _about(self, one: Method) -> str:
        lines = [
            "" if one["p"] is None else f"p {shown_p(one['p'])} against {self._best['short_name']}",
            f"learns in {one['train_seconds']:.2f} s",
            f"predicts a document in {1000 * one['seconds_per_document']:.2f} ms",
            f"chose {one['chosen']}" if one["chosen"] else "",
        ]
        return "\n".join(filter(None, lines))

    def _place(self, point: Mapping[str, float]) -> tuple[float, float, float, float]:
        losses = [point[name] for name in ("loss", "low", "high")]
        if self._metric == "macro-f1":
            losses = [1 - losses[0], 1 - losses[2], 1 - losses[1]]
        y, low, high = (self._factor * loss for loss in losses)
        return point["n_train"], y, low, high

    def _lowest(self, dots: Sequence[Dot]) -> float:
        lows = [dot.value if dot.low is None else dot.low for dot in dots]
        return max(0.0, 10 * (min(lows) // 10)) if self._metric == "macro-f1" else 0.0

    def _named(self, name: str) -> Method | None:
        return next((one for one in self.methods if one["name"] == name), None)

    def _value(self, one: Method) -> float:
        return float(one[self._metric.replace("-", "_")])

    def _loss(self, one: Method) -> float:
        return 1 - self._value(one) if self._metric == "macro-f1" else self._value(one)

    def _shown(self, value: float) -> str:
        return shown_loss(self._metric, value)


def _group(one: Method) -> str:
    return "majority" if one["name"] == MAJORITY else str(one["group"])


def _sentence(line: str) -> str:
    return f"{line[:1].upper()}{line[1:]}{'' if line.endswith('.') else '.'}"
