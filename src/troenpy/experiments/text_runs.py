"""Run methods from raw text on corpora: one resumable row per corpus, split and method, with errors and seconds."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from troenpy.datasets.corpora import Corpus
from troenpy.experiments.journal import PROTOCOL, Journal, Key, Row, open_journal, pack_bits, pack_numbers, versions
from troenpy.experiments.probabilities import calibration_error, document_losses
from troenpy.experiments.splits import TEST_SIZE, fingerprint
from troenpy.experiments.text_methods import TextMethod
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.files.drafts import FilePath


@dataclass(frozen=True, eq=False)
class TextSplit:
    """Texts and labels of a training and a test part; the seed is None for a given split.

    With `keeps_predictions`, rows say what was predicted for each document, and terms are not counted; the classes
    must then be numbers.
    """

    corpus: str
    fingerprint: str
    seed: int | None
    texts: list[str]
    labels: NDArray[Any]
    test_texts: list[str]
    truth: NDArray[Any]
    train_fraction: float = 1.0
    keeps_predictions: bool = False

    @cached_property
    def n_terms(self) -> int:
        """Number of words in the training part, with symbols."""
        return (
            0
            if self.keeps_predictions
            else len(CountVectorizer(analyzer="text").fit(self.texts).get_feature_names_out())
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method predicted for the test part, and the seconds for fitting and predicting classes."""

    predicted: NDArray[Any]
    probabilities: Any
    wall_seconds: float
    cpu_seconds: float
    fit_seconds: float


def run_text_methods(
    corpora: Iterable[Corpus],
    methods: Sequence[TextMethod],
    *,
    splits: int = 5,
    out: FilePath | None = None,
    on_row: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Fit each method on the raw texts of each training part, and predict the test part, on one thread.

    Parameters
    ----------
    corpora : iterable of Corpus
        Read one at a time.
    methods : sequence of TextMethod
    splits : int, default=5
        Number of random 80/20 splits, with the seeds 0, 1, ..., of a corpus without a given split.
    out : path-like, optional
        A JSON lines file. Rows are appended as they are computed, and those in it are not computed again.
    on_row : callable, optional
        Called with every new row.

    Returns
    -------
    list of Row
        Of these corpora, splits and methods.
    """
    settings = {method.name: settings_of(method.new()) for method in methods}  # fails early if a package is missing
    used = versions(*(package for method in methods for package in method.packages))
    rows = []
    with open_journal(out) as journal, threadpool_limits(1):
        for split in (split for corpus in corpora for split in text_splits(corpus, splits)):
            journal.check({(split.corpus, False): split.fingerprint}, used)
            for method in methods:
                row = _find(journal, split, method, settings[method.name])
                if row is None:
                    row = evaluate(split, method)
                    journal.append(row)
                    if on_row is not None:
                        on_row(row)
                rows.append(row)
    return rows


def text_splits(corpus: Corpus, n_splits: int) -> Iterator[TextSplit]:
    """Yield the given split of a corpus, or random ones."""
    texts, labels, checksum = np.array(corpus.texts, dtype=object), corpus.labels, fingerprint(corpus)
    given = corpus.split
    for seed in range(n_splits) if given is None else [None]:
        if given is None:
            train, test = train_test_split(np.arange(len(texts)), test_size=TEST_SIZE, random_state=seed)
        else:
            train, test = (np.flatnonzero(given == part) for part in ("train", "test"))
        parts = texts[train].tolist(), labels[train], texts[test].tolist(), labels[test]
        yield TextSplit(corpus.name, checksum, seed, *parts)


def evaluate(split: TextSplit, method: TextMethod) -> Row:
    """Return the row of one method on one split."""
    model = method.new()
    settings = settings_of(model)
    outcome = _fit_and_predict(model, split, method)
    correct = np.asarray(outcome.predicted == split.truth, dtype=bool)
    n_wrong = int((~correct).sum())
    losses, calibration = _quality(outcome.probabilities, model.classes_, split.truth, correct)
    kept = split.keeps_predictions
    return Row(
        protocol=PROTOCOL,
        corpus=split.corpus,
        fingerprint=split.fingerprint,
        deduplicated=False,
        train_fraction=split.train_fraction,
        seed=split.seed,
        method=method.name,
        n_train=len(split.texts),
        n_test=len(correct),
        n_terms=split.n_terms,
        n_wrong=n_wrong,
        error=n_wrong / len(correct),
        correct=pack_bits(correct),
        wall_seconds=outcome.wall_seconds,
        cpu_seconds=outcome.cpu_seconds,
        versions=versions(*method.packages),
        log_loss=None if losses is None else round(float(losses.mean()), 6),
        calibration_error=calibration,
        settings=settings,
        chosen=_chosen(model),
        fit_seconds=outcome.fit_seconds,
        predicted=pack_numbers(outcome.predicted, "<i4") if kept else None,
        losses=pack_numbers(losses, "<f4") if kept and losses is not None else None,
    )


def _fit_and_predict(model: Any, split: TextSplit, method: TextMethod) -> Outcome:
    """Fit a classifier, and predict the class of each test document, which is timed; then the probabilities.

    Pretrained methods encode the test part once, for both.
    """
    probabilities = None
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        model.fit(split.texts, split.labels)
        fitted = time.perf_counter() - wall
        if method.group == "pretrained":
            probabilities = model.predict_proba(split.test_texts)
            predicted = model.classes_[probabilities.argmax(axis=1)]
        else:
            predicted = model.predict(split.test_texts)
    except ValueError as error:
        raise ValueError(f"{method.name!r} on {split.corpus}: {error}") from None
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if method.has_probabilities and probabilities is None:
        probabilities = model.predict_proba(split.test_texts)
    return Outcome(predicted, probabilities, round(wall, 6), round(cpu, 6), round(fitted, 6))


def settings_of(model: Any) -> str:
    """Return a classifier with its parameters on one line: our classes with all, as their defaults may change."""
    if hasattr(model, "new_features"):
        model = clone(model).set_params(features=model.new_features())
    with config_context(print_changed_only=not type(model).__module__.startswith("troenpy")):
        return " ".join(model.__repr__(N_CHAR_MAX=10**6).split())


def _find(journal: Journal, split: TextSplit, method: TextMethod, settings: str) -> Row | None:
    return find_row(journal, (split.corpus, False, split.train_fraction, None, split.seed, method.name), settings)


def find_row(journal: Journal, key: Key, settings: str) -> Row | None:
    """Return the row that was computed before, if any."""
    row = journal.rows.get(key)
    if row is not None and row.settings != settings:
        raise ValueError(
            f"the row of {row.method!r} on {row.corpus} was made with other settings:"
            " remove the rows of this method, or write to another file"
        )
    return row


def _chosen(model: Any) -> str | None:
    """Return what a fitted classifier chose, such as "C=10" or "pairs + pieces, C=10"."""
    if not hasattr(model, "C_"):
        return None
    views = [" + ".join(model.choice_.views)] if hasattr(model, "choice_") else []
    return ", ".join([*views, f"C={model.C_:g}"])


def _quality(
    probabilities: Any, classes: NDArray[Any], truth: NDArray[Any], correct: NDArray[np.bool_]
) -> tuple[NDArray[np.float64] | None, float | None]:
    """Return the log loss of each document and the calibration error, if there are probabilities."""
    if probabilities is None:
        return None, None
    columns = {label: column for column, label in enumerate(classes.tolist())}
    codes = [columns.get(label, -1) for label in truth.tolist()]
    return document_losses(probabilities, codes), round(calibration_error(probabilities, correct), 6)
