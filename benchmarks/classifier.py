"""Text to labels: words with C = 3 against TF-IDF and scikit-learn's logistic regression, time and test error.

Both learn from the raw texts of the training part and predict the test part, by turns after a warm-up, with one BLAS
thread and one thread of ours; then each with the threads it takes by itself, in columns of their own. Seconds are
medians; of one thread, seconds of the processor.

    python benchmarks/classifier.py --data FOLDER             # r8, ohsumed and 20news; or set TROENPY_DATA
    python benchmarks/classifier.py --data FOLDER --choose    # C and the parts of one view, on training parts only
    python benchmarks/classifier.py --data FOLDER... --default --corpora NAME...   # the default: see default.py
    python benchmarks/classifier.py --shapes                  # the solver by documents, terms, classes: see solver.py
    python benchmarks/classifier.py --data FOLDER --memory    # peak memory of TermFeatures (Linux)

FOLDER holds r8.jsonl.gz and so on, one JSON object with "text", "label" and "split" per line. Without a split ("split"
is null), the training part is that of the paper's first random one: 80 %, seed 0.
"""

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from default import default
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier, settings
from troenpy._kernel.matrix import return_free_memory
from troenpy.features.views import view_of_words

STRENGTHS = (1.0, 3.0, 10.0, 30.0)


@dataclass(frozen=True)
class Corpus:
    """Texts and labels of the training and the test part."""

    texts: list[str]
    labels: list[str]
    test_texts: list[str]
    test_labels: list[str]


def read(path: Path) -> Corpus:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    is_test = np.array([row["split"] == "test" for row in rows])
    if not is_test.any():
        is_test[train_test_split(np.arange(len(rows)), test_size=0.2, random_state=0)[1]] = True
    parts = [[row for row, is_in in zip(rows, which, strict=True) if is_in] for which in (~is_test, is_test)]
    texts, test_texts = ([row["text"] for row in part] for part in parts)
    labels, test_labels = ([row["label"] for row in part] for part in parts)
    return Corpus(texts, labels, test_texts, test_labels)


def theirs() -> Any:
    return make_pipeline(TfidfVectorizer(), LogisticRegression())


def words(**options: Any) -> Any:
    return settings.classifier("linear", **{"C": 3.0, **options})


def error(model: Any, corpus: Corpus) -> float:
    predicted = model.fit(corpus.texts, corpus.labels).predict(corpus.test_texts)
    return float(np.mean(predicted != np.array(corpus.test_labels)))


def seconds(run: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    start = clock()
    result = run()
    return clock() - start, result


def by_turns(models: list[Callable[[], Any]], corpus: Corpus, clock: Callable[[], float], repeats: int) -> Any:
    """Return the median time and the error of each model."""
    errors = [error(model(), corpus) for model in models]  # the warm-up
    times: list[list[float]] = [[] for _ in models]
    for _ in range(repeats):
        for number, model in enumerate(models):
            times[number].append(seconds(lambda model=model: error(model(), corpus), clock)[0])  # type: ignore[misc]
    return [statistics.median(taken) for taken in times], errors


def compare(folder: Path, names: list[str], repeats: int) -> None:
    print("corpus | TF-IDF | troenpy | ratio | error TF-IDF | error troenpy", end="")
    print(" | default threads: TF-IDF | troenpy, n_jobs=-1 | ratio")
    for name in names:
        corpus = read(folder / f"{name}.jsonl.gz")
        with threadpool_limits(1):
            (slow, fast), errors = by_turns([theirs, words], corpus, time.process_time, repeats)
        many: Callable[[], Any] = lambda: words().set_params(n_jobs=-1)  # noqa: E731
        (slow_many, fast_many), _ = by_turns([theirs, many], corpus, time.perf_counter, max(1, repeats // 2))
        cells = [name, f"{slow:.2f} s", f"{fast:.2f} s", f"{slow / fast:.1f}"]
        cells += [f"{100 * share:.2f} %" for share in errors]
        cells += [f"{slow_many:.2f} s", f"{fast_many:.2f} s", f"{slow_many / fast_many:.1f}"]
        print(" | ".join(cells), flush=True)


def choose(folder: Path, names: list[str], n_folds: int) -> None:
    """Cross-validate C and the parts of the default features on the training parts, without reading test labels.

    Copies of a text are in one fold: Ohsumed has a document once under each of its labels. Every change is to the
    default alone, and its gain is how much lower the error of the default is.
    """
    changes: dict[str, Any] = {
        "paper's blocks": TroenpyClassifier(
            TermFeatures(view_of_words("pi", "btf", "ecib_abs"), dtype=np.float32), C=3
        ),
        "no profile": TroenpyClassifier(TermFeatures(view_of_words("certainty", "boost"), dtype=np.float32), C=3),
        "copies not left out": words(leave_out="document"),
        "cv=5": words(cv=5),
    }
    default = words().C
    print(f"error in {n_folds}-fold cross-validation of the training part; gains at C={default:g}, in points")
    print(" | ".join(["corpus", *(f"C={C:g}" for C in STRENGTHS), *(f"gain over {change}" for change in changes)]))
    for name in names:
        corpus = read(folder / f"{name}.jsonl.gz")
        texts, labels = np.array(corpus.texts, dtype=object), np.array(corpus.labels)
        copies = np.unique(corpus.texts, return_inverse=True)[1]
        folds = list(StratifiedGroupKFold(n_folds, shuffle=True, random_state=0).split(texts, labels, copies))

        def is_wrong(model: Any, texts: Any = texts, labels: Any = labels, folds: Any = folds) -> Any:
            return (cross_val_predict(model, texts, labels, cv=folds) != labels).astype(float)

        by_strength = {C: is_wrong(words(C=C)) for C in STRENGTHS}
        cells = [f"{100 * wrong.mean():.2f} %" for wrong in by_strength.values()]
        cells += [gain(is_wrong(model) - by_strength[default]) for model in changes.values()]
        print(" | ".join([name, *cells]), flush=True)


def gain(by_document: NDArray[np.float64]) -> str:
    """Return a mean in points, with its standard error."""
    return f"{100 * by_document.mean():+.2f} ± {100 * by_document.std() / len(by_document) ** 0.5:.2f}"


def resident(kind: str) -> float:
    """Return a size of this process in MB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{kind}:\s*(\d+)", status)[1]) / 1024  # type: ignore[index]


def peak_of(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the peak memory that a call adds, the memory that it keeps, and its result."""
    return_free_memory()
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = resident("VmRSS")
    result = call()
    peak = resident("VmHWM") - before
    return_free_memory()
    return peak, resident("VmRSS") - before, result


def measure(corpus: Corpus, setting: str, dtype: Any, source: str) -> None:
    """Print the peak memory of fit_transform and transform relative to the matrix, and the size of the model."""
    options = {"dtype": dtype, **({"words": "counts"} if source == "counts" else {})}
    features = settings.features(setting, **options)
    TermFeatures(view_of_words("btf"), dtype=dtype).fit_transform(corpus.texts[-300:], np.arange(300) % 2)
    documents = CountVectorizer(dtype=dtype).fit_transform(corpus.texts) if source == "counts" else corpus.texts
    peak, left, X = peak_of(lambda: features.fit_transform(documents, corpus.labels))
    matrix = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
    del X
    again, _, _ = peak_of(lambda: features.transform(documents))
    cells = [f"{matrix:.1f} MB", f"{peak:.1f} MB", f"{left - matrix:.1f} MB"]
    ratios = [f"{ratio / matrix:.2f}" for ratio in (peak, peak - (left - matrix), again)]
    print(" | ".join([setting, source, dtype, *cells, *ratios]), flush=True)


def compare_memory(folder: Path, names: list[str]) -> None:
    """Measure each in its own process."""
    titles = "corpus | setting | from | dtype | matrix | peak of fit_transform | of it the model"
    print(f"{titles} | peak / matrix | without the model | peak of transform / matrix")
    for name in names:
        for setting in ("paper_2b", "linear"):
            for source in ("text", "counts"):
                for dtype in ("float64", "float32"):
                    print(name, end=" | ", flush=True)
                    own = ["--data", str(folder), "--corpora", name, "--measure", setting, source, dtype]
                    subprocess.run([sys.executable, __file__, *own], check=True)  # noqa: S603


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", help="folders of corpora; or set TROENPY_DATA")
    parser.add_argument("--default", action="store_true", help="cost and probabilities of the default")
    parser.add_argument("--shapes", nargs="*", help="the solver on a grid, or on these shapes")
    parser.add_argument("--corpora", nargs="+", default=["r8", "ohsumed", "20news"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--choose", action="store_true", help="cross-validate C and parts of the default")
    parser.add_argument("--memory", action="store_true", help="peak memory of TermFeatures, from text and counts")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--folds", type=int, default=5, help="folds for --choose")
    arguments = parser.parse_args()
    if arguments.shapes is not None:
        solver = [
            str(Path(__file__).parent / "solver.py"),
            *(["--shapes", *arguments.shapes] if arguments.shapes else []),
        ]
        subprocess.run([sys.executable, *solver, "--repeats", str(arguments.repeats)], check=True)  # noqa: S603
        return
    folders = arguments.data or [Path(path) for path in [os.environ.get("TROENPY_DATA")] if path]
    if not folders:
        parser.error("give --data FOLDER, or set TROENPY_DATA")
    if arguments.measure:
        setting, source, dtype = arguments.measure
        measure(read(folders[0] / f"{arguments.corpora[0]}.jsonl.gz"), setting, dtype, source)
    elif arguments.default:
        default(folders, arguments.corpora, arguments.repeats)
    elif arguments.memory:
        compare_memory(folders[0], arguments.corpora)
    elif arguments.choose:
        with threadpool_limits(1):
            choose(folders[0], arguments.corpora, arguments.folds)
    else:
        compare(folders[0], arguments.corpora, arguments.repeats)


if __name__ == "__main__":
    main()
