"""Tables of rivals on raw text for docs/results.md, from the rows of compare_corpora.py."""

import statistics
from pathlib import Path

from troenpy.experiments import text_tables
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.journal import Row, read_rows
from troenpy.report.claims import SEVEN

ROWS = Path(__file__).parent / "studies/rivals.jsonl"
OURS, SAME_VIEWS = "troenpy", "TF-IDF weights, same views and model"
LOGISTIC = ("TF-IDF, logistic regression", "TF-IDF, logistic regression, C=10")
SETS = ("ten", "seven")
#: The methods of README.md, with plain names.
FEW = {
    "TF-IDF, logistic regression": "TF-IDF, logistic regression",
    "TF-IDF (1,2)-grams, linear SVM": "TF-IDF of words and pairs, linear SVM",
    "NB-SVM (1,2)-grams": "NB-SVM of words and pairs",
    "fastText": "fastText",
    "TF-IDF, words and characters, linear SVM": "TF-IDF of words, pairs and characters, linear SVM",
    "troenpy, words, C=3": '`settings.classifier("linear", C=3)`: words',
    OURS: "`TroenpyClassifier()`",
}
#: Random splits of the corpora that have none of their own.
FIFTY_ROWS = ROWS.parent / "fifty.jsonl"


def sections() -> dict[str, str]:
    """Return the generated tables by the name in their markers."""
    rows = read_rows(ROWS)
    ours = text_tables.choose_baseline(rows)
    both = [compare(rows, name, ours) for name in SETS]
    found = {
        f"rivals_{name}": f"{text_tables.markdown(*text_tables.errors(one))}\n{sentence(text_tables.caption(one))}\n\n"
        f"{text_tables.losses(one)}\n"
        for name, one in zip(SETS, both, strict=True)
    }
    return found | {
        "readme": few_rows(*both),
        "fifty": fifty_splits(),
        "own_part": own_part(both),
        "probabilities": probabilities(both),
        "cost": cost(both),
    }


def few_rows(ten: Comparison, seven: Comparison) -> str:
    """Return a few methods: their errors on each of the seven and the mean of the ten, the least in bold."""
    rows = {
        method: [
            *(100 * seven.errors[corpus, method].mean for corpus in SEVEN),
            100 * statistics.mean(ten.errors[corpus, method].mean for corpus in ten.corpora),
        ]
        for method in FEW
    }
    shown = {method: [f"{error:.2f}" for error in errors] for method, errors in rows.items()}
    least = [min(column, key=float) for column in zip(*shown.values(), strict=True)]
    lines = [["", *SEVEN, "ten others"], ["---", *["---:"] * (len(SEVEN) + 1)]]
    for method, cells in shown.items():
        bold = [f"**{cell}**" if cell == best else cell for cell, best in zip(cells, least, strict=True)]
        lines.append([FEW[method], *bold])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def fifty_splits() -> str:
    """Return errors over fifty random splits."""
    comparison = Comparison(text_tables.sort_rows(read_rows(FIFTY_ROWS)), baseline=OURS)
    lines = [["", *comparison.corpora], ["---", *["---:"] * len(comparison.corpora)]]
    for method in comparison.methods:
        found = [comparison.errors[corpus, method] for corpus in comparison.corpora]
        cells = [f"{100 * one.mean:.2f} ± {100 * one.sd:.2f}" for one in found]
        lines.append([f"`{method}`", *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def compare(rows: list[Row], name: str, ours: str | None) -> Comparison:
    """Compare the methods on the paper's seven corpora, or on the others."""
    chosen = [row for row in rows if (row.corpus in SEVEN) == (name == "seven")]
    places = {corpus: place for place, corpus in enumerate(SEVEN)}
    by_corpus = sorted(chosen, key=lambda row: (places.get(row.corpus, 0), row.corpus))
    return Comparison(text_tables.sort_rows(by_corpus), baseline=ours)


def sentence(caption: str) -> str:
    """Return a caption with a capital letter and a full stop."""
    return f"{caption[:1].upper()}{caption[1:]}."


def own_part(comparisons: list[Comparison]) -> str:
    """Say what our weights add to log TF-IDF with the same views and the same model."""
    parts = []
    for name, one in zip(SETS, comparisons, strict=True):
        means = (
            statistics.mean(one.errors[corpus, method].mean for corpus in one.corpora) for method in (OURS, SAME_VIEWS)
        )
        shown = " against ".join(f"{100 * mean:.2f}" for mean in means)
        wins = Comparison(one.rows, baseline=SAME_VIEWS).win_tie_loss(OURS)
        parts.append(f"{shown} % on the {name} ({'/'.join(map(str, wins))} wins, ties and losses)")
    return f"`{OURS}` against `{SAME_VIEWS}`: {', '.join(parts)}.\n"


def probabilities(comparisons: list[Comparison]) -> str:
    """Return the log-losses, and on which corpora ours is at or below that of TF-IDF and logistic regression."""
    _, value, shown = text_tables.QUALITIES["log_loss"]
    tables = [text_tables.markdown(*text_tables.qualities(one, value, shown)) for one in comparisons]
    ours, above, n_corpora = str(comparisons[0].baseline), [], 0
    for one in comparisons:
        losses = text_tables.means(one, value)
        for corpus in one.corpora:
            n_corpora += 1
            best = min(losses[corpus, method] for method in LOGISTIC)
            if losses[corpus, ours] > best:
                above.append(f"{corpus} ({losses[corpus, ours]:.3f} against {best:.3f})")
    there = f"; above on {', '.join(above)}" if above else ""
    said = (
        f"The log-loss of `{ours}` is at or below the better of TF-IDF and logistic regression at C = 1 and C = 10 on"
        f" {n_corpora - len(above)} of {n_corpora}{there}."
    )
    return "\n".join([*tables, f"{said}\n"])


def cost(comparisons: list[Comparison]) -> str:
    """Return mean calibration errors and total CPU seconds of the methods that ran on every corpus."""
    columns = [
        (f"{title}, {name}", text_tables.means(one, text_tables.QUALITIES[quality][1]), one.corpora, total, shown)
        for quality, title, total, shown in (
            ("calibration", "calibration error, %", statistics.mean, "{:.1f}"),
            ("seconds", "CPU seconds", sum, "{:.1f}"),
        )
        for name, one in zip(SETS, comparisons, strict=True)
    ]
    rows = []
    for method in comparisons[0].methods:
        cells = [method]
        for _, found, corpora, total, shown in columns:
            values = [found.get((corpus, method)) for corpus in corpora]
            present = [one for one in values if one is not None]
            cells.append(shown.format(total(present)) if len(present) == len(corpora) else "")
        rows.append(cells)
    return text_tables.markdown(["method", *(title for title, *_ in columns)], rows)
