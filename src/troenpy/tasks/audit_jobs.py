"""Predict each part of the documents by a model of the others, and say which terms speak against a label."""

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from troenpy.files.processes import is_worker, parallel_results
from troenpy.models.classifier import TroenpyClassifier
from troenpy.tasks.comparison_jobs import FEW_CHARACTERS, PlannedTests
from troenpy.tasks.learning import Step
from troenpy.tasks.strongest_terms import without_repetition

#: Documents of a part whose terms are looked up, at most: the least probable labels go first.
MOST_EXPLAINED = 500
N_TERMS = 5

#: Terms that speak for one label and against another, strongest first.
Against = list[tuple[str, float]]


class PartFound(NamedTuple):
    """The probabilities of the documents of a part, by class, and why some of their labels are doubted."""

    probabilities: NDArray[np.float32]
    against: dict[int, Against]


def predict_parts(
    plan: PlannedTests, n_classes: int, n_processes: int, tell: Callable[[Step], Any]
) -> tuple[NDArray[np.float64], dict[int, Against]]:
    """Return the probabilities of all documents, and the terms that speak against doubtful labels."""
    found = dict[int, PartFound]()
    items = [(plan.name, number, n_classes) for number in range(len(plan.folds))]

    def note(item: tuple[str, int, int], part: PartFound) -> None:
        found[item[1]] = part
        show()

    def show() -> None:
        tell(Step("predicting each part by a model of the others", len(found) / len(items)))

    show()
    n_characters = len(items) * sum(map(len, plan.texts))
    if n_processes == 1 or is_worker() or n_characters < FEW_CHARACTERS:
        for item in items:
            note(item, predict_part(plan, item[1], n_classes))
    else:
        _in_processes(plan, items, n_processes, show, note)
    probabilities = np.zeros((len(plan.texts), n_classes))
    against: dict[int, Against] = {}
    for number, fold in enumerate(plan.folds):
        probabilities[fold.tested] = found[number].probabilities
        against |= found[number].against
    return probabilities, against


def predict_part(plan: PlannedTests, number: int, n_classes: int) -> PartFound:
    """Fit to the other parts, and predict one."""
    learnt, tested = plan.folds[number]
    with threadpool_limits(1):
        model = TroenpyClassifier(random_state=plan.seed).fit([plan.texts[i] for i in learnt], plan.codes[learnt])
        probabilities = np.zeros((len(tested), n_classes), dtype=np.float32)
        probabilities[:, model.classes_] = model.predict_proba([plan.texts[i] for i in tested])
        given = plan.codes[tested]
        own = probabilities[np.arange(len(tested)), given]
        best = probabilities.argmax(axis=1)
        doubtful = np.flatnonzero(best != given)
        doubtful = doubtful[np.argsort(own[doubtful], kind="stable")[:MOST_EXPLAINED]]
        against = {
            int(tested[i]): _speaks_against(model, plan.texts[tested[i]], int(given[i]), int(best[i])) for i in doubtful
        }
    return PartFound(probabilities, against)


def _speaks_against(model: TroenpyClassifier, text: str, given: int, suggested: int) -> Against:
    """Return the terms that make the suggested class more probable than the given one."""
    found = model.explain(text, label=suggested)
    classes, shown = found.classes.tolist(), found.shown
    values = shown.values[:, classes.index(suggested)]
    if given in classes:
        values = values - shown.values[:, classes.index(given)]
    strength = {shown.names[i]: round(float(values[i]), 4) for i in np.argsort(-values, kind="stable") if values[i] > 0}
    terms = without_repetition(strength) or [*strength]
    return [(term, strength[term]) for term in terms[:N_TERMS]]


def _in_processes(
    plan: PlannedTests, items: list[tuple[str, int, int]], n_processes: int, show: Any, note: Any
) -> None:
    descriptor, path = tempfile.mkstemp(prefix="troenpy-", suffix=".json")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(plan.to_json())
        numbered = [(path, number, n_classes) for _, number, n_classes in items]
        parallel_results(_work, numbered, min(n_processes, len(items)), show, note)
    finally:
        Path(path).unlink(missing_ok=True)


def _work(item: tuple[str, int, int]) -> PartFound:
    path, number, n_classes = item
    return predict_part(_read_plan(path), number, n_classes)


@cache
def _read_plan(path: str) -> PlannedTests:
    return PlannedTests.from_json(Path(path).read_text(encoding="ascii"))
