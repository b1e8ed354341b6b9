"""Read the documents of a file, measure the error, and fit: in memory, as long as they are not too many."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from troenpy.fitting.memory import memory_size
from troenpy.records import LabelSummary, Records
from troenpy.records.chunk import Notices
from troenpy.tasks.documents import Documents, as_labels, documents, predicted_labels
from troenpy.tasks.evaluation import Evaluation, Label, evaluate
from troenpy.tasks.tested_parts import (
    TestedParts,
    drawn_parts,
    given_parts,
    is_learnt,
    is_tested,
    split_advice,
    unused_rows,
)

#: Characters of text that are learnt from in memory, at most: fitting takes about 120 bytes for each.
MOST_CHARACTERS, BYTES_PER_CHARACTER = 1 << 25, 120
#: Different cells of a column of splits that an error may name.
MOST_SPLITS = 5


@dataclass(frozen=True)
class Step:
    """What `train` is doing.

    Attributes
    ----------
    text : str
    done : float or None
        The part of this step that is done, if known.
    """

    text: str
    done: float | None = None


@dataclass
class Plan:
    """What decides how the file is learnt from."""

    model: Any
    split_column: str | None
    group_column: str | None
    seed: int
    in_memory: bool | None
    max_terms: int | None
    checkpoint: Path | None
    tell: Callable[[Step], Any]
    notices: Notices = field(default_factory=Notices)

    @property
    def column(self) -> str | None:
        """The column whose cells are read with the documents."""
        return self.split_column or self.group_column


@dataclass(frozen=True)
class Fitted:
    """A fitted model, and what it learnt from."""

    model: Any
    evaluation: Evaluation | None
    n_by_class: Counter[str]
    n_documents: int
    in_passes: bool


def read(records: Records, plan: Plan) -> tuple[Documents | None, LabelSummary]:
    """Return all documents, or None if they are too large; and what their labels are."""
    limit = _most_characters() if plan.in_memory is None else np.inf if plan.in_memory else -1
    summary, held = LabelSummary(" and ".join(records.label)), list[Documents]()
    splits, n_unused = set[str](), 0
    for found in documents(records, plan.column):
        batch = found
        if plan.split_column is not None and found.cells is not None:
            splits.update(sorted(set(found.cells))[:MOST_SPLITS])
            batch = found.select([i for i, cell in enumerate(found.cells) if is_learnt(cell) or is_tested(cell)])
            n_unused += len(found.texts) - len(batch.texts)
        summary.add(batch.texts, batch.labels)
        held.append(batch)
        if summary.n_characters > limit:
            held.clear()
        plan.tell(Step("reading", done(records)))
    if plan.split_column is not None and not summary.n_documents:
        raise ValueError(split_advice(plan.split_column, sorted(splits)))
    if n_unused:
        plan.notices.say(f"warning: {unused_rows(n_unused, plan.split_column or '', splits)}")
    if summary.n_characters > limit:
        return None, summary
    texts = [text for batch in held for text in batch.texts]
    labels = [label for batch in held for label in batch.labels]
    cells = None if plan.column is None else [cell for batch in held for cell in batch.cells or ()]
    return Documents(texts, labels, cells), summary


def _most_characters() -> float:
    memory = memory_size()
    return MOST_CHARACTERS if memory is None else min(MOST_CHARACTERS, memory / 4 / BYTES_PER_CHARACTER)


def done(records: Records) -> float | None:
    """Return the part of a file that is read, if its size is known."""
    return min(1.0, records.position / records.size) if records.size else None


def fit_in_memory(found: Documents, plan: Plan, *, measure: bool) -> Fitted:
    """Measure the error, and fit to all documents but those that are only for testing."""
    parts = None
    if plan.split_column is not None:
        parts = given_parts(found.cells or [], plan.split_column)
    elif measure:
        parts = drawn_parts(found, plan.seed)
        if parts is None:
            what = "documents" if found.cells is None else "different documents and groups"
            plan.notices.say(f"too few {what} to measure the error: the model is not tested")
    evaluation, model = _measure(found, parts, plan) if parts is not None else (None, None)
    if parts is not None and parts.is_given:
        found = found.select(others_of(found, parts.parts[0]))
    else:
        plan.tell(Step(f"fitting to {len(found.texts):,} documents"))
        model = clone(plan.model).fit(found.texts, as_labels(found.labels))
    return Fitted(model, evaluation, class_sizes(found.labels), len(found.texts), in_passes=False)


def _measure(found: Documents, parts: TestedParts, plan: Plan) -> tuple[Evaluation, Any]:
    """Return the result of the test, and the model of the last turn."""
    true, predicted, model = list[Label](), list[Label](), None
    for number, part in enumerate(parts.parts, start=1):
        turn = f", {number} of {len(parts.parts)}" if len(parts.parts) > 1 else ""
        plan.tell(Step(f"measuring the error{turn}", (number - 1) / len(parts.parts)))
        learnt, tested = found.select(others_of(found, part)), found.select(part)
        model = clone(plan.model).fit(learnt.texts, as_labels(learnt.labels))
        true += tested.labels
        predicted += predicted_labels(model, tested.texts)
    return evaluate(parts.method, true, predicted), model


def others_of(found: Documents, part: Any) -> Any:
    """Return the places of the documents that are not in a part."""
    is_other = np.ones(len(found.texts), dtype=bool)
    is_other[part] = False
    return np.flatnonzero(is_other)


def class_sizes(labels: Sequence[Label]) -> Counter[str]:
    """Return the number of documents of each class."""
    return Counter(name for label in labels for name in ((label,) if isinstance(label, str) else label))
