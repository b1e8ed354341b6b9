"""Audit labels: which are probably wrong, why, how many, and which classes are hard to tell apart."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.experiments.confident_learning import class_thresholds, confident_classes, joint_estimate, wrong_share
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_whole
from troenpy.tasks.audit_jobs import Against, predict_parts
from troenpy.tasks.audit_result import Audit, ConfusedPair, Contradiction, Neighbour, Suspect
from troenpy.tasks.comparison_jobs import PlannedTests
from troenpy.tasks.folds import Folds, cross_validation
from troenpy.tasks.learning import Step
from troenpy.tasks.nearest_texts import nearest_texts
from troenpy.tasks.tested_parts import group_documents
from troenpy.tasks.text_data import TextData, check_texts, read_texts

N_FOLDS = 5
#: Classes with fewer different texts are not judged: a model of the other parts has hardly seen them.
LEAST_TEXTS = 5
N_NEAREST = 3
#: Rows whose neighbours are looked up, at most.
MOST_NEAREST = 2000
#: Characters that are kept of a neighbour.
MOST_NEAR = 160

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Tell = Callable[[Step], Any]


def audit(
    texts: Any,
    labels: Any,
    *,
    groups: Any = None,
    folds: int = N_FOLDS,
    seed: int = 0,
    jobs: int | None = -1,
    callback: Tell | None = None,
    on_notice: Callable[[str], Any] | None = None,
) -> Audit:
    """Find labels that are probably wrong, and say why.

    Each text is judged by a model that has learnt from other texts only; copies of a text are on one side. Rows whose
    label is less probable than another are suspects; the less probable the label, the higher they rank.

    Parameters
    ----------
    texts : iterable of str or bytes, array, Series or Arrow string data
    labels : array-like
        One label for each text.
    groups : array-like, optional
        Texts of the same group, such as an author, are on one side.
    folds : int, default=5
    seed : int, default=0
    jobs : int or None, default=-1
        Number of processes; -1 means one per processor.
    callback : callable, optional
        Called with an object with the attributes `text` and `done`.
    on_notice : callable, optional
        Called with a line for all that is sniffed, guessed, decided or suspicious, before models are fitted.

    Returns
    -------
    Audit

    Notes
    -----
    The share of wrong labels is the estimate of confident learning (Northcutt et al. 2021) from the same probabilities,
    and its interval is that of a bootstrap over texts. Where classes are hard to tell apart it is too high. Classes of
    fewer than five different texts are not judged.

    Examples
    --------
    >>> import troenpy
    >>> texts = [f"{word} number {n}" for n in range(20) for word in ("goal", "match", "vote", "law")]
    >>> labels = 20 * ["sport", "sport", "politics", "politics"]
    >>> labels[5] = "politics"
    >>> found = troenpy.audit(texts, labels)
    >>> [(one.row, one.label, one.suggested) for one in found.suspects]
    [(5, 'politics', 'sport')]
    """
    return audit_data(
        check_texts(texts, labels, groups=groups),
        None if groups is None else "groups",
        folds=folds,
        seed=seed,
        jobs=jobs,
        callback=callback,
        on_notice=on_notice,
    )


def audit_file(
    source: Any,
    *,
    group_column: str | None = None,
    folds: int = N_FOLDS,
    seed: int = 0,
    jobs: int | None = -1,
    callback: Tell | None = None,
    on_notice: Callable[[str], Any] | None = None,
    **reading: Any,
) -> Audit:
    """Find labels of a file that are probably wrong; see `troenpy.audit`.

    Parameters
    ----------
    source : path-like, "-" or binary file
    group_column : str, optional
    folds, seed, jobs, callback, on_notice
        See `troenpy.audit`.
    **reading
        See `read_texts`.
    """
    data = read_texts(source, columns=[group_column], callback=callback, **reading)
    return audit_data(data, group_column, folds=folds, seed=seed, jobs=jobs, callback=callback, on_notice=on_notice)


def audit_data(
    data: TextData,
    group_column: str | None,
    *,
    folds: int,
    seed: int,
    jobs: int | None,
    callback: Tell | None,
    on_notice: Callable[[str], Any] | None = None,
) -> Audit:
    """Audit texts that were read; see `audit`."""
    start, n_processes = time.monotonic(), job_count(jobs)
    cells = None
    if group_column is not None:
        cells = ["" if cell is None else str(cell) for cell in data.columns[group_column]]
    numbered = data.numbered()
    codes, classes = numbered.indicator.indices.astype(np.int64), numbered.classes.tolist()
    planned = cross_validation(data.texts, data.labels, cells, check_whole("folds", folds, least=2), seed)
    notices = [*data.notices, *planned.notices]
    if on_notice is not None:
        for line in (*notices, *(f"warning: {warning}" for warning in data.warnings)):
            on_notice(line)
    plan = PlannedTests(data.name, data.texts, codes, planned.folds, seed)
    probabilities, against = predict_parts(plan, len(classes), n_processes, callback or (lambda step: None))
    copies = group_documents(data.texts)[0]
    found = _Found(data, classes, codes, probabilities, against, copies, _is_judged(codes, copies, planned))
    judged = np.flatnonzero(found.is_judged)
    if not len(judged):
        raise ValueError(f"no class has {LEAST_TEXTS} different texts or more, which an audit needs")
    share = wrong_share(probabilities[judged], codes[judged], copies[judged], seed)
    suspects = found.suspects()
    error = float((probabilities[judged].argmax(axis=1) != codes[judged]).mean())
    baseline = float((len(judged) - np.bincount(codes[judged]).max()) / len(judged))
    warnings = list(data.warnings)
    if error >= baseline:
        warnings.append(
            f"the audit means nothing: the model cannot tell the classes apart. Its predictions are wrong for"
            f" {100 * error:.2f} %; always predicting the most frequent class for {100 * baseline:.2f} %"
        )
        if on_notice is not None:
            on_notice(f"warning: {warnings[-1]}")
    return Audit(
        source=data.name,
        n_documents=len(data.texts),
        n_judged=len(judged),
        classes=classes,
        tested=planned.method,
        error=error,
        baseline=baseline,
        wrong_share=share,
        suspects=suspects,
        contradictions=found.contradictions(),
        pairs=found.pairs(judged),
        not_judged=found.not_judged(),
        reading=data.reading,
        notices=notices,
        warnings=warnings,
        seconds=round(time.monotonic() - start, 3),
    )


def _is_judged(codes: Codes, copies: Codes, planned: Folds) -> NDArray[np.bool_]:
    """Whether the class of each document has enough different texts, and the document is in a part."""
    different = np.unique(np.column_stack([codes, copies]), axis=0)
    n_texts = np.bincount(different[:, 0], minlength=int(codes.max()) + 1)
    is_tested = np.zeros(len(codes), dtype=bool)
    for fold in planned.folds:
        is_tested[fold.tested] = True
    return (n_texts >= LEAST_TEXTS)[codes] & is_tested


class _Found:
    """What the models of the other parts say, as suspects, contradictions and confused pairs."""

    def __init__(
        self,
        data: TextData,
        classes: list[Any],
        codes: Codes,
        probabilities: Floats,
        against: dict[int, Against],
        copies: Codes,
        is_judged: NDArray[np.bool_],
    ) -> None:
        self._data, self._classes, self._codes, self._against = data, classes, codes, against
        self._probabilities, self._copies, self.is_judged = probabilities, copies, is_judged
        self._own = probabilities[np.arange(len(codes)), codes]
        self._best = probabilities.argmax(axis=1)
        self._labels_of_copies = self._count_copies()

    def suspects(self) -> list[Suspect]:
        """Return the rows whose label is doubted, the least probable labels first."""
        outvoted = self._outvoted()
        is_suspect = self.is_judged & (self._best != self._codes)
        is_suspect[list(outvoted)] = True
        places = np.flatnonzero(is_suspect)
        places = places[np.argsort(self._own[places], kind="stable")]
        confident = self._confident()
        nearest = nearest_texts(self._data.texts, self._copies, places[:MOST_NEAREST].tolist(), N_NEAREST)
        nearest += [[] for _ in range(len(places) - len(nearest))]
        suspects = []
        for rank, (place, near) in enumerate(zip(places.tolist(), nearest, strict=True), start=1):
            own, best = int(self._codes[place]), int(self._best[place])
            suggested = best if best != own else outvoted[place]
            suspects.append(
                Suspect(
                    rank=rank,
                    row=self._data.rows[place],
                    label=self._classes[own],
                    suggested=self._classes[suggested],
                    p_label=round(float(self._own[place]), 6),
                    p_suggested=round(float(self._probabilities[place, suggested]), 6),
                    is_likely=place in outvoted or bool(confident[place] not in (-1, own)),
                    against=self._against.get(place, []),
                    nearest=[self._neighbour(one.place, one.similarity) for one in near],
                    copies=self._shown_copies(place),
                    text=self._data.texts[place],
                )
            )
        return suspects

    def contradictions(self) -> list[Contradiction]:
        """Return the texts that occur with different labels."""
        rows: dict[int, list[int]] = {}
        for place, copy in enumerate(self._copies.tolist()):
            if copy in self._labels_of_copies:
                rows.setdefault(copy, []).append(place)
        found = [
            Contradiction(
                rows=[self._data.rows[place] for place in places],
                labels=[self._classes[self._codes[place]] for place in places],
                text=self._data.texts[places[0]],
            )
            for places in rows.values()
        ]
        return sorted(found, key=lambda one: (-len(one.rows), one.rows))

    def pairs(self, judged: Codes) -> list[ConfusedPair]:
        """Return the pairs of classes that are confused, largest share of both classes first."""
        codes, best = self._codes[judged], self._best[judged]
        sizes = np.bincount(codes, minlength=len(self._classes))
        joint = joint_estimate(self._probabilities[judged], codes) * len(judged)
        counts = Counter(zip(codes[best != codes].tolist(), best[best != codes].tolist(), strict=True))
        both = {(min(pair), max(pair)) for pair in counts}
        pairs = [
            ConfusedPair(
                first=self._classes[a],
                second=self._classes[b],
                n_first=int(sizes[a]),
                n_second=int(sizes[b]),
                first_as_second=counts[a, b],
                second_as_first=counts[b, a],
                wrong_first=round(float(joint[a, b]), 3),
                wrong_second=round(float(joint[b, a]), 3),
            )
            for a, b in sorted(both)
        ]
        return sorted(pairs, key=lambda pair: (-pair.share, -pair.n_confused))

    def not_judged(self) -> dict[str, int]:
        """Return the classes that are not judged, with the number of their documents."""
        judged = set(self._codes[self.is_judged].tolist())
        sizes = Counter(self._codes.tolist())
        return {str(name): sizes[code] for code, name in enumerate(self._classes) if code not in judged}

    def _confident(self) -> Codes:
        """Return the class that confident learning counts each document in; -1 for none."""
        judged = np.flatnonzero(self.is_judged)
        thresholds = class_thresholds(self._probabilities[judged], self._codes[judged])
        return confident_classes(self._probabilities, thresholds)

    def _count_copies(self) -> dict[int, Counter[int]]:
        """Return the labels of each text that has several."""
        found: dict[int, Counter[int]] = {}
        for copy, code in zip(self._copies.tolist(), self._codes.tolist(), strict=True):
            found.setdefault(copy, Counter())[code] += 1
        return {copy: labels for copy, labels in found.items() if len(labels) > 1}

    def _outvoted(self) -> dict[int, int]:
        """Return the rows that copies with another label outvote or equal, with that label."""
        found = {}
        for place, (copy, own) in enumerate(zip(self._copies.tolist(), self._codes.tolist(), strict=True)):
            labels = self._labels_of_copies.get(copy)
            if labels is not None:
                other, n_other = max(((code, n) for code, n in labels.items() if code != own), key=lambda one: one[1])
                if n_other >= labels[own]:
                    found[place] = other
        return found

    def _shown_copies(self, place: int) -> dict[str, int]:
        labels = self._labels_of_copies.get(int(self._copies[place]), Counter())
        return {str(self._classes[code]): n for code, n in labels.most_common()}

    def _neighbour(self, place: int, similarity: float) -> Neighbour:
        labels = self._labels_of_copies.get(int(self._copies[place]), {int(self._codes[place]): 1})
        names = [str(self._classes[code]) for code in labels]
        begins = " ".join(self._data.texts[place][: 2 * MOST_NEAR].split())[:MOST_NEAR]
        return Neighbour(self._data.rows[place], names, round(similarity, 4), begins)
