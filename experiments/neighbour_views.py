"""Whether nearest neighbours gain by further views of a text: errors on held-out training documents.

    python experiments/neighbour_views.py FOLDER... --corpora NAME...

Corpora are JSON lines, as for choose_defaults.py; a quarter of the training part is held out (one turn, or two with
fewer than 3,000 documents). One row per corpus, turn and views in studies/neighbours.jsonl; rows that are there are not
computed again. Prints the errors of all rows.
"""

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from views import STUDIES, Corpus, read

from troenpy import TextKNeighborsClassifier
from troenpy.counts.labels import read_labels
from troenpy.models.default_views import neighbour_features
from troenpy.models.held_out import N_FOLDS, NOT_USED, draw_folds

CANDIDATES = {
    "words": ("words",),
    "pairs": ("pairs",),
    "pairs + pieces": ("pairs", "pieces"),
    "words + pieces": ("words", "pieces"),
    "pieces": ("pieces",),
}
PATH = STUDIES / "neighbours.jsonl"
FEW_DOCUMENTS = 3000


def rows_of(corpus: Corpus, done: set[Any]) -> list[dict[str, Any]]:
    """Return the rows that are missing."""
    _, train, _ = next(corpus.parts(1))
    texts, labels = np.array(corpus.texts, dtype=object)[train], corpus.labels[train]
    text_of, fold_of_text = draw_folds(neighbour_features("words")._count(list(texts), read_labels(labels), None), 0)
    folds = fold_of_text[text_of]
    turns = range(N_FOLDS - 1, N_FOLDS - 2 - (len(texts) < FEW_DOCUMENTS), -1)
    rows = []
    for turn in turns:
        held_out, others = np.flatnonzero(folds == turn), np.flatnonzero((folds != turn) & (folds > NOT_USED))
        for name, views in CANDIDATES.items():
            if (corpus.name, turn, name) in done:
                continue
            start = time.process_time()
            model = TextKNeighborsClassifier(neighbour_features(*views)).fit(list(texts[others]), labels[others])
            wrong = int((model.predict(list(texts[held_out])) != labels[held_out]).sum())
            key = {"corpus": corpus.name, "turn": turn, "views": name}
            rows.append({**key, "wrong": wrong, "n": len(held_out), "seconds": round(time.process_time() - start, 2)})
    return rows


def main() -> None:
    """Append the rows that are missing, and print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--corpora", nargs="+", default=[])
    options = parser.parse_args()
    rows = [json.loads(line) for line in PATH.read_text().splitlines()] if PATH.exists() else []
    done = {(row["corpus"], row["turn"], row["views"]) for row in rows}
    for name in options.corpora:
        (path,) = [folder / f"{name}.jsonl.gz" for folder in options.folders if (folder / f"{name}.jsonl.gz").exists()]
        with threadpool_limits(1):
            found = rows_of(read(path), done)
        with PATH.open("a") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in found)
        rows += found
    print(neighbour_table(rows))


def neighbour_table(rows: list[dict[str, Any]]) -> str:
    """Return the errors by corpus and views, and their means."""
    errors: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in rows:
        cell = errors[row["corpus"]][row["views"]]
        cell[0], cell[1] = cell[0] + row["wrong"], cell[1] + row["n"]
    rates = {c: [100 * by_views[v][0] / by_views[v][1] for v in CANDIDATES] for c, by_views in sorted(errors.items())}
    rates["mean"] = [sum(column) / len(rates) for column in zip(*rates.values(), strict=True)]
    lines = [f"| corpus | {' | '.join(CANDIDATES)} |", "| --- |" + " ---: |" * len(CANDIDATES)]
    lines += [f"| {corpus} | {' | '.join(f'{rate:.2f}' for rate in found)} |" for corpus, found in rates.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
