"""Few documents of many classes: test errors with 5, 10 and 20 training documents of each class.

    python experiments/few_documents.py FILE.jsonl.gz --seeds 5

The file has "text", "label" and "split" per line. Prints the mean error in percent over random draws of the training
documents: of TroenpyClassifier() as it is, and of its rivals on words.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from views import read

from troenpy.experiments.text_methods import TEXT_METHODS

METHODS = (
    "troenpy",
    "log TF-IDF, linear SVM",
    "TF-IDF, words and characters, linear SVM",
    "TF-IDF, logistic regression",
)


def draw(labels: NDArray[Any], n: int, seed: int) -> NDArray[np.int64]:
    """Return n documents of each class."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.permutation(np.flatnonzero(labels == name))[:n] for name in np.unique(labels)])


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--per-class", type=int, nargs="+", default=[5, 10, 20])
    options = parser.parse_args()
    corpus = read(options.file)
    _, train, test = next(corpus.parts(1))
    take = partial(np.take, np.array(corpus.texts, dtype=object))
    print(f"| documents of each class | {' | '.join(METHODS)} | chosen |\n{'|---' * (len(METHODS) + 2)}|")
    for n in options.per_class:
        errors, chosen = np.zeros((options.seeds, len(METHODS))), list[str]()
        for seed in range(options.seeds):
            part = train[draw(corpus.labels[train], n, seed)]
            for number, name in enumerate(METHODS):
                with threadpool_limits(1):
                    model = TEXT_METHODS[name].new().fit(list(take(part)), corpus.labels[part])
                    errors[seed, number] = (model.predict(list(take(test))) != corpus.labels[test]).mean()
                if name == "troenpy":
                    chosen.append(f"{' + '.join(model.choice_.views)}, {model.C_:g}")
        print(f"| {n} | {' | '.join(f'{100 * error:.2f}' for error in errors.mean(axis=0))} | {'; '.join(chosen)} |")


if __name__ == "__main__":
    main()
