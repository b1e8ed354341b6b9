"""What the labels of a file look like: mistakes that would give nonsense are errors, suspicious ones are warnings."""

from array import array
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from troenpy.records.row_labels import Label
from troenpy.records.wording import counted, listed, quoted

#: More different labels, or sets of them, are not labels.
MOST_LABELS = 1 << 20
#: From so many documents on, labels that are all different are an error.
MANY_DOCUMENTS = 10
#: Numbers with more different values than this, which has room for ratings from 0 to 10 by halves, are measurements
#: if some have a fraction, or if most occur once only.
MOST_NUMBERS = 25
#: So many names are shown.
N_SHOWN = 5
_LOW, _LOW_BITS = np.uint64(MOST_LABELS - 1), np.uint64(MOST_LABELS.bit_length() - 1)
#: Keys that are compared at a time.
KEYS_AT_ONCE = 1 << 18
#: What people put between several labels in a cell.
SEPARATORS = (";", "|", ",")


class LabelSummary:
    """Counts labels, batch by batch.

    Parameters
    ----------
    column : str
        The name of the column of labels.

    Attributes
    ----------
    n_documents, n_characters : int
    n_by_class : Counter

    Examples
    --------
    >>> summary = LabelSummary("label")
    >>> summary.add(["a", "b", "a"], ["pos", "neg", "Pos"])
    >>> for warning in summary.check("x.csv"):
    ...     print(warning)
    'Pos' and 'pos' differ only by case or spaces: are they one class?
    3 classes have one document each: 'Pos', 'neg' and 'pos'
    1 text occurs with different labels (2 rows)
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self.n_documents = self.n_characters = 0
        self.n_by_class = Counter[str]()
        self._numbers: dict[Label, int] = {}
        self._keys = array("Q")

    def add(self, texts: Sequence[str], labels: Sequence[Label]) -> None:
        """Count documents."""
        self.n_documents += len(texts)
        self.n_characters += sum(map(len, texts))
        for text, label in zip(texts, labels, strict=True):
            number = self._numbers.setdefault(label, len(self._numbers))
            self.n_by_class.update((label,) if isinstance(label, str) else label)
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            self._keys.append(int.from_bytes(digest, "little") & ~(MOST_LABELS - 1) | number & (MOST_LABELS - 1))
        if len(self._numbers) > MOST_LABELS:
            raise ValueError(
                f"column {quoted(self._column)} has more than {MOST_LABELS:,} different labels: is this the column of"
                " labels? Choose another with label= (--label)"
            )

    def check(self, name: str) -> list[str]:
        """Return warnings, one line each.

        Raises
        ------
        ValueError
            If there is nothing to learn from, or if these are not labels.
        """
        self._check_nonsense(name)
        return [*self._joined(), *self._similar(), *self._alone(), *self._contradictions()]

    def n_known(self, other: "LabelSummary") -> int:
        """Return how many documents of another summary have a text that is here, too."""
        ordered, texts = self._sorted_keys(), np.frombuffer(other._keys, dtype=np.uint64) & ~_LOW
        at = np.minimum(np.searchsorted(ordered, texts), len(ordered) - 1)
        return int((ordered[at] & ~_LOW == texts).sum()) if len(ordered) else 0

    def forget_texts(self) -> None:
        """Free the memory that recognises copies."""
        self._keys = array("Q")

    def _sorted_keys(self) -> NDArray[np.uint64]:
        """Sort the keys where they are: a copy would take as much memory again."""
        keys = np.frombuffer(self._keys, dtype=np.uint64)
        keys.sort()
        return keys

    def _check_nonsense(self, name: str) -> None:
        column, classes, n = quoted(self._column), list(self.n_by_class), self.n_documents
        another = "is this the column of labels? Choose another with label= (--label)"
        if not n:
            raise ValueError(f"{name} has no rows with text and label")
        if not classes:
            raise ValueError(f"no row of {name} has a label in column {column}: {another}")
        has_sets = any(not isinstance(label, str) for label in self._numbers)
        if len(classes) == 1 and not (has_sets and len(self._numbers) > 1):
            all_of = f"all {n:,} documents of {name} have" if n > 1 else f"the only document of {name} has"
            raise ValueError(f"{all_of} the label {quoted(classes[0])}: there must be two classes")
        if n >= MANY_DOCUMENTS and len(self._numbers) == n and not has_sets:
            raise ValueError(f"all {n:,} labels in column {column} of {name} are different: {another}")
        numbers = _numbers(classes)
        if numbers is not None and len(numbers) > MOST_NUMBERS:
            has_fraction = any(number != int(number) for number in numbers if np.isfinite(number))
            n_alone = sum(n_documents == 1 for n_documents in self.n_by_class.values())
            if has_fraction or 2 * n_alone > len(numbers):
                raise ValueError(
                    f"the labels in column {column} of {name} look like measurements: {len(numbers):,} different"
                    f" numbers, such as {listed(sorted(classes)[:3])}; make classes of them, or choose another column"
                    " with label= (--label)"
                )

    def _joined(self) -> list[str]:
        """Warn of labels that look like several, if no separator was named."""
        if any(not isinstance(label, str) for label in self._numbers):
            return []
        for separator in SEPARATORS:
            parts = {name: [part.strip() for part in name.split(separator)] for name in self.n_by_class}
            joined = sorted(name for name in parts if len(parts[name]) > 1 and self.n_by_class.keys() >= {*parts[name]})
            if joined:
                labels = f"{counted(len(joined), 'label')} such as {quoted(joined[0])}"
                verb = "join other labels" if len(joined) > 1 else "joins other labels"
                option = f"separator={separator!r} (--separator {separator!r} of train and terms)"
                return [f"{labels} {verb}: if rows have several labels, add {option}"]
        return []

    def _similar(self) -> list[str]:
        by_fold = dict[str, list[str]]()
        for name in sorted(self.n_by_class):
            by_fold.setdefault(" ".join(name.split()).casefold(), []).append(name)
        alike = [names for names in by_fold.values() if len(names) > 1]
        lines = [
            f"{listed([quoted(name) for name in names])} differ only by case or spaces: are they one class?"
            for names in alike[:N_SHOWN]
        ]
        more = len(alike) - len(lines)
        return [*lines, *([f"{more:,} more groups of labels differ only by case or spaces"] if more else [])]

    def _alone(self) -> list[str]:
        alone = sorted(name for name, n_documents in self.n_by_class.items() if n_documents == 1)
        if not alone:
            return []
        shown = [quoted(name) for name in alone[:N_SHOWN]] + ["others"] * (len(alone) > N_SHOWN)
        verb = "have one document each" if len(alone) > 1 else "has one document only"
        return [f"{counted(len(alone), 'class', 'classes')} {verb}: {listed(shown)}"]

    def _contradictions(self) -> list[str]:
        """Count texts that occur under several labels."""
        ordered, n_texts, n_rows, start = self._sorted_keys(), 0, 0, 0
        while start < len(ordered):
            last = ordered[min(start + KEYS_AT_ONCE, len(ordered)) - 1]
            end = int(np.searchsorted(ordered, last | _LOW, side="right"))  # all rows of a text are in one block
            block = ordered[start:end]
            firsts = np.flatnonzero(np.concatenate([[True], np.diff(block >> _LOW_BITS) > 0]))
            ends = np.append(firsts[1:], len(block))
            differ = block[firsts] != block[ends - 1]  # in order of labels within a text
            n_texts, n_rows, start = n_texts + int(differ.sum()), n_rows + int((ends - firsts)[differ].sum()), end
        if not n_texts:
            return []
        verb = "occur" if n_texts > 1 else "occurs"
        return [f"{counted(n_texts, 'text')} {verb} with different labels ({counted(n_rows, 'row')})"]


def _numbers(classes: Sequence[str]) -> list[float] | None:
    """Return labels as numbers, or None if some are not."""
    try:
        return [float(name) for name in classes]
    except ValueError:
        return None
