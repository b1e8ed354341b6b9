"""An open file of labelled text, read in batches."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, Self

import numpy as np

from troenpy.counts.labels import read_label_sets
from troenpy.records.chunk import N_SAMPLED, Chunk, Notices
from troenpy.records.columns import choose_columns
from troenpy.records.formats import Chunks, Wanted, find_format
from troenpy.records.problems import Problems
from troenpy.records.record_batch import BatchReader, RecordBatch
from troenpy.records.row_labels import LabelReader
from troenpy.records.source import Source


class Records:
    """An open file of text and labels; `open_records` makes it, and `with` closes it.

    Attributes
    ----------
    name : str
        Of the file.
    format : str
    columns : list of str
        All columns.
    schema : pyarrow.Schema
        Of the first rows.
    text, label : tuple of str
        The columns of text and of labels.
    has_sets : bool
        Whether a row may have several labels, or none.
    notices : list of str
        What was sniffed, guessed or decided, one line each.
    problems : Problems
        The broken rows of the current or the last pass.
    """

    def __init__(
        self,
        source: Source,
        wanted: Wanted,
        *,
        text: str | Sequence[str] | None,
        label: str | Sequence[str] | None,
        usual_text: Sequence[str],
        separator: str | None,
        needs_label: bool,
        on_error: str,
    ) -> None:
        self._source = source
        self.name, self._said, self.problems = source.name, Notices(), Problems()
        self._open: Iterator[Chunk] | None = None
        self.format, self._chunks = find_format(source, wanted, needs_label=needs_label, notices=self._said)
        held = self._peek(self._chunks)
        sample = held[-1].table.slice(0, N_SAMPLED)
        self.schema, self.columns = sample.schema, list[str](sample.column_names)
        try:
            self.text, self.label = choose_columns(
                sample, self.name, self._said, text=text, label=label, usual_text=usual_text, needs_label=needs_label
            )
        except ValueError as error:
            if self.format != "csv" or needs_label:
                raise
            raise ValueError(f"{error}; if each line is a text, add format='txt' (--format txt)") from None
        usual = " " if self.format == "fasttext" else None
        self._labels = LabelReader(sample, self.label, separator, usual_separator=usual) if self.label else None
        if self._labels is not None and self._labels.has_sets:
            self._said.say(f"{self.name}: {self._labels}")
        self._batches = BatchReader(self.name, self.text, self._labels, stops=on_error == "stop")

    @property
    def notices(self) -> list[str]:
        """What was sniffed, guessed or decided, one line each."""
        return list(self._said)

    def listen(self, listener: Callable[[str], Any]) -> None:
        """Let a function hear the notices: those that there are, now, and others as soon as there are."""
        self._said.listen(listener)

    @property
    def has_sets(self) -> bool:
        """Whether a row may have several labels, or none."""
        return self._labels is not None and self._labels.has_sets

    @property
    def size(self) -> int | None:
        """Bytes of the file, compressed if it is; None if that is not known."""
        return self._source.size

    @property
    def position(self) -> int:
        """Bytes read in this pass."""
        return self._source.position

    @property
    def can_reopen(self) -> bool:
        """Whether the file can be read several times."""
        return self._source.can_reopen

    def batches(self) -> Iterator[RecordBatch]:
        """Read the file from its start; a pipe can be read only once.

        Yields
        ------
        RecordBatch

        Raises
        ------
        ValueError
            For the first broken row, unless the file was opened with ``on_error="skip"``.
        """
        self.problems = Problems()
        chunks, self._open = (self._open, None) if self._open is not None else (self._chunks(), None)
        first_row = 1
        with closing(chunks):  # type: ignore[type-var]
            for chunk in chunks:
                if chunk.table.num_rows:
                    yield self._batches.read(chunk, first_row, self.problems)
                    first_row += chunk.table.num_rows

    def documents(self) -> Iterator[tuple[list[str], Any]]:
        """Read the rows that are not broken: pairs of texts and labels, as `fit_batches` takes them."""
        if self._labels is None:
            raise ValueError(f"{self.name} was opened without labels")
        for batch in self.batches():
            good = np.flatnonzero(~batch.is_broken).tolist()
            texts, labels = batch.texts.to_pylist(), batch.labels or []
            chosen = [labels[row] for row in good]
            yield [texts[row] for row in good], read_label_sets(chosen) if self.has_sets else chosen

    def close(self) -> None:
        """Close the file, and remove the temporary copy if there is one."""
        if self._open is not None:
            self._open.close()  # type: ignore[attr-defined]
            self._open = None
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _peek(self, chunks: Chunks) -> list[Chunk]:
        """Read until there are rows; what was read is kept for the first pass."""
        held, rest = list[Chunk](), chunks()
        for chunk in rest:
            held.append(chunk)
            if chunk.table.num_rows:
                break
        if not held:
            raise ValueError(f"{self.name} is empty")
        self._open = _Continued(held, rest)
        return held


class _Continued:
    """An iterator that begins with chunks that were read before."""

    def __init__(self, held: list[Chunk], rest: Iterator[Chunk]) -> None:
        self._chunks, self._rest = chain(held, rest), rest

    def __iter__(self) -> Iterator[Chunk]:
        return self._chunks

    def __next__(self) -> Chunk:
        return next(self._chunks)

    def close(self) -> None:
        """Close the file."""
        self._rest.close()  # type: ignore[attr-defined]
