"""Write the tables of the README from the rows under results/, so that no number in them is typed.

    python experiments/table.py          # writes README.md
    python experiments/table.py --check  # says whether it has what the rows give

The rows come from

    troenpy reproduce --datasets all --out experiments/results/all
"""

import argparse
import sys
from pathlib import Path

from troenpy.journal import read_rows
from troenpy.summary import summarise
from troenpy.tables import to_markdown

ROOT = Path(__file__).parent.parent
ROWS = ROOT / "experiments/results/all/rows.jsonl"
README = ROOT / "README.md"


def sections() -> dict[str, str]:
    """Return the text of each generated part of the README, by the name in its markers."""
    summary = summarise(read_rows(ROWS))
    claims = ["| the paper's claim | here | the number behind it |", "|---|---|---|"]
    claims += [f"| {claim['text']} | {claim['verdict']} | {claim['evidence']} |" for claim in summary["claims"]]
    return {"errors": to_markdown(summary["comparison"]), "claims": "\n".join(claims) + "\n"}


def filled(text: str) -> str:
    """Return the README with what stands between its markers made anew."""
    for name, content in sections().items():
        begin, end = f"<!-- {name}: written by experiments/table.py -->\n", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"README.md must have the markers of {name} once")
        text = f"{text.split(begin)[0]}{begin}\n{content}\n{end}{text.split(end)[1]}"
    return text


def main() -> None:
    """Write the README, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if README.md is out of date")
    is_check = parser.parse_args().check
    before = README.read_text(encoding="utf-8")
    after = filled(before)
    if is_check and before != after:
        sys.exit("README.md is out of date: python experiments/table.py")
    if not is_check:
        README.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
