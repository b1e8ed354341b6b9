"""The result of an audit: doubtful rows with reasons, contradictions, confused classes; as text, CSV or plain data."""

import html
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

from troenpy.display import data_frame, html_table, printable, text_table
from troenpy.experiments.confident_learning import Share
from troenpy.files.drafts import FilePath, draft
from troenpy.records.wording import counted
from troenpy.report.audit_page import audit_page
from troenpy.tasks.result_files import write_result
from troenpy.tasks.review import review_rows, small_classes, write_review
from troenpy.tasks.row_writers import WRITERS
from troenpy.tasks.typed_commands import typed_command

WIDTH, MOST_NAME = 80, 16
#: What the terminal shows, at most.
N_SUSPECTS, N_PAIRS, N_CONTRADICTIONS, N_CHARACTERS = 10, 5, 3, 150
#: Classes are called candidates for merging if so much of both is confused, at least a quarter of it in each direction.
MERGED_SHARE, BOTH_WAYS = 0.15, 0.25
#: What writes a review of texts from Python.
PYTHON = "found = troenpy.audit(texts, labels)\nfound.save('doubtful.csv')"


@dataclass(frozen=True)
class Neighbour:
    """A near text: its row, its label (several if copies differ), its similarity, from 0 to 1, and how it begins."""

    row: int
    labels: list[str]
    similarity: float
    text: str = ""


@dataclass(frozen=True)
class Suspect:
    """A row whose label is doubted.

    Attributes
    ----------
    rank, row : int
    label, suggested : class
        The given label, and the most probable other one.
    p_label, p_suggested : float
        Their probabilities, by a model that has not learnt from this text.
    is_likely : bool
        Whether confident learning counts the label as wrong, or copies of the text outvote it.
    against : list of (str, float)
        The terms that speak for the suggestion and against the label, and how much, in units of log odds.
    nearest : list of Neighbour
    copies : dict of str to int
        The labels of the copies of the text, if they differ.
    text : str
    """

    rank: int
    row: int
    label: Any
    suggested: Any
    p_label: float
    p_suggested: float
    is_likely: bool
    against: list[tuple[str, float]]
    nearest: list[Neighbour]
    copies: dict[str, int]
    text: str


@dataclass(frozen=True)
class Contradiction:
    """Copies of a text with different labels, row by row."""

    rows: list[int]
    labels: list[Any]
    text: str


@dataclass(frozen=True)
class ConfusedPair:
    """Two classes that are taken for each other.

    Attributes
    ----------
    first, second : class
    n_first, n_second : int
        Their documents.
    first_as_second, second_as_first : int
        Documents of one that the models predict to be of the other.
    wrong_first, wrong_second : float
        Documents labelled as one that are of the other, by the estimate of confident learning.
    """

    first: Any
    second: Any
    n_first: int
    n_second: int
    first_as_second: int
    second_as_first: int
    wrong_first: float
    wrong_second: float

    @property
    def n_confused(self) -> int:
        """Documents of either class that are predicted to be of the other."""
        return self.first_as_second + self.second_as_first

    @property
    def share(self) -> float:
        """The confused documents, relative to twice the smaller class; at most 1."""
        return min(1.0, self.n_confused / (2 * min(self.n_first, self.n_second)))

    @property
    def advice(self) -> str:
        """What to do about it."""
        fewer = min(self.first_as_second, self.second_as_first)
        if self.share >= MERGED_SHARE and fewer >= BOTH_WAYS * self.n_confused:
            return "merge them, or draw a clearer line"
        if self.share >= MERGED_SHARE:
            return "draw a clearer line"
        return "look at these rows"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "n_confused": self.n_confused, "share": self.share, "advice": self.advice}


@dataclass(frozen=True, eq=False)
class Audit:
    """What is doubtful about some labels; `print` shows a summary.

    Attributes
    ----------
    source : str
    n_documents, n_judged : int
    classes : list
    tested : str
        How the probabilities were found.
    error : float
        The part of the judged documents whose label is not the most probable one.
    wrong_share : Share
        The estimated share of wrong labels, with a 95 % interval: `share`, `low` and `high`.
    suspects : list of Suspect
    contradictions : list of Contradiction
    pairs : list of ConfusedPair
    not_judged : dict of str to int
        Classes with too few texts, and their documents.
    reading : dict
    notices, warnings : list of str
    seconds : float
    baseline : float
        The error of always predicting the most frequent class.
    """

    source: str
    n_documents: int
    n_judged: int
    classes: list[Any]
    tested: str
    error: float
    wrong_share: Share
    suspects: list[Suspect]
    contradictions: list[Contradiction]
    pairs: list[ConfusedPair]
    not_judged: dict[str, int] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    baseline: float = 1.0

    @property
    def n_likely(self) -> int:
        """How many labels are likely to be wrong."""
        return sum(one.is_likely for one in self.suspects)

    @property
    def commands(self) -> list[dict[str, str]]:
        """What to type next, with what it is for; empty for texts from Python."""
        corrected = f"corrected{_ending(self.source)}"
        steps = {
            "Write all doubtful rows, and put right labels into the column corrected:": ["-o", "doubtful.csv"],
            "Then make a corrected copy:": ["--apply", "doubtful.csv", "-o", corrected],
        }
        typed = {about: typed_command("audit", self.reading, words) for about, words in steps.items()}
        return [{"about": about, "command": command} for about, command in typed.items() if command is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "source": self.source,
            "n_documents": self.n_documents,
            "n_judged": self.n_judged,
            "classes": self.classes,
            "tested": self.tested,
            "error": self.error,
            "baseline": self.baseline,
            "wrong_share": self.wrong_share._asdict(),
            "n_likely": self.n_likely,
            "suspects": [asdict(one) for one in self.suspects],
            "contradictions": [asdict(one) for one in self.contradictions],
            "pairs": [one.to_dict() for one in self.pairs],
            "not_judged": self.not_judged,
            "reading": self.reading,
            "commands": self.commands,
            "python": PYTHON,
            "notices": self.notices,
            "warnings": self.warnings,
            "seconds": self.seconds,
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each suspect, as in the CSV.

        Returns
        -------
        pandas.DataFrame
        """
        header, *rows = review_rows(self.suspects)
        return data_frame(header, [list(column) for column in zip(*rows, strict=True)] or [[] for _ in header])

    def write_csv(self, path: FilePath) -> None:
        """Write the suspects as CSV for a review: correct labels go into the column `corrected`."""
        with draft(path) as file:
            write_review(file, self.suspects)

    def save(self, path: FilePath) -> None:
        """Write a page, all as JSON, or the suspects as CSV or JSON lines, by the ending of the name.

        Parameters
        ----------
        path : path-like
            .html, .json, .csv (as by `write_csv`) or .jsonl; an existing file is replaced at the end.
        """
        write_result(
            path,
            self.to_dict,
            page=audit_page,
            rows="suspects",
            write_csv=lambda file: write_review(file, self.suspects),
        )

    def text(self, *, is_written: bool = False) -> str:
        """Return a summary as text.

        Parameters
        ----------
        is_written : bool, default=False
            Whether all rows are in a file already, so that it need not say how to write them.
        """
        found = [*self._title(), *self._suspect_lines(is_written), *self._contradiction_lines(), *self._pair_lines()]
        return "\n".join(found)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = "<br>".join(map(html.escape, self._title()))
        header = ["row", "label", "suggested", "p label", "p suggested", "against the label", "text"]
        rows = [
            [
                f"{one.row:,}",
                printable(str(one.label)),
                printable(str(one.suggested)),
                f"{one.p_label:.3f}",
                f"{one.p_suggested:.3f}",
                printable(", ".join(term for term, _ in one.against)),
                _cut(one.text, N_CHARACTERS),
            ]
            for one in self.suspects[:N_SUSPECTS]
        ]
        return f"<div><p>{title}</p>{html_table(header, rows)}</div>"

    def _title(self) -> list[str]:
        share = self.wrong_share
        low, high = 100 * share.low, 100 * share.high
        sentences = [
            f"{self.source}: {self.n_documents:,} documents of {len(self.classes):,} classes",
            f"{counted(len(self.suspects), 'label')} doubtful, {self.n_likely:,} of them likely to be wrong"
            f" ({self.tested}; predictions differ from {100 * self.error:.2f} % of the labels)",
            f"estimated share of wrong labels: {100 * share.share:.1f} % (95 % interval {low:.1f} to {high:.1f} %, of"
            " sampling only; confident learning, too high if classes are hard to tell apart)",
        ]
        if self.not_judged:
            sentences.append(small_classes(self.not_judged))
        return [line for sentence in sentences for line in _wrapped(sentence)]

    def _suspect_lines(self, is_written: bool) -> list[str]:
        lines = []
        for one in self.suspects[:N_SUSPECTS]:
            label, suggested = _cut(one.label, MOST_NAME), _cut(one.suggested, MOST_NAME)
            likely = "" if one.is_likely else ", less sure"
            lines += [
                "",
                f"row {one.row:,}: {label} ({one.p_label:.3f}) -> {suggested} ({one.p_suggested:.3f}){likely}",
                *_wrapped(f"  {_cut(' '.join(one.text.split()), N_CHARACTERS)}", "  "),
            ]
            if one.against:
                terms = ", ".join(f"{term} {value:+.2f}" for term, value in one.against)
                lines += _wrapped(f"  against {label}: {terms}", "    ")
            if one.nearest:
                near = ", ".join(f"{' or '.join(n.labels)} (row {n.row:,}, {n.similarity:.2f})" for n in one.nearest)
                lines += _wrapped(f"  nearest: {near}", "    ")
            if one.copies:
                copies = ", ".join(f"{name} {n:,}" for name, n in one.copies.items())
                lines += _wrapped(f"  copies of this text: {copies}", "    ")
        more = len(self.suspects) - N_SUSPECTS
        how = "" if is_written else "; -o FILE.csv or FILE.html writes all"
        return [
            *lines,
            *(["", f"and {counted(more, 'more doubtful label')}{how}"] if more > 0 else []),
        ]

    def _contradiction_lines(self) -> list[str]:
        if not self.contradictions:
            return []
        n_rows = sum(len(one.rows) for one in self.contradictions)
        texts = counted(len(self.contradictions), "text")
        lines = ["", f"{texts} with different labels, {n_rows:,} rows:"]
        for one in self.contradictions[:N_CONTRADICTIONS]:
            pairs = list(zip(one.rows, one.labels, strict=True))
            rows = ", ".join(f"row {row:,} {_cut(label, MOST_NAME)}" for row, label in pairs[:4])
            more = f" and {len(pairs) - 4:,} more" if len(pairs) > 4 else ""
            lines += _wrapped(f"  {rows}{more}: {_cut(' '.join(one.text.split()), 60)}", "    ")
        return lines

    def _pair_lines(self) -> list[str]:
        shown = [pair for pair in self.pairs if pair.n_confused > 1][:N_PAIRS]
        if not shown:
            return []
        rows = [["classes", "first as second", "second as first", "|"]]
        for pair in shown:
            names = f"{_cut(pair.first, MOST_NAME)}, {_cut(pair.second, MOST_NAME)}"
            rows.append([names, f"{pair.first_as_second:,}", f"{pair.second_as_first:,}", "|"])
        lines = text_table(rows, indent="")
        advice = ["", *(pair.advice for pair in shown)]
        table = [(line.removesuffix("|") + said).rstrip() for line, said in zip(lines, advice, strict=True)]
        return ["", "classes taken for each other:", *(line[:WIDTH] for line in table)]


def _ending(source: str) -> str:
    """Return the ending of a copy in the same format, or CSV."""
    ending = PurePath(source).suffix.lower()
    return ending if ending in WRITERS else ".csv"


def _cut(value: Any, width: int) -> str:
    text = printable(str(value)[: 4 * width])
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _wrapped(text: str, indent: str = "") -> Sequence[str]:
    return textwrap.wrap(
        printable(text), WIDTH, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True
    ) or [""]
