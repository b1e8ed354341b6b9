"""Which documents a model is tested on: by a column, in turn, or once; copies of a text and groups stay together."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from troenpy.display import printable
from troenpy.records.wording import counted, listed, quoted
from troenpy.tasks.documents import Documents

#: Up to so many documents every fifth is held out in turn, otherwise once.
FEW_DOCUMENTS = 2000
N_FOLDS = 5
#: At most so many documents are held out.
MOST_TESTED = 20_000
#: With fewer different texts, nothing is measured.
LEAST_DOCUMENTS = 10
#: Or with fewer groups: documents with the same text, or with the same cell, are one.
LEAST_GROUPS = 5

TRAIN, TEST = ("train", "training"), ("test", "testing")


class TestedParts(NamedTuple):
    """How documents are tested.

    Attributes
    ----------
    method : str
    parts : list of ndarray
        The documents that are tested in each turn; the model learns from the others.
    unused : ndarray
        Documents that are neither tested nor learnt from.
    is_given : bool
        Whether the file says which documents are for testing: then the model never learns from them.
    """

    method: str
    parts: list[NDArray[np.int64]]
    unused: NDArray[np.int64]
    is_given: bool = False


#: Other splits that a warning names.
N_SHOWN = 5
NOTHING = np.empty(0, dtype=np.int64)


def given_parts(splits: Sequence[str], column: str) -> TestedParts:
    """Return the documents whose split is "test".

    Examples
    --------
    >>> given_parts(["train", "test", "dev"], "split").parts[0].tolist()
    [1]
    """
    is_test = np.array([is_tested(split) for split in splits])
    is_train = np.array([split.strip().lower() in TRAIN for split in splits])
    if not is_test.any() or not is_train.any():
        raise ValueError(split_advice(column, splits))
    method = f"the rows with {column} = test"
    return TestedParts(method, [np.flatnonzero(is_test)], np.flatnonzero(~is_test & ~is_train), is_given=True)


def is_tested(split: str) -> bool:
    """Whether this split is for testing."""
    return split.strip().lower() in TEST


def is_learnt(split: str) -> bool:
    """Whether this split is for training."""
    return split.strip().lower() in TRAIN


def split_advice(column: str, splits: Sequence[str]) -> str:
    """Return what is wrong with a column of splits."""
    seen = ", ".join(repr(printable(one)[:30]) for one in sorted(set(splits))[:5])
    return f"the column {column!r} must say 'train' for some rows and 'test' for others, got {seen}"


def unused_rows(n_rows: int, column: str, splits: Iterable[str]) -> str:
    """Return a warning of rows that are neither learnt from nor tested.

    Examples
    --------
    >>> unused_rows(3, "split", ["dev", "train", ""])
    "3 rows with '' or 'dev' in column 'split' left out: neither train nor test"
    """
    others = sorted({split for split in splits if not is_tested(split) and not is_learnt(split)})
    shown = listed([*map(quoted, others[:N_SHOWN]), *(["others"] if len(others) > N_SHOWN else [])], "or")
    return f"{counted(n_rows, 'row')} with {shown} in column {quoted(column)} left out: neither train nor test"


def drawn_parts(documents: Documents, seed: int) -> TestedParts | None:
    """Return documents to test by lot, class by class; None if there are too few.

    The cells of the documents, if any, are their groups. Documents with the same text or in the same group are tested
    together.
    """
    n_documents = len(documents.texts)
    group, n_groups = group_documents(documents.texts, documents.cells)
    if len(set(documents.texts)) < LEAST_DOCUMENTS or n_groups < LEAST_GROUPS:
        return None
    is_few = n_documents <= FEW_DOCUMENTS
    of_document = draw_folds(documents.labels, group, N_FOLDS, seed)
    parts = [np.flatnonzero(of_document == number) for number in range(N_FOLDS if is_few else 1)]
    if not is_few and len(parts[0]) > MOST_TESTED:
        kept = group[parts[0]] < np.sort(group[parts[0]])[MOST_TESTED]
        parts = [parts[0][kept]]
    parts = [part for part in parts if len(part) and _can_learn(documents, part)]
    if not parts:
        return None
    method = f"{len(parts)}-fold cross-validation" if is_few else "held out once"
    return TestedParts(method, parts, NOTHING)


def draw_folds(labels: Sequence[Any], group: NDArray[np.int64], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each document, drawn by lot, class by class; documents of a group are in one fold.

    Examples
    --------
    >>> fold = draw_folds(["a", "a", "b", "b"], np.array([0, 1, 2, 3]), 2, seed=0)
    >>> sorted(fold[:2].tolist()), sorted(fold[2:].tolist())
    ([0, 1], [0, 1])
    """
    groups, first = np.unique(group, return_index=True)
    _, label = np.unique([str(labels[i]) for i in first.tolist()], return_inverse=True)
    lot = np.random.RandomState(seed).permutation(len(groups))
    order = np.lexsort((lot, label.ravel()))
    fold = np.empty(len(groups), dtype=np.int64)
    fold[order] = np.arange(len(groups)) % n_folds
    return fold[group]


def group_documents(texts: Sequence[str], cells: Sequence[str] | None = None) -> tuple[NDArray[np.int64], int]:
    """Number documents so that those with the same text or cell have the same number; empty cells join nothing.

    Examples
    --------
    >>> group, n_groups = group_documents(["x", "y", "x", "z", "w"], ["1", "2", "3", "2", ""])
    >>> n_groups, bool(group[0] == group[2]), bool(group[1] == group[3])
    (3, True, True)
    """
    hashes = np.array([hash_of(text) for text in texts], dtype=np.uint64)
    distinct, text = np.unique(hashes, return_inverse=True)
    text = text.ravel()
    if cells is None:
        return text, len(distinct)
    _, cell = np.unique(list(cells), return_inverse=True)
    n_texts, n_cells = len(distinct), int(cell.max()) + 1
    is_joined = np.array([bool(one) for one in cells])
    places = text[is_joined], n_texts + cell.ravel()[is_joined]
    graph = sparse.coo_array((np.ones(int(is_joined.sum())), places), shape=(n_texts + n_cells,) * 2)
    component = connected_components(graph, directed=False)[1][text]
    _, group = np.unique(component, return_inverse=True)
    return group.ravel(), int(group.max()) + 1


def _can_learn(documents: Documents, part: NDArray[np.int64]) -> bool:
    """Whether the other documents have two classes."""
    others = np.ones(len(documents.labels), dtype=bool)
    others[part] = False
    return len({documents.labels[i] for i in np.flatnonzero(others).tolist()}) > 1


def hash_of(text: str, salt: int = 0) -> int:
    """Return 64 bits of a hash, the same in every process."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt.to_bytes(8, "little")).digest()
    return int.from_bytes(digest, "little")
