"""Count the documents of some files, one after the other: all of them, or those of one of several processes."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from troenpy.counts.labels import Labels, read_label_sets, read_labels
from troenpy.features.batches import add_documents
from troenpy.features.checkpoints import Checkpoint, settings_digest
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.streams import PlainStream, Stream
from troenpy.features.tallies import Tally
from troenpy.records import RecordBatch, open_records

#: Told the documents and bytes that have been read so far.
Tell = Callable[[int, int], Any]


class CountedFile(NamedTuple):
    """A file or folder, and how to recognise that it has changed: its bytes, and its times of change."""

    path: str
    n_bytes: int
    changed: list[int]

    @classmethod
    def of(cls, path: str) -> "CountedFile":
        """Return the file or folder as it is now."""
        if not Path(path).exists():
            raise FileNotFoundError(f"file not found: {path:.200}")
        parts = sorted(one for one in Path(path).rglob("*") if one.is_file()) if Path(path).is_dir() else [Path(path)]
        states = [part.stat() for part in parts]
        sizes, times = [state.st_size for state in states], [state.st_mtime_ns for state in states]
        return cls(path, sum(sizes), [len(parts), max(times, default=0)])


@dataclass(frozen=True)
class FileGroup:
    """Files that are counted one after the other.

    Parameters
    ----------
    files : list of CountedFile
    counter : CountVectorizer
        How to count, with checked parameters.
    options : dict
        Of `open_records`.
    checkpoint : path-like or None
    process : int or None
        The process that waits for the counts; if it is gone, counting ends.
    """

    files: list[CountedFile]
    counter: CountVectorizer
    options: dict[str, Any]
    checkpoint: str | None = None
    process: int | None = None

    def count(self, tell: Tell) -> Tally | None:
        """Return the counts of all documents; None if there are none."""
        progress = _Progress()
        checkpoint = None
        if self.checkpoint is not None:
            checkpoint = Checkpoint(self.checkpoint)
            progress = self._restored(checkpoint)
        for number in range(progress.n_files, len(self.files)):
            for batch, position, has_sets in self._batches(self.files[number], progress.n_rows):
                self._add(progress, batch, has_sets)
                tell(progress.stream.n_documents, progress.n_bytes + min(position, self.files[number].n_bytes))
                if checkpoint is not None and checkpoint.is_due():
                    self._write(checkpoint, progress)
                if self.process is not None and os.getppid() != self.process:
                    raise SystemExit("the process that started this one is gone")
            progress = progress.next_file(self.files[number].n_bytes)
            tell(progress.stream.n_documents, progress.n_bytes)
        return progress.stream.tally() if progress.stream.n_batches else None

    def _batches(self, file: CountedFile, n_counted: int) -> Iterator[tuple[RecordBatch, int, bool]]:
        """Yield the batches of a file after the rows that have been counted."""
        with open_records(file.path, **self.options) as records:
            for batch in records.batches():
                if batch.first_row - 1 + len(batch.texts) > n_counted:
                    yield batch, records.position, records.has_sets

    def _add(self, progress: "_Progress", batch: RecordBatch, has_sets: bool) -> None:
        is_new = np.arange(batch.first_row, batch.first_row + len(batch.texts)) > progress.n_rows
        progress.n_rows += int(is_new.sum())
        texts, labels = batch.texts, batch.labels or []
        if batch.is_broken.any() or not is_new.all():
            chosen = np.flatnonzero(is_new & ~batch.is_broken)
            texts, labels = texts.take(chosen), [labels[row] for row in chosen.tolist()]
        if len(texts):
            read: Labels = read_label_sets(labels) if has_sets else read_labels(labels)
            counter = object.__new__(type(self.counter))
            counter.__dict__.update(vars(self.counter))  # adding documents may change its parameters
            progress.stream = add_documents(progress.stream, counter, texts, read, None)

    def _restored(self, checkpoint: Checkpoint) -> "_Progress":
        """Return how far the checkpoint has come; raise if it belongs to another call."""
        found = checkpoint.read()
        if found is None:
            return _Progress()
        before = {path: [n_bytes, changed] for path, n_bytes, changed in found.header["files"]}
        checkpoint.check_same("files", list(before) == [file.path for file in self.files])
        checkpoint.check_same("settings", found.header["settings"] == self._settings())
        for path, n_bytes, changed in self.files:
            if before[path] != [n_bytes, changed]:
                raise ValueError(
                    f"{path} has changed since {checkpoint.path} was written: delete that, or name another checkpoint"
                )
        stream = PlainStream(tuple(found.tallies))
        return _Progress(stream, found.header["n_files"], found.header["n_rows"], found.header["n_bytes"])

    def _write(self, checkpoint: Checkpoint, progress: "_Progress") -> None:
        fields = {"n_files": progress.n_files, "n_rows": progress.n_rows, "n_bytes": progress.n_bytes}
        tallies = [progress.stream.tally()] if progress.stream.n_batches else []
        checkpoint.write({"files": self.files, "settings": self._settings(), **fields}, tallies)

    def _settings(self) -> str:
        return settings_digest([self.counter]) + repr(sorted(self.options.items()))


@dataclass
class _Progress:
    """What has been counted: whole files, and some rows of the next one."""

    stream: Stream = field(default_factory=PlainStream)
    n_files: int = 0
    n_rows: int = 0
    n_bytes: int = 0

    def next_file(self, n_bytes: int) -> "_Progress":
        return _Progress(self.stream, self.n_files + 1, 0, self.n_bytes + n_bytes)
