"""Gigabytes of generated text through partial_fit with max_terms: time per megabyte, and memory.

    python benchmarks/scale.py --gigabytes 1 5 20

Three of four words follow Zipf's law over 30,000, one of five that over 1,000 words of the document's class, of which
there are 50, and one of twenty a power law without end, so that new words keep coming. Text is made in this process,
batch by batch, and only the time of `partial_fit` is counted. Each size is a process of its own; its memory is shown
after the first tenth of the text, when the table is full, and at its peak.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np
from text import describe_machine, peak_memory

from troenpy import TfPiVectorizer

N_COMMON, N_CLASSES, WORDS_PER_DOCUMENT, DOCUMENTS_PER_BATCH = 30_000, 50, 200, 5_000
OF_CLASS_SHARE = 0.2  # of the words of a document
LETTERS = np.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", dtype=np.uint8)
LONGEST = 9  # letters of a word


def draw_words(
    rng: np.random.Generator, n_classes: int = N_CLASSES, of_class_share: float = OF_CLASS_SHARE
) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the words of documents, and the classes of the documents."""
    classes = rng.integers(0, n_classes, DOCUMENTS_PER_BATCH)
    shape = DOCUMENTS_PER_BATCH, WORDS_PER_DOCUMENT
    ranks = np.exp(rng.random(shape) * np.log(N_COMMON)).astype(np.int64)  # a density of 1 / rank
    own = np.exp(rng.random(shape) * np.log(1000)).astype(np.int64)
    of_class = N_COMMON + 1000 * classes[:, np.newaxis] + own
    rare = np.minimum(2 * N_COMMON * rng.random(shape) ** (-1 / 0.7), 1e10).astype(np.int64)
    kind = rng.random(shape)
    return np.where(kind < 0.05, rare, np.where(kind < 0.05 + of_class_share, of_class, ranks)), classes


def make_batch(
    rng: np.random.Generator, n_classes: int = N_CLASSES, of_class_share: float = OF_CLASS_SHARE
) -> tuple[list[str], list[str]]:
    """Draw documents and labels; a word is its number in base 26, with at least three letters."""
    ranks, classes = draw_words(rng, n_classes, of_class_share)
    rest = ranks.ravel() + 26**2
    characters = np.zeros((len(rest), LONGEST + 1), dtype=np.uint8)
    for place in range(LONGEST):
        characters[:, place] = np.where(rest > 0, LETTERS[rest % 26], 0)
        rest //= 26
    characters[:, LONGEST] = ord(" ")
    is_used = characters > 0
    ends = is_used.reshape(DOCUMENTS_PER_BATCH, -1).sum(axis=1).cumsum().tolist()
    text = characters[is_used].tobytes().decode("ascii")
    texts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return texts, [f"class{number}" for number in classes.tolist()]


def run(gigabytes: float, max_terms: int, n_jobs: int) -> None:
    """Print seconds per MB, the memory after a tenth of the text, the peak, the terms and how far they are certain."""
    rng, vectorizer = np.random.default_rng(0), TfPiVectorizer(max_terms=max_terms, n_jobs=n_jobs)
    n_bytes, seconds, early = 0, 0.0, 0.0
    while n_bytes < gigabytes * 1e9:
        texts, labels = make_batch(rng)
        start = time.perf_counter()
        vectorizer.partial_fit(texts, labels)
        seconds += time.perf_counter() - start
        n_bytes += sum(map(len, texts))
        if n_bytes < gigabytes * 1e8:
            early = peak_memory()
    start = time.perf_counter()
    n_terms = len(vectorizer.weights_)
    seconds += time.perf_counter() - start
    kept_above, n_documents = vectorizer.count_error_.kept_above, vectorizer.counts_.n_documents
    print(seconds / n_bytes * 1e6, early, peak_memory(), n_terms, kept_above, n_documents)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[1, 5, 20])
    parser.add_argument("--max-terms", type=int, default=100_000)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--one", action="store_true", help="one size, in this process; prints bare numbers")
    arguments = parser.parse_args()
    if arguments.one:
        return run(arguments.gigabytes[0], arguments.max_terms, arguments.n_jobs)
    describe_machine()
    print("\n| GB | seconds per MB | of the first | MB/s | memory after a tenth | peak | terms | certain above |")
    print("|---|---|---|---|---|---|---|---|")
    first = None
    for gigabytes in arguments.gigabytes:
        options = ["--gigabytes", str(gigabytes), "--max-terms", str(arguments.max_terms)]
        command = [sys.executable, __file__, "--one", *options, "--n-jobs", str(arguments.n_jobs)]
        result = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        per_mb, early, peak, n_terms, kept_above, n_documents = map(float, result.stdout.split())
        first = first or per_mb
        memory = f"{early:,.0f} MB | {peak:,.0f} MB"
        certain = f"{kept_above:,.0f} of {n_documents:,.0f} documents"
        print(f"| {gigabytes:g} | {per_mb:.5f} | {per_mb / first:.2f} | {1 / per_mb:.0f} | {memory}", end=" ")
        print(f"| {n_terms:,.0f} | {certain} |")
    print(f"\nLoad: {', '.join(f'{load:.1f}' for load in os.getloadavg())}.")
    return None


if __name__ == "__main__":
    main()
