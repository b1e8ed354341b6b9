"""Training documents held out to compare settings: which, and how well they are predicted."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.utils import check_random_state

from troenpy._kernel.solver import Part
from troenpy.counts.labels import Labels
from troenpy.features.counted_documents import CountedDocuments
from troenpy.features.parts import Parts
from troenpy.features.rows import equal_rows
from troenpy.features.term_features import TermFeatures
from troenpy.models.logistic import Design
from troenpy.models.losses import Codes, Floats
from troenpy.models.strength_path import StrengthPath

#: A quarter of the documents is held out: once, or in turn if there are fewer documents than this.
N_FOLDS, FEW_DOCUMENTS = 4, 3000
#: With more documents, this many are used.
MOST_DOCUMENTS = 20_000
#: With several labels for a document, the most frequent ones are judged.
MOST_LABELS = 20
#: With fewer different texts held out, the losses would be noise.
LEAST_HELD_OUT = 40


class Folds(NamedTuple):
    """Documents, and those of them that are held out in each turn, by their place among the documents."""

    documents: NDArray[np.int64]
    held_out: list[NDArray[np.int64]]


def choose_folds(counted: CountedDocuments, random_state: Any) -> Folds | None:
    """Return which documents to hold out; None if there are too few.

    Documents with the same counts are held out together. Folds are drawn class by class, in an order that depends on
    the counts of a document only, so neither the order of documents nor copies of them change anything. The only text
    of a class is never held out.
    """
    fold = draw_folds(counted, random_state)
    documents = np.flatnonzero(fold > NOT_USED)
    texts = equal_rows(counted.rows[0].matrix)[documents]
    held_out = [np.flatnonzero(fold[documents] == k) for k in range(N_FOLDS)]
    is_enough = len(set(texts[held_out[-1]].tolist())) >= LEAST_HELD_OUT
    if len(documents) >= FEW_DOCUMENTS and is_enough:
        return Folds(documents, held_out[-1:])
    n_texts = len(set(texts[np.concatenate(held_out)].tolist()))
    return Folds(documents, held_out) if n_texts >= LEAST_HELD_OUT else None


#: The folds of documents that are trained on but never held out, and of those that are left out of it all.
NEVER_HELD_OUT, NOT_USED = -1, -2


def draw_folds(counted: CountedDocuments, random_state: Any) -> NDArray[np.int64]:
    """Return the fold of each document: a number below N_FOLDS, NEVER_HELD_OUT or NOT_USED."""
    X, n_classes = counted.rows[0].matrix, len(counted.labels.classes)
    first_copy = equal_rows(X)
    lot = np.asarray(X @ check_random_state(random_state).random_sample(X.shape[1]))
    # The class of a text is the first of all its labels.
    label = np.full(len(first_copy), n_classes)
    np.minimum.at(label, first_copy, _first_labels(counted.labels))
    is_used = np.ones(len(first_copy), dtype=bool) if counted.weights is None else counted.weights > 0
    texts = np.unique(first_copy[is_used])
    texts = texts[np.lexsort((lot[texts], label[texts]))]
    sizes = np.bincount(label[texts], minlength=n_classes + 1)
    size, start = sizes[label[texts]], (np.cumsum(sizes) - sizes)[label[texts]]
    rank = np.arange(len(texts)) - start
    # Classes begin with different folds, or the small ones would all be held out together.
    fold = (N_FOLDS - 1 - rank - label[texts]) % N_FOLDS
    fold[size == 1] = NEVER_HELD_OUT
    share = min(1.0, MOST_DOCUMENTS / max(1, int(is_used.sum())))
    fold[rank >= np.ceil(share * size)] = NOT_USED
    of_text = np.full(len(first_copy), NOT_USED)
    of_text[texts] = fold
    return np.where(is_used, of_text[first_copy], NOT_USED)


def _first_labels(labels: Labels) -> NDArray[np.int64]:
    """Return the first class of each document; of a document without any, the number of classes."""
    indicator, first = labels.indicator, np.full(len(labels), len(labels.classes))
    has_label = np.diff(indicator.indptr) > 0
    first[has_label] = indicator.indices[indicator.indptr[:-1][has_label]]
    return first


class HeldOut:
    """The losses of held-out documents with some views; features and weights are learnt from the other documents.

    Parameters
    ----------
    features : TermFeatures
    counted : CountedDocuments
    class_weights : ndarray of shape (n_classes,)
        Factors of the losses, for single labels.
    held_out : sequence of ndarray
        The documents that are held out in each turn.
    """

    def __init__(
        self,
        features: TermFeatures,
        counted: CountedDocuments,
        class_weights: Floats,
        held_out: Sequence[NDArray[np.int64]],
    ) -> None:
        labels = counted.labels
        given = np.ones(len(labels)) if counted.weights is None else counted.weights
        weights = given * class_weights[labels.indicator.indices] if _is_single(labels) else given
        self._turns = list[tuple[StrengthPath, Codes, Floats]]()
        for documents in held_out:
            others = np.ones(len(labels))
            others[documents] = 0
            design = Design(*design_parts(features._trial_parts(counted.weighted(given * others)), 1))
            for codes, n_classes in _targets(labels):
                if len(np.unique(codes[weights * others > 0])) > 1:
                    path = StrengthPath(design, codes, weights * others, n_classes, documents)
                    self._turns.append((path, codes[documents], weights[documents]))

    def losses(self, C: float) -> tuple[float, float]:
        """Return the mean log loss and the error; of several labels, over documents and labels."""
        loss = wrong = total = 0.0
        for path, codes, weights in self._turns:
            z = path.decisions(C)
            z = np.hstack([np.zeros_like(z), z]) if z.shape[1] == 1 else z
            logs = special.log_softmax(z, axis=1)
            loss -= float(weights @ logs[np.arange(len(codes)), codes])
            wrong += float(weights @ (z.argmax(axis=1) != codes))
            total += float(weights.sum())
        return (loss / total, wrong / total) if total > 0 else (np.inf, np.inf)


def design_parts(parts: Iterable[Parts], n_threads: int) -> list[Part]:
    """Return the parts of a design: blocks of terms, and the profile as further columns."""
    return [
        Part(part.to_matrix(with_profile=False, n_threads=n_threads), max(1, len(part.blocks)), part.profile)
        for part in parts
    ]


def _is_single(labels: Labels) -> bool:
    return labels.is_single and labels.is_list


def _targets(labels: Labels) -> list[tuple[Codes, int]]:
    """Return the class of each document and their number; of several labels, for each whether documents have it.

    Of many labels, the most frequent ones.
    """
    if _is_single(labels):
        return [(labels.indicator.indices.astype(np.int64), len(labels.classes))]
    columns = labels.indicator.tocsc()
    most_frequent = np.argsort(-np.diff(columns.indptr), kind="stable")[:MOST_LABELS]
    return [(columns[:, [number]].toarray().ravel().astype(np.int64), 2) for number in sorted(most_frequent.tolist())]
