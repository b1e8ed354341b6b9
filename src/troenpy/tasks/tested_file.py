"""A file with test documents: it is checked before hours of training, not after."""

from collections.abc import Callable
from typing import Any

from troenpy.records import LabelSummary, Records, open_records
from troenpy.records.wording import counted, listed, quoted
from troenpy.tasks.documents import documents, has_sets, predicted_labels
from troenpy.tasks.evaluation import Evaluation, Label, evaluate
from troenpy.tasks.learning import Step, done

#: So many unknown labels are named.
N_SHOWN = 5


class TestedFile:
    """An open file with test documents; `with` closes it.

    Parameters
    ----------
    test : path-like, "-" or binary file
    reading : dict
        How it is read, as the training file was.
    tell : callable
        Called with a Step.
    """

    __test__ = False  # pytest takes it for a test

    def __init__(self, test: Any, reading: dict[str, Any], tell: Callable[[Step], Any]) -> None:
        self._tell = tell
        self.records: Records = open_records(test, **reading, spool=True)

    def __enter__(self) -> "TestedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.records.close()

    def check(self, learnt: LabelSummary, *, are_sets: bool) -> list[str]:
        """Read all of it once; return warnings.

        Raises
        ------
        ValueError
            If it has no documents, or another kind of labels than the training file.
        """
        name, found = self.records.name, LabelSummary(" and ".join(self.records.label))
        if self.records.has_sets != are_sets:
            kinds = {True: "several labels in a row", False: "one label in each row"}
            raise ValueError(
                f"{name} has {kinds[self.records.has_sets]}, the training file {kinds[are_sets]}: name the same"
                " separator or columns of labels"
            )
        for batch in documents(self.records):
            found.add(batch.texts, batch.labels)
            self._tell(Step(f"reading {name}", done(self.records)))
        if not found.n_documents:
            raise ValueError(f"{name} has no documents to test on")
        return [*_copies(learnt, found, name), *_unknown(learnt, found, name)]

    def evaluate(self, model: Any) -> Evaluation:
        """Return how well a model predicts it."""
        true, predicted = list[Label](), list[Label]()
        for batch in documents(self.records):
            self._tell(Step(f"testing on {self.records.name}", done(self.records)))
            true += batch.labels
            predicted += predicted_labels(model, batch.texts)
        assert has_sets(true) == has_sets(predicted)  # noqa: S101 (checked before training)
        return evaluate(self.records.name, true, predicted)


def _copies(learnt: LabelSummary, found: LabelSummary, name: str) -> list[str]:
    n_known = learnt.n_known(found)
    if not n_known:
        return []
    verb = "have" if n_known > 1 else "has"
    return [
        f"{n_known:,} of {counted(found.n_documents, 'document')} of {name} {verb} a text that is in the training file,"
        " too: the error of new ones is larger"
    ]


def _unknown(learnt: LabelSummary, found: LabelSummary, name: str) -> list[str]:
    unknown = sorted(set(found.n_by_class) - set(learnt.n_by_class))
    if not unknown:
        return []
    shown = listed([quoted(label) for label in unknown[:N_SHOWN]] + ["others"] * (len(unknown) > N_SHOWN))
    n_documents, verb = sum(found.n_by_class[label] for label in unknown), "are" if len(unknown) > 1 else "is"
    return [
        f"{counted(len(unknown), 'label')} of {name} {verb} not in the training file, and never predicted: {shown}"
        f" ({counted(n_documents, 'document')})"
    ]
