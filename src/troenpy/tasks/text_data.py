"""Texts with one label each, in memory: from a file, or from Python."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from troenpy.counts.labels import Labels, check_labels_fit, read_single_labels
from troenpy.features.documents import check_collection
from troenpy.features.documents import texts as read_documents
from troenpy.fitting.memory import memory_size
from troenpy.records import LabelSummary, open_records
from troenpy.records.columns import missing_column
from troenpy.records.wording import column_phrase
from troenpy.tasks.learning import BYTES_PER_CHARACTER, Step, done

#: What texts and labels from Python are called.
IN_PYTHON = "the texts"


@dataclass(frozen=True, eq=False)
class TextData:
    """Texts with one label each.

    Attributes
    ----------
    texts : list of str
    labels : list
    rows : list of int
        The number of each text: of its row in a file, from 1; in Python its place, from 0.
    columns : dict of lists
        The cells of further columns.
    name : str
        Of the file.
    reading : dict
        What `read_texts` was told, with the columns that it chose; empty in Python.
    notices, warnings : list of str
    n_skipped : int
        Broken rows that were left out.
    """

    texts: list[str]
    labels: list[Any]
    rows: list[int]
    columns: dict[str, list[Any]] = field(default_factory=dict)
    name: str = IN_PYTHON
    reading: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    n_skipped: int = 0

    @property
    def is_file(self) -> bool:
        """Whether the texts come from a file."""
        return bool(self.reading)

    def numbered(self) -> Labels:
        """Return the classes in order, and the number of each label."""
        return read_single_labels(self.labels, "labels")


def read_texts(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    separator: str | None = None,
    format: str | None = None,  # noqa: A002 (as in open_records)
    delimiter: str | None = None,
    encoding: str | None = None,
    on_error: str = "stop",
    columns: Sequence[str | None] = (),
    is_test: bool = False,
    callback: Callable[[Step], Any] | None = None,
) -> TextData:
    """Read a file of texts with one label each into memory.

    Parameters
    ----------
    source, text, label, separator, format, delimiter, encoding, on_error
        See `open_records`.
    columns : sequence of str
        Further columns to read; None among them is ignored.
    is_test : bool, default=False
        Whether the texts are only for testing: then they may have one class.
    callback : callable, optional
        Called with a `Step` after each batch.

    Returns
    -------
    TextData
    """
    wanted = [name for name in columns if name is not None]
    told: dict[str, Any] = {
        "text": text,
        "label": label,
        "format": format,
        "delimiter": delimiter,
        "encoding": encoding,
    }
    with open_records(source, **told, separator=separator, on_error=on_error) as records:
        for name in wanted:
            if name not in records.columns:
                raise missing_column("column", name, records.columns, records.name)
        if records.has_sets:
            raise ValueError(
                f"{column_phrase(records.label)} of {records.name} may hold several labels, but this takes one label"
                " for each document: `troenpy train` learns from several, and measures the error"
            )
        texts, labels, rows = list[str](), list[Any](), list[int]()
        cells: dict[str, list[Any]] = {name: [] for name in wanted}
        summary, limit = LabelSummary(" and ".join(records.label)), _most_characters()
        for batch in records.batches():
            good = np.flatnonzero(~batch.is_broken)
            of_batch, given = batch.texts.to_pylist(), batch.labels or []
            chosen = good.tolist()
            texts += [of_batch[i] for i in chosen]
            labels += [given[i] for i in chosen]
            rows += (good + batch.first_row).tolist()
            for name in wanted:
                found = batch.table.column(name).to_pylist()
                cells[name] += [found[i] for i in chosen]
            summary.add(texts[-len(chosen) :] if chosen else [], labels[-len(chosen) :] if chosen else [])
            if summary.n_characters > limit:
                raise ValueError(
                    f"{records.name} is too large for memory, with more than {limit / 1e6:,.0f} million characters:"
                    " take some of its rows, drawn at random"
                )
            if callback is not None:
                callback(Step("reading", done(records)))
        if is_test and not texts:
            raise ValueError(f"{records.name} has no documents to test on")
        warnings = [*([] if is_test else summary.check(records.name)), *records.problems.lines()]
        told |= {"text": _one_or_all(records.text), "label": _one_or_all(records.label)}
        reading = {"source": str(source), **{name: value for name, value in told.items() if value is not None}}
        reading |= {"on_error": on_error} if on_error != "stop" else {}
        return TextData(
            texts,
            labels,
            rows,
            cells,
            records.name,
            reading,
            list(records.notices),
            warnings,
            records.problems.total,
        )


def check_texts(texts: Any, labels: Any, **columns: Any) -> TextData:
    """Return texts and labels from lists, arrays, or columns of pandas, polars or Arrow, after checks.

    Parameters
    ----------
    texts : iterable of str or bytes, array, Series or Arrow string data
    labels : array-like
        One for each text.
    **columns : array-like or None
        Further values, one for each text; None is ignored.

    Examples
    --------
    >>> data = check_texts(["late goal", "own goal", "vote", "law"], ["s", "s", "p", "p"], group=[1, 2, 3, 3])
    >>> data.rows, data.columns
    ([0, 1, 2, 3], {'group': [1, 2, 3, 3]})
    """
    numbered = read_single_labels(labels, "labels")
    collection = check_collection(texts)
    check_labels_fit(numbered, collection)
    found = list(read_documents(collection, lambda content: content.decode("utf-8")))
    check_labels_fit(numbered, len(found))
    cells = {name: as_list(name, values, len(found)) for name, values in columns.items() if values is not None}
    given = numbered.classes[numbered.indicator.indices].tolist()
    summary = LabelSummary("labels")
    summary.add(found, list(map(str, given)))
    return TextData(found, given, list(range(len(found))), cells, warnings=summary.check(IN_PYTHON))


def as_list(name: str, values: Any, n_expected: int) -> list[Any]:
    """Return the values of a column as a list, one for each text."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            values = getattr(values, method)()
            break
    if isinstance(values, str | bytes):
        raise TypeError(f"{name} must hold one value for each text, got {values!r:.40}")
    found = list(values)
    if len(found) != n_expected:
        raise ValueError(f"{name} must hold one value for each of the {n_expected:,} texts, got {len(found):,}")
    return found


def _one_or_all(names: Sequence[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)


def _most_characters() -> float:
    memory = memory_size()
    return np.inf if memory is None else memory / 4 / BYTES_PER_CHARACTER
