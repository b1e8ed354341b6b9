"""What the default of TroenpyClassifier costs and how good its probabilities are, corpus by corpus.

    python benchmarks/classifier.py --default --data FOLDER... --corpora NAME...

Every corpus in a process of its own, all models by turns in it, one BLAS thread: CPU seconds of fit and predict of the
default, with its choice of C and views, and of both views at C = 3; of scikit-learn's two TfidfVectorizers on the same
views with LinearSVC(C=1); and of TfidfVectorizer with LogisticRegression on words, at C = 1 and 10. Then log loss and
expected calibration error (15 bins) on the test part, and the time of one document.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from troenpy import TroenpyClassifier, settings

#: Tokens as our view has them, but for scripts without spaces, for which an exact pattern is much slower.
TOKENS = r"(?u)\w+|[^\w\s]"
N_BINS, N_LATENCIES = 15, 300


def same_views() -> Any:
    pairs = TfidfVectorizer(token_pattern=TOKENS, ngram_range=(1, 2), sublinear_tf=True)
    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    return make_pipeline(make_union(pairs, pieces), LinearSVC(C=1))


def words(C: float) -> Any:
    return make_pipeline(TfidfVectorizer(), LogisticRegression(C=C, max_iter=1000))


MODELS: dict[str, Callable[[], Any]] = {
    "default": TroenpyClassifier,
    "both": lambda: settings.classifier("views", C=3),
    "same views": same_views,
    "words": lambda: words(1),
    "words, C=10": lambda: words(10),
}


def log_loss(p: NDArray[Any], own: NDArray[Any]) -> float:
    return float(-np.log(np.maximum(p[np.arange(len(own)), own], 1e-15)).mean())


def calibration_error(p: NDArray[Any], own: NDArray[Any]) -> float:
    """Return the mean distance of the top probability from the accuracy, by bins of the former."""
    top, is_right = p.max(axis=1), p.argmax(axis=1) == own
    bins = np.minimum((top * N_BINS).astype(int), N_BINS - 1)
    parts = (bins == number for number in np.unique(bins))
    return float(sum(abs(is_right[part].mean() - top[part].mean()) * part.mean() for part in parts))


def measure(path: Path, repeats: int) -> dict[str, Any]:
    """Measure all models on one corpus, in this process."""
    from classifier import read

    corpus = read(path)
    own = np.searchsorted(np.unique(corpus.labels), corpus.test_labels)
    found: dict[str, Any] = {"n": len(corpus.texts), "classes": len(set(corpus.labels))}
    taken: dict[str, list[float]] = {name: [] for name in MODELS}
    fitted: dict[str, Any] = {}
    for _ in range(repeats):
        for name, new in MODELS.items():
            start = time.process_time()
            fitted[name] = new().fit(corpus.texts, corpus.labels)
            fitted[name].predict(corpus.test_texts)
            taken[name].append(time.process_time() - start)
    for name, model in fitted.items():
        found[name] = {"seconds": min(taken[name])}
        if hasattr(model, "predict_proba"):
            p = model.predict_proba(corpus.test_texts)
            found[name] |= {"log loss": log_loss(p, own), "calibration": calibration_error(p, own)}
            found[name]["error"] = float((p.argmax(axis=1) != own).mean())
    found["choice"] = f"{' + '.join(fitted['default'].choice_.views)}, {fitted['default'].C_:g}"
    found["one"] = one_document(fitted["default"], fitted["words"], corpus.test_texts)
    return found


def one_document(ours: Any, theirs: Any, texts: list[str]) -> list[float]:
    """Return the median milliseconds of a prediction of one document, by turns."""
    taken: list[list[float]] = [[], []]
    for i in range(N_LATENCIES):
        for model, times in zip((ours, theirs), taken, strict=True):
            start = time.perf_counter()
            model.predict([texts[i % len(texts)]])
            times.append(1e3 * (time.perf_counter() - start))
    return [statistics.median(times) for times in taken]


def default(folders: list[Path], names: list[str], repeats: int) -> None:
    """Print a table of costs, one of probabilities, and the medians."""
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    rows = {}
    for name in names:
        (path,) = [folder / f"{name}.jsonl.gz" for folder in folders if (folder / f"{name}.jsonl.gz").exists()]
        done = subprocess.run([sys.executable, __file__, str(path), str(repeats)], capture_output=True, check=True, env=alone)  # noqa: S603, E501  # fmt: skip
        rows[name] = json.loads(done.stdout)
        print(name, file=sys.stderr, flush=True)
    print("| corpus | documents x classes | default | both, C = 3 | same views, LinearSVC | words, LR |", end="")
    print(" both / same views | default / same views | default / words | one document: ours, words |")
    print("|---" * 10 + "|")
    ratios = []
    for name, row in rows.items():
        seconds = {model: row[model]["seconds"] for model in MODELS}
        ratios.append([
            seconds["both"] / seconds["same views"], seconds["default"] / seconds["same views"],
            seconds["default"] / seconds["words"], row["one"][0] / row["one"][1],
        ])  # fmt: skip
        cells = [name, f"{row['n']:,} x {row['classes']}", *(f"{seconds[model]:.2f} s" for model in list(MODELS)[:4])]
        cells += [*(f"{ratio:.2f}" for ratio in ratios[-1][:3]), f"{row['one'][0]:.2f} ms, {row['one'][1]:.2f} ms"]
        print(f"| {' | '.join(cells)} |")
    median, most = np.median(ratios, axis=0), np.max(ratios, axis=0)
    print(
        f"\nmedians: both / same views {median[0]:.2f}, default / same views {median[1]:.2f}, default / words", end=" "
    )
    print(f"{median[2]:.1f} (most {most[2]:.1f}), one document {median[3]:.2f} times (most {most[3]:.2f})\n")
    header = ["corpus", "chosen views, C", "log loss", "words, C = 1", "words, C = 10", "calibration error"]
    print(f"| {' | '.join([*header, 'words, C = 1', 'error'])} |\n{'|---' * 8}|")
    for name, row in rows.items():
        losses = [row[model]["log loss"] for model in ("default", "words", "words, C=10")]
        calibration = [f"{100 * row[model]['calibration']:.1f} %" for model in ("default", "words")]
        cells = [name, row["choice"], *(f"{loss:.4f}" for loss in losses), *calibration]
        print(f"| {' | '.join(cells)} | {100 * row['default']['error']:.2f} % |")
    median_error = 100 * statistics.median(row["default"]["calibration"] for row in rows.values())
    print(f"\nmedian calibration error: {median_error:.1f} %")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]))))
