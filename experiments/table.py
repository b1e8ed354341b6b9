"""Write the tables of README.md and docs/ from the rows in results/.

    python experiments/table.py          # write the tables
    python experiments/table.py --check  # fail if a table is out of date

These commands compute the rows:

    troenpy reproduce --datasets all --splits 50 --beyond --out experiments/results/all
    python experiments/transport_run.py --vectors FILE
    python experiments/views.py views FOLDER...
    python experiments/views.py tokens FOLDER...
    python experiments/compare_corpora.py FOLDER... --out experiments/studies/rivals.jsonl
"""

import argparse
import json
import math
import re
import statistics
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import rival_tables
from choose_defaults import choice_table, rule_table
from neighbour_views import PATH as NEIGHBOUR_ROWS
from neighbour_views import neighbour_table

from troenpy.experiments.comparison import Comparison
from troenpy.experiments.grammar import read_methods
from troenpy.experiments.journal import Row, read_rows
from troenpy.experiments.methods import (
    ABLATION_KNN,
    ABLATION_LINEAR,
    BEYOND_KNN,
    BEYOND_LINEAR,
    PAPER,
    RIVALS,
)
from troenpy.experiments.records import compare
from troenpy.experiments.tables import to_markdown
from troenpy.report.claims import ABOUT_TRANSPORT, HOFTT, SEVEN, TF_IDF, TF_PI, check_claims

ROOT = Path(__file__).parent.parent
ROWS = ROOT / "experiments/results/all/rows.jsonl"
TRANSPORT_ROWS = ROOT / "experiments/results/transport/rows.jsonl"
VIEW_ROWS = ROOT / "experiments/studies/views.jsonl"
TOKEN_ROWS = ROOT / "experiments/studies/tokens.jsonl"
CHOICE_ROWS = ROOT / "experiments/studies/choice.jsonl"
PAGES = tuple(ROOT / page for page in ("README.md", "docs/results.md", "docs/beyond.md", "docs/transport.md"))
MARKED = re.compile(r"<!-- (\w+): written by experiments/table.py -->\n(.*?)<!-- end of \1 -->", flags=re.DOTALL)

KNN, LINEAR = BEYOND_KNN[0], BEYOND_LINEAR[1]
#: Descriptions of methods in the tables of our own settings.
NOTES = {
    "knn: tf*idf": "TF-IDF",
    "knn: tf*pi": "the paper's TF-PI",
    "knn-manhattan: tf*idf/l1": "TF-IDF by L1",
    "knn: tf*rf*idf/hellinger": "tf.rf x IDF",
    "knn: tf*sqrt(certainty*idf)/hellinger": "ours, without profile",
    "knn: tf*rf*idf/hellinger & 2*profile": "tf.rf x IDF, same profile",
    KNN: "**ours**, `knn`",
    "svm-cv: logtf*idf": "TF-IDF, log tf",
    "svm-cv: logtf*rf*idf": "tf.rf x IDF, log tf",
    "nbsvm-cv: btf": "NB-SVM",
    "svm-cv: tf*pi + btf + ecib": "the paper's TF-PI + 2B",
    "svm-cv: logtf*pcf_boost*idf": "ours, `plain`",
    LINEAR: "**ours**, `linear`",
    BEYOND_LINEAR[0]: "**ours**, `linear`, logistic regression, C = 3",
}


def sections() -> dict[str, str]:
    """Return the generated tables by the name in their markers."""
    rows = read_rows(ROWS)
    by_model = sorted(read_methods(PAPER + RIVALS), key=lambda method: method.model)
    paper = compare_methods(rows, [method.name for method in by_model], "knn: tf*idf")
    claims = ["| the paper's claim | verdict | evidence |", "|---|---|---|"]
    about_transport = next(claim for claim in check_claims(_without_samples()) if claim.text == ABOUT_TRANSPORT)
    claims += [
        f"| {claim.text} | {claim.verdict} | {claim.evidence} |"
        for claim in (about_transport if claim.text == ABOUT_TRANSPORT else claim for claim in check_claims(paper))
    ]
    knn = [name for name in NOTES if name.startswith("knn")]
    linear = [name for name in NOTES if not name.startswith("knn")]
    return {
        "errors": to_markdown(compare(paper)) + splits(paper),
        "claims": "\n".join(claims) + "\n",
        "neighbours": table(rows, knn, NOTES),
        "linear": table(rows, linear, NOTES),
        "parts_of_knn": table(rows, [KNN, "knn: tf*sqrt(certainty*idf)/hellinger", *ABLATION_KNN]),
        "parts_of_linear": table(rows, [LINEAR, *ABLATION_LINEAR]),
        "transport": transport_table(),
        "views": view_table(),
        "tokens": token_table(),
        "rules": rule_table(read_json(CHOICE_ROWS)),
        "neighbour_views": neighbour_table(read_json(NEIGHBOUR_ROWS)),
        "choices": choice_table(read_json(CHOICE_ROWS)),
        **rival_tables.sections(),
    }


def error_rates(path: Path) -> dict[tuple[str, str, str], float]:
    """Return the error in percent by corpus, variant and part, averaged over splits."""
    rates: dict[tuple[str, str, str], list[float]] = {}
    for row in read_json(path):
        rates.setdefault((row["corpus"], row["variant"], row["part"]), []).append(100 * row["wrong"] / row["n"])
    return {key: statistics.mean(values) for key, values in rates.items()}


def read_json(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def view_table() -> str:
    """Return the errors of each view, in folds of the training part and on the test part."""
    rates, rows = error_rates(VIEW_ROWS), read_json(VIEW_ROWS)
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    about = {row["corpus"]: (row["n_classes"], row["length"]) for row in rows if row["part"] == "test"}
    lines = [["corpus", "classes", "characters", *variants, *variants], ["---", *["---:"] * (2 + 2 * len(variants))]]
    for corpus in sorted(about, key=lambda name: (name in SEVEN, about[name][1])):
        cells = [str(about[corpus][0]), f"{about[corpus][1]:.0f}"]
        for part in ("folds", "test"):
            errors = [f"{rates[corpus, variant, part]:.2f}" for variant in variants]
            cells += [f"**{error}**" if error == min(errors, key=float) else error for error in errors]
        lines.append([corpus, *cells])
    for name, chosen in (("mean of the ten", set(about) - set(SEVEN)), ("mean of the seven", set(SEVEN))):
        both = [(variant, part) for part in ("folds", "test") for variant in variants]
        means = [statistics.mean(rates[corpus, *key] for corpus in chosen) for key in both]
        lines.append([name, "", "", *(f"{mean:.2f}" for mean in means)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def token_table() -> str:
    """Return the change of the error by each rule, in folds of the training parts."""
    rates = {key: rate + 0.01 for key, rate in error_rates(TOKEN_ROWS).items()}  # some make no error
    corpora, variants = (list(dict.fromkeys(key[i] for key in rates)) for i in (0, 1))
    changes = {
        variant: [math.log(rates[corpus, variant, "folds"] / rates[corpus, variants[0], "folds"]) for corpus in corpora]
        for variant in variants[1:]
    }
    lines = [["rule", "mean change of the error", "lower on", "higher on"], ["---", "---:", "---:", "---:"]]
    for variant, logs in sorted(changes.items(), key=lambda item: statistics.mean(item[1])):
        fewer, more = sum(change < 0 for change in logs), sum(change > 0 for change in logs)
        lines.append([variant, f"{100 * math.expm1(statistics.mean(logs)):+.2f} %", str(fewer), str(more)])
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{table}\nOn {len(corpora)} corpora: {', '.join(corpora)}.\n"


def table(rows: list[Row], methods: list[str], notes: dict[str, str] | None = None) -> str:
    """Return a table that compares methods with the first of them."""
    comparison = compare_methods(rows, methods, methods[0])
    return to_markdown(compare(comparison), notes) + splits(comparison)


def compare_methods(rows: list[Row], methods: list[str], baseline: str) -> Comparison:
    """Compare methods, in this order, on the splits they all share."""
    chosen = [row for row in rows if row.method in methods]
    times = Counter((row.corpus, row.seed) for row in chosen)
    chosen = [row for row in chosen if times[row.corpus, row.seed] == len(methods)]
    chosen.sort(key=lambda row: (SEVEN.index(row.corpus), methods.index(row.method)))
    return Comparison(chosen, baseline=baseline)


def splits(comparison: Comparison) -> str:
    """Return a line with the number of random splits of each corpus."""
    numbers = {
        corpus: estimate.n_splits for (corpus, _), estimate in comparison.errors.items() if estimate.n_splits > 1
    }
    return f"\nRandom splits: {', '.join(f'{corpus} {number}' for corpus, number in numbers.items())}.\n"


def _transport() -> Comparison:
    return Comparison(sorted(read_rows(TRANSPORT_ROWS), key=lambda row: (SEVEN.index(row.corpus), row.method)))


def _without_samples() -> Comparison:
    """Return the transport rows without "sample of" in the corpus name, on the splits of HOFTT."""
    rows = [replace(row, sample=None) for row in _transport().rows]
    splits = {(row.corpus, row.seed) for row in rows if row.method == HOFTT}
    return Comparison([row for row in rows if (row.corpus, row.seed) in splits])


def transport_table() -> str:
    """Return a row per corpus and distance, with TF-IDF and TF-PI on the same splits and test documents."""
    comparison = _transport()
    splits = {
        key: {row.seed: row for row in comparison.rows if (row.setting, row.method) == key} for key in comparison.errors
    }
    header = [
        "corpus",
        "splits",
        "test documents",
        "distance",
        "error",
        "`tf*idf`",
        "`tf*pi`",
        "p",
        "ms",
        "`tf*pi`, ms",
    ]
    lines = [header, ["---", "---:", "---", "---", *["---:"] * 6]]
    for (setting, method), rows in splits.items():
        if method in (TF_IDF, TF_PI):
            continue
        beside = [[splits[setting, name][seed] for seed in rows] for name in (TF_IDF, TF_PI)]
        ours, idf, pi = (list(rows.values()), *beside)
        errors = [100 * statistics.mean(row.error for row in each) for each in (ours, idf, pi)]
        costs = [1000 * sum(row.cpu_seconds for row in each) / sum(row.n_test for row in each) for each in (ours, pi)]
        row = ours[0]
        lines.append(
            [
                row.corpus,
                "given" if row.seed is None else str(len(rows)),
                "all" if row.sample is None else f"sample of {row.sample}",
                f"`{method.removeprefix('knn: ')}`",
                *(f"{error:.2f}" for error in errors),
                _p_value(comparison, method, setting, list(rows)),
                f"{costs[0]:.0f}",
                f"{costs[1]:.2f}",
            ]
        )
    hours = sum(row.cpu_seconds for row in comparison.rows) / 3600
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{table}\nAll rows together took {hours:.1f} hours of CPU time.\n"


def _p_value(comparison: Comparison, method: str, setting: str, seeds: list[int | None]) -> str:
    """Return the p-value of the difference from TF-PI on the shared splits."""
    p = comparison.test(method, TF_PI, setting).p
    return "" if len(seeds) == 1 and seeds != [None] else "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def fill(page: Path, texts: dict[str, str]) -> str:
    """Return a page with the text between its markers replaced."""
    before = page.read_text(encoding="utf-8")
    names = [match[1] for match in MARKED.finditer(before)]
    unknown = [name for name in names if name not in texts]
    if not names or unknown or before.count("written by experiments/table.py") != len(names):
        sys.exit(f"{page.name} must have pairs of markers for {', '.join(texts)}, got {', '.join(names) or 'none'}")
    return MARKED.sub(
        lambda match: (
            f"<!-- {match[1]}: written by experiments/table.py -->\n\n{texts[match[1]]}\n<!-- end of {match[1]} -->"
        ),
        before,
    )


def main() -> None:
    """Write the pages, or check that they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is out of date")
    is_check = parser.parse_args().check
    texts = sections()
    for page in PAGES:
        after = fill(page, texts)
        if is_check and page.read_text(encoding="utf-8") != after:
            sys.exit(f"{page.name} is out of date: python experiments/table.py")
        if not is_check:
            page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
