"""A grid of kNN experiments: 50 splits x 20 methods, and how many times faster than scikit-learn's pipelines.

    python benchmarks/experiments.py --data FOLDER

reads classic.jsonl.gz there. The pipelines are scikit-learn's CountVectorizer and KNeighborsClassifier (brute force)
with our TermWeighter in between, since scikit-learn has no such weights. They run on a slice of the grid, all methods
on some splits, and `experiments.run` on all of it; the ratio is of CPU seconds per row, both with one thread. Errors on
the slice are compared. The methods are those of kNN that `troenpy reproduce` runs and pipelines can express, and four
more weights; one is by Manhattan distance, where scikit-learn is slowest, so the ratio without it is given too.
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
from troenpy.journal import Row
from troenpy.methods import PAPER, RIVALS, read_method

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("TROENPY_DATA"), help="or TROENPY_DATA")
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--slice", type=int, default=1, help="splits that scikit-learn's pipelines run on")
    arguments = parser.parse_args()
    corpus = datasets.load("classic", data_dir=arguments.data)
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()},", end=" ")
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, kernel: {kernel_available()}")

    n_slice, n_grid = arguments.slice * len(METHODS), arguments.splits * len(METHODS)

    def grid(n_jobs: int) -> list[Row]:
        return experiments.run([corpus], METHODS, arguments.splits, n_jobs=n_jobs)

    with threadpool_limits(1):
        wall, ours, rows = seconds(lambda: grid(1))
        theirs = [seconds(partial(pipeline_error, corpus, row.method, row.seed or 0)) for row in rows[:n_slice]]
    differences = [abs(row.error - error) for row, (*_, error) in zip(rows[:n_slice], theirs, strict=True)]
    each = ours / n_grid
    print(f"\nexperiments.run: {1000 * each:.1f} ms of CPU per row ({n_grid} rows of {len(METHODS)} methods).")
    by_metric = {"all of them": "knn", "those by Euclidean distance": "knn:"}
    for title, start in by_metric.items():
        cpu = statistics.mean(
            cpu for row, (_, cpu, _) in zip(rows, theirs, strict=False) if row.method.startswith(start)
        )
        print(f"scikit-learn's pipelines, {title}: {1000 * cpu:.0f} ms, {cpu / each:.1f} times that.")
    print(f"Errors differ by {100 * statistics.mean(differences):.2f} points on average: ties go otherwise there.")
    print(f"{n_grid} rows from text: {wall:.1f} s with one job,", end=" ")
    print(f"{seconds(lambda: grid(2))[0]:.1f} s with two.")


if __name__ == "__main__":
    main()
