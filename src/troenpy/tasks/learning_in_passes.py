"""Learn from a file that is too large for memory, in passes over it; some documents are held out."""

from collections import Counter
from collections.abc import Generator
from contextlib import closing
from typing import Any

from sklearn.base import clone

from troenpy.features.checkpoints import Checkpoint
from troenpy.models.document_passes import Progress
from troenpy.records import LabelSummary, Records
from troenpy.tasks.documents import Documents, as_labels, documents, predicted_labels
from troenpy.tasks.evaluation import Label, evaluate
from troenpy.tasks.learning import Fitted, Plan, Step, class_sizes, others_of
from troenpy.tasks.tested_parts import MOST_TESTED, hash_of, is_learnt, is_tested, split_advice

#: Of documents that do not fit in memory, the part that is held out at most, and their characters.
HELD_OUT, HELD_OUT_CHARACTERS = 0.2, 1 << 26


def fit_in_passes(records: Records, plan: Plan, summary: LabelSummary, *, measure: bool) -> Fitted:
    """Learn from a file that is too large for memory; some documents are held out, by hash, and only tested."""
    if not hasattr(plan.model, "fit_batches"):
        what = "cannot be learnt from in passes by" if plan.in_memory is False else "is too large for"
        raise ValueError(
            f"{records.name} {what} model 'knn', which keeps all documents in memory: use model 'linear', or"
            " in_memory=True (--in-memory)"
        )
    share = 0.0
    if measure and plan.split_column is None:
        by_number = MOST_TESTED / summary.n_documents
        share = min(HELD_OUT, by_number, HELD_OUT_CHARACTERS / summary.n_characters)
    held_out = _HeldOut(plan, share)
    because = "" if plan.in_memory is False else " is too large for memory: it"
    plan.notices.say(f"{records.name}{because} is learnt from in passes")
    model = clone(plan.model)
    with closing(held_out.batches(records)) as batches:
        model.fit_batches(
            batches,
            max_terms=plan.max_terms,
            checkpoint=_checkpoint(plan),
            callback=lambda progress: plan.tell(_step(progress)),
        )
    evaluation = None
    if held_out.labels:
        plan.tell(Step("measuring the error"))
        method = "held out once"
        if plan.split_column is not None:
            method = f"the rows with {plan.split_column} = test"
        evaluation = evaluate(method, held_out.labels, predicted_labels(model, held_out.texts))
    elif plan.split_column is not None:
        raise ValueError(split_advice(plan.split_column, [*held_out.splits]))
    kept = [view.name for view in model.features_.views_ if view.counts.kept_above > 0]
    if kept:
        plan.notices.say(
            f"there are more than {max(view.n_terms for view in model.features_.views_):,} different terms"
            f" ({', '.join(kept)}): the counts of rare ones are approximate"
        )
    n_learnt = summary.n_documents - len(held_out.labels)
    return Fitted(model, evaluation, held_out.n_by_class, n_learnt, in_passes=True)


class _HeldOut:
    """Splits batches into documents to learn from, and documents that are kept for testing."""

    def __init__(self, plan: Plan, share: float) -> None:
        self._plan, self._limit = plan, share * 2.0**64
        self.texts, self.labels = list[str](), list[Label]()
        self.n_by_class, self.splits = Counter[str](), set[str]()

    def batches(self, records: Records) -> Generator[tuple[list[str], Any], None, None]:
        """Yield texts and labels to learn from."""
        for batch in documents(records, self._plan.column):
            tested = [i for i in range(len(batch.texts)) if self._is_tested(batch, i)]
            learnt = [i for i in others_of(batch, tested).tolist() if self._is_learnt(batch, i)]
            self.texts += [batch.texts[i] for i in tested]
            self.labels += [batch.labels[i] for i in tested]
            chosen = batch.select(learnt)
            self.n_by_class.update(class_sizes(chosen.labels))
            yield chosen.texts, as_labels(chosen.labels)

    def _is_tested(self, batch: Documents, i: int) -> bool:
        if self._plan.split_column is not None:
            self.splits.update((batch.cells or [])[i : i + 1] if len(self.splits) < 10 else ())
            return is_tested((batch.cells or [])[i])
        group = batch.texts[i] if batch.cells is None else batch.cells[i]
        return hash_of(group, self._plan.seed) < self._limit

    def _is_learnt(self, batch: Documents, i: int) -> bool:
        return self._plan.split_column is None or is_learnt((batch.cells or [])[i])


def _checkpoint(plan: Plan) -> Checkpoint | None:
    """Return where counts are saved; those of an earlier command that was not the same are given up."""
    if plan.checkpoint is None:
        return None
    stale = "the counts that an earlier command left behind are of other documents or settings: terms are counted again"
    return Checkpoint(plan.checkpoint, on_stale=lambda: plan.notices.say(stale))


def _step(progress: Progress) -> Step:
    texts = {
        "reading": "reading again",
        "choosing": "choosing C and views",
        "counting": "counting terms",
        "learning": f"learning, pass {progress.n_pass}",
    }
    return Step(texts[progress.stage], progress.done)
