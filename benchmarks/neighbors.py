"""Nearest neighbours of TF-PI rows: how many times faster than scikit-learn's brute force.

    python benchmarks/neighbors.py --data 20news.jsonl.gz

reads lines with the fields "text", "label" and "split" ("train" or "test"); with a folder, 20news.jsonl.gz in it. All
contenders predict the test documents in turn in one process, after a warm-up, with BLAS and OpenMP limited to one
thread (two for the contenders that say so). Reported are medians, and the ratio to the faster of scikit-learn's cosine
and Euclidean brute force; predictions are compared first. With --memory it is shown what a search adds to the peak of
the process instead (Linux).
"""

import argparse
import gzip
import json
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from troenpy import SparseKNeighborsClassifier, TfPiVectorizer, kernel_available

Corpus = dict[str, list[str]]


def load(path: Path) -> dict[str, Corpus]:
    file = path / "20news.jsonl.gz" if path.is_dir() else path
    splits: dict[str, Corpus] = {name: {"text": [], "label": []} for name in ("train", "test")}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            for field, values in splits[document["split"]].items():
                values.append(document[field])
    return splits


def rows(splits: dict[str, Corpus], stop_words: str | None) -> tuple[Any, Any]:
    vectorizer = TfPiVectorizer(stop_words=stop_words)
    train = vectorizer.fit_transform(splits["train"]["text"], splits["train"]["label"])
    return train, vectorizer.transform(splits["test"]["text"])


def seconds(run: Callable[..., Any], *arguments: Any) -> float:
    start = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - start


def check(models: dict[str, Any], test: Any) -> None:
    """Compare neighbours, and predictions where scikit-learn has no tied vote and no tied distance."""
    ours, theirs = models["troenpy euclidean"], models["scikit-learn euclidean"]
    distances, nearest = ours.kneighbors(test)
    their_distances, their_nearest = theirs.kneighbors(test)
    # scikit-learn subtracts numbers near 1 and takes the square root, which leaves eight digits.
    np.testing.assert_allclose(distances, their_distances, atol=3e-8)
    np.testing.assert_array_equal(ours.predict(test), models["troenpy euclidean, 2 threads"].predict(test))
    same_neighbours = (np.sort(nearest) == np.sort(their_nearest)).all(axis=1)
    shares = theirs.predict_proba(test)
    is_tied = (shares == shares.max(axis=1, keepdims=True)).sum(axis=1) > 1
    comparable = same_neighbours & ~is_tied
    np.testing.assert_array_equal(ours.predict(test)[comparable], theirs.predict(test)[comparable])
    print(
        f"\nPredictions are equal for all {comparable.sum()} of {len(comparable)} documents without a tied vote"
        f" ({is_tied.sum()}) or a neighbour at the very distance of another ({(~same_neighbours).sum()})."
    )


def compare(title: str, train: Any, test: Any, labels: NDArray[Any], repeats: int) -> None:
    brute = {"algorithm": "brute", "n_neighbors": 7}
    models: dict[str, Any] = {
        "scikit-learn cosine": KNeighborsClassifier(metric="cosine", **brute),
        "scikit-learn euclidean": KNeighborsClassifier(metric="euclidean", **brute),
        "troenpy cosine": SparseKNeighborsClassifier(metric="cosine"),
        "troenpy euclidean": SparseKNeighborsClassifier(),
        "troenpy manhattan": SparseKNeighborsClassifier(metric="manhattan"),
        "troenpy euclidean, 2 threads": SparseKNeighborsClassifier(n_jobs=2),
    }
    fitting = {name: seconds(model.fit, train, labels) for name, model in models.items()}
    print(f"\n## {title}: {test.shape[0]} queries, {train.shape[0]} training rows, {train.nnz} values")
    with threadpool_limits(1):
        check(models, test)
    times: dict[str, list[float]] = {name: [] for name in models}
    for repeat in range(repeats + 1):
        for name, model in models.items():
            with threadpool_limits(1):
                taken = seconds(model.predict, test)
            if repeat > 0:
                times[name].append(taken)
    medians = {name: statistics.median(values) for name, values in times.items()}
    reference = min(medians["scikit-learn cosine"], medians["scikit-learn euclidean"])
    print("\n| | fit, s | predict, s | times |\n|---|---|---|---|")
    for name, median in medians.items():
        print(f"| {name} | {fitting[name]:.3f} | {median:.3f} | {reference / median:.1f} |")


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def show_memory(train: Any, test: Any, labels: NDArray[Any]) -> None:
    """Print the peak memory that a search adds, after a small warm-up search."""
    knn = SparseKNeighborsClassifier(n_jobs=2).fit(train, labels)
    knn.predict(test[:50])
    before = peak_megabytes()
    knn.predict(test)
    distances = train.shape[0] * test.shape[0] * 8 / 1e6
    print(f"a search adds {peak_megabytes() - before:.0f} MB to the peak; all distances would take {distances:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("TROENPY_DATA"), help="corpus file; defaults to TROENPY_DATA"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="only measure the peak memory of a search")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data or TROENPY_DATA must name a .jsonl.gz file with text, label and split, or its folder")
    splits = load(Path(arguments.data))
    labels = np.array(splits["train"]["label"])
    if arguments.memory:
        show_memory(*rows(splits, "english"), labels)
        return
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()},", end=" ")
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, kernel: {kernel_available()}")
    compare("stop words removed", *rows(splits, "english"), labels, arguments.repeats)
    compare("all words", *rows(splits, None), labels, arguments.repeats)


if __name__ == "__main__":
    main()
