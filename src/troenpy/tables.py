"""The comparison part of a summary as a table: Markdown, CSV, or for the terminal."""

import csv
import io
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

Record = dict[str, Any]

if TYPE_CHECKING:
    from rich.table import Table


def to_csv(compared: Record) -> str:
    """Return the errors as CSV text, one line per corpus and method."""
    rows = compared["errors"]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_markdown(compared: Record, notes: Mapping[str, str] | None = None) -> str:
    """Return errors in per cent by method and corpus, the lowest in bold, as a Markdown table.

    Parameters
    ----------
    compared : dict
        From `summary.compare`.
    notes : mapping, optional
        What to say of methods, by name, in a first column of their own.
    """
    header, rows = overview(compared, "**{}**")
    lines = [[markdown_code(row[0]), *row[1:]] for row in rows]
    if notes is None:
        return markdown_table(header, lines)
    noted = [[notes.get(row[0], ""), *line] for row, line in zip(rows, lines, strict=True)]
    return markdown_table(["", *header], noted, n_text=2)


def markdown_table(header: list[str], rows: list[list[str]], *, n_text: int = 1) -> str:
    """Return a table whose first columns are text; the others are numbers and stand right."""
    marks = ["---" if place < n_text else "---:" for place in range(len(header))]
    lines = [[markdown_text(name) for name in header], marks, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def markdown_text(text: str) -> str:
    """Escape what Markdown or HTML would read as more than text."""
    for character, entity in {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.items():
        text = text.replace(character, entity)
    return "".join(f"\\{one}" if one in "\\`*_[]|" else one for one in " ".join(text.split()))


def markdown_code(text: str) -> str:
    """Return text as code; a backtick, which would end it, becomes a quote."""
    return "`{}`".format(" ".join(text.split()).replace("`", "'").replace("|", "\\|"))


def to_terminal(compared: Record) -> "Table":
    """Return a table for rich: of one corpus with intervals and p-values, of several with ranks."""
    from rich.markup import escape
    from rich.table import Table

    is_single = len(compared["corpora"]) == 1
    header, rows = details(compared) if is_single else overview(compared, "[bold green]{}[/]")
    title = f"{escape(compared['corpora'][0])}: " if is_single else ""
    table = Table(title=f"{title}test error, %", caption=escape(caption(compared)), caption_justify="left")
    for name in header:
        table.add_column(escape(name), justify="left" if name == "method" else "right", no_wrap=True)
    for row in rows:
        table.add_row(escape(row[0]), *row[1:])
    return table


def overview(compared: Record, emphasis: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of methods by corpora, with mean ranks and wins against the baseline."""
    has_ranks, has_baseline = compared["friedman"] is not None, compared["baseline"] is not None
    header = ["method", *compared["corpora"], *["rank"] * has_ranks, *["w/t/l"] * has_baseline]
    records = {(record["corpus"], record["method"]): record for record in compared["errors"]}
    least = _least(compared)
    rows = []
    for method in compared["methods"]:
        cells = [records.get((corpus, method["name"])) for corpus in compared["corpora"]]
        row = [method["name"], *("" if cell is None else _percent(cell, least, emphasis) for cell in cells)]
        if has_ranks:
            row.append("" if method["rank"] is None else f"{method['rank']:.1f}")
        if has_baseline:
            row.append("" if method["wins"] is None else "/".join(map(str, method["wins"])))
        rows.append(row)
    return header, rows


def details(compared: Record) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of methods on the first corpus, with intervals and tests."""
    header = ["method", "error", "95 % interval", "reduction", "p"]
    least = _least(compared)
    rows = []
    for record in compared["errors"]:
        if record["corpus"] == compared["corpora"][0]:
            interval = f"{100 * record['low']:.2f} to {100 * record['high']:.2f}"
            reduction = "" if record["reduction"] is None else f"{100 * record['reduction']:.1f} %"
            p = "" if record["p"] is None else p_value(record["p"])
            error = _percent(record, least, "[bold green]{}[/]")
            rows.append([record["method"], error, interval, reduction, p])
    return header, rows


def _least(compared: Record) -> dict[str, float]:
    """Return the lowest error on each corpus."""
    least: dict[str, float] = {}
    for record in compared["errors"]:
        least[record["corpus"]] = min(record["error"], least.get(record["corpus"], math.inf))
    return least


def _percent(record: Record, least: dict[str, float], emphasis: str) -> str:
    shown = f"{100 * record['error']:.2f}"
    return emphasis.format(shown) if math.isclose(record["error"], least[record["corpus"]]) else shown


def p_value(p: float) -> str:
    """Return a p-value as it is shown."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def caption(compared: Record) -> str:
    """Say which intervals and tests the table has."""
    kinds = sorted({record["interval"] for record in compared["errors"]})
    tests = {"Wilson": "McNemar's exact test", "Nadeau-Bengio": "corrected resampled t-test"}
    if compared["baseline"] is None:
        return ""
    against = f"against {compared['baseline']}, {' or '.join(tests[kind] for kind in kinds)}"
    if len(compared["corpora"]) == 1:
        return f"{' or '.join(kinds)} interval; reduction and p {against}"
    friedman = compared["friedman"]
    ranked = "" if friedman is None else f"; ranks differ with p {p_value(friedman['p'])} (Friedman)"
    return f"w/t/l: wins, ties, losses {against} at p < 0.05{ranked}"
