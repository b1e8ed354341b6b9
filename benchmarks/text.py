"""Text to features: how many times faster than scikit-learn's TfidfVectorizer, on one and two threads.

    python benchmarks/text.py --data 20news-raw.jsonl.gz

reads the fields "text" and "label" of every line, or every file below a folder, labelled by the folder it is in. All
contenders run in turn in one process; each time is that of a fresh estimator. A pipeline reads neither `vocabulary_`
nor the names of the columns, and ours are made when they are asked for: both ways are measured. Medians, and their
ratio to TfidfVectorizer; then time per megabyte on a larger copy of the corpus, peak memory in processes of their own,
and the time of the import.
"""

import argparse
import gzip
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer

from troenpy import CountVectorizer, TfPiVectorizer, kernel_available

DEFAULT_CORPUS = "20news-raw.jsonl.gz"
#: What scikit-learn needs for the terms of analyzer="text". On English it finds the same but for some 200 of 9 million.
TEXT_PATTERN = r"(?u)\w+|[^\w\s]"

Contender = Callable[[], Any]


def load(path: Path) -> tuple[list[str], list[str]]:
    """Read texts and labels from a .jsonl.gz file, or from a folder of folders of text files."""
    if path.is_dir() and (path / DEFAULT_CORPUS).exists():
        path = path / DEFAULT_CORPUS
    if path.is_dir():
        files = [file for file in sorted(path.rglob("*")) if file.is_file()]
        return [file.read_text(errors="replace") for file in files], [file.parent.name for file in files]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    return [document["text"] for document in documents], [document["label"] for document in documents]


def enlarged(texts: list[str], times: int) -> list[str]:
    """Repeat the texts, with new long words in every copy, so that rare words stay rare."""
    long_word = re.compile(r"\b[a-z]{9,}\b")
    copies = (texts if i == 0 else [long_word.sub(rf"\g<0>{i}", text) for text in texts] for i in range(times))
    return [text for copy in copies for text in copy]


def fit(vectorizer: Any, texts: list[str], labels: list[str]) -> Contender:
    return lambda: sklearn.clone(vectorizer).fit_transform(texts, labels)


def fit_and_ask(vectorizer: Any, texts: list[str], labels: list[str]) -> Contender:
    """Fit, then read the vocabulary and the names of the columns."""

    def run() -> None:
        fresh = sklearn.clone(vectorizer)
        fresh.fit_transform(texts, labels)
        assert len(fresh.get_feature_names_out()) == len(fresh.vocabulary_)

    return run


def transform(vectorizer: Any, texts: list[str], labels: list[str]) -> Contender:
    fitted = vectorizer.fit(texts, labels)
    return lambda: fitted.transform(texts)


def polars_count(texts: list[str]) -> Contender | None:
    """Count the words of every document with polars' own expressions, as a long table."""
    try:
        import polars as pl
    except ImportError:
        return None
    series = pl.Series("text", texts)

    def run() -> Any:
        words = series.to_frame().with_row_index("document").with_columns(pl.col("text").str.to_lowercase())
        words = words.with_columns(pl.col("text").str.extract_all(r"\b\w\w+\b").alias("term")).explode("term")
        return words.group_by("document", "term").len()

    return run


def interleaved(contenders: dict[str, Contender], repeats: int) -> dict[str, float]:
    """Return the median seconds of each, measured in turn, so that a slow moment affects all."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def report(title: str, seconds: dict[str, float], megabytes: float) -> None:
    """Print one line per contender, with its ratio to the first."""
    reference = next(iter(seconds.values()))
    print(f"\n## {title}\n\n| | seconds | MB/s | times |\n|---|---|---|---|")
    for name, value in seconds.items():
        print(f"| {name} | {value:.3f} | {megabytes / value:.0f} | {reference / value:.1f} |")


def sklearn_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of scikit-learn that come closest to ours."""
    if settings.get("analyzer") != "text":
        return settings
    return {**settings, "analyzer": "word", "token_pattern": TEXT_PATTERN}


def compare(title: str, texts: list[str], labels: list[str], repeats: int, **settings: Any) -> None:
    theirs = sklearn_settings(settings)
    vectorizers = {
        "scikit-learn TfidfVectorizer": TfidfVectorizer(**theirs),
        "troenpy TfPiVectorizer, 1 thread": TfPiVectorizer(**settings),
        "troenpy TfPiVectorizer, 2 threads": TfPiVectorizer(**settings, n_jobs=2),
    }
    for name, make in (("fit_transform", fit), ("transform", transform)):
        contenders = {contender: make(vectorizer, texts, labels) for contender, vectorizer in vectorizers.items()}
        if name == "fit_transform":
            for contender in list(contenders)[1:]:
                asked = fit_and_ask(vectorizers[contender], texts, labels)
                contenders[f"{contender}, vocabulary_ and names asked for"] = asked
            contenders["scikit-learn CountVectorizer"] = fit(SklearnCountVectorizer(**theirs), texts, labels)
            contenders["troenpy CountVectorizer, 1 thread"] = fit(CountVectorizer(**settings), texts, labels)
            contenders["troenpy CountVectorizer, 2 threads"] = fit(CountVectorizer(**settings, n_jobs=2), texts, labels)
            polars = polars_count(texts) if not settings else None
            if polars is not None:
                contenders["polars counting, all threads, long table"] = polars
        report(f"{name}, {title}", interleaved(contenders, repeats), sum(map(len, texts)) / 1e6)


def compare_sizes(texts: list[str], labels: list[str], repeats: int, times: int) -> None:
    """Print the time per megabyte for a small and a large corpus, which should be equal."""
    large, large_labels = enlarged(texts, times), labels * times
    vectorizers = {"1 thread": TfPiVectorizer(), "2 threads": TfPiVectorizer(n_jobs=2)}
    print(f"\n## TfPiVectorizer, seconds per MB, once and {times} times the corpus\n")
    print(f"| | 1x | {times}x | ratio |\n|---|---|---|---|")
    for name, vectorizer in vectorizers.items():
        contenders = {"once": fit(vectorizer, texts, labels), "more": fit(vectorizer, large, large_labels)}
        seconds = interleaved(contenders, repeats)
        once = seconds["once"] / sum(map(len, texts)) * 1e6
        more = seconds["more"] / sum(map(len, large)) * 1e6
        print(f"| {name} | {once:.5f} | {more:.5f} | {more / once:.2f} |")


PEAK_MEMORY = """
import sys
sys.path.insert(0, {directory!r})
from pathlib import Path
from text import TfPiVectorizer, TfidfVectorizer, load, peak_memory
texts, labels = load(Path({data!r}))
before = peak_memory()
{vectorizer}.fit_transform(texts, labels)
print(peak_memory() - before)
"""


def peak_memory() -> float:
    """Return the largest resident size of this process so far, in MB (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024  # type: ignore[index]


def compare_memory(data: Path) -> None:
    """Print the peak memory that each adds to a process that holds the texts."""
    print("\n## Peak memory above the texts\n\n| | MB |\n|---|---|")
    all_settings: tuple[dict[str, Any], ...] = (
        {},
        {"ngram_range": (1, 2)},
        {"analyzer": "text", "ngram_range": (1, 2)},
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
    )
    for ours in all_settings:
        for name, settings in (
            ("TfidfVectorizer", sklearn_settings(ours)),
            ("TfPiVectorizer", ours),
            ("TfPiVectorizer", {**ours, "n_jobs": 2}),
        ):
            vectorizer = f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"
            code = PEAK_MEMORY.format(directory=str(Path(__file__).parent), data=str(data), vectorizer=vectorizer)
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
            shown = vectorizer.replace("|", r"\|")
            print(f"| {shown} | {float(run.stdout):.0f} |")


IMPORT_TIME = """
import time
import sklearn.feature_extraction.text
start = time.perf_counter()
import troenpy
print((time.perf_counter() - start) * 1000)
"""


def import_time(repeats: int) -> None:
    """Print the time that `import troenpy` adds to scikit-learn's text module: the median of fresh processes."""
    command = [sys.executable, "-c", IMPORT_TIME]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment)  # noqa: S603
        for _ in range(repeats + 1)
    ]
    milliseconds = statistics.median(float(run.stdout) for run in runs[1:])
    print(f"\n`import troenpy` after `import sklearn.feature_extraction.text`: {milliseconds:.0f} ms")


def describe_machine() -> None:
    print(f"Load {os.getloadavg()[0]:.1f}.", end=" ")
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()},", end=" ")
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, kernel: {kernel_available()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("TROENPY_DATA"),
        help="corpus file or folder; defaults to TROENPY_DATA",
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--char-documents", type=int, default=2000, help="scikit-learn needs a minute for 10,000")
    parser.add_argument("--times", type=int, default=10, help="size of the large corpus, relative to the small one")
    parser.add_argument("--words", action="store_true", help="words only")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data or TROENPY_DATA must name a .jsonl.gz file with a field 'text', or a folder")
    texts, labels = load(Path(arguments.data))
    few = slice(None, None, max(1, len(texts) // arguments.char_documents))
    once = max(1, arguments.repeats // 2)
    describe_machine()
    compare("words", texts, labels, arguments.repeats)
    if arguments.words:
        return
    compare("(1, 2)-grams", texts, labels, once, ngram_range=(1, 2))
    compare("analyzer text, (1, 2)-grams", texts, labels, once, analyzer="text", ngram_range=(1, 2))
    compare("characters in words 2-4", texts, labels, once, analyzer="char_wb", ngram_range=(2, 4))
    compare("characters 3-5", texts[few], labels[few], once, analyzer="char", ngram_range=(3, 5))
    compare_sizes(texts, labels, arguments.repeats, arguments.times)
    compare_memory(Path(arguments.data))
    import_time(2 * arguments.repeats + 1)


if __name__ == "__main__":
    main()
