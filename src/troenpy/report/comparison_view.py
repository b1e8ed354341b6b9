"""What a comparison says: its numbers in the unit that is shown, best method first, and sentences about them."""

from collections.abc import Mapping
from typing import Any

from troenpy.display import printable
from troenpy.experiments.loss_words import LOSS_NAMES, shown_loss, shown_p, unit_of
from troenpy.experiments.significance import ALPHA
from troenpy.report.parts import Choices, Group

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
INTERVALS = {
    "Nadeau-Bengio": "Intervals and tests are corrected for the overlap of the tests (Nadeau and Bengio 2003).",
    "Wilson": "Intervals are Wilson's, tests McNemar's exact ones, over the tested documents.",
    "bootstrap": "Intervals and tests are of a bootstrap over the tested documents.",
}


class ComparisonView:
    """The numbers in the unit that is shown, best method first."""

    def __init__(self, found: Found) -> None:
        self.found, self.metric = found, found["metric"]
        self.methods: list[Method] = sorted(
            found["methods"], key=lambda one: (round(self.loss(one), 9), one["name"] != found["recommended"])
        )
        self.source = printable(str(found["source"]))
        self.best = next(one for one in self.methods if one["name"] == found["recommended"])
        others = [self.loss(one) for one in self.methods if one["name"] != MAJORITY]
        far = FAR * max(others)
        self.drawn = [one for one in self.methods if one["name"] != MAJORITY or self.loss(one) <= far]
        self.left_out = [one for one in self.methods if one not in self.drawn]
        self.factor = 1.0 if self.metric == "log-loss" else 100.0
        self.digits = 3 if self.metric == "log-loss" else 2
        unit = unit_of(self.metric)
        self.axis = LOSS_NAMES[self.metric] + (f",{unit}" if unit else "")

    @property
    def kicker(self) -> str:
        """What was compared, in a line."""
        found = self.found
        return (
            f"troenpy compare · {self.source} · {found['n_documents']:,} documents · {found['n_classes']:,} classes"
            f" · {len(self.methods)} method{'s' * (len(self.methods) > 1)}"
        )

    @property
    def sentence(self) -> str:
        """Which method, its error, and how the usual one compares."""
        best = self.best
        low, high = self.shown(best["low"]), self.shown(best["high"])
        unit = unit_of(self.metric)
        use = f"{best['short_name']}: {LOSS_NAMES[self.metric]} {self.shown(self.value(best))}{unit}"
        use += f" (95 % interval {low} to {high}{unit})"
        majority = self.named(MAJORITY)
        if majority is not None and majority["p"] is not None and majority["p"] >= ALPHA:
            return (
                "No method is clearly better than always predicting the largest class"
                f" ({self.shown(self.value(majority))}{unit}). The best is {use}"
            )
        usual = self.named(USUAL)
        if usual is None or usual is best:
            return f"Use {use}{', the usual method' if usual is best else ''}"
        theirs = f"TF-IDF with logistic regression has {self.shown(self.value(usual))}{unit}"
        is_clear = usual["p"] is not None and usual["p"] < ALPHA
        said = "a clear difference" if is_clear else "no clear difference"
        return f"Use {use}; {theirs}, {said} (p {shown_p(usual['p'])})"

    @property
    def details(self) -> list[str]:
        """What follows from the numbers, in sentences; the first piece of advice is the headline."""
        return [_sentence(line) for line in self.found["advice"][1:]]

    @property
    def choices(self) -> Choices:
        """The legend of the groups that are drawn."""
        used = {group_of(one) for one in self.drawn}
        return Choices([group for key, group in GROUPS.items() if key in used])

    @property
    def undrawn(self) -> str:
        """What is not drawn, in words."""
        said = [f"{self.shown(self.value(one))}{unit_of(self.metric)}" for one in self.left_out]
        return f"Not drawn: always predicting the largest class, {said[0]}." if said else ""

    def measured(self) -> list[str]:
        """Say how the methods were tested."""
        found = self.found
        tests = found["tests"]
        each = "" if len(tests) == 1 else "each time "
        n_train, n_test = (round(sum(test[name] for test in tests) / len(tests)) for name in ("n_train", "n_test"))
        rules = [
            f"Tested: {printable(found['tested'])}; {each}{n_train:,} documents learnt from and {n_test:,} tested.",
            INTERVALS.get(self.best["interval"], ""),
            f"p is against {self.best['short_name']}, the best, corrected for the number of methods (Holm). The best"
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

    def about(self, one: Method) -> str:
        """Return what is shown on hover."""
        lines = [
            "" if one["p"] is None else f"p {shown_p(one['p'])} against {self.best['short_name']}",
            f"learns in {one['train_seconds']:.2f} s",
            f"predicts a document in {1000 * one['seconds_per_document']:.2f} ms",
            f"chose {one['chosen']}" if one["chosen"] else "",
        ]
        return "\n".join(filter(None, lines))

    def named(self, name: str) -> Method | None:
        """Return a method by its name, if it was tested."""
        return next((one for one in self.methods if one["name"] == name), None)

    def value(self, one: Method) -> float:
        """Return the metric of a method, as a fraction."""
        return float(one[self.metric.replace("-", "_")])

    def loss(self, one: Method) -> float:
        """Return the metric as a loss."""
        return 1 - self.value(one) if self.metric == "macro-f1" else self.value(one)

    def shown(self, value: float) -> str:
        """Return a metric as it is shown."""
        return shown_loss(self.metric, value)


def group_of(one: Method) -> str:
    """Return the key of a method's group."""
    return "majority" if one["name"] == MAJORITY else str(one["group"])


def _sentence(line: str) -> str:
    return f"{line[:1].upper()}{line[1:]}{'' if line.endswith('.') else '.'}"
