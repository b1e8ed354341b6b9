"""Run optimal transport, TF-IDF and TF-PI for the table in docs/transport.md.

    python experiments/transport_run.py --vectors FILE

r8 in full, bbcsport on all 50 splits; of the others a sample of 500 test documents, on the given split or splits 0 to
4. Rows are added to results/transport as they come; the same command goes on where a stopped one was. Corpora are taken
from the folder that TROENPY_DATA names, or downloaded.
"""

import argparse
import sys
from pathlib import Path

from troenpy import experiments
from troenpy.experiments.journal import read_rows

ROWS = Path(__file__).parent / "results/transport/rows.jsonl"
SAMPLE = 500
#: Corpora, with the number of random splits if none is given, and whether to sample test documents.
PLAN = {
    "r8": (1, None),
    "bbcsport": (50, None),
    "twitter": (5, SAMPLE),
    "ohsumed": (5, SAMPLE),
    "classic": (5, SAMPLE),
    "amazon": (5, SAMPLE),
    "20news": (5, SAMPLE),
}
METHODS = ("knn: tf*idf", "knn: tf*pi", "knn: hoftt", "knn: hott", "knn: wmd", "knn: wfr")


def shown(progress: experiments.Progress) -> None:
    """Print the latest row."""
    row = progress.row
    print(f"{row.setting}, split {row.seed}: {row.method} {100 * row.error:.2f} %, {row.cpu_seconds:.0f} s", flush=True)


def main() -> None:
    """Compute the missing rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", default="glove-50d", help="a name or a file")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--datasets", default=",".join(PLAN))
    arguments = parser.parse_args()
    for name in arguments.datasets.split(","):
        splits, sample = PLAN[name]
        experiments.run(
            [name],
            METHODS,
            splits,
            sample=sample,
            vectors=arguments.vectors,
            out=ROWS,
            n_jobs=arguments.jobs,
            on_row=shown,
        )
    print(f"{len(read_rows(ROWS))} rows in {ROWS}", file=sys.stderr)


if __name__ == "__main__":
    main()
