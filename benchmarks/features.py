"""Cost of each block of TermFeatures and each setting relative to TF-PI, from text and from counts.

    python benchmarks/features.py --data 20news-raw.jsonl.gz

reads the fields "text" and "label" of every line, or every file below a folder, labelled by the folder it is in. All
run in turn in one process, after a warm-up: `fit_transform` of a fresh estimator on all documents, and `transform` of a
fitted one, medians of the processor's seconds (of the clock, with --jobs). A ratio is the median over the turns of the
time divided by that of TF-PI in the same turn: a slow moment hits both.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sklearn
from text import load

from troenpy import CountVectorizer, TermFeatures
from troenpy.features.blocks import BLOCKS, PROFILE
from troenpy.models.settings import SETTINGS, features

REFERENCE = "pi"


def contenders(**options: Any) -> dict[str, TermFeatures]:
    """Return every single block, and every setting with several blocks, TF-PI first."""
    names = [REFERENCE, *(name for name in (*BLOCKS, PROFILE) if name != REFERENCE)]
    alone = {name: features("paper", words__blocks=(name,), **options) for name in names}
    copies = {f"{PROFILE}, without copies": features("paper", words__blocks=(PROFILE,), leave_out="copies", **options)}
    chosen = {f"the setting {name!r}": features(name, **options) for name in SETTINGS if name != "paper"}
    return {**alone, **copies, **chosen}


def turns(
    models: dict[str, TermFeatures], documents: Any, labels: list[str], repeats: int, clock: Callable[[], float]
) -> dict[str, Any]:
    """Return the seconds of every repetition of fit_transform and transform."""
    seconds: dict[str, Any] = {name: ([], []) for name in models}
    for turn in range(repeats + 1):
        for name, model in models.items():
            fresh = sklearn.clone(model)
            start = clock()
            fresh.fit_transform(documents, labels)
            middle = clock()
            fresh.transform(documents)
            if turn:  # the first is the warm-up
                seconds[name][0].append(middle - start)
                seconds[name][1].append(clock() - middle)
    return seconds


def report(title: str, seconds: dict[str, Any]) -> None:
    print(f"\n### {title}\n\n| | fit_transform, s | times TF-PI | transform, s | times TF-PI |\n|---|---|---|---|---|")
    for name, both in seconds.items():
        cells = []
        for taken, reference in zip(both, seconds[REFERENCE], strict=True):
            ratios = [ours / theirs for ours, theirs in zip(taken, reference, strict=True)]
            cells += [f"{statistics.median(taken):.3f}", f"{statistics.median(ratios):.2f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("TROENPY_DATA"), help="a corpus with labels")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--stop-words", default=None, help="'english' removes scikit-learn's list")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("give --data, or set TROENPY_DATA")
    texts, labels = load(Path(arguments.data))
    how = labels, arguments.repeats, time.process_time if arguments.jobs == 1 else time.perf_counter
    options = {"n_jobs": arguments.jobs, "stop_words": arguments.stop_words}
    report("From text", turns(contenders(**options), texts, *how))
    counts = CountVectorizer(**options).fit_transform(texts).astype(float)
    from_counts = contenders(input="counts", n_jobs=arguments.jobs)
    report("From counts", turns(from_counts, counts, *how))


if __name__ == "__main__":
    main()
