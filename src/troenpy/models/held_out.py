"""Training documents held out to compare settings: which, and how well they are predicted."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special
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
N_FOLDS, FEW_DOCUMENTS = 4, 5000
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

    Documents with the same counts in all views are held out together. Folds are drawn class by class, in an order that
    depends on the counts of a document only, so neither the order of documents nor copies of them change anything. A
    text is not held out if some class would have no other.
    """
    text_of, fold_of_text = draw_folds(counted, random_state)
    fold = fold_of_text[text_of]
    documents = np.flatnonzero(fold > NOT_USED)
    held_out = [np.flatnonzero(fold[documents] == k) for k in range(N_FOLDS)]
    n_texts = np.bincount(fold_of_text[fold_of_text >= 0], minlength=N_FOLDS)
    if len(documents) >= FEW_DOCUMENTS and n_texts[-1] >= LEAST_HELD_OUT:
        return Folds(documents, held_out[-1:])
    return Folds(documents, held_out) if n_texts.sum() >= LEAST_HELD_OUT else None


#: The folds of texts that are trained on but never held out, and of those that are left out of it all.
NEVER_HELD_OUT, NOT_USED = -1, -2


def draw_folds(counted: CountedDocuments, random_state: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the text of each document, and the fold of each text: below N_FOLDS, NEVER_HELD_OUT or NOT_USED."""
    text_of, lot = _texts(counted, random_state)
    is_used = np.ones(len(text_of), dtype=bool) if counted.weights is None else counted.weights > 0
    indicator = sparse.csr_array(counted.labels.indicator[np.flatnonzero(is_used)])
    # Which classes a text has, by any of its copies; it is drawn with the first of them.
    texts, classes = np.repeat(text_of[is_used], np.diff(indicator.indptr)), indicator.indices
    n_classes = indicator.shape[1]
    label, fold = np.full(len(lot), n_classes), np.full(len(lot), NOT_USED)
    np.minimum.at(label, texts, classes)
    used = np.unique(text_of[is_used])
    used = used[np.lexsort((lot[used], label[used]))]
    sizes = np.bincount(label[used], minlength=n_classes + 1)
    rank = np.arange(len(used)) - (np.cumsum(sizes) - sizes)[label[used]]
    kept = rank < np.ceil(min(1.0, MOST_DOCUMENTS / max(1, len(used))) * sizes[label[used]])
    # Classes begin with different folds, or the small ones would all be held out together.
    fold[used[kept]] = ((N_FOLDS - 1 - rank - label[used]) % N_FOLDS)[kept]
    fold[_only_of_a_class(fold, texts, classes, n_classes)] = NEVER_HELD_OUT
    return text_of, fold


def _only_of_a_class(
    fold: NDArray[np.int64], texts: NDArray[np.int64], classes: NDArray[Any], n_classes: int
) -> NDArray[np.int64]:
    """Return the texts of classes with all texts in one fold: the class would be missing when that is held out."""
    is_in = fold[texts] > NOT_USED
    first, last = np.full(n_classes, N_FOLDS), np.full(n_classes, NOT_USED)
    np.minimum.at(first, classes[is_in], fold[texts[is_in]])
    np.maximum.at(last, classes[is_in], fold[texts[is_in]])
    return texts[is_in & (first == last)[classes]]


def _texts(counted: CountedDocuments, random_state: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Number texts, which differ in the counts of some view; return that of each document, and a random one of each."""
    rng, views = check_random_state(random_state), [rows.matrix for rows in counted.rows]
    copies = np.stack([equal_rows(X) for X in views])
    _, first_copy, text_of = np.unique(copies, axis=1, return_index=True, return_inverse=True)
    lot = np.sum([np.asarray(X @ rng.random_sample(X.shape[1])) for X in views], axis=0)
    return text_of.ravel(), lot[first_copy]


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
            design = _design(features, counted.weighted(given * others))
            if design is None:
                continue
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


def _design(features: TermFeatures, counted: CountedDocuments) -> Design | None:
    """Return the design of a trial; None if there is nothing to learn: one class, or blocks without a weight."""
    if np.count_nonzero(counted.labels.indicator.T @ counted.weights) < 2:
        return None
    try:
        return Design(*design_parts(features._trial_parts(counted), 1))
    except ValueError:  # about these documents only: the final fit raises what is wrong with all
        return None


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
