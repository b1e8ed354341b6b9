"""Checkpoints: counts of a stream so far, in a file, so that counting can go on after it was killed."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.streams import PlainStream, ViewStreams
from troenpy.features.tallies import Tally
from troenpy.features.views import read_views
from troenpy.files import archive
from troenpy.files.drafts import FilePath, check_target
from troenpy.files.saved import add_prefix, select_prefix

CHECKPOINT_VERSION = 1
#: Parameters of a counter that only choose among the terms when all are counted, or do not change the counts.
CHOSEN_LATER = ("min_df", "max_df", "min_class_df", "dtype", "n_jobs")
#: Seconds of counting between two checkpoints, at least; and at least so many times what writing one takes.
SECONDS_BETWEEN, TIMES_WRITING = 30.0, 10.0


class SavedTallies(NamedTuple):
    """The tally of each view, and what they were counted from."""

    header: dict[str, Any]
    tallies: list[Tally]


@dataclass
class Checkpoint:
    """A file with the counts of the documents so far.

    Parameters
    ----------
    path : path-like
    seconds : float
        Between two writes, at least.
    on_stale : callable, optional
        Called if the file is damaged, or has counts of other documents or settings: these are then counted again. By
        default that is an error.
    """

    path: FilePath
    seconds: float = field(default_factory=lambda: SECONDS_BETWEEN)
    on_stale: Callable[[], Any] | None = None
    _last: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        check_target(self.path)  # now, not after the first half a minute of counting

    def restore(self, features: Any, keys: NDArray[np.uint64]) -> int:
        """Continue from the file, if it is there; return how many documents it has counted.

        Raises
        ------
        ValueError
            If the counts are of other documents, or of other settings, unless there is `on_stale`.
        """
        try:
            return self._restore(features, keys)
        except ValueError:
            if self.on_stale is None:
                raise
            self.on_stale()
            return 0

    def _restore(self, features: Any, keys: NDArray[np.uint64]) -> int:
        found = self.read()
        if found is None:
            return 0
        n_documents = int(found.header["n_documents"])
        is_same = n_documents <= len(keys) and found.header["documents"] == _digest(keys[:n_documents])
        self.check_same("documents", is_same)
        views = read_views(features.views)
        is_same = found.header["settings"] == settings_digest(view.counter for view in views)
        self.check_same("settings", is_same and len(views) == len(found.tallies))
        features._stream = ViewStreams(tuple(PlainStream((tally,)) for tally in found.tallies))
        return n_documents

    def note(self, features: Any, keys: NDArray[np.uint64]) -> None:
        """Write the counts of these documents, unless that was done a short time ago."""
        if not self.is_due():
            return
        settings = settings_digest(view.counter for view in read_views(features.views))
        tallies = [stream.tally() for stream in features._stream.streams]
        self.write({"n_documents": len(keys), "documents": _digest(keys), "settings": settings}, tallies)

    def read(self) -> SavedTallies | None:
        """Return what the file holds; None if there is no file."""
        if not Path(self.path).exists():
            return None
        header, arrays = archive.read(self.path, "checkpoint", CHECKPOINT_VERSION)
        tallies = list[Tally]()
        try:
            while of_view := select_prefix(f"view{len(tallies)}.", arrays):
                tallies.append(Tally.from_arrays(of_view))
        except (KeyError, ValueError, TypeError) as error:
            raise ValueError(f"{self.path} does not hold valid counts: {archive.reason(error)}") from None
        return SavedTallies(header, tallies)

    def check_same(self, what: str, is_same: bool) -> None:
        """Raise unless the counts are of the same documents or settings."""
        if not is_same:
            raise ValueError(f"{self.path} has counts of other {what}: delete it, or name another checkpoint")

    def is_due(self) -> bool:
        """Whether enough time has passed since the last time."""
        return time.monotonic() - self._last >= self.seconds

    def write(self, fields: Mapping[str, Any], tallies: Iterable[Tally]) -> None:
        """Write tallies, and what they were counted from."""
        start = time.monotonic()
        arrays: archive.Arrays = {}
        for number, tally in enumerate(tallies):
            arrays |= add_prefix(f"view{number}.", tally.to_arrays())
        archive.write(self.path, {"kind": "checkpoint", "version": CHECKPOINT_VERSION, **fields}, arrays)
        self._last = time.monotonic()
        self.seconds = max(self.seconds, TIMES_WRITING * (self._last - start))

    def remove(self) -> None:
        """Delete the file."""
        Path(self.path).unlink(missing_ok=True)


def _digest(keys: NDArray[np.uint64]) -> str:
    return sha256(np.ascontiguousarray(keys).data).hexdigest()


def settings_digest(counters: Iterable[CountVectorizer | None]) -> str:
    """Return a digest of all parameters that decide the counts; a function counts by its name."""
    shown = [[[name, _shown(value)] for name, value in sorted(_deciding(counter).items())] for counter in counters]
    return sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()


def _deciding(counter: CountVectorizer | None) -> dict[str, Any]:
    params = {} if counter is None else counter.get_params(deep=False)
    return {name: value for name, value in params.items() if name not in CHOSEN_LATER}


def _shown(value: Any) -> Any:
    """Return a value whose text is the same in another process."""
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    return list(value) if isinstance(value, np.ndarray | tuple) else value
