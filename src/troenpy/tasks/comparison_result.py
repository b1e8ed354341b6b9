"""The result of comparing methods: a table, a learning curve, and how to build the recommended model."""

import html
import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np

from troenpy.display import data_frame, html_table, printable, text_table
from troenpy.experiments.journal import Row
from troenpy.experiments.learning_curve import LearningCurve
from troenpy.experiments.loss_words import LOSS_NAMES, shown_loss, shown_p, unit_of
from troenpy.experiments.losses import Estimate, Metric
from troenpy.experiments.significance import ALPHA
from troenpy.experiments.text_methods import DEFAULT, SHORT_LIST, TEXT_METHODS, Group, TextMethod
from troenpy.files.drafts import FilePath
from troenpy.report.comparison_page import comparison_page
from troenpy.tasks.curve_words import curve_advice, curve_rows
from troenpy.tasks.result_files import write_csv, write_result
from troenpy.tasks.typed_commands import typed_command

WIDTH, MOST_NAME = 80, 24
#: Of a method that takes so many seconds, another is called faster from so many times on.
SLOW, MUCH_FASTER = 1.0, 3.0
COLUMNS = ("error", "macro_f1", "log_loss", "low", "high", "p", "train_seconds", "seconds_per_document")
SHORT_NAMES = {name: short for short, name in SHORT_LIST.items()}


@dataclass(frozen=True)
class MethodResult:
    """What one method achieved.

    Attributes
    ----------
    name, short_name, description : str
    group : {"rivals", "pretrained", "ours"}
    metric : {"error", "macro-f1", "log-loss"}
    error, macro_f1, log_loss : float or None
        Means over the tests; None without probabilities.
    low, high : float
        The 95 % interval of the metric.
    interval : str
        The kind of interval.
    by_test : list of float
        The errors of single tests.
    p : float or None
        Against the recommended method, corrected for the number of methods; None for that method itself.
    train_seconds, seconds_per_document : float
        On one thread: to learn, and to predict a document.
    chosen : str or None
        What it chose while learning, in the first test.
    """

    name: str
    short_name: str
    description: str
    group: Group
    metric: Metric
    error: float
    macro_f1: float
    log_loss: float | None
    low: float
    high: float
    interval: str
    by_test: list[float]
    train_seconds: float
    seconds_per_document: float
    chosen: str | None
    p: float | None = None

    @classmethod
    def of(
        cls, method: TextMethod, rows: Sequence[Row], metric: Metric, measured: dict[Metric, Estimate]
    ) -> "MethodResult":
        """Return the result of the tests in these rows."""
        deciding, log_loss = measured[metric], measured.get("log-loss")
        ends = [1 - deciding.high, 1 - deciding.low] if metric == "macro-f1" else [deciding.low, deciding.high]
        predicting = sum(row.wall_seconds - (row.fit_seconds or 0) for row in rows) / sum(row.n_test for row in rows)
        return cls(
            name=method.name,
            short_name=SHORT_NAMES.get(method.name, method.name),
            description=method.name if method.name != DEFAULT else method.description,
            group=method.group,
            metric=metric,
            error=measured["error"].loss,
            macro_f1=1 - measured["macro-f1"].loss,
            log_loss=None if log_loss is None else log_loss.loss,
            low=float(ends[0]),
            high=float(ends[1]),
            interval=deciding.interval,
            by_test=[row.error for row in rows],
            train_seconds=float(np.mean([row.fit_seconds or 0 for row in rows])),
            seconds_per_document=predicting,
            chosen=rows[0].chosen,
        )

    @property
    def value(self) -> float:
        """The metric."""
        found = {"error": self.error, "macro-f1": self.macro_f1, "log-loss": self.log_loss}[self.metric]
        return float("inf") if found is None else found

    @property
    def loss(self) -> float:
        """The metric as a loss: one minus it for macro-F1."""
        return 1 - self.macro_f1 if self.metric == "macro-f1" else self.value


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods that were tested on the same texts; `print` shows a summary.

    Attributes
    ----------
    source : str
    n_documents, n_classes : int
    metric : {"error", "macro-f1", "log-loss"}
    tested : str
        How the methods were tested.
    sizes : list of (int, int)
        Documents learnt from, and tested, in each test.
    methods : list of MethodResult
    recommended : str
        The name of the best method.
    curve : LearningCurve or None
        Of the recommended method.
    reading : dict
        The file and its columns; empty for texts from Python.
    notices, warnings : list of str
    rows : str or None
        The file with the results of single tests.
    seconds : float
    """

    source: str
    n_documents: int
    n_classes: int
    metric: Metric
    tested: str
    sizes: list[tuple[int, int]]
    methods: list[MethodResult]
    recommended: str
    curve: LearningCurve | None
    reading: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    rows: str | None = None
    seconds: float = 0.0

    @property
    def best(self) -> MethodResult:
        """The result of the recommended method."""
        return next(one for one in self.methods if one.name == self.recommended)

    @property
    def advice(self) -> list[str]:
        """What follows from the table, in sentences."""
        best = self.best
        lines = [f"recommended: {best.short_name} ({self._shown(best.value)}, {best.name})"]
        alike = [one for one in self.methods if one.p is not None and one.p >= ALPHA]
        if alike:
            names = ", ".join(one.short_name for one in alike)
            lines.append(f"no significant difference from it (p of 0.05 or more): {names}")
            fast = min(alike, key=lambda one: one.train_seconds)
            times = best.train_seconds / max(fast.train_seconds, 1e-9)
            if best.train_seconds >= SLOW and times >= MUCH_FASTER and fast.name != "majority class":
                lines.append(f"of these, {fast.short_name} learns {times:,.0f} times as fast")
        if any(one.name == "majority class" for one in alike):
            lines.append(
                "no method is clearly better than always predicting the largest class: look at the labels first,"
                " with `troenpy audit`"
            )
        return [*lines, *([] if self.curve is None else [curve_advice(self.curve, self.metric)])]

    @property
    def python(self) -> str:
        """The lines of Python that build the recommended model from all documents."""
        imports, expression = TEXT_METHODS[self.recommended].lines
        if not self.reading:
            return f"{imports}\n\nmodel = {expression}\nmodel.fit(texts, labels)"
        options = {name: value for name, value in self.reading.items() if name in READING}
        given = ", ".join(f"{name}={value!r}" for name, value in options.items())
        reading = f"data = tasks.read_texts({self.reading['source']!r}, {given})"
        return f"{_with_tasks(imports)}\n\n{reading}\nmodel = {expression}\nmodel.fit(data.texts, data.labels)"

    @property
    def command(self) -> str | None:
        """The command that builds the best model that a command can build; None if there is none."""
        method = self.command_method
        if method is None:
            return None
        words = shlex.split(TEXT_METHODS[method].options or "")
        out = f"{PurePath(self.source).name.split('.')[0] or 'text'}.model"
        return typed_command("train", self.reading, [*words, "-o", out])

    @property
    def command_method(self) -> str | None:
        """The best of the methods that `troenpy train` fits."""
        found = [one for one in self.methods if TEXT_METHODS[one.name].options is not None]
        return min(found, key=lambda one: one.loss).name if found else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "source": self.source,
            "n_documents": self.n_documents,
            "n_classes": self.n_classes,
            "metric": self.metric,
            "tested": self.tested,
            "tests": [{"n_train": n_train, "n_test": n_test} for n_train, n_test in self.sizes],
            "methods": [asdict(one) for one in self.methods],
            "recommended": self.recommended,
            "advice": self.advice,
            "python": self.python,
            "command": self.command,
            "command_method": self.command_method,
            "learning_curve": None if self.curve is None else self.curve.to_dict(),
            "reading": self.reading,
            "notices": self.notices,
            "warnings": self.warnings,
            "rows": self.rows,
            "seconds": self.seconds,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each method.

        Returns
        -------
        pandas.DataFrame
        """
        header, *rows = self._records()
        return data_frame(header, [list(column) for column in zip(*rows, strict=True)])

    def save(self, path: FilePath) -> None:
        """Write a page, all as JSON, or the methods as CSV or JSON lines, by the ending of the name.

        Parameters
        ----------
        path : path-like
            .html, .json, .csv or .jsonl; an existing file is replaced at the end.
        """
        write_result(
            path,
            self.to_dict,
            page=comparison_page,
            rows="methods",
            write_csv=lambda file: write_csv(file, self._records()),
        )

    def _records(self) -> list[list[Any]]:
        """Return a header, and a row for each method."""
        return [["method", *COLUMNS], *([one.name, *(getattr(one, name) for name in COLUMNS)] for one in self.methods)]

    def __str__(self) -> str:
        lines = [*self._title(), "", *self._table(), ""]
        if self.curve is not None:
            lines += [*text_table(curve_rows(self.curve, self.metric), indent=""), ""]
        others = [one for one in self.methods if one.p is not None]
        none = "no method differs significantly from the best (p of 0.05 or more): choose by time, or get more texts"
        for line in [*([none] if others and all((one.p or 0) >= ALPHA for one in others) else []), *self.advice]:
            lines += textwrap.wrap(printable(line), WIDTH, break_on_hyphens=False, break_long_words=False)
        lines += ["", "in Python:", "", *(f"    {printable(line)}".rstrip() for line in self.python.splitlines())]
        if self.command is not None:
            what = "on the command line:"
            if self.command_method != self.recommended:
                built = next(one for one in self.methods if one.name == self.command_method)
                what = (
                    f"no command builds {self.best.short_name}; the best that `troenpy train` can build is"
                    f" {built.short_name} ({self._shown(built.value)}):"
                )
            lines += ["", *textwrap.wrap(what, WIDTH), "", f"    {printable(self.command)}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [*self._title(), *self.advice]
        header, rows = self._header(), self._rows()
        title = "<br>".join(html.escape(printable(line)) for line in parts)
        lines = html.escape("\n".join(map(printable, self.python.splitlines())))
        return f"<div>{html_table(header, rows)}<p>{title}</p><pre>{lines}</pre></div>"

    def _title(self) -> list[str]:
        n_train = round(float(np.mean([learnt for learnt, _ in self.sizes])))
        n_test = round(float(np.mean([tested for _, tested in self.sizes])))
        first = f"{printable(self.source)}: {self.n_documents:,} documents of {self.n_classes:,} classes"
        each = "" if len(self.sizes) == 1 else "each time "
        return [first, f"{printable(self.tested)}; {each}{n_train:,} learnt from and {n_test:,} tested"]

    def _header(self) -> list[str]:
        return ["method", LOSS_NAMES[self.metric], "95 % interval", "p", "train s", "ms/doc", "what it is"]

    def _rows(self) -> list[list[str]]:
        ordered = sorted(self.methods, key=lambda one: (round(one.loss, 9), one.name != self.recommended))
        return [
            [
                printable(one.short_name)[:MOST_NAME],
                shown_loss(self.metric, one.value),
                f"{shown_loss(self.metric, one.low)} to {shown_loss(self.metric, one.high)}",
                "best" if one.p is None else shown_p(one.p),
                f"{one.train_seconds:.2f}",
                f"{1000 * one.seconds_per_document:.2f}",
                printable(one.description),
            ]
            for one in ordered
        ]

    def _table(self) -> list[str]:
        rows = [self._header(), *self._rows()]
        lines = text_table([[*row[:-1], "|"] for row in rows], indent="")
        shown = [line.removesuffix("|") + row[-1] for line, row in zip(lines, rows, strict=True)]
        kind = self.best.interval
        test = "corrected resampled t-test" if len(self.sizes) > 1 else _single_test(self.metric)
        unit = "" if self.metric == "log-loss" else " in %"
        note = f"{LOSS_NAMES[self.metric]}{unit}; interval: {kind}; p against the best: {test}, Holm; on one thread"
        return [
            *(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in shown),
            *textwrap.wrap(note, WIDTH),
        ]

    def _shown(self, value: float) -> str:
        return f"{LOSS_NAMES[self.metric]} {shown_loss(self.metric, value)}{unit_of(self.metric)}"


#: What `tasks.read_texts` is told.
READING = ("text", "label", "format", "delimiter", "encoding", "on_error")


def _single_test(metric: Metric) -> str:
    return "McNemar's exact test" if metric == "error" else "bootstrap"


def _short(name: str | None) -> str:
    return SHORT_NAMES.get(name or "", name or "")


def _with_tasks(imports: str) -> str:
    """Return the imports with that of `tasks`."""
    lines = imports.splitlines()
    ours = [line.removeprefix("from troenpy import ") for line in lines if line.startswith("from troenpy import ")]
    others = [line for line in lines if not line.startswith("from troenpy import ")]
    return "\n".join([*others, f"from troenpy import {', '.join([*ours, 'tasks'])}"])
