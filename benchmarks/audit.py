"""Planted label errors: how well `audit` ranks them, against cleanlab on TF-IDF and logistic regression.

    pip install cleanlab
    python benchmarks/audit.py --corpora r8,20news,bbcsport --seeds 5

A twentieth of the labels, drawn by lot, is replaced by another class. Both sides predict the same parts of the texts by
models of the others: ours with TroenpyClassifier, cleanlab's with TfidfVectorizer and LogisticRegression, whose
probabilities it ranks by its label quality score (self-confidence). The average precision is that of the planted
errors; labels that were wrong before count against both. The estimated share of wrong labels and its interval are ours.
Both run on one thread. With --folder, corpora are files of JSON lines with text and label.
"""

import argparse
import gzip
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from cleanlab.rank import get_label_quality_scores
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from text import describe_machine
from threadpoolctl import threadpool_limits

from troenpy import datasets
from troenpy.experiments.confident_learning import Share, wrong_share
from troenpy.tasks.audit_jobs import predict_parts
from troenpy.tasks.comparison_jobs import PlannedTests
from troenpy.tasks.folds import cross_validation
from troenpy.tasks.tested_parts import group_documents

N_FOLDS = 5


def read(name: str, folder: Path | None, most: int | None) -> tuple[list[str], list[str]]:
    """Return texts and labels of a corpus, at most so many, drawn by lot."""
    if folder is None:
        corpus = datasets.load(name)
        texts, labels = list(corpus.texts), [str(label) for label in corpus.labels]
    else:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        texts, labels = [row["text"] for row in rows], [str(row["label"]) for row in rows]
    drawn = np.random.default_rng(7).permutation(len(texts))[:most].tolist()
    return [texts[i] for i in drawn], [labels[i] for i in drawn]


def plant(codes: Any, n_classes: int, share: float, seed: int) -> Any:
    """Return class numbers of which a share, drawn by lot, is replaced by others."""
    rng, wrong = np.random.default_rng(seed), codes.copy()
    for place in rng.permutation(len(codes))[: round(share * len(codes))]:
        wrong[place] = (codes[place] + rng.integers(1, n_classes)) % n_classes
    return wrong


def by_logistic_regression(plan: PlannedTests, n_classes: int) -> Any:
    """Return the probabilities of each part by a model of the others."""
    probabilities = np.zeros((len(plan.texts), n_classes))
    for learnt, tested in plan.folds:
        model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
        model.fit([plan.texts[i] for i in learnt], plan.codes[learnt])
        found = model.predict_proba([plan.texts[i] for i in tested])
        probabilities[np.ix_(tested, model.classes_)] = found
    return probabilities


def measure(texts: list[str], labels: list[str], share: float, seed: int) -> tuple[list[float], list[float], Share]:
    """Return the average precision and the CPU seconds of both sides, and our estimated share of wrong labels."""
    classes, codes = np.unique(labels, return_inverse=True)
    given = plant(codes, len(classes), share, seed)
    planned = cross_validation(texts, given.tolist(), None, N_FOLDS, seed)
    plan = PlannedTests("planted", texts, given, planned.folds, seed)
    start = time.process_time()
    ours, _ = predict_parts(plan, len(classes), 1, lambda step: None)
    own = 1 - ours[np.arange(len(given)), given]
    middle = time.process_time()
    theirs = by_logistic_regression(plan, len(classes))
    quality = get_label_quality_scores(given, theirs, method="self_confidence")
    end = time.process_time()
    precisions = [float(average_precision_score(given != codes, scores)) for scores in (own, -quality)]
    return precisions, [middle - start, end - middle], wrong_share(ours, given, group_documents(texts)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", default="r8,20news,bbcsport")
    parser.add_argument("--folder", type=Path, help="a folder of NAME.jsonl.gz, instead of the corpora by name")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--share", type=float, default=0.05, help="of the labels, to replace")
    parser.add_argument("--most", type=int, help="documents of a corpus, at most")
    arguments = parser.parse_args()
    describe_machine()
    print("| corpus | seed | audit | cleanlab | audit, s | cleanlab, s | estimated share of wrong labels |")
    print("|---|---|---|---|---|---|---|")
    rows = defaultdict(list)
    with threadpool_limits(1):
        for name in arguments.corpora.split(","):
            texts, labels = read(name, arguments.folder, arguments.most)
            for seed in range(arguments.seeds):
                precisions, seconds, share = measure(texts, labels, arguments.share, seed)
                rows[name].append([*precisions, *seconds, share.share])
                shown = " | ".join([f"{p:.3f}" for p in precisions] + [f"{s:.1f}" for s in seconds])
                estimate = f"{100 * share.share:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"
                print(f"| {name} | {seed} | {shown} | {estimate} |", flush=True)
    for name, found in rows.items():
        mean = np.mean(found, axis=0)
        shown = " | ".join([f"{p:.3f}" for p in mean[:2]] + [f"{s:.1f}" for s in mean[2:4]])
        print(f"| {name} | mean | {shown} | {100 * mean[4]:.1f} % |")


if __name__ == "__main__":
    main()
