"""The commands on a large generated file: time and memory, and rows per second against pandas and scikit-learn.

    python benchmarks/commands.py --gigabytes 2 --folder FOLDER

The file is CSV with columns id, text and label, of 10 classes; its words are drawn as in scale.py, but only one of 50
is of the document's class. It is made once and kept in FOLDER. Each command runs as a process of its own; its memory is
the peak of the process. `predict` is compared with a script that reads the same file by pandas in chunks of 10,000
rows, predicts by TfidfVectorizer (of the same words, pairs and pieces) and LinearSVC, and writes CSV by pandas: both
read the first megabytes of the file, by turns, with models of the same documents.

    python benchmarks/commands.py --compare 20news.jsonl.gz   # time of `compare` with five folds
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from scale import make_batch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC
from text import describe_machine

N_CLASSES, OF_CLASS_SHARE = 10, 0.02
#: Megabytes that both sides learn from, and predict: enough for the start of a process not to matter.
LEARNT, PREDICTED = 20, {"words": 2000, "pairs + pieces": 100}
#: What troenpy uses, and the counters of the rival.
VIEWS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "words": ("words", [{}]),
    "pairs + pieces": (
        "pairs+pieces",
        [{"ngram_range": (1, 2), "token_pattern": r"\w+|[^\w\s]"}, {"analyzer": "char_wb", "ngram_range": (2, 4)}],
    ),
}


class Run(NamedTuple):
    """A finished process."""

    seconds: float
    megabytes: float
    output: str


def generate(path: Path, megabytes: float) -> None:
    """Write a file of about so many megabytes, unless it exists."""
    if path.exists():
        return
    rng, number, draft = np.random.default_rng(0), 0, path.with_suffix(".part")
    with draft.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", "text", "label"])
        while file.tell() < megabytes * 1e6:
            texts, labels = make_batch(rng, N_CLASSES, OF_CLASS_SHARE)
            rows.writerows((number + i, text, label) for i, (text, label) in enumerate(zip(texts, labels, strict=True)))
            number += len(texts)
    draft.rename(path)


def first_part(path: Path, megabytes: float) -> Path:
    """Return a file with the first megabytes of another."""
    part = path.with_name(f"first-{megabytes:g}-of-{path.name}")
    if not part.exists():
        with path.open("rb") as file:
            content = file.read(int(megabytes * 1e6))
        part.write_bytes(content[: content.rfind(b"\n") + 1])
    return part


def measure(*command: str) -> Run:
    """Run a command, with the time it takes and the peak of its memory."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603 (our own command)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        output.seek(0)
        text = output.read()
    if status:
        sys.exit(f"{' '.join(command)} failed:\n{text}")
    return Run(seconds, usage.ru_maxrss / 1e3, text)


def troenpy(*words: str) -> Run:
    return measure(sys.executable, "-m", "troenpy", *words)


def learn_rival(source: Path, model: Path, views: str) -> None:
    """Fit scikit-learn's pipeline and save it by joblib."""
    frame = pd.read_csv(source)
    counters = [TfidfVectorizer(**options) for options in VIEWS[views][1]]
    pipeline = make_pipeline(make_union(*counters), LinearSVC())
    joblib.dump(pipeline.fit(frame["text"], frame["label"]), model)


def predict_by_rival(source: str, model: str, out: str) -> None:
    """Predict as a short script would: by pandas, chunk by chunk."""
    pipeline = joblib.load(model)
    for number, chunk in enumerate(pd.read_csv(source, chunksize=10_000)):
        chunk["prediction"] = pipeline.predict(chunk["text"])
        chunk.to_csv(out, mode="a" if number else "w", header=number == 0, index=False)


def compare_predictions(path: Path, repeats: int) -> None:
    """Print a table of rows per second."""
    learnt, folder = first_part(path, LEARNT), path.parent
    print(f"\n`predict`, models of the first {LEARNT} MB, median of {repeats}:\n")
    print("| views | rows | rows a second | one thread | pandas + scikit-learn | times | times, one thread |")
    print("|---|---|---|---|---|---|---|")
    for views, (names, _) in VIEWS.items():
        source = first_part(path, PREDICTED[views])
        with source.open("rb") as file:
            n_rows = sum(1 for _ in file) - 1
        ours, theirs = folder / f"{names}.model", folder / f"{names}.joblib"
        troenpy("train", str(learnt), "-o", str(ours), "--views", names, "--C", "3")
        learn_rival(learnt, theirs, views)
        rival = [sys.executable, __file__, "--rival", str(source), str(theirs), str(folder / "theirs.csv")]
        predicting = ["predict", str(ours), str(source), "-o", str(folder / "ours.csv"), "--quiet"]
        seconds = np.array(
            [
                [troenpy(*predicting).seconds, troenpy(*predicting, "--jobs", "1").seconds, measure(*rival).seconds]
                for _ in range(repeats)
            ]
        )
        times = [statistics.median(seconds[:, 2] / seconds[:, column]) for column in (0, 1)]
        speeds = [f"{n_rows / statistics.median(column):,.0f}" for column in seconds.T]
        print(f"| {views} | {n_rows:,} | {' | '.join(speeds)} | {times[0]:.1f} | {times[1]:.1f} |", flush=True)


def find_terms(path: Path) -> Run:
    return troenpy("terms", str(path), "-o", str(path.with_name("terms.csv")))


def run_terms(path: Path) -> None:
    """Print time and memory of `terms` alone, and what it prints."""
    run = find_terms(path)
    print(f"\n`terms`, {path.stat().st_size / 1e9:.2f} GB: {run.seconds:,.0f} s, {run.megabytes:,.0f} MB\n")
    print("```text", *run.output.splitlines(), "```", sep="\n", flush=True)


def run_all(path: Path, n_rows: int) -> None:
    """Print a table of time and memory on the whole file."""
    model, out = path.with_suffix(".model"), path.with_name("predicted.csv")
    trained = troenpy("train", str(path), "-o", str(model))
    loaded = measure(sys.executable, "-c", "import sys, troenpy.cli; troenpy.load(sys.argv[1])", str(model))
    predicted = troenpy("predict", str(model), str(path), "-o", str(out))
    marked = find_terms(path)
    print(f"\n{path.stat().st_size / 1e9:.2f} GB, {n_rows:,} rows of {N_CLASSES} classes:\n")
    print("| command | seconds | MB/s | rows a second | peak memory |")
    print("|---|---|---|---|---|")
    for name, run in {"train": trained, "predict": predicted, "terms": marked}.items():
        speed = path.stat().st_size / 1e6 / run.seconds
        print(f"| {name} | {run.seconds:,.0f} | {speed:.1f} | {n_rows / run.seconds:,.0f} | {run.megabytes:,.0f} MB |")
    size = model.stat().st_size / 1e6
    print(f"\nThe model's file has {size:,.0f} MB; a process that only opens it takes {loaded.megabytes:,.0f} MB.\n")
    print("```text", *trained.output.splitlines(), "```", sep="\n", flush=True)


def time_comparison(path: Path) -> None:
    """Print the time and memory of `compare` with five folds, on all processors."""
    with tempfile.TemporaryDirectory() as folder:
        run = troenpy("compare", str(path), "--text", "text", "--label", "label", "--rows", folder)
    print(f"\n`compare` of {path.name}: {run.seconds:,.0f} s, {run.megabytes:,.0f} MB in the main process\n")
    print("```text", *run.output.splitlines(), "```", sep="\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--folder", type=Path, default=Path("commands-benchmark"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["predict", "whole", "terms"], help="a part of it")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="only time `compare` of a file, such as 20news")
    parser.add_argument("--rival", nargs=3, metavar=("FILE", "MODEL", "OUT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.rival:
        return predict_by_rival(*arguments.rival)
    describe_machine()
    if arguments.compare:
        return time_comparison(arguments.compare)
    arguments.folder.mkdir(exist_ok=True)
    path = arguments.folder / f"generated-{arguments.gigabytes:g}.csv"
    generate(path, 1000 * arguments.gigabytes)
    if arguments.only == "terms":
        run_terms(path)
    if arguments.only in (None, "predict"):
        compare_predictions(path, arguments.repeats)
    if arguments.only in (None, "whole"):
        with path.open("rb") as file:
            n_rows = sum(1 for _ in file) - 1
        run_all(path, n_rows)
    print(f"\nLoad: {', '.join(f'{load:.1f}' for load in os.getloadavg())}.")
    return None


if __name__ == "__main__":
    main()
