"""A bounded sample of the documents of each class, to take examples from; the same in whatever order they come."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

#: Characters of all samples together, and of one document.
MOST_CHARACTERS, LONGEST = 1 << 24, 1 << 14
#: The class of documents without labels.
UNLABELLED = -1


class SampledText(NamedTuple):
    """A document of the sample, with the numbers of its classes."""

    hash: int
    text: str
    numbers: tuple[int, ...]


@dataclass
class _OfClass:
    texts: dict[int, SampledText] = field(default_factory=dict)
    n_characters: int = 0
    below: int = 1 << 64

    def prune(self, limit: float) -> None:
        """Keep the documents with the smallest hashes that have so many characters together."""
        kept, n_characters = dict[int, SampledText](), 0
        for hash_ in sorted(self.texts):
            n_characters += len(self.texts[hash_].text)
            if n_characters > limit and kept:
                self.below = hash_
                break
            kept[hash_] = self.texts[hash_]
        self.texts, self.n_characters = kept, sum(len(one.text) for one in kept.values())


@dataclass
class TextSample:
    """Of each class the documents with the smallest hashes; copies of a text are one document.

    Parameters
    ----------
    limit : int
        Characters of all classes together.

    Examples
    --------
    >>> sample = TextSample()
    >>> sample.add(["late goal", "own goal"], [7, 3], [(0,), (0,)])
    >>> [one.text for one in sample.of_class(0)]
    ['own goal', 'late goal']
    """

    limit: int = MOST_CHARACTERS
    _classes: dict[int, _OfClass] = field(default_factory=dict)

    def add(self, texts: Iterable[str], hashes: Iterable[int], numbers: Iterable[Sequence[int]]) -> None:
        """Add documents, with their hashes and the numbers of their classes."""
        for text, hash_, of_text in zip(texts, hashes, numbers, strict=True):
            one = None
            for number in of_text or (UNLABELLED,):
                found = self._classes.setdefault(number, _OfClass())
                if hash_ >= found.below or hash_ in found.texts:
                    continue
                one = one or SampledText(hash_, text[:LONGEST], tuple(of_text))
                found.texts[hash_] = one
                found.n_characters += len(one.text)
                if found.n_characters > 2 * self._share():
                    found.prune(self._share())

    def _share(self) -> float:
        return self.limit / len(self._classes)

    def of_class(self, number: int) -> list[SampledText]:
        """Return the sample of a class, in the order of the hashes."""
        found = self._classes.get(number)
        if found is None:
            return []
        found.prune(self._share())
        return [found.texts[hash_] for hash_ in sorted(found.texts)]

    def all_texts(self) -> list[SampledText]:
        """Return the samples of all classes, in the order of the hashes."""
        found = {one.hash: one for number in self._classes for one in self.of_class(number)}
        return [found[hash_] for hash_ in sorted(found)]
