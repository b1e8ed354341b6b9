"""Open a file of labelled text, and read it in batches."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.labels import read_label_sets
from troenpy.records.arrow import Array, Table, arrow
from troenpy.records.cells import text_array
from troenpy.records.chunk import N_SAMPLED, Chunk, Notices
from troenpy.records.columns import choose_columns
from troenpy.records.formats import Chunks, Wanted, find_format
from troenpy.records.problems import Fault, Problems
from troenpy.records.row_labels import Label, LabelReader
from troenpy.records.source import Source

ON_ERROR = ("stop", "skip")


@dataclass(frozen=True)
class RecordBatch:
    """Some rows of a file.

    Attributes
    ----------
    table : pyarrow.Table
        All columns, as they are in the file.
    texts : pyarrow.Array
        The text of each row, "" if it is broken.
    labels : list of str, list of tuples of str, or None
        The label or labels of each row, "" or () if it is broken; None if the file was opened without labels.
    is_broken : ndarray of bool
    first_row : int
        The number of the first row in the file, from 1.
    """

    table: Table
    texts: Array
    labels: list[Label] | None
    is_broken: NDArray[np.bool_]
    first_row: int


class Records:
    """An open file of text and labels; `open_records` makes it, and `with` closes it.

    Attributes
    ----------
    name : str
        Of the file.
    format : str
    columns : list of str
        All columns.
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
        self._source, self._on_error = source, on_error
        self.name, self._said, self.problems = source.name, Notices(), Problems()
        self._open: Iterator[Chunk] | None = None
        self.format, self._chunks = find_format(source, wanted, needs_label=needs_label, notices=self._said)
        held = self._peek(self._chunks)
        sample = held[-1].table.slice(0, N_SAMPLED)
        self.columns: list[str] = list(sample.column_names)
        if self.format == "fasttext" and separator is None:
            separator = " "
        self.text, self.label = choose_columns(
            sample, self.name, self._said, text=text, label=label, usual_text=usual_text, needs_label=needs_label
        )
        self._labels = LabelReader(sample, self.label, separator) if self.label else None
        if self._labels is not None and self._labels.has_sets:
            self._said.say(f"{self.name}: {self._labels}")

    @property
    def notices(self) -> list[str]:
        """What was sniffed, guessed or decided, one line each."""
        return list(self._said)

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
                    yield self._batch(chunk, first_row)
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

    def _batch(self, chunk: Chunk, first_row: int) -> RecordBatch:
        table = chunk.table
        faults = dict[int, Fault]()
        texts, kinds = self._texts(table)
        found = None
        if self._labels is not None:
            found = self._labels.read(table)
            kinds = {**found.faults, **kinds}
        for fault in (*(Fault(row, kind) for row, kind in kinds.items()), *chunk.faults):
            faults[fault.row] = fault  # what the format found goes first
        if faults and self._on_error == "stop":
            row = min(faults)
            raise faults[row].error(self.name, first_row + row, chunk.line_of(row))
        is_broken = np.zeros(table.num_rows, dtype=bool)
        labels = None if found is None else found.values
        if faults:
            is_broken[list(faults)] = True
            self._note(faults, first_row)
            pa, compute = arrow(), arrow("compute")
            texts = compute.if_else(pa.array(is_broken), pa.scalar("", texts.type), texts)
            if labels is not None:
                none: Label = () if self.has_sets else ""
                labels = [none if broken else label for label, broken in zip(labels, is_broken.tolist(), strict=True)]
        return RecordBatch(table, texts, labels, is_broken, first_row)

    def _texts(self, table: Table) -> tuple[Array, dict[int, str]]:
        compute = arrow("compute")
        arrays, faults = [], dict[int, str]()
        for name in self.text:
            found, of_column = text_array(table.column(name), table.schema.field(name))
            arrays.append(found)
            faults |= of_column
        texts = arrays[0]
        if len(arrays) > 1:
            same = [array.cast(arrow().large_string()) for array in arrays]
            texts = compute.binary_join_element_wise(*same, "\n", null_handling="skip")
        texts = texts.fill_null("")
        is_blank = compute.equal(compute.utf8_trim_whitespace(texts), "").to_numpy(zero_copy_only=False)
        return texts, {**dict.fromkeys(np.flatnonzero(is_blank).tolist(), "no text"), **faults}

    def _note(self, faults: dict[int, Fault], first_row: int) -> None:
        for kind in dict.fromkeys(fault.kind for fault in faults.values()):
            self.problems.add(kind, [first_row + row for row in sorted(faults) if faults[row].kind == kind])


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


def open_records(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    separator: str | None = None,
    needs_label: bool = True,
    format: str | None = None,  # noqa: A002 (as in pandas and pyarrow)
    delimiter: str | None = None,
    encoding: str | None = None,
    on_error: str = "stop",
    spool: bool = False,
    usual_text: Sequence[str] = (),
) -> Records:
    r"""Open a file of labelled text.

    The format is found by the first bytes and the ending of the name: CSV and TSV, JSON lines, an array of JSON
    objects, Parquet, Arrow and Feather, lines of fastText (``__label__``), or a folder with a folder of text files for
    each class; all but Parquet and Arrow files also compressed with gzip or Zstandard.

    Parameters
    ----------
    source : path-like, "-" or binary file
        "-" is standard input.
    text : str or sequence of str, optional
        The column of text; several columns are joined by newlines. By default the one obvious choice.
    label : str or sequence of str, optional
        The column of labels. With several columns a row has the labels of all; if their cells only say yes or no (1 or
        0, true or false), the names of the columns are the labels.
    separator : str, optional
        Between several labels in a cell. Lists of labels in JSON, Parquet and Arrow need none.
    needs_label : bool, default=True
        False reads no labels, unless `label` names a column.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "arrow", "fasttext", "folder"}, optional
    delimiter : str, optional
        Of CSV; by default sniffed among commas, tabs, semicolons and pipes.
    encoding : str, optional
        By default sniffed: UTF-8, UTF-16, UTF-32 or Windows-1252.
    on_error : {"stop", "skip"}, default="stop"
        What to do with broken rows (without text or label, with bytes that are not text, or with too many or too few
        cells): raise an error for the first one, or mark and count them.
    spool : bool, default=False
        Copy what can be read only once, such as standard input, to a temporary file.
    usual_text : sequence of str, optional
        The columns of text if `text` is not given and the file has all of these.

    Returns
    -------
    Records

    Examples
    --------
    >>> import io
    >>> from troenpy.records import open_records
    >>> with open_records(io.BytesIO(b"text,label\na good day,pos\na bad day,neg\n")) as records:
    ...     print(records.text, records.label, *records.documents())
    ('text',) ('label',) (['a good day', 'a bad day'], ['pos', 'neg'])
    """
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error must be 'stop' or 'skip', got {on_error!r:.40}")
    arrow()
    opened = Source(source, spool=spool)
    try:
        return Records(
            opened,
            Wanted(format, delimiter, encoding),
            text=text,
            label=label,
            usual_text=usual_text,
            separator=separator,
            needs_label=needs_label,
            on_error=on_error,
        )
    except BaseException:
        opened.close()
        raise
