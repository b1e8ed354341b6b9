"""The solver by documents, terms and classes, against scikit-learn's lbfgs: seconds, loss and peak memory (Linux).

Texts are made up as in classes.py; every measurement is a process of its own with one BLAS thread, ours and theirs by
turns. On the same matrix (TF-IDF, float64), both run until the loss is within 0.1 % of its minimum: with the largest
tol of ours, and the least max_iter of theirs, of a series that gets there. From text, both run as they come, with C = 1
and one view of words: that of `settings.classifier("linear")`. The minimum is ours at tol=1e-4.

    python benchmarks/solver.py                              # the grid
    python benchmarks/solver.py --shapes 10000x2x12 1000000x2x12 --only ours   # documents x classes x words: growth
    python benchmarks/solver.py --data FOLDER --corpora r8 20news
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from classes import made_up, peak
from classifier import read
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from troenpy import settings
from troenpy._kernel.solver import Part
from troenpy.models.logistic import Design, fit_logistic

SHAPES = ["10000x2x30", "186000x2x12", "20000x20x30", "18000x150x12", "5000x400x30", "20000x1000x30"]
NEAR = 1e-3
#: What is tried: our tol, their max_iter.
TOLERANCES = [0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03]
STEPS = [round(8 * 1.25**i) for i in range(22)]


def texts_of(shape: str, folder: Path | None) -> tuple[list[str], list[str]]:
    """Return texts and labels of a shape, or of the training part of a corpus."""
    if folder is not None:
        corpus = read(folder / f"{shape}.jsonl.gz")
        return corpus.texts, corpus.labels
    n_documents, n_classes, length = map(int, shape.split("x"))
    texts, labels = made_up(n_documents, n_classes)
    return [" ".join(text.split()[:length]) for text in texts], labels


def loss_of(X: Any, codes: NDArray[Any], coef: NDArray[Any], intercept: NDArray[Any], C: float) -> float:
    """Return C x log losses + half the squared coefficients, some documents at a time."""
    total = 0.0
    for first in range(0, X.shape[0], 10_000):
        part = slice(first, first + 10_000)
        z = np.asarray(X[part] @ coef.T) + intercept
        z = np.hstack([np.zeros_like(z), z]) if len(coef) == 1 else z
        top = z.max(axis=1)
        own = z[np.arange(len(z)), codes[part]]
        total += float((np.log(np.exp(z - top[:, np.newaxis]).sum(axis=1)) + top - own).sum())
    return C * total + float((coef**2).sum()) / 2


def measure(job: str, shape: str, folder: Path | None, C: float, effort: float) -> dict[str, float]:
    """Time one fit, in this process."""
    texts, labels = texts_of(shape, folder)
    if job.startswith("text"):
        pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression(C=C))
        model: Any = settings.classifier("linear", C=C) if job == "text-ours" else pipeline
        before, start = peak(), time.process_time()
        model.fit(texts, labels)
        return {"seconds": time.process_time() - start, "peak": peak(), "before": before}
    X = TfidfVectorizer().fit_transform(texts)
    del texts
    classes, codes = np.unique(labels, return_inverse=True)
    before, start = peak(), time.process_time()
    if job == "theirs":
        theirs = LogisticRegression(C=C, max_iter=int(effort), tol=1e-12).fit(X, codes)
        coef, intercept, n_iter = theirs.coef_, theirs.intercept_, int(theirs.n_iter_[0])
    else:
        tol = {"ours": effort, "default": None, "minimum": 1e-4}[job]
        coef, intercept, n_iter = fit_logistic(Design(Part(X)), codes, len(classes), C=C, tol=tol)
    taken, most = time.process_time() - start, peak()
    loss = loss_of(X, codes, coef, intercept, C)
    return {"seconds": taken, "peak": most, "before": before, "loss": loss, "n_iter": n_iter, "n_terms": X.shape[1]}


def run(job: str, shape: str, options: argparse.Namespace, effort: float = 0) -> dict[str, float]:
    """Measure in a process of its own."""
    given = ["--measure", job, "--shapes", shape, "--C", str(options.C), "--effort", str(effort)]
    given += ["--data", str(options.data)] if options.data else []
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, __file__, *given], check=True, capture_output=True, env=alone)  # noqa: S603
    return json.loads(done.stdout)


def least_effort(job: str, shape: str, minimum: float, options: argparse.Namespace) -> float:
    """Return the first of the series that gets near the minimum."""
    series = TOLERANCES if job == "ours" else STEPS
    found = (effort for effort in series if run(job, shape, options, effort)["loss"] <= (1 + NEAR) * minimum)
    return next(found, series[-1])


def compare(shape: str, options: argparse.Namespace) -> None:
    """Print one row."""
    if options.only == "ours":
        row = run("default", shape, options)
        per_document = 1e6 * row["seconds"] / int(shape.split("x")[0])
        print(f"{shape} | {row['seconds']:.2f} s | {row['n_iter']} rounds | {per_document:.2f} | {row['peak']:.0f} MB")
        return
    minimum = run("minimum", shape, options)["loss"]
    efforts = {job: least_effort(job, shape, minimum, options) for job in ("ours", "theirs")}
    rows: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": [], "text-ours": [], "text-theirs": []}
    for _ in range(options.repeats):
        for job, found in rows.items():
            found.append(run(job, shape, options, efforts.get(job, 0)))
    best = {job: min(found, key=lambda row: row["seconds"]) for job, found in rows.items()}
    cells = [shape, f"{best['ours']['n_terms']:,}"]
    for ours, theirs in (("ours", "theirs"), ("text-ours", "text-theirs")):
        fast, slow = best[ours], best[theirs]
        cells += [f"{slow['seconds']:.2f} s", f"{fast['seconds']:.2f} s", f"{slow['seconds'] / fast['seconds']:.1f}"]
        if ours == "ours":
            cells += [f"{100 * (row['loss'] / minimum - 1):.3f} % ({row['n_iter']})" for row in (slow, fast)]
        cells += [f"{slow['peak'] - slow['before']:.0f} / {fast['peak'] - fast['before']:.0f} MB"]
    print(" | ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=SHAPES, help="documents x classes x words of a document")
    parser.add_argument("--data", type=Path, help="a folder of corpora, as of classifier.py")
    parser.add_argument("--corpora", nargs="+", help="take these as shapes")
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--only", choices=["ours"], help="the default of ours on the matrix alone, per document")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--effort", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.shapes[0], options.data, options.C, options.effort)))
        return
    if options.only == "ours":
        print("shape | seconds | rounds | microseconds a document | peak memory")
    else:
        print("shape | terms | same matrix: lbfgs | ours | times | loss of lbfgs (steps) | of ours (rounds)", end="")
        print(" | memory added, lbfgs / ours | from text: TF-IDF + lbfgs | ours | times | memory added")
    for shape in options.corpora or options.shapes:
        compare(shape, options)


if __name__ == "__main__":
    main()
