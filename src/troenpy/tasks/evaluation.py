"""How well a model predicts documents that it did not learn from: error, classes, and what is confused with what."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from troenpy.display import printable
from troenpy.experiments.significance import wilson_interval

#: The label of a document, or its labels.
Label = str | tuple[str, ...]


@dataclass(frozen=True)
class ClassResult:
    """Documents of a class, those predicted to be in it, and those of both."""

    name: str
    n_documents: int
    n_predicted: int
    n_correct: int

    @property
    def precision(self) -> float | None:
        """The part of the documents predicted to be in the class that are; None if there are none."""
        return self.n_correct / self.n_predicted if self.n_predicted else None

    @property
    def recall(self) -> float | None:
        """The part of the documents of the class that were predicted to be; None if there are none."""
        return self.n_correct / self.n_documents if self.n_documents else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        total = self.n_documents + self.n_predicted
        return 2 * self.n_correct / total if total else None


@dataclass(frozen=True)
class Evaluation:
    """The result of a test.

    Attributes
    ----------
    method : str
        How the error was measured.
    n_documents, n_wrong : int
        Tested documents, and those predicted wrongly; with several labels, those without exactly the right ones.
    classes : tuple of ClassResult
    confused : tuple of (str, str, int)
        Class, predicted class and number of documents, most frequent first; empty with several labels.
    has_sets : bool
        Whether a document may have several labels, or none.
    """

    method: str
    n_documents: int
    n_wrong: int
    classes: tuple[ClassResult, ...]
    confused: tuple[tuple[str, str, int], ...] = ()
    has_sets: bool = False

    @property
    def error(self) -> float:
        """The part of the documents predicted wrongly."""
        return self.n_wrong / self.n_documents

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the error."""
        return wilson_interval(self.n_wrong, self.n_documents)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        low, high = self.interval
        return {
            "method": self.method,
            "n_documents": self.n_documents,
            "n_wrong": self.n_wrong,
            "error": self.error,
            "interval": [low, high],
            "classes": [
                {
                    "class": one.name,
                    "n_documents": one.n_documents,
                    "n_predicted": one.n_predicted,
                    "n_correct": one.n_correct,
                    "precision": one.precision,
                    "recall": one.recall,
                    "f1": one.f1,
                }
                for one in self.classes
            ],
            "confused": [{"class": true, "predicted": given, "n_documents": n} for true, given, n in self.confused],
        }

    def __str__(self) -> str:
        low, high = self.interval
        wrong = " (all whose labels are not exactly the right ones)" if self.has_sets else ""
        return (
            f"error {100 * self.error:.2f} % (95 % interval {100 * low:.2f} to {100 * high:.2f} %),"
            f" {self.n_wrong:,} of {self.n_documents:,} documents{wrong}, {printable(self.method)}"
        )

    __repr__ = __str__


def evaluate(method: str, true: Sequence[Label], predicted: Sequence[Label]) -> Evaluation:
    """Compare predictions with labels.

    Parameters
    ----------
    method : str
    true, predicted : sequences of str, or of tuples of str

    Examples
    --------
    >>> evaluate("held out", ["a", "a", "b", "b"], ["a", "b", "b", "b"])
    error 25.00 % (95 % interval 4.56 to 69.94 %), 1 of 4 documents, held out
    """
    n_true, n_predicted, n_correct = Counter[str](), Counter[str](), Counter[str]()
    confused = Counter[tuple[str, str]]()
    for label, given in zip(true, predicted, strict=True):
        n_true.update(_names(label))
        n_predicted.update(_names(given))
        n_correct.update(set(_names(label)).intersection(_names(given)))
        if isinstance(label, str) and isinstance(given, str) and label != given:
            confused[label, given] += 1
    classes = [
        ClassResult(name, n_true[name], n_predicted[name], n_correct[name]) for name in sorted(n_true | n_predicted)
    ]
    n_wrong = sum(set(_names(label)) != set(_names(given)) for label, given in zip(true, predicted, strict=True))
    pairs = sorted(confused.items(), key=lambda pair: (-pair[1], pair[0]))
    has_sets = any(not isinstance(label, str) for label in true)
    return Evaluation(method, len(true), n_wrong, tuple(classes), tuple((*names, n) for names, n in pairs), has_sets)


def _names(label: Label) -> Iterable[str]:
    return (label,) if isinstance(label, str) else label
