"""Write the tables of the README and of docs/beyond.md from the rows under results/, so that no number is typed.

    python experiments/table.py          # writes both
    python experiments/table.py --check  # says whether they have what the rows give

The rows come from

    troenpy reproduce --no-page --datasets all --splits 50 --beyond --out experiments/results/all
"""

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from troenpy.claims import SEVEN, check_claims
from troenpy.comparison import Comparison
from troenpy.journal import Row, read_rows
from troenpy.methods import ABLATION_KNN, ABLATION_LINEAR, BEYOND_KNN, BEYOND_LINEAR, PAPER, RIVALS, read_methods
from troenpy.summary import compare
from troenpy.tables import to_markdown

ROOT = Path(__file__).parent.parent
ROWS = ROOT / "experiments/results/all/rows.jsonl"
PAGES = (ROOT / "README.md", ROOT / "docs/beyond.md")
MARKED = re.compile(r"<!-- (\w+): written by experiments/table.py -->\n(.*?)<!-- end of \1 -->", flags=re.DOTALL)

KNN, LINEAR = BEYOND_KNN[0], BEYOND_LINEAR[1]
#: What the tables of our own settings say of their methods.
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
    BEYOND_LINEAR[0]: "**ours**, `TroenpyClassifier()`",
}


def sections() -> dict[str, str]:
    """Return the generated texts by the name in their markers."""
    rows = read_rows(ROWS)
    by_model = sorted(read_methods(PAPER + RIVALS), key=lambda method: method.model)
    paper = compared(rows, [method.name for method in by_model], "knn: tf*idf")
    claims = ["| the paper's claim | here | the number behind it |", "|---|---|---|"]
    claims += [f"| {claim.text} | {claim.verdict} | {claim.evidence} |" for claim in check_claims(paper)]
    knn = [name for name in NOTES if name.startswith("knn")]
    linear = [name for name in NOTES if not name.startswith("knn")]
    return {
        "errors": to_markdown(compare(paper)),
        "claims": "\n".join(claims) + "\n",
        "neighbours": to_markdown(compare(compared(rows, knn, knn[0])), NOTES),
        "linear": to_markdown(compare(compared(rows, linear, linear[0])), NOTES),
        "parts_of_knn": to_markdown(
            compare(compared(rows, [KNN, "knn: tf*sqrt(certainty*idf)/hellinger", *ABLATION_KNN], KNN))
        ),
        "parts_of_linear": to_markdown(compare(compared(rows, [LINEAR, *ABLATION_LINEAR], LINEAR))),
    }


def compared(rows: Iterable[Row], methods: list[str], baseline: str) -> Comparison:
    """Compare some methods, in this order."""
    chosen = [row for row in rows if row.method in methods]
    chosen.sort(key=lambda row: (SEVEN.index(row.corpus), methods.index(row.method)))
    return Comparison(chosen, baseline=baseline)


def filled(page: Path, texts: dict[str, str]) -> str:
    """Return a page with what stands between its markers made anew."""
    before = page.read_text(encoding="utf-8")
    names = [match[1] for match in MARKED.finditer(before)]
    unknown = [name for name in names if name not in texts]
    if not names or unknown or before.count("written by experiments/table.py") != len(names):
        sys.exit(f"{page.name} must have pairs of markers of {', '.join(texts)}, got {', '.join(names) or 'none'}")
    return MARKED.sub(
        lambda match: (
            f"<!-- {match[1]}: written by experiments/table.py -->\n\n{texts[match[1]]}\n<!-- end of {match[1]} -->"
        ),
        before,
    )


def main() -> None:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is out of date")
    is_check = parser.parse_args().check
    texts = sections()
    for page in PAGES:
        after = filled(page, texts)
        if is_check and page.read_text(encoding="utf-8") != after:
            sys.exit(f"{page.name} is out of date: python experiments/table.py")
        if not is_check:
            page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
