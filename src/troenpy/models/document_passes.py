"""Passes over documents that do not fit in memory, in chunks of bounded size: of a shuffled copy, or read again."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.labels import Labels, check_labels_fit, read_required_labels
from troenpy.features.documents import check_collection
from troenpy.features.kept_streams import errors_of_batch
from troenpy.features.seen_labels import SeenLabels
from troenpy.models.shuffled_copy import ShuffledCopy

#: Characters of text that are held at a time.
CHUNK_CHARACTERS = 1 << 23
#: A key of a document: a hash of its text above, the number of its labels below.
LABEL_BITS = 20
LABEL_MASK = np.uint64((1 << LABEL_BITS) - 1)
MOST_LABEL_SETS = 1 << LABEL_BITS

Keys = NDArray[np.uint64]


class Chunk(NamedTuple):
    """Documents, and the number of the labels of each among `DocumentPasses.label_sets`."""

    texts: list[Any]
    numbers: NDArray[np.int64]


@dataclass
class Progress:
    """How far learning from batches has come.

    Attributes
    ----------
    stage : {"reading", "choosing", "counting", "learning"}
    n_documents : int
        Documents done in this pass.
    total : int or None
        All documents; None while they are read for the first time.
    n_pass : int
        Which pass of this stage it is, from 1. There may be two of "counting": the second looks for copies.
    """

    stage: str
    n_documents: int = 0
    total: int | None = None
    n_pass: int = 1

    @property
    def done(self) -> float | None:
        """The part of this pass that is done; None if that is not known."""
        return self.n_documents / self.total if self.total else None


Callback = Callable[[Progress], Any]


@dataclass
class DocumentPasses:
    """Passes over documents: the first reads the source, the others a copy of it in random order.

    Parameters
    ----------
    source : callable that returns an iterable of (texts, y)
    read : callable
        Checks the texts of a batch and yields them one by one.
    callback : callable or None
        Called with a Progress when a chunk is done.
    copy : ShuffledCopy or None
        None reads the source in every pass, which must give the same documents in the same order each time.
    """

    source: Callable[[], Iterable[tuple[Any, Any]]]
    read: Callable[[Any], Iterable[Any]] = iter
    callback: Callback | None = None
    copy: ShuffledCopy | None = None
    seen: SeenLabels = field(default_factory=SeenLabels.none)
    #: The classes of a document, by number of appearance: one, or several.
    label_sets: dict[tuple[int, ...], int] = field(default_factory=dict)
    #: Whether every document has one label.
    is_single: bool = True
    _keys: list[Keys] = field(default_factory=list)
    _keys_of_all: Keys | None = None

    @property
    def n_documents(self) -> int:
        """The number of documents, once they have been read."""
        return len(self.keys)

    @property
    def keys(self) -> Keys:
        """The key of every document, once they have been read."""
        assert self._keys_of_all is not None  # noqa: S101
        return self._keys_of_all

    def first(self) -> Iterator[tuple[Chunk, Keys]]:
        """Read all documents for the first time; yield chunks with keys."""
        for chunk in self._chunks(self._documents(), Progress("reading")):
            self._keys.append(keys_of(chunk))
            if self.copy is not None:
                self.copy.add(chunk.texts)
            yield chunk, self._keys[-1]
        keys = np.concatenate([*self._keys, np.empty(0, dtype=np.uint64)])
        self._keys.clear()
        if not len(keys):
            raise ValueError("batches must hold at least one document, got none")
        self._keys_of_all = keys if self.copy is None else self.copy.shuffle(keys)

    def again(self, stage: str, n_pass: int = 1) -> Iterator[tuple[Chunk, Keys]]:
        """Go through all documents again; yield chunks with keys."""
        progress = Progress(stage, total=self.n_documents, n_pass=n_pass)
        return self._read_again(progress) if self.copy is None else self._read_copy(self.copy, progress)

    def _read_copy(self, copy: ShuffledCopy, progress: Progress) -> Iterator[tuple[Chunk, Keys]]:
        start, numbers = 0, self._numbers_of_all()
        for chunk in self._chunks(zip(copy.documents(), numbers, strict=True), progress):
            yield chunk, self.keys[start : start + len(chunk.texts)]
            start += len(chunk.texts)

    def _numbers_of_all(self) -> Iterator[int]:
        for start in range(0, self.n_documents, 1 << 16):
            yield from (self.keys[start : start + (1 << 16)] & LABEL_MASK).tolist()

    def _read_again(self, progress: Progress) -> Iterator[tuple[Chunk, Keys]]:
        """Read the source, and raise unless the documents are the same as before."""
        start = 0
        for chunk in self._chunks(self._documents(), progress):
            keys, before = keys_of(chunk), self.keys[start : start + len(chunk.texts)]
            n_both = min(len(before), len(keys))
            others = np.flatnonzero(keys[:n_both] != before[:n_both])
            if len(others) or n_both < len(keys):
                self._raise_other(start + int(others[0] if len(others) else n_both))
            yield chunk, keys
            start += len(keys)
        if start < self.n_documents:
            self._raise_other(start)

    def _raise_other(self, position: int) -> None:
        raise ValueError(
            f"every pass over the batches must give the same documents, but document {position} differs from that of"
            f" the first pass, which had {self.n_documents:,}: pass a function that returns a new iterator of the same"
            " batches each time"
        )

    def _chunks(self, documents: Iterable[tuple[Any, int]], progress: Progress) -> Iterator[Chunk]:
        held, numbers, n_characters = list[Any](), list[int](), 0
        for text, number in documents:
            held.append(text)
            numbers.append(number)
            n_characters += (len(text) if isinstance(text, str | bytes) else 64) + 1
            if n_characters >= CHUNK_CHARACTERS:
                yield Chunk(held, np.array(numbers, dtype=np.int64))
                self._tell(progress, len(held))
                held, numbers, n_characters = [], [], 0
        if held:
            yield Chunk(held, np.array(numbers, dtype=np.int64))
            self._tell(progress, len(held))

    def _tell(self, progress: Progress, n_documents: int) -> None:
        if self.callback is not None:
            progress.n_documents += n_documents
            self.callback(replace(progress))

    def _documents(self) -> Iterator[tuple[Any, int]]:
        batches = self.source()
        if not isinstance(batches, Iterable):
            raise TypeError(f"the function must return an iterable of (texts, labels), got {type(batches).__name__}")
        for n_batch, batch in enumerate(batches, start=1):
            with errors_of_batch(n_batch):
                documents, numbers = self._of_batch(batch)
            yield from zip(documents, numbers, strict=True)

    def _of_batch(self, batch: Any) -> tuple[list[Any], list[int]]:
        """Return the documents of a batch, and the number of the label set of each."""
        if not (isinstance(batch, tuple | list) and len(batch) == 2):
            size = f" of length {len(batch)}" if isinstance(batch, tuple | list) else ""
            raise ValueError(f"a batch must be a pair of texts and labels, got {type(batch).__name__}{size}")
        documents = list(self.read(check_collection(batch[0])))
        if not documents and isinstance(batch[1], list | tuple) and not batch[1]:
            return [], []
        labels = read_required_labels(batch[1], "TroenpyClassifier")
        check_labels_fit(labels, len(documents), whole=False)
        self.seen, codes = self.seen.add(labels, None)
        self.is_single = self.is_single and labels.is_list and labels.is_single
        return documents, self._numbers(labels, codes)

    def _numbers(self, labels: Labels, codes: NDArray[np.int64]) -> list[int]:
        """Return the number of the label set of each document."""
        sets, of_labels = self.label_sets, codes.tolist()
        if labels.is_single:
            numbers = [sets.setdefault((code,), len(sets)) for code in of_labels]
        else:
            borders = labels.indicator.indptr.tolist()
            parts = [tuple(sorted(of_labels[start:end])) for start, end in pairwise(borders)]
            numbers = [sets.setdefault(part, len(sets)) for part in parts]
        if len(sets) > MOST_LABEL_SETS:
            raise ValueError(
                f"batches may hold at most {MOST_LABEL_SETS:,} classes or sets of labels: is this the column of labels?"
            )
        return numbers

    def indicator(self) -> sparse.csr_array:
        """Return the classes, in ascending order, of every label set: n_sets x n_classes."""
        sets, rank = list(self.label_sets), self.seen.ranks()
        lengths = [len(one) for one in sets]
        columns = rank[np.array([code for one in sets for code in one], dtype=np.int64)]
        borders = np.concatenate([[0], np.cumsum(lengths)])
        shape = len(sets), len(self.seen.classes)
        found = sparse.csr_array((np.ones(len(columns), dtype=np.int64), columns, borders), shape=shape)
        found.sort_indices()
        return found


def keys_of(chunk: Chunk) -> Keys:
    """Return a key for each document: 44 bits of a hash of its text, 20 of the number of its labels."""
    digests = b"".join(blake2b(_bytes_of(text), digest_size=8).digest() for text in chunk.texts)
    return (np.frombuffer(digests, dtype=np.uint64) & ~LABEL_MASK) | (chunk.numbers.astype(np.uint64) & LABEL_MASK)


def _bytes_of(text: Any) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    return text if isinstance(text, bytes) else repr(text).encode("utf-8", "surrogatepass")


def read_source(
    batches: Any, text: str | None, label: str | None, *, once: bool
) -> Callable[[], Iterable[tuple[Any, Any]]]:
    """Return a function that returns the batches: of a function, an iterable, Records, or an Arrow dataset or table.

    Unless they are read once only, it must return the same ones each time.

    Examples
    --------
    >>> source = read_source([(["one"], ["a"])], None, None, once=False)
    >>> list(source()) == list(source())
    True
    """
    if hasattr(batches, "to_batches") and hasattr(batches, "schema"):
        return _of_dataset(batches, text, label)
    if text is not None or label is not None:
        raise ValueError(f"text and label name columns of an Arrow dataset, got {type(batches).__name__} as batches")
    if hasattr(batches, "documents"):
        return batches.documents
    if callable(batches):
        return batches
    if isinstance(batches, Iterable) and not isinstance(batches, str | bytes | Set | Mapping):
        if once or iter(batches) is not iter(batches):
            return lambda: batches
        advice = ", because with shuffle=False they are read several times"
    else:
        advice = ""
    raise TypeError(
        f"batches must be a function that returns an iterable of (texts, labels){advice}, got {type(batches).__name__}"
    )


def _of_dataset(dataset: Any, text: str | None, label: str | None) -> Callable[[], Iterable[tuple[Any, Any]]]:
    names = list(dataset.schema.names)
    for parameter, name in (("text", text), ("label", label)):
        if name not in names:
            raise ValueError(f"{parameter} must name a column of the dataset, one of {', '.join(names)}; got {name!r}")

    def batches() -> Iterator[tuple[Any, Any]]:
        is_table = not hasattr(dataset, "scanner")
        columns = [text, label]
        for batch in dataset.select(columns).to_batches() if is_table else dataset.to_batches(columns=columns):
            yield batch.column(text), batch.column(label).to_pylist()

    return batches
