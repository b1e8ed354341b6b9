"""partial_fit in batches of 100, 1,000 and 5,000 documents, against one fit and against scikit-learn's hashing.

    python benchmarks/stream.py --data 20news-raw.jsonl.gz

reads the corpus as text.py does. All contenders run in turn in one process. The clock of a stream includes one read
of `weights_` at its end (`idf_` for ClassProfile). Medians; "of fit" is the speed relative to the `fit` of the same
estimator on as many threads. HashingVectorizer only counts: it learns nothing from the labels.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer
from text import describe_machine, interleaved, load

from troenpy import ClassProfile, CountVectorizer, TermFeatures, TermWeighter, TfPiVectorizer

BATCHES = (100, 1_000, 5_000)


def fit(model: Any, X: Any, labels: list[str], result: str) -> Callable[[], Any]:
    return lambda: getattr(clone(model).fit(X, labels), result)


def stream(model: Any, X: Any, labels: list[str], result: str, size: int) -> Callable[[], Any]:
    batches = [(X[start : start + size], labels[start : start + size]) for start in range(0, len(labels), size)]

    def run() -> Any:
        fresh = clone(model)
        for documents, some_labels in batches:
            fresh.partial_fit(documents, some_labels)
        return getattr(fresh, result)

    return run


def check(model: Any, X: Any, labels: list[str], result: str) -> None:
    """Check that batches give the result of `fit`."""
    expected = fit(model, X, labels, result)()
    for size in BATCHES:
        np.testing.assert_array_equal(stream(model, X, labels, result, size)(), expected)


def compare(model: Any, X: Any, labels: list[str], result: str, repeats: int) -> dict[str, float]:
    """Return the median seconds of fit and of each size of batches."""
    contenders = {"fit": fit(model, X, labels, result)}
    contenders |= {f"batches of {size:,}": stream(model, X, labels, result, size) for size in BATCHES}
    return interleaved(contenders, repeats)


def report(title: str, seconds: dict[str, float], amount: float, unit: str) -> None:
    print(f"\n## {title}\n\n| | seconds | {unit} | of fit |\n|---|---|---|---|")
    for name, value in seconds.items():
        print(f"| {name} | {value:.3f} | {amount / value:,.0f} | {seconds['fit'] / value:.2f} |")
    print(f"\nLoad: {', '.join(f'{load:.1f}' for load in os.getloadavg())}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("TROENPY_DATA"), help="as for text.py")
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data or TROENPY_DATA must name a .jsonl.gz file with a field 'text', or a folder")
    texts, labels = load(Path(arguments.data))
    megabytes = sum(map(len, texts)) / 1e6
    describe_machine()
    for model in (TfPiVectorizer(), TermFeatures()):
        check(model, texts, labels, "weights_")
        for n_jobs in (1, 2):
            model.set_params(n_jobs=n_jobs)
            seconds = compare(model, texts, labels, "weights_", arguments.repeats)
            if isinstance(model, TfPiVectorizer):
                hashing = {"hashing": lambda: HashingVectorizer().transform(texts)}
                seconds["HashingVectorizer.transform"] = interleaved(hashing, 1)["hashing"]
            report(f"{type(model).__name__}, {n_jobs} thread{'s' * (n_jobs > 1)}", seconds, megabytes, "MB/s")
    X = CountVectorizer(dtype=np.float64).fit_transform(texts)
    for model, result in ((ClassProfile(), "idf_"), (TermWeighter(), "weights_")):
        check(model, X, labels, result)
        report(type(model).__name__, compare(model, X, labels, result, arguments.repeats), len(labels), "rows/s")


if __name__ == "__main__":
    main()
