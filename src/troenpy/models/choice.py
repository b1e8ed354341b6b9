"""Choose C, and which views of a text to use, by the log loss of training documents that are held out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from troenpy.display.frames import data_frame, html_table, text_table
from troenpy.features.counted_documents import CountedDocuments
from troenpy.features.term_features import TermFeatures
from troenpy.models.held_out import HeldOut, choose_folds
from troenpy.models.losses import Floats

#: What C is chosen from.
STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0)
#: Where the search begins, and what is used if nothing can be held out.
USUAL_STRENGTH = 3.0

#: Views are not chosen if they have more: fitting holds 20 bytes for each, 4 GB in all.
MOST_COEFFICIENTS = 2 * 10**8

Losses = tuple[float, float]


@dataclass(frozen=True)
class Trial:
    """Some views with some C, and how well held-out documents were predicted."""

    views: tuple[str, ...]
    C: float
    log_loss: float
    error: float


@dataclass(frozen=True)
class Choice:
    """Which views and which C are used, and what they were chosen from: a table in a terminal or notebook.

    Attributes
    ----------
    views : tuple of str
    C : float
    trials : tuple of Trial
        In the order in which they were tried; empty if nothing was chosen, or if too few documents could be held out.
    n_documents, n_held_out, n_turns : int
        How many training documents were used for the choice, and how many of them were held out, in how many turns.
    """

    views: tuple[str, ...]
    C: float
    trials: tuple[Trial, ...] = ()
    n_documents: int = 0
    n_held_out: int = 0
    n_turns: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON data."""
        found = asdict(self)
        trials = [{**trial, "views": list(trial["views"])} for trial in found["trials"]]
        return {**found, "views": list(self.views), "trials": trials}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "Choice":
        """Rebuild the result of `to_dict`."""
        trials = tuple(
            Trial(tuple(map(str, trial["views"])), float(trial["C"]), float(trial["log_loss"]), float(trial["error"]))
            for trial in fields["trials"]
        )
        numbers = (int(fields[name]) for name in ("n_documents", "n_held_out", "n_turns"))
        return cls(tuple(map(str, fields["views"])), float(fields["C"]), trials, *numbers)

    def to_frame(self) -> Any:
        """Return the trials as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
        """
        columns = [[getattr(trial, name) for trial in self.trials] for name in ("C", "log_loss", "error")]
        views = [" + ".join(trial.views) for trial in self.trials]
        return data_frame(["views", "C", "log_loss", "error"], [views, *columns])

    def __str__(self) -> str:
        title = f"{' + '.join(self.views)}, C = {self.C:g}"
        if not self.trials:
            return title
        turns = "once" if self.n_turns == 1 else f"in {self.n_turns} turns"
        about = f"{self.n_held_out:,} of {self.n_documents:,} training documents held out, {turns}:"
        return "\n".join([title, about, *text_table([HEADER, *self._rows()])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(HEADER, self._rows())

    def _rows(self) -> list[list[str]]:
        return [
            [" + ".join(trial.views), f"{trial.C:g}", f"{trial.log_loss:.4f}", f"{100 * trial.error:.2f} %"]
            for trial in self.trials
        ]


HEADER = ["views", "C", "log loss", "error"]


def choose(
    features: TermFeatures,
    counted: CountedDocuments,
    class_weights: Floats,
    candidates: Sequence[tuple[str, ...]],
    strengths: Sequence[float],
    random_state: Any,
) -> Choice:
    """Return the candidate and the C with the least log loss of held-out documents; of equal ones, the first tried.

    With too few documents, it is the last candidate, with the usual C. Candidates but the first are left out if they
    have more than MOST_COEFFICIENTS.

    Parameters
    ----------
    features : TermFeatures
    counted : CountedDocuments
        Not changed.
    class_weights : ndarray of shape (n_classes,)
        Factors of the losses, for single labels.
    candidates : sequence of tuples of names of views
        The search for C begins with the best one of the candidates before.
    strengths : sequence of float
        Ascending.
    random_state : int, RandomState or None
    """
    candidates = affordable(counted, candidates)
    usual = Choice(candidates[-1], USUAL_STRENGTH if USUAL_STRENGTH in strengths else strengths[0])
    folds = choose_folds(counted, random_state) if len(candidates) * len(strengths) > 1 else None
    if folds is None:
        return usual
    if len(folds.documents) < len(counted.labels):
        counted = counted.part(folds.documents)
    trials, C = list[Trial](), usual.C
    for views in candidates:
        held_out = HeldOut(features, counted.of_views(views), class_weights, folds.held_out)
        trials += [Trial(views, *found) for found in search(held_out.losses, strengths, C)]
        best = min(trials, key=lambda trial: trial.log_loss)
        C = best.C
    if not np.isfinite(best.log_loss):  # no part of the documents could be learnt from
        return usual
    n_held_out = sum(map(len, folds.held_out))
    return Choice(best.views, best.C, tuple(trials), len(folds.documents), n_held_out, len(folds.held_out))


def with_terms(counted: CountedDocuments, candidates: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the candidates of which every view was counted; views without terms are not."""
    present = {view.name for view in counted.views}
    found = [views for views in candidates if present.issuperset(views)]
    if not found:
        missing = next(name for name in candidates[-1] if name not in present)
        raise ValueError(
            f"view {missing!r} has no terms, and no candidate does without it: check its min_df and stop_words"
        )
    return found


def affordable(counted: CountedDocuments, candidates: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the first candidate, and the others that do not have too many coefficients."""
    first, *others = candidates
    return [first, *(views for views in others if n_coefficients(counted.of_views(views)) <= MOST_COEFFICIENTS)]


def n_coefficients(counted: CountedDocuments) -> int:
    """Return about how many coefficients a model of all views has, if no block is dropped."""
    n_classes = len(counted.labels.classes)
    n_decisions = 1 if n_classes == 2 and counted.labels.is_list else n_classes
    pairs = zip(counted.views, counted.rows, strict=True)
    return n_decisions * sum(rows.matrix.shape[1] * len(view.blocks) for view, rows in pairs)


def search(
    losses: Callable[[float], Losses], strengths: Sequence[float], start: float
) -> Iterator[tuple[float, float, float]]:
    """Yield C and its losses: up from the start while the first loss falls, and down if it did not fall at once.

    Examples
    --------
    >>> [C for C, *_ in search(lambda C: (abs(C - 1), 0), (0.3, 1, 3, 10), 3)]
    [3, 10, 1, 0.3]
    """
    first = strengths.index(start)
    found = losses(start)
    yield start, *found
    for onward in (strengths[first + 1 :], strengths[:first][::-1]):
        least, has_fallen = found[0], False
        for C in onward:
            by_C = losses(C)
            yield C, *by_C
            if not by_C[0] < least:
                break
            least, has_fallen = by_C[0], True
        if has_fallen:
            return
