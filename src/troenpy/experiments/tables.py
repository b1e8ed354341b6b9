"""Format a comparison as text, Markdown, CSV, LaTeX or HTML, with all names escaped."""

import csv
import html
import io
import math
from collections.abc import Mapping
from typing import Any

from troenpy.display.plain import printable

Record = dict[str, Any]

_FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "＝",
    "＋",
    "－",
    "＠",
)  # a spreadsheet takes a cell that begins with these for a formula
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def to_csv(comparison: Record) -> str:
    """Return the errors as CSV text, one line per corpus and method.

    Text that a spreadsheet would take for a formula is prefixed with a quote; numbers are left alone.
    """
    rows = comparison["errors"]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _csv_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return f"'{printable(value)}" if value.startswith(_FORMULA) else printable(value)


def to_text(comparison: Record) -> str:
    """Return a plain text table: with intervals and p-values for one corpus, with ranks for several."""
    shown = text_table(*layout(comparison, "{}"))
    return "\n".join(filter(None, [printable(title(comparison)), shown, printable(caption(comparison))]))


def text_table(header: list[str], rows: list[list[str]]) -> str:
    """Return a plain text table whose first column is text; the others are right-aligned numbers."""
    lines = [[printable(name) for name in header], *([printable(row[0]), *row[1:]] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines
    )


def to_html(comparison: Record) -> str:
    """Return the same table as HTML, for a notebook."""
    header, rows = layout(comparison, "<b>{}</b>")
    head = _html_row("th", [_html_text(name) for name in header])
    body = [_html_row("td", [_html_text(row[0]), *row[1:]]) for row in rows]
    parts = title(comparison), caption(comparison)
    shown = "<br>".join(_html_text(part) for part in parts if part)
    return f"<table><caption>{shown}</caption><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _html_row(tag: str, cells: list[str]) -> str:
    first, *others = cells
    shown = "".join(f"<{tag} style='text-align:right'>{cell}</{tag}>" for cell in others)
    return f"<tr><{tag}>{first}</{tag}>{shown}</tr>"


def _html_text(text: str) -> str:
    return html.escape(printable(text))


def to_latex(comparison: Record) -> str:
    r"""Return errors in per cent by method and corpus, with the lowest in bold, as a tabular with booktabs rules."""
    header, rows = overview(comparison, r"\textbf{{{}}}")
    lines = [[latex_text(name) for name in header], *([latex_text(row[0]), *row[1:]] for row in rows)]
    head, *body = (f"{' & '.join(line)} \\\\\n" for line in lines)
    columns = "l" + "r" * (len(header) - 1)
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\\midrule\n{''.join(body)}\\bottomrule\n\\end{{tabular}}\n"
    )


def latex_text(text: str) -> str:
    r"""Escape special characters of LaTeX.

    Examples
    --------
    >>> print(latex_text("50 % of a_b"))
    50 \% of a\_b
    """
    escaped = printable(text).translate(_LATEX)
    return (
        f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in ("[", "*") else escaped
    )  # or the previous row would take it as an option


def to_markdown(comparison: Record, notes: Mapping[str, str] | None = None) -> str:
    """Return a Markdown table of errors in per cent by method and corpus, with the lowest in bold.

    Parameters
    ----------
    comparison : dict
        From `records.compare`.
    notes : mapping, optional
        Notes on methods by name, shown in an extra first column.
    """
    header, rows = overview(comparison, "**{}**")
    lines = [[markdown_code(row[0]), *row[1:]] for row in rows]
    if notes is None:
        return markdown_table(header, lines)
    noted = [[notes.get(row[0], ""), *line] for row, line in zip(rows, lines, strict=True)]
    return markdown_table(["", *header], noted, n_text=2)


def markdown_table(header: list[str], rows: list[list[str]], *, n_text: int = 1) -> str:
    """Return a Markdown table whose first columns are text; the others are right-aligned numbers."""
    alignments = ["---" if place < n_text else "---:" for place in range(len(header))]
    lines = [[markdown_text(name) for name in header], alignments, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def markdown_text(text: str) -> str:
    """Escape special characters of Markdown and HTML."""
    for character, entity in {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.items():
        text = text.replace(character, entity)
    return "".join(f"\\{one}" if one in "\\`*_[]|" else one for one in printable(" ".join(text.split())))


def markdown_code(text: str) -> str:
    """Return text as inline code, with backticks replaced by quotes."""
    return "`{}`".format(printable(" ".join(text.split())).replace("`", "'").replace("|", "\\|"))


def layout(comparison: Record, emphasis: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and rows of a table: details for one corpus, an overview for several."""
    return (details if len(comparison["corpora"]) == 1 else overview)(comparison, emphasis)


def overview(comparison: Record, emphasis: str) -> tuple[list[str], list[list[str]]]:
    """Return a table of methods by corpora, with mean ranks and wins against the baseline."""
    has_ranks, has_baseline = comparison["friedman"] is not None, comparison["baseline"] is not None
    header = ["method", *comparison["corpora"], *["rank"] * has_ranks, *["w/t/l"] * has_baseline]
    records = {(record["corpus"], record["method"]): record for record in comparison["errors"]}
    least = _least(comparison)
    rows = []
    for method in comparison["methods"]:
        cells = [records.get((corpus, method["name"])) for corpus in comparison["corpora"]]
        row = [method["name"], *("" if cell is None else _percent(cell, least, emphasis) for cell in cells)]
        if has_ranks:
            row.append("" if method["rank"] is None else f"{method['rank']:.1f}")
        if has_baseline:
            row.append("" if method["wins"] is None else "/".join(map(str, method["wins"])))
        rows.append(row)
    return header, rows


def details(comparison: Record, emphasis: str) -> tuple[list[str], list[list[str]]]:
    """Return a table of methods on the first corpus, with intervals and tests."""
    header = ["method", "error", "95 % interval", "reduction", "p"]
    least = _least(comparison)
    rows = []
    for record in comparison["errors"]:
        if record["corpus"] == comparison["corpora"][0]:
            interval = f"{100 * record['low']:.2f} to {100 * record['high']:.2f}"
            reduction = "" if record["reduction"] is None else f"{100 * record['reduction']:.1f} %"
            p = "" if record["p"] is None else p_value(record["p"])
            error = _percent(record, least, emphasis)
            rows.append([record["method"], error, interval, reduction, p])
    return header, rows


def _least(comparison: Record) -> dict[str, float]:
    """Return the lowest error on each corpus."""
    least: dict[str, float] = {}
    for record in comparison["errors"]:
        least[record["corpus"]] = min(record["error"], least.get(record["corpus"], math.inf))
    return least


def _percent(record: Record, least: dict[str, float], emphasis: str) -> str:
    shown = f"{100 * record['error']:.2f}"
    return emphasis.format(shown) if math.isclose(record["error"], least[record["corpus"]]) else shown


def p_value(p: float) -> str:
    """Format a p-value."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def title(comparison: Record) -> str:
    """Return the title of the table."""
    return f"{comparison['corpora'][0]}: test error, %" if len(comparison["corpora"]) == 1 else "test error, %"


def caption(comparison: Record, *, has_intervals: bool = True) -> str:
    """Return the caption, which names the intervals and tests."""
    kinds = sorted({record["interval"] for record in comparison["errors"]})
    tests = {"Wilson": "McNemar's exact test", "Nadeau-Bengio": "corrected resampled t-test"}
    if comparison["baseline"] is None:
        return ""
    against = f"against {comparison['baseline']}, {' or '.join(tests[kind] for kind in kinds)}"
    if len(comparison["corpora"]) == 1:
        return (
            f"{' or '.join(kinds)} interval; reduction and p {against}"
            if has_intervals
            else f"reduction and p {against}"
        )
    friedman = comparison["friedman"]
    ranked = "" if friedman is None else f"; ranks differ with p {p_value(friedman['p'])} (Friedman)"
    return f"w/t/l: wins, ties, losses {against} at p < 0.05{ranked}"
