"""A grid of kNN experiments: 50 splits x 20 methods, and how many times faster than scikit-learn's pipelines.

    python benchmarks/experiments.py --data FOLDER

reads classic.jsonl.gz there. The pipelines are scikit-learn's CountVectorizer and KNeighborsClassifier (brute force)
with our TermWeighter in between, since scikit-learn has no such weights. They run on a slice of the grid: in every
round `experiments.run` takes ten splits and the pipelines one of these, all methods each. Reported are CPU seconds per
row with one thread, and the median over rounds of their ratio; errors are compared. The methods are those of kNN that
`troenpy reproduce` runs and pipelines can express, and four more weights; one is by Manhattan distance, where
scikit-learn is slowest, so the ratio without it is given too.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from troenpy import ClassCounts, TermWeighter, datasets, experiments, kernel_available
from troenpy.experiments.grammar import read_method
from troenpy.experiments.methods import PAPER, RIVALS

METHODS = [
    *(name for name in (*PAPER, *RIVALS) if name.startswith("knn") and "+" not in name),
    *(f"knn: tf*{weight}" for weight in ("dc", "bdc", "icf", "gain_ratio")),
]


def seconds(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall seconds, CPU seconds and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def unweighted(counts: ClassCounts) -> NDArray[np.float64]:
    return np.ones(len(counts.term_docs))


def pipeline_error(corpus: datasets.Corpus, name: str, seed: int) -> float:
    """Fit a pipeline on the training texts, as a user of scikit-learn would, and return its error."""
    method = read_method(name)
    block = method.blocks[0]
    train, test = train_test_split(np.arange(len(corpus.texts)), test_size=0.2, random_state=seed)
    model = make_pipeline(
        CountVectorizer(stop_words="english"),
        TermWeighter(block.scheme or unweighted, tf=block.tf, norm=block.norm),
        KNeighborsClassifier(method.k, metric=method.metric, algorithm="brute"),
    )
    model.fit([corpus.texts[i] for i in train], corpus.labels[train])
    return float((model.predict([corpus.texts[i] for i in test]) != corpus.labels[test]).mean())


def one_round(corpus: datasets.Corpus, seeds: list[int]) -> tuple[float, float, float]:
    """Return CPU milliseconds per row: ours, all pipelines, and pipelines with Euclidean distance."""
    _, ours, rows = seconds(lambda: experiments.run([corpus], METHODS, seeds))
    first = rows[: len(METHODS)]
    theirs = [seconds(partial(pipeline_error, corpus, row.method, seeds[0])) for row in first]
    differences = [100 * abs(row.error - error) for row, (*_, error) in zip(first, theirs, strict=True)]
    each = 1000 * ours / len(rows)
    every, euclidean = (
        1000
        * statistics.mean(cpu for row, (_, cpu, _) in zip(first, theirs, strict=True) if row.method.startswith(model))
        for model in ("knn", "knn:")
    )
    print(f"| {each:.1f} | {every:.0f} | {every / each:.1f} | {euclidean:.0f} | {euclidean / each:.1f}", end=" ")
    print(f"| {statistics.mean(differences):.2f} |")
    return each, every, euclidean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("TROENPY_DATA"), help="folder of corpora; defaults to TROENPY_DATA"
    )
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    corpus = datasets.load("classic", data_dir=arguments.data)
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()},", end=" ")
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, kernel: {kernel_available()}\n")
    print("| ours, ms per row | pipelines | times | pipelines, Euclidean | times | points the errors differ |")
    print("|---|---|---|---|---|---|")
    with threadpool_limits(1):
        rounds = [one_round(corpus, list(range(10 * i, 10 * i + 10))) for i in range(arguments.rounds)]
    for title, column in (("all methods", 1), ("those by Euclidean distance", 2)):
        ratios = [results[column] / results[0] for results in rounds]
        print(f"\nmedian, {title}: {statistics.median(ratios):.1f} times faster")
    wall, cpu, rows = seconds(lambda: experiments.run([corpus], METHODS, 50))
    print(
        f"\n{len(rows)} rows, 50 splits x {len(METHODS)} methods, from text, one job: {wall:.1f} s ({cpu:.1f} s of CPU)"
    )


if __name__ == "__main__":
    main()
