"""Checkpoints: counts of a stream so far, in a file, so that counting can go on after it was killed."""

import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.features.streams import PlainStream, ViewStreams
from troenpy.features.tallies import Tally
from troenpy.features.views import read_views
from troenpy.files import archive
from troenpy.files.drafts import FilePath
from troenpy.files.saved import add_prefix, select_prefix

CHECKPOINT_VERSION = 1
#: Seconds of counting between two checkpoints, at least; and at least so many times what writing one takes.
SECONDS_BETWEEN, TIMES_WRITING = 30.0, 10.0


@dataclass
class Checkpoint:
    """A file with the counts of the documents so far.

    Parameters
    ----------
    path : path-like
    seconds : float
        Between two writes, at least.
    """

    path: FilePath
    seconds: float = SECONDS_BETWEEN
    _last: float = field(default_factory=time.monotonic)

    def restore(self, features: Any, keys: NDArray[np.uint64]) -> int:
        """Continue from the file, if it is there; return how many documents it has counted.

        Raises
        ------
        ValueError
            If the counts are of other documents, or of other settings.
        """
        if not Path(self.path).exists():
            return 0
        header, arrays = archive.read(self.path, "checkpoint", CHECKPOINT_VERSION)
        n_documents = int(header["n_documents"])
        is_same = n_documents <= len(keys) and header["documents"] == _digest(keys[:n_documents])
        if not is_same or header["settings"] != _settings(features):
            what = "settings" if is_same else "documents"
            raise ValueError(f"{self.path} has counts of other {what}: delete it, or name another checkpoint")
        tallies = list[Tally]()
        while of_view := select_prefix(f"view{len(tallies)}.", arrays):
            tallies.append(Tally.from_arrays(of_view))
        features._stream = ViewStreams(tuple(PlainStream((tally,)) for tally in tallies))
        return n_documents

    def note(self, features: Any, keys: NDArray[np.uint64]) -> None:
        """Write the counts of these documents, unless that was done a short time ago."""
        if time.monotonic() - self._last < self.seconds:
            return
        start = time.monotonic()
        arrays: archive.Arrays = {}
        for number, stream in enumerate(features._stream.streams):
            arrays |= add_prefix(f"view{number}.", stream.tally().to_arrays())
        header = {
            "kind": "checkpoint",
            "version": CHECKPOINT_VERSION,
            "n_documents": len(keys),
            "documents": _digest(keys),
            "settings": _settings(features),
        }
        archive.write(self.path, header, arrays)
        self._last = time.monotonic()
        self.seconds = max(self.seconds, TIMES_WRITING * (self._last - start))

    def remove(self) -> None:
        """Delete the file."""
        Path(self.path).unlink(missing_ok=True)


def _digest(keys: NDArray[np.uint64]) -> str:
    return sha256(np.ascontiguousarray(keys).data).hexdigest()


def _settings(features: Any) -> str:
    """Return what decides the counts, as text."""
    kinds = [
        (view.kind(), getattr(view.counter, "max_terms", None), getattr(view.counter, "binary", None))
        for view in read_views(features.views)
    ]
    shown = [[sorted(part) if isinstance(part, set | frozenset) else part for part in kind] for kind, *_ in kinds]
    return sha256(repr((shown, [rest for _, *rest in kinds])).encode("utf-8", "surrogatepass")).hexdigest()
