"""Write the tables of README.md and docs/transport.md from the rows under results/: no number in them is typed.

    python experiments/table.py          # writes both files
    python experiments/table.py --check  # says whether they have what the rows give

The rows come from

    troenpy reproduce --datasets all --out experiments/results/all
    python experiments/transport_run.py --vectors FILE
"""

import argparse
import statistics
import sys
from dataclasses import replace
from pathlib import Path

from troenpy.claims import ABOUT_TRANSPORT, HOFTT, SEVEN, TF_IDF, TF_PI, check_claims
from troenpy.comparison import Comparison
from troenpy.journal import read_rows
from troenpy.methods import PAPER, RIVALS, read_methods
from troenpy.tables import to_markdown

ROOT = Path(__file__).parent.parent
ROWS = ROOT / "experiments/results/all/rows.jsonl"
TRANSPORT_ROWS = ROOT / "experiments/results/transport/rows.jsonl"
README, TRANSPORT = ROOT / "README.md", ROOT / "docs/transport.md"


def sections() -> dict[str, str]:
    """Return the text of each generated part of the README, by the name in its markers."""
    methods = sorted(read_methods(PAPER + RIVALS), key=lambda method: method.model)
    order = [method.name for method in methods]
    rows = sorted(read_rows(ROWS), key=lambda row: (SEVEN.index(row.corpus), order.index(row.method)))
    comparison = Comparison(rows, baseline="knn: tf*idf")
    claims = ["| the paper's claim | here | the number behind it |", "|---|---|---|"]
    about_transport = next(claim for claim in check_claims(_as_whole()) if claim.text == ABOUT_TRANSPORT)
    claims += [
        f"| {claim.text} | {claim.verdict} | {claim.evidence} |"
        for claim in (about_transport if claim.text == ABOUT_TRANSPORT else claim for claim in check_claims(comparison))
    ]
    return {"errors": to_markdown(comparison), "claims": "\n".join(claims) + "\n"}


def _transport() -> Comparison:
    return Comparison(sorted(read_rows(TRANSPORT_ROWS), key=lambda row: SEVEN.index(row.corpus)))


def _as_whole() -> Comparison:
    """Return the rows of transport under the plain names of their corpora, on splits that HOFTT was run on."""
    rows = [replace(row, sample=None) for row in _transport().rows]
    splits = {(row.corpus, row.seed) for row in rows if row.method == HOFTT}
    return Comparison([row for row in rows if (row.corpus, row.seed) in splits])


def transport_table() -> str:
    """Return a line for each corpus and distance, beside TF-IDF and TF-PI on the same splits and test documents."""
    comparison = _transport()
    splits = {
        key: {row.seed: row for row in comparison.rows if (row.setting, row.method) == key} for key in comparison.cells
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
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _p_value(comparison: Comparison, method: str, setting: str, seeds: list[int | None]) -> str:
    """Return the p-value of the difference from TF-PI on the splits that both have."""
    p = comparison.test(method, TF_PI, setting).p
    return "" if len(seeds) == 1 and seeds != [None] else "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def filled(text: str, contents: dict[str, str]) -> str:
    """Return a page with what stands between its markers made anew."""
    for name, content in contents.items():
        begin, end = f"<!-- {name}: written by experiments/table.py -->\n", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"the page must have the markers of {name} once")
        text = f"{text.split(begin)[0]}{begin}\n{content}\n{end}{text.split(end)[1]}"
    return text


def main() -> None:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is out of date")
    is_check = parser.parse_args().check
    for page, contents in ((README, sections()), (TRANSPORT, {"transport": transport_table()})):
        before = page.read_text(encoding="utf-8")
        after = filled(before, contents)
        if is_check and before != after:
            sys.exit(f"{page.name} is out of date: python experiments/table.py")
        if not is_check:
            page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
