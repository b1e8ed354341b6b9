"""Spark: text to counts and to features, against RegexTokenizer, CountVectorizer and IDF; time and memory by size.

    python benchmarks/spark.py [--sizes GB GB GB] [--cores 2] [--repeats 3] [--only TASK TASK]

Both read the same Parquet file of made-up text (Zipf's law, 20 classes) on the same cores in the same warm JVM, to a
noop sink. Memory is the peak of the resident memory of the driver's Python, of the JVM, and of all Python workers
together. The bytes shuffled and sent to the driver are those that Spark counts.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.ml import Pipeline
from pyspark.ml.feature import IDF, RegexTokenizer
from pyspark.ml.feature import CountVectorizer as SparkVectorizer
from pyspark.sql import SparkSession

from troenpy import CountVectorizer
from troenpy import spark as on_spark
from troenpy.spark import sums
from troenpy.spark.columns import Columns
from troenpy.spark.executors import in_executors
from troenpy.spark.local_files import to_bytes

#: How often each task runs on the first size before anything is measured.
WARM_UP = 3
N_WORDS, N_CLASSES, WORDS_PER_DOCUMENT = 300_000, 20, 120


def write_text(folder: Path, gigabytes: float, seed: int = 0) -> None:
    """Write Parquet files of 64 MB of text: words by Zipf's law, a tenth of them of the document's class."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    lengths = rng.integers(3, 12, N_WORDS)
    words = np.array(["".join(rng.choice(letters[:20], n)) for n in lengths], dtype=object)
    share = (np.arange(N_WORDS) + 2.7) ** -1.1
    steps = np.cumsum(share / share.sum())
    folder.mkdir(parents=True)
    n_bytes, number = 0, 0
    while n_bytes < gigabytes * 1e9:
        texts, labels, of_file = [], [], 0
        while of_file < min(64e6, gigabytes * 1e9):
            label = int(rng.integers(N_CLASSES))
            numbers = np.searchsorted(steps, rng.random(WORDS_PER_DOCUMENT))
            own = rng.random(WORDS_PER_DOCUMENT) < 0.1
            numbers[own] = (numbers[own] * N_CLASSES + label) % N_WORDS
            texts.append(" ".join(words[numbers]))
            labels.append(f"class {label}")
            of_file += len(texts[-1])
        pq.write_table(pa.table({"text": texts, "label": labels}), folder / f"part-{number:05}.parquet")
        n_bytes, number = n_bytes + of_file, number + 1


class PeakMemory:
    """The peak of resident memory in MB, of the driver, the JVM and the Python workers, sampled while a block runs."""

    def __enter__(self) -> "PeakMemory":
        self.driver = self.jvm = self.workers = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        own = psutil.Process()
        while not self._stop.wait(0.1):
            jvm = workers = 0.0
            self.driver = max(self.driver, own.memory_info().rss / 1e6)
            for process in own.children(recursive=True):
                try:
                    size = process.memory_info().rss / 1e6
                    jvm, workers = (jvm + size, workers) if process.name() == "java" else (jvm, workers + size)
                except psutil.Error:
                    continue
            self.jvm, self.workers = max(self.jvm, jvm), max(self.workers, workers)


def session(cores: int, memory: str) -> Any:
    """Start Spark."""
    settings = {
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(4 * cores),
    }
    builder = SparkSession.builder.master(f"local[{cores}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def theirs(with_idf: bool) -> Any:
    """Return Spark's own pipeline, with scikit-learn's words."""
    words = RegexTokenizer(inputCol="text", outputCol="words", gaps=False, pattern=r"(?U)\b\w\w+\b")
    counts = SparkVectorizer(inputCol="words", outputCol="counts", vocabSize=1 << 20)
    return Pipeline(stages=[words, counts, *([IDF(inputCol="counts", outputCol="features")] if with_idf else [])])


def to_noop(df: Any) -> None:
    """Compute all rows."""
    df.write.format("noop").mode("overwrite").save()


def tasks(df: Any) -> dict[str, Callable[[], Any]]:
    """Return what is timed."""
    return {
        "scan": lambda: to_noop(df),
        "count: spark": lambda: theirs(with_idf=False).fit(df),
        "count: troenpy": lambda: on_spark.class_counts(df),
        "features: spark": lambda: to_noop(theirs(with_idf=True).fit(df).transform(df).select("label", "features")),
        "features: troenpy": lambda: to_noop(on_spark.TfPi().fit(df).transform(df).select("label", "features")),
    }


def cpu_seconds() -> tuple[float, float]:
    """Return the CPU time so far, of the JVM and of all Python workers."""
    jvm = workers = 0.0
    for process in psutil.Process().children(recursive=True):
        times = process.cpu_times()
        if process.name() == "java":
            jvm += times.user + times.system
        else:
            workers += times.user + times.system + times.children_user + times.children_system
    return jvm, workers


def bytes_so_far(df: Any) -> np.ndarray[Any, Any]:
    """Return the bytes that all stages so far have shuffled and sent to the driver."""
    context = df.sparkSession.sparkContext
    jvm = context._jvm
    quantiles, states = context._gateway.new_array(jvm.double, 0), jvm.java.util.ArrayList()
    stages = context._jsc.sc().statusStore().stageList(None, False, False, quantiles, states)
    found = [stages.apply(i) for i in range(stages.size())]
    return np.sum([[of.shuffleWriteBytes(), of.resultSize()] for of in found], axis=0)


def measure(df: Any, gigabytes: float, repeats: int, names: list[str]) -> dict[str, tuple[float, float]]:
    """Measure each task several times; print and return the least CPU and clock time, and print the peak of memory."""
    best = {}
    for name in names:
        runs, moved = [], bytes_so_far(df)
        with PeakMemory() as memory:
            for _ in range(repeats):
                start, before = time.perf_counter(), cpu_seconds()
                tasks(df)[name]()
                # An idle worker ends, and its time with it.
                jvm, workers = (max(0.0, after - then) for after, then in zip(cpu_seconds(), before, strict=True))
                runs.append((jvm + workers, jvm, workers, time.perf_counter() - start))
        total, jvm, workers, _ = min(runs)
        shuffled, sent = (bytes_so_far(df) - moved) / repeats / 1e6
        best[name] = total, min(run[-1] for run in runs)
        print(
            f"{gigabytes:5.2f} GB  {name:18} {best[name][1]:7.1f} s  CPU {total:6.1f} s"
            f" (JVM {jvm:5.1f}, workers {workers:5.1f})  {total / gigabytes:6.1f} s/GB"
            f"  peak: driver {memory.driver:5.0f} MB, JVM {memory.jvm:5.0f} MB, workers {memory.workers:5.0f} MB"
            f"  shuffled {shuffled:6.1f} MB, sent to the driver {sent:6.1f} MB",
            flush=True,
        )
    return best


def print_sums(df: Any) -> None:
    """Print what docs/scale.md computes the shuffled bytes from, and those bytes before compression."""
    columns = Columns.of(df, "text", "label")
    n_buckets = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    count = in_executors("partition_counts:count_partition", [to_bytes(CountVectorizer())], columns.kind, n_buckets)
    rows = columns.select(df).mapInArrow(count, sums.SCHEMA).toArrow()
    parts = [part for _, bucket, part in sums.from_rows(rows.to_batches()) if bucket != sums.TOTALS]
    n_terms, n_pairs = (
        sum(n) for n in zip(*((part.num_rows, len(part["classes"].values)) for part in parts), strict=True)
    )
    n_partitions = len({place >> 32 for place in rows["place"].to_pylist()})
    n_bytes = sum(map(len, rows["sums"].to_pylist()))
    print(
        f"{n_partitions} partitions, {n_terms / n_partitions:,.0f} terms in each, {n_pairs / n_terms:.2f} classes of a"
        f" term; {len(parts)} parts, {n_bytes / 1e6:.1f} MB before compression",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.2], help="gigabytes of text")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", default="4g", help="of the JVM")
    parser.add_argument("--only", nargs="+", help="names of tasks")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="troenpy-benchmark-") as folder:
        spark = session(arguments.cores, arguments.memory)
        try:
            for number, gigabytes in enumerate(arguments.sizes):
                path = Path(folder) / str(gigabytes)
                write_text(path, gigabytes)
                df = spark.read.parquet(str(path))
                print_sums(df)
                names = arguments.only or list(tasks(df))
                if not number:
                    for name in WARM_UP * names:  # compile the JVM's code
                        tasks(df)[name]()
                best = measure(df, gigabytes, arguments.repeats, names)
                for what in ("count", "features"):
                    if f"{what}: spark" in best and f"{what}: troenpy" in best:
                        pairs = zip(best[f"{what}: spark"], best[f"{what}: troenpy"], strict=True)
                        by_cpu, by_clock = (theirs / ours for theirs, ours in pairs)
                        print(f"{what}: {by_cpu:.1f} times by CPU, {by_clock:.1f} by the clock", flush=True)
        finally:
            spark.stop()


if __name__ == "__main__":
    main()
