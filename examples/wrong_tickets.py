"""The made-up tickets with wrong labels, and a reviewer who knows better: for docs/labels.md.

python examples/wrong_tickets.py                                    # writes wrong.csv: of 400 labels, 40 are wrong
python examples/wrong_tickets.py --review doubtful.csv reviewed.csv  # fills the column `corrected`
"""

import csv
import random
import sys
import tempfile
from pathlib import Path

from tickets import PROBLEMS, write_tickets

N_WRONG = 40


def right_rows() -> list[dict[str, str]]:
    """Return the tickets with their right labels."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tickets.csv"
        write_tickets(path)
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"wrote {path}")


def write_wrong(path: Path) -> None:
    """Write the tickets, some of them with a wrong label."""
    rng, rows = random.Random(1), right_rows()  # noqa: S311 (no secrets here)
    for row in rng.sample(rows, N_WRONG):
        row["team"] = rng.choice([team for team in PROBLEMS if team != row["team"]])
    write(path, rows)


def review(doubtful: Path, reviewed: Path) -> None:
    """Write right labels into the column `corrected`, as a person would in a spreadsheet."""
    right = right_rows()
    with doubtful.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        team = right[int(row["row"]) - 1]["team"]
        row["corrected"] = team if team != row["label"] else ""
    write(reviewed, rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--review"]:
        review(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        write_wrong(Path("wrong.csv"))
