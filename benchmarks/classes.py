"""Many classes: time and peak memory of the text classifiers on synthetic texts, each in its own process (Linux).

Words are drawn by Zipf's law, one in seven from forty words of the class.

    python benchmarks/classes.py                                     # 20,000 documents of 1,000 classes
    python benchmarks/classes.py --documents 5000 --classes 400
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from troenpy import TroenpyClassifier, settings

MODELS: dict[str, Callable[[], Any]] = {
    "words, C = 3": lambda: settings.classifier("linear", C=3),
    "default": TroenpyClassifier,
    "neighbours of words": lambda: settings.classifier("knn"),
}
N_WORDS, LENGTH, N_OWN = 20_000, 30, 40


def made_up(n_documents: int, n_classes: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    classes = np.arange(n_documents) % n_classes
    share = 1 / np.arange(1, N_WORDS + 1)
    own = rng.integers(N_WORDS, size=(n_classes, N_OWN))
    words = rng.choice(N_WORDS, size=(n_documents, LENGTH), p=share / share.sum())
    of_class = own[classes[:, np.newaxis], rng.integers(N_OWN, size=words.shape)]
    words = np.where(rng.random(words.shape) < 1 / 7, of_class, words)
    return [" ".join(f"w{word}" for word in document) for document in words], [f"c{i}" for i in classes]


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def measure(name: str, n_documents: int, n_classes: int) -> None:
    texts, labels = made_up(n_documents, n_classes)
    before = peak()
    start = time.process_time()
    model = MODELS[name]().fit(texts, labels)
    seconds = time.process_time() - start
    model.predict(texts[:1000])
    size = model.coef_.nbytes / 1e6 if isinstance(model, TroenpyClassifier) else 0.0
    print(f"{name}: {seconds:.1f} s of processor, peak {peak():.0f} MB ({before:.0f} before, coefficients {size:.0f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--classes", type=int, default=1_000)
    parser.add_argument("--model", choices=MODELS, help="only this one, in this process")
    options = parser.parse_args()
    if options.model:
        measure(options.model, options.documents, options.classes)
        return
    size = 8e-6 * options.documents * options.classes
    print(f"{options.documents:,} documents of {options.classes:,} classes: {size:.0f} MB an array")
    sizes = ["--documents", str(options.documents), "--classes", str(options.classes)]
    for name in MODELS:
        subprocess.run([sys.executable, __file__, *sizes, "--model", name], check=True)  # noqa: S603 (ourselves)


if __name__ == "__main__":
    main()
