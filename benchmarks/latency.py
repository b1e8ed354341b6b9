"""One document at a time, against scikit-learn: predictions, explanations, neighbours, threads, and files of models.

    python benchmarks/latency.py --data FOLDER    # r8 and 20news-raw; or set TROENPY_DATA

FOLDER holds r8.jsonl.gz and 20news-raw.jsonl.gz, one JSON object with "text", "label" and "split" per line. A third
corpus, of short texts in 150 classes, is made here. The rival is TfidfVectorizer and LogisticRegression, with few
iterations: its time to predict does not depend on how well it was fitted. Every document is given to all contenders by
turns in one process, with BLAS and OpenMP limited to one thread; tables show the median and the 99th percentile.
"""

import argparse
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from troenpy import kernel_available, load, save, settings

BATCH = 100
N_CLASSES = 150
N_WORDS = 3000


class Corpus(NamedTuple):
    """Training texts and labels, and the texts to predict."""

    texts: list[str]
    labels: list[str]
    test: list[str]


def read(path: Path) -> Corpus:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    train = [row for row in rows if row["split"] != "test"]
    test = [row["text"] for row in rows if row["split"] == "test"]
    order = np.random.default_rng(0).permutation(len(test))  # files are sorted by class
    return Corpus([row["text"] for row in train], [row["label"] for row in train], [test[i] for i in order])


def short_texts(n: int, n_test: int) -> Corpus:
    """Make texts of 8 to 16 words, two of them typical of the class, the others with Zipf's frequencies."""
    rng = np.random.default_rng(0)
    frequency = 1 / np.arange(1, N_WORDS + 1)
    classes = rng.integers(N_CLASSES, size=n + n_test)
    texts = []
    for number in classes.tolist():
        common = rng.choice(N_WORDS, rng.integers(6, 15), p=frequency / frequency.sum())
        own = rng.integers(8, size=2)
        texts.append(" ".join([*(f"word{i}" for i in common), *(f"topic{number}word{i}" for i in own)]))
    return Corpus(texts[:n], [f"intent {number:03d}" for number in classes[:n].tolist()], texts[n:])


def fit_both(corpus: Corpus) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rival = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=10)).fit(corpus.texts, corpus.labels)
    return settings.classifier("linear", C=3).fit(corpus.texts, corpus.labels), rival


def by_turns(calls: Sequence[Callable[[str], Any]], texts: list[str]) -> list[list[float]]:
    """Return the seconds of every call for every text, after a warm-up."""
    for text in texts[:5]:
        for call in calls:
            call(text)
    taken: list[list[float]] = [[] for _ in calls]
    for text in texts:
        for number, call in enumerate(calls):
            start = time.perf_counter()
            call(text)
            taken[number].append(time.perf_counter() - start)
    return taken


def one(method: Callable[[list[str]], Any]) -> Callable[[str], Any]:
    return lambda text: method([text])


def times(taken: list[float]) -> str:
    return f"{1e3 * statistics.median(taken):.3f} / {1e3 * float(np.quantile(taken, 0.99)):.3f} ms"


def ratio(ours: list[float], theirs: list[float]) -> str:
    return f"{statistics.median(ours) / statistics.median(theirs):.2f}"


def predictions(name: str, ours: Any, rival: Any, texts: list[str]) -> None:
    methods = ("predict", "predict_proba")
    taken = by_turns([one(getattr(model, method)) for method in methods for model in (ours, rival)], texts)
    for number, method in enumerate(methods):
        mine, theirs = taken[2 * number : 2 * number + 2]
        print(f"| {name} | {method} | {times(theirs)} | {times(mine)} | {ratio(mine, theirs)} |", flush=True)


def neighbours(name: str, corpus: Corpus, texts: list[str]) -> None:
    """Compare text to label by ours with row to label by scikit-learn's."""
    ours = settings.classifier("knn").fit(corpus.texts, corpus.labels)
    rows = ours.neighbors_._spaces[0].rows
    rival = KNeighborsClassifier(7, algorithm="brute").fit(rows, corpus.labels)
    queries = {text: ours._rows([text]) for text in texts}
    mine, theirs = by_turns([one(ours.predict), lambda text: rival.predict(queries[text])], texts)
    faster = statistics.median(theirs) / statistics.median(mine)
    print(f"| {name} | {times(theirs)} | {times(mine)} | {faster:.1f} |", flush=True)


def seconds(model: Any, jobs: list[list[str]], n_threads: int) -> float:
    """Return how long threads take that each predict their share of the jobs, one after the other."""

    def work(share: list[list[str]]) -> None:
        for job in share:
            model.predict(job)

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, [jobs[:1]] * n_threads))
        start = time.perf_counter()
        list(pool.map(work, [jobs[first::n_threads] for first in range(n_threads)]))
        return time.perf_counter() - start


class PlainPython:
    """As long as a prediction, but Python alone: threads that take turns with the GIL lose a little by it."""

    def predict(self, documents: list[str]) -> int:
        """Ignore the documents."""
        return sum(number for number in range(600))


def threads(name: str, model: Any, texts: list[str], repeats: int) -> None:
    batches = [texts[first : first + BATCH] for first in range(0, len(texts) - BATCH + 1, BATCH)]
    for what, jobs in ((f"batches of {BATCH}", batches), ("single documents", [[text] for text in texts[:500]])):
        jobs = jobs * (1 + int(0.3 / seconds(model, jobs, 1)))  # long enough that starting threads does not count
        turns = [[seconds(model, jobs, n_threads) for n_threads in (1, 2)] for _ in range(repeats)]
        alone, both = (statistics.median(column) for column in zip(*turns, strict=True))
        n = sum(map(len, jobs))
        print(f"| {name} | {what} | {n / alone:,.0f} | {n / both:,.0f} | {alone / both:.2f} |", flush=True)


OPEN = """
import sys, time
import sklearn.linear_model, sklearn.pipeline, sklearn.feature_extraction.text, joblib, troenpy
open_model = troenpy.load if sys.argv[1].endswith("troenpy") else joblib.load
start = time.perf_counter()
model = open_model(sys.argv[1])
opened = time.perf_counter()
model.predict([sys.argv[2]])
first = time.perf_counter()
model.predict([sys.argv[2]])
print(opened - start, first - opened, time.perf_counter() - first)
"""


def fresh(path: Path, text: str, repeats: int) -> str:
    """Return the milliseconds to open a model, and of its first and second prediction, in new processes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    runs = []
    for _ in range(repeats):
        command = [sys.executable, "-c", OPEN, str(path), text]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)  # noqa: S603
        runs.append([1e3 * float(number) for number in done.stdout.split()])
    return " | ".join(f"{statistics.median(column):.1f} ms" for column in zip(*runs, strict=True))


def files(name: str, ours: Any, rival: Any, text: str, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole, small, dump = (Path(folder) / file for file in ("whole.troenpy", "small.troenpy", "joblib"))
        save(ours, whole)
        save(ours, small, for_prediction=True)
        joblib.dump(rival, dump)
        assert np.array_equal(load(whole).decision_function([text]), ours.decision_function([text]))
        theirs = dump.stat().st_size
        for who, path in (("joblib", dump), ("troenpy", whole), ("troenpy, for prediction", small)):
            size = path.stat().st_size
            print(f"| {name} | {who} | {size / 1e6:.2f} MB | {size / theirs:.2f} | {fresh(path, text, repeats)} |")


def load_average() -> str:
    return ", ".join(f"{load:.1f}" for load in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("TROENPY_DATA"))
    parser.add_argument("--documents", type=int, default=300, help="documents predicted one by one")
    parser.add_argument("--repeats", type=int, default=5, help="runs with threads, and new processes")
    options = parser.parse_args()
    if options.data is None:
        parser.error("pass --data, or set TROENPY_DATA")
    return options


def main() -> None:
    options = parse()
    machine = f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    print(f"{machine}, scikit-learn {sklearn.__version__}, numpy {np.__version__}, kernel: {kernel_available()}.")
    print(f"Load of the machine in the last 1, 5 and 15 minutes: {load_average()}.\n")
    corpora = {
        "20 Newsgroups": read(options.data / "20news-raw.jsonl.gz"),
        "R8": read(options.data / "r8.jsonl.gz"),
        f"{N_CLASSES} classes": short_texts(15_000, 2_000),
    }
    texts = {name: corpus.test[: options.documents] for name, corpus in corpora.items()}
    with threadpool_limits(1):
        models = {name: fit_both(corpus) for name, corpus in corpora.items()}
        print("| corpus | one document | scikit-learn: median / p99 | troenpy: median / p99 | ratio of medians |")
        print("|---|---|---|---|---|")
        for name, (ours, rival) in models.items():
            predictions(name, ours, rival, texts[name])
        print("\n| corpus | explain: median / p99 |\n|---|---|")
        for name, (ours, _) in models.items():
            print(f"| {name} | {times(by_turns([ours.explain], texts[name])[0])} |", flush=True)
        print("\n| corpus | scikit-learn's brute kNN, rows given | troenpy, text given | times faster |")
        print("|---|---|---|---|")
        for name in ("20 Newsgroups", "R8"):
            neighbours(name, corpora[name], texts[name][:60])
        print("\n| corpus | predict | documents/s, 1 thread | documents/s, 2 threads | ratio |\n|---|---|---|---|---|")
        for name, (ours, _) in models.items():
            threads(name, ours, corpora[name].test[:2000], options.repeats)
        threads("nothing: a loop in Python", PlainPython(), corpora["R8"].test[:2000], options.repeats)
    print("\n| corpus | file | size | of joblib's | open | first prediction | second |\n|---|---|---|---|---|---|---|")
    for name in ("20 Newsgroups", "R8"):
        files(name, *models[name], texts[name][0], options.repeats)
    print(f"\nLoad at the end: {load_average()}.")


if __name__ == "__main__":
    main()
