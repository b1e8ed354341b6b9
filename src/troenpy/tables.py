"""A comparison as a table: plain records, and these as Markdown, CSV, JSON or for the terminal."""

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troenpy.comparison import Comparison

if TYPE_CHECKING:
    from rich.table import Table

Record = dict[str, Any]


def records(comparison: Comparison) -> list[Record]:
    """Return one flat record per corpus and method; what does not apply is None.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of dict
        Errors are shares of the test documents, not per cent. `reduction`, `p` and `test` are against the baseline.
    """
    return [_record(comparison, corpus, method) for corpus, method in _order(comparison)]


def _order(comparison: Comparison) -> list[tuple[str, str]]:
    pairs = ((corpus, method) for corpus in comparison.corpora for method in comparison.methods)
    return [pair for pair in pairs if pair in comparison.cells]


def _record(comparison: Comparison, corpus: str, method: str) -> Record:
    cell, baseline = comparison.cells[corpus, method], comparison.baseline
    record: Record = {
        "corpus": corpus,
        "method": method,
        "error": cell.mean,
        "sd": cell.sd,
        "low": cell.low,
        "high": cell.high,
        "interval": cell.interval,
        "n_splits": cell.n_splits,
        "n_test": cell.n_test,
        "reduction": None,
        "p": None,
        "test": None,
    }
    if baseline not in (None, method) and (corpus, baseline) in comparison.cells:
        result = comparison.test(method, str(baseline), corpus)
        record |= {"reduction": comparison.reduction(method, corpus), "p": result.p, "test": result.test}
    return {name: None if value != value else value for name, value in record.items()}  # NaN is not JSON


def summary(comparison: Comparison) -> Record:
    """Return all there is to say, ready for JSON.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    dict
    """
    friedman, ranks = comparison.friedman, None
    if friedman is not None:
        against = comparison.baseline in comparison.ranked
        ranks = {
            "n_corpora": len(comparison.corpora),
            "statistic": friedman.statistic,
            "p": friedman.p,
            "mean_ranks": dict(zip(comparison.ranked, friedman.mean_ranks.tolist(), strict=True)),
            "p_against_baseline": {
                other: p for (_, other), p in (comparison.rank_pairs(against_baseline=True) if against else {}).items()
            },
            "p_of_pairs": [[a, b, p] for (a, b), p in comparison.rank_pairs().items()],
        }
    return {"baseline": comparison.baseline, "errors": records(comparison), "friedman": ranks}


def to_json(comparison: Comparison) -> str:
    """Return `summary` as JSON text."""
    return json.dumps(summary(comparison), indent=1, allow_nan=False) + "\n"


def to_csv(comparison: Comparison) -> str:
    """Return `records` as CSV text."""
    rows = records(comparison)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_markdown(comparison: Comparison, notes: Mapping[str, str] | None = None) -> str:
    """Return errors in per cent by method and corpus, the lowest in bold, as a Markdown table.

    Parameters
    ----------
    comparison : Comparison
    notes : mapping, optional
        What to say of methods, by name, in a first column of their own.
    """
    header, rows = overview(comparison, "**{}**")
    rows = [[f"`{row[0]}`", *row[1:]] for row in rows]
    rules = ["---", *("---:" for _ in header[1:])]
    if notes is not None:
        header, rules = ["", *header], ["---", *rules]
        rows = [[notes.get(method, ""), *row] for method, row in zip(comparison.methods, rows, strict=True)]
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, rules, *rows])


def to_terminal(comparison: Comparison) -> "Table":
    """Return a table for rich: of one corpus with intervals and p-values, of several with ranks."""
    from rich.markup import escape
    from rich.table import Table

    is_single = len(comparison.corpora) == 1
    header, rows = details(comparison) if is_single else overview(comparison, "[bold green]{}[/]")
    title = f"{comparison.corpora[0]}: " if is_single else ""
    table = Table(title=f"{title}test error, %", caption=_caption(comparison), caption_justify="left")
    for name in header:
        table.add_column(name, justify="left" if name == "method" else "right", no_wrap=True)
    for row in rows:
        table.add_row(escape(row[0]), *row[1:])
    return table


def overview(comparison: Comparison, emphasis: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of methods by corpora, with mean ranks and wins against the baseline."""
    header = ["method", *comparison.corpora]
    ranks = {}
    if comparison.friedman is not None:
        header.append("rank")
        ranks = dict(zip(comparison.ranked, comparison.friedman.mean_ranks.tolist(), strict=True))
    if comparison.baseline is not None:
        header.append("w/t/l")
    rows = []
    for method in comparison.methods:
        row = [method, *(_percent(comparison, corpus, method, emphasis) for corpus in comparison.corpora)]
        if comparison.friedman is not None:
            row.append(f"{ranks[method]:.1f}" if method in ranks else "")
        if comparison.baseline is not None:
            is_baseline = method == comparison.baseline
            row.append("" if is_baseline else "/".join(map(str, comparison.win_tie_loss(method))))
        rows.append(row)
    return header, rows


def details(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of methods on the first corpus, with intervals and tests."""
    corpus = comparison.corpora[0]
    header = ["method", "error", "95 % interval", "reduction", "p"]
    rows = []
    for method in comparison.methods:
        record = _record(comparison, corpus, method)
        interval = f"{100 * record['low']:.2f} to {100 * record['high']:.2f}"
        reduction = "" if record["reduction"] is None else f"{100 * record['reduction']:.1f} %"
        p = "" if record["p"] is None else _p_value(record["p"])
        rows.append([method, _percent(comparison, corpus, method, "[bold green]{}[/]"), interval, reduction, p])
    return header, rows


def _percent(comparison: Comparison, corpus: str, method: str, emphasis: str) -> str:
    if (corpus, method) not in comparison.cells:
        return ""
    least = min(cell.mean for (where, _), cell in comparison.cells.items() if where == corpus)
    error = comparison.cells[corpus, method].mean
    shown = f"{100 * error:.2f}"
    return emphasis.format(shown) if math.isclose(error, least) else shown


def _p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _caption(comparison: Comparison) -> str:
    kinds = {cell.interval for cell in comparison.cells.values()}
    tests = {"Wilson": "McNemar's exact test", "Nadeau-Bengio": "corrected resampled t-test"}
    if comparison.baseline is None:
        return ""
    against = f"against {comparison.baseline}, {' or '.join(tests[kind] for kind in sorted(kinds))}"
    if len(comparison.corpora) == 1:
        return f"{' or '.join(sorted(kinds))} interval; reduction and p {against}"
    ranked = (
        "" if comparison.friedman is None else f"; ranks differ with p {_p_value(comparison.friedman.p)} (Friedman)"
    )
    return f"w/t/l: wins, ties, losses {against} at p < 0.05{ranked}"
