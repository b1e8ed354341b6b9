"""What learning in passes loses against `fit`: test error, log loss and time, on corpora with a given split.

    python benchmarks/passes.py r8.jsonl.gz ohsumed.jsonl.gz 20news.jsonl.gz

A file has an object with "text", "label" and "split" per line. Each classifier learns from the training part, once by
`fit` and once by `fit_batches` with batches of 1,000 documents: C and the views are chosen by both. "differ" counts the
test documents that only one of them gets right, and p is McNemar's exact test. `--files` also learns through the
command's way: `troenpy.tasks.train` with in_memory=False, which reads the file.
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest
from sklearn.metrics import log_loss
from text import describe_machine

from troenpy import TroenpyClassifier, load
from troenpy.tasks import train

BATCH = 1000


class Part(NamedTuple):
    """The documents of a split."""

    texts: list[str]
    labels: list[str]


def read(path: Path) -> tuple[Part, Part]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    parts = [[row for row in rows if row["split"] == name] for name in ("train", "test")]
    if not all(parts):
        sys.exit(f"{path} has no given split")
    learnt, tested = (Part([row["text"] for row in part], [row["label"] for row in part]) for part in parts)
    return learnt, tested


def by_batches(part: Part) -> TroenpyClassifier:
    def batches() -> Any:
        for start in range(0, len(part.texts), BATCH):
            yield part.texts[start : start + BATCH], part.labels[start : start + BATCH]

    return TroenpyClassifier().fit_batches(batches)


def by_file(part: Part) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "train.jsonl", Path(folder) / "model"
        lines = (json.dumps({"text": t, "label": y}) for t, y in zip(part.texts, part.labels, strict=True))
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        # Testing elsewhere, so that all of the documents are learnt from.
        train(path, out, in_memory=False, test=path, jobs=None)
        return load(out)


WAYS: dict[str, Callable[[Part], Any]] = {
    "fit": lambda part: TroenpyClassifier().fit(part.texts, part.labels),
    "fit_batches": by_batches,
    "train, in passes": by_file,
}


def compare(path: Path, ways: list[str]) -> None:
    """Print a line for each way."""
    learnt, tested = read(path)
    is_right: dict[str, Any] = {}
    for way in ways:
        start = time.process_time()
        model = WAYS[way](learnt)
        seconds = time.process_time() - start
        probabilities = model.predict_proba(tested.texts)
        predicted = model.classes_[probabilities.argmax(axis=1)]
        is_right[way] = predicted == np.array(tested.labels)
        error, loss = 100 * (1 - is_right[way].mean()), log_loss(tested.labels, probabilities, labels=model.classes_)
        gained, lost = (int(np.sum(is_right["fit"] & ~is_right[way])), int(np.sum(~is_right["fit"] & is_right[way])))
        p = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
        chosen = f"{' + '.join(model.choice_.views)}, C = {model.C_:g}"
        name = path.name.split(".")[0]
        print(
            f"| {name} | {way} | {chosen} | {error:.2f} | {loss:.3f} | {seconds:.1f} | {model.n_iter_} |"
            + ("" if way == "fit" else f" {gained + lost}, p = {p:.2g}")
            + " |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--files", action="store_true", help="learn through troenpy.tasks.train, too")
    arguments = parser.parse_args()
    describe_machine()
    print("\n| corpus | learnt by | chosen | error, % | log loss | CPU seconds | passes | differ |")
    print("|---|---|---|---|---|---|---|---|")
    for path in arguments.corpora:
        compare(path, list(WAYS)[: 3 if arguments.files else 2])


if __name__ == "__main__":
    main()
