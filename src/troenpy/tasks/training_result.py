"""The result of training: the model, where it comes from and how well it predicts, as a table."""

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from troenpy.display import data_frame, html_table, printable, text_table
from troenpy.tasks.about import About
from troenpy.tasks.evaluation import ClassResult, Evaluation

#: Lines fit a terminal of this width, and show at most so many classes and confused pairs.
WIDTH, MOST_CLASSES, MOST_PAIRS = 80, 30, 5
MOST_NAME = 20


@dataclass(frozen=True, eq=False)
class Training:
    """A fitted model and what is known of it; `print` shows a summary.

    Attributes
    ----------
    model : TroenpyClassifier or TextKNeighborsClassifier
    about : About
    evaluation : Evaluation or None
    terms : dict of lists of str
        The strongest terms of each class.
    notices : list of str
        What was sniffed, guessed or decided.
    out : str or None
        The file of the model.
    """

    model: Any
    about: About
    evaluation: Evaluation | None
    terms: dict[str, list[str]]
    notices: list[str]
    out: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may be wrong with the data, one line each."""
        return self.about.warnings

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        views, C = chosen_settings(self.model)
        return {
            "model": type(self.model).__name__,
            "out": self.out,
            "views": views,
            "C": C,
            **self.about.to_dict(),
            "terms": self.terms,
            "notices": self.notices,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each class.

        Returns
        -------
        pandas.DataFrame
        """
        names, results = list(self.about.n_by_class), self._results()
        measured = [results.get(name) for name in names]
        columns = [
            names,
            list(self.about.n_by_class.values()),
            *([getattr(one, field, None) for one in measured] for field in ("precision", "recall", "f1")),
            [self.terms.get(name, []) for name in names],
        ]
        return data_frame(["class", "documents", "precision", "recall", "f1", "terms"], columns)

    def __str__(self) -> str:
        lines = [*self._title(), "", *self._class_lines()]
        if self.evaluation is not None and self.evaluation.confused:
            pairs = [
                f"{shortened(true)} as {shortened(given)} ({n:,})"
                for true, given, n in self.evaluation.confused[:MOST_PAIRS]
            ]
            lines += ["", *wrapped(["most confused:", *(f"{pair}," for pair in pairs[:-1]), pairs[-1]])]
        if self.out is not None:
            lines += ["", f"model: {printable(self.out)}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = "<br>".join(html.escape(line) for line in self._title())
        return f"<div><p>{title}</p>{html_table(self._header(), self._rows())}</div>"

    def _title(self) -> list[str]:
        about = self.about
        lines = [f"{printable(about.source)}: {about.n_documents:,} documents of {len(about.n_by_class):,} classes"]
        views, C = chosen_settings(self.model)
        strength = "" if C is None else f", C = {C:g}"
        lines.append(f"{type(self.model).__name__} of {' + '.join(views)}{strength}")
        if self.evaluation is not None:
            lines += textwrap.wrap(str(self.evaluation), WIDTH, break_on_hyphens=False)
            lines += self._baseline()
        return lines

    def _baseline(self) -> list[str]:
        """Return what predicting the most frequent class learnt from would give, for single labels."""
        evaluation = self.evaluation
        if evaluation is None or evaluation.has_sets:
            return []
        largest = max(self.about.n_by_class, key=lambda name: self.about.n_by_class[name])
        n_right = sum(one.n_documents for one in evaluation.classes if one.name == largest)
        error = 100 * (1 - n_right / evaluation.n_documents)
        return [f"(always predicting {shortened(largest)} would be wrong for {error:.2f} %)"]

    def _results(self) -> dict[str, ClassResult]:
        return {} if self.evaluation is None else {one.name: one for one in self.evaluation.classes}

    def _header(self) -> list[str]:
        return ["class", "documents", "precision", "recall", "strongest terms"]

    def _rows(self) -> list[list[str]]:
        results = self._results()
        largest = sorted(self.about.n_by_class.items(), key=lambda item: (-item[1], item[0]))
        rows = []
        for name, n_documents in largest[:MOST_CLASSES]:
            one = results.get(name)
            shares = [percent(one.precision if one else None), percent(one.recall if one else None)]
            rows.append(
                [shortened(name), f"{n_documents:,}", *shares, ", ".join(map(printable, self.terms.get(name, [])))]
            )
        return rows

    def _class_lines(self) -> list[str]:
        header, rows = self._header(), self._rows()
        lines = text_table([[*row[:4], "|"] for row in [header, *rows]], indent="")
        shown = [
            line.removesuffix("|") + cut(row[4], WIDTH - len(line) + 1)
            for line, row in zip(lines, [header, *rows], strict=True)
        ]
        more = len(self.about.n_by_class) - len(rows)
        return [*(line.rstrip() for line in shown), *([f"and {more:,} more classes"] if more > 0 else [])]


def chosen_settings(model: Any) -> tuple[list[str], float | None]:
    """Return the views of a fitted classifier, and C if it has one."""
    return [view.name for view in model.features_.views_], getattr(model, "C_", None)


def percent(share: float | None) -> str:
    """Return a share as text.

    Examples
    --------
    >>> percent(0.125), percent(None)
    ('12.5 %', '')
    """
    return "" if share is None else f"{100 * share:.1f} %"


def shortened(name: str) -> str:
    """Return the name of a class, on one line and not too long."""
    return cut(printable(name), MOST_NAME)


def wrapped(parts: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return lines of parts, which are not broken."""
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]} {part}".lstrip()
        lines[-1:] = [joined] if len(joined) <= width else [lines[-1], part]
    return lines


def cut(text: str, width: int) -> str:
    """Return text of at most so many characters."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"
