"""Which view of a text pays where, and how to cut it into tokens: rows of errors for the tables in docs/beyond.md.

    python experiments/views.py views FOLDER... --splits 5
    python experiments/views.py tokens FOLDER...

A corpus is a file of JSON lines, NAME.jsonl.gz, with "text", "label" and "split" ("train", "test" or null; without a
split, 80/20 splits with the seeds 0, 1, ...). `views` fits TroenpyClassifier (C = 3, nothing tuned) on words as
scikit-learn cuts them, on tokens and their pairs, on pieces of words, and on both of the last: in folds of the training
part, with copies of a text in one fold, and once on the test part. `tokens` reads training parts only: it changes one
rule of the tokens at a time. Rows that are in the file already are not computed again.
"""

import argparse
import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier

STUDIES = Path(__file__).parent / "studies"
N_FOLDS = 4
MOST_DOCUMENTS = 12_000  # of a training part, to choose rules of tokens
BLOCKS = ("certainty", "boost", "profile")

WORDS = ("words", {"analyzer": "word"})
TEXT = ("text", {"analyzer": "text", "ngram_range": (1, 2)})
PIECES = ("pieces", {"analyzer": "char_wb", "ngram_range": (2, 4)})
VIEWS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "words": [WORDS],
    "text (1, 2)": [TEXT],
    "char_wb (2, 4)": [PIECES],
    "both": [TEXT, PIECES],
}

#: About the letters of scripts that are written without spaces.
ONE = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
WORD = rf"(?:(?!{ONE})\w)"
#: One rule changed at a time, as regular expressions.
RULES = {
    "as chosen": rf"{ONE}|{WORD}+|[^\w\s]",
    "no punctuation": rf"{ONE}|{WORD}+",
    "runs of punctuation": rf"{ONE}|{WORD}+|[^\w\s]+",
    "repeated punctuation": rf"{ONE}|{WORD}+|([^\w\s])\1*",
    "URLs whole": rf"(?:https?://|www\.)\S+|{ONE}|{WORD}+|[^\w\s]",
    "hyphens join": rf"{ONE}|{WORD}+(?:-{WORD}+)*|[^\w\s]",
    "apostrophes join": rf"{ONE}|{WORD}+(?:['’]{WORD}+)*|[^\w\s]",
    "# joins": rf"{ONE}|#{WORD}+|{WORD}+|[^\w\s]",
    "@ joins": rf"{ONE}|@{WORD}+|{WORD}+|[^\w\s]",
    "numbers whole": rf"{ONE}|\d+(?:[.,:]\d+)+|{WORD}+|[^\w\s]",
    "pairs within lines": rf"{ONE}|{WORD}+|[^\w\s]",
}


class Corpus(NamedTuple):
    """Texts and labels; `is_test` is None without a given split."""

    name: str
    texts: list[str]
    labels: NDArray[Any]
    is_test: NDArray[np.bool_] | None

    def parts(self, n_splits: int) -> Iterator[tuple[int | None, NDArray[Any], NDArray[Any]]]:
        """Yield seed, training and test documents."""
        if self.is_test is not None:
            yield None, np.flatnonzero(~self.is_test), np.flatnonzero(self.is_test)
            return
        for seed in range(n_splits):
            train, test = train_test_split(np.arange(len(self.texts)), test_size=0.2, random_state=seed)
            yield seed, train, test


def read(path: Path) -> Corpus:
    """Read a file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    is_test = None if rows[0]["split"] is None else np.array([row["split"] == "test" for row in rows])
    name = path.name.removesuffix(".jsonl.gz")
    return Corpus(name, [row["text"] for row in rows], np.array([row["label"] for row in rows]), is_test)


def folds(texts: list[str]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return training and test documents of each fold; copies of a text are in the same one."""
    numbers: dict[str, int] = {}
    text = np.array([numbers.setdefault(text.strip(), len(numbers)) for text in texts])
    fold = np.random.default_rng(0).integers(0, N_FOLDS, len(numbers))[text]
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]


def classifier(counters: list[tuple[str, CountVectorizer]]) -> TroenpyClassifier:
    """Return the classifier on these views, with nothing to choose."""
    views = [(name, counter, BLOCKS) for name, counter in counters]
    return TroenpyClassifier(TermFeatures(views, leave_out="copies", dtype=np.float32), C=3.0)


def errors(model: TroenpyClassifier, texts: list[str], labels: NDArray[Any], train: Any, test: Any) -> int:
    """Return the number of errors on test documents."""
    model.fit([texts[i] for i in train], labels[train])
    return int((model.predict([texts[i] for i in test]) != labels[test]).sum())


def view_rows(corpus: Corpus, n_splits: int, done: set[Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each view: errors in folds of the first training part, and on each test part."""
    for seed, train, test in corpus.parts(n_splits):
        texts, labels = [corpus.texts[i] for i in train], corpus.labels[train]
        for variant, views in VIEWS.items():
            model = classifier([(name, CountVectorizer(**options)) for name, options in views])
            key = {"study": "views", "corpus": corpus.name, "variant": variant}
            if seed in (None, 0) and (corpus.name, variant, "folds", seed) not in done:
                wrong = sum(errors(model, texts, labels, *fold) for fold in folds(texts))
                yield {**key, "part": "folds", "seed": seed, "wrong": wrong, "n": len(texts)}
            if (corpus.name, variant, "test", seed) not in done:
                start = time.process_time()
                wrong = errors(model, corpus.texts, corpus.labels, train, test)
                seconds = round(time.process_time() - start, 3)
                about = {"n_classes": len(set(labels)), "length": round(np.mean([len(text) for text in texts]), 1)}
                yield {**key, "part": "test", "seed": seed, "wrong": wrong, "n": len(test), "seconds": seconds, **about}


def analyzer(pattern: str, within_lines: bool) -> Callable[[str], list[str]]:
    """Return a function that cuts a text into tokens and their pairs."""
    tokens = re.compile(pattern)

    def analyze(text: str) -> list[str]:
        terms = []
        for part in text.lower().splitlines() if within_lines else [text.lower()]:
            found = [match.group() for match in tokens.finditer(part)]
            terms += [*found, *(f"{a} {b}" for a, b in pairwise(found))]
        return terms

    return analyze


def token_rows(corpus: Corpus, done: set[Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each rule: errors in folds of the training part."""
    seed, train, _ = next(corpus.parts(1))
    train = np.random.default_rng(0).permutation(train)[:MOST_DOCUMENTS]
    texts, labels = [corpus.texts[i] for i in train], corpus.labels[train]
    for variant, pattern in RULES.items():
        if (corpus.name, variant, "folds", seed) in done:
            continue
        counter = CountVectorizer(analyzer=analyzer(pattern, variant == "pairs within lines"))
        wrong = sum(errors(classifier([("text", counter)]), texts, labels, *fold) for fold in folds(texts))
        key = {"study": "tokens", "corpus": corpus.name, "variant": variant}
        yield {**key, "part": "folds", "seed": seed, "wrong": wrong, "n": len(texts)}


def main() -> None:
    """Append the rows that are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=["views", "tokens"])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--corpora", nargs="+", help="only these")
    options = parser.parse_args()
    path = STUDIES / f"{options.study}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    before = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(row["corpus"], row["variant"], row["part"], row["seed"]) for row in before}
    files = sorted(file for folder in options.folders for file in folder.glob("*.jsonl.gz"))
    for file in files:
        corpus = read(file)
        if options.corpora and corpus.name not in options.corpora:
            continue
        rows = view_rows(corpus, options.splits, done) if options.study == "views" else token_rows(corpus, done)
        for row in rows:
            with path.open("a") as lines:
                lines.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
