"""Predict the rows of a file: all its columns, in order, and what the model says of each row."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.display import data_frame, html_table, printable, text_table
from troenpy.files.drafts import draft
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_whole
from troenpy.persistence.models import load_with_about
from troenpy.records import Records, open_records
from troenpy.records.arrow import arrow
from troenpy.records.chunk import LateKeys, Notices
from troenpy.records.problems import N_NAMED
from troenpy.records.wording import column_phrase, counted, listed, quoted
from troenpy.tasks.about import About, check_is_model
from troenpy.tasks.row_writers import (
    CsvWriter,
    JsonLinesWriter,
    ParquetWriter,
    RowWriter,
    TableCollector,
    writer_for,
)
from troenpy.tasks.spared_files import check_spared

#: Probabilities that are held at a time: 32 MB.
MOST_PROBABILITIES = 1 << 22
#: Rows that a thread predicts at a time: what is counted of them stays in the processor's cache.
ROWS_AT_ONCE = 1 << 13
#: Between several labels in a cell, unless the training file had another.
SEPARATOR = ";"


class Part(NamedTuple):
    """Rows of a file, their texts, which are broken, and the keys that have no column."""

    table: Any
    texts: Any
    is_broken: NDArray[np.bool_]
    late_keys: LateKeys


@dataclass(frozen=True)
class Progress:
    """How far predicting has come.

    Attributes
    ----------
    n_rows : int
    seconds : float
    done : float or None
        The part of the file that is read, if its size is known.
    """

    n_rows: int
    seconds: float
    done: float | None


@dataclass(frozen=True, eq=False)
class Predictions:
    """What was predicted.

    Attributes
    ----------
    source, out : str or None
    n_rows : int
    n_broken : int
        Rows without a prediction because something is wrong with them.
    n_by_label : dict
        How many rows have each prediction; several labels are joined.
    seconds : float
    notices : list of str
    problems : list of str
        What was wrong with rows, one line each.
    warnings : list of str
        What the output does not hold of the file, one line each.
    table : pyarrow.Table or None
        All rows, if they were not written to a file.
    """

    source: str
    out: str | None
    n_rows: int
    n_broken: int
    n_by_label: dict[str, int]
    seconds: float
    notices: list[str]
    problems: list[str]
    warnings: list[str]
    table: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the rows."""
        found = dict(vars(self))
        del found["table"]
        return found

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame; if they were written to a file, the number of rows by prediction.

        Returns
        -------
        pandas.DataFrame
        """
        if self.table is not None:
            return self.table.to_pandas()
        return data_frame(["prediction", "rows"], [list(self.n_by_label), list(self.n_by_label.values())])

    def __str__(self) -> str:
        rate = self.n_rows / self.seconds if self.seconds > 0 else 0.0
        broken = f", {self.n_broken:,} of them without a prediction" if self.n_broken else ""
        rows = counted(self.n_rows, "row")
        title = f"{printable(self.source)}: {rows} in {self.seconds:.1f} s ({rate:,.0f} a second){broken}"
        return "\n".join([title, *text_table([["prediction", "rows"], *self._rows()], indent="")])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(["prediction", "rows"], self._rows())

    def _rows(self) -> list[list[str]]:
        ordered = sorted(self.n_by_label.items(), key=lambda item: (-item[1], item[0]))
        rows = [[printable(name)[:40] or "(none)", f"{n:,}"] for name, n in ordered[:20]]
        more = len(ordered) - len(rows)
        return [*rows, *([[f"and {more:,} more", ""]] if more > 0 else [])]


def predict(
    model: Any,
    source: Any,
    out: Any = None,
    *,
    text: str | Sequence[str] | None = None,
    proba: bool = False,
    top: int | None = None,
    threshold: float | None = None,
    explain: int | None = None,
    format: str | None = None,  # noqa: A002 (as in open_records)
    delimiter: str | None = None,
    encoding: str | None = None,
    on_error: str = "skip",
    jobs: int | None = -1,
    callback: Callable[[Progress], Any] | None = None,
    on_notice: Callable[[str], Any] | None = None,
) -> Predictions:
    """Predict the label of every row of a file, in constant memory.

    All columns and rows are kept, in order, and a column `prediction` is added. A name that the file has already gets a
    number: `prediction_2`. With several labels for a document, they are joined by the separator of the training file,
    or by semicolons. The prediction of a broken row is empty. What the output does not hold is in `warnings`: cells
    beyond those of the header, lines that are not JSON, and keys of JSON that none of the first 1,000 rows has, unless
    rows are written as JSON lines.

    Parameters
    ----------
    model : path-like, or fitted classifier
    source : path-like, "-" or binary file
        See `open_records`.
    out : path-like, binary file or writer, optional
        Where to write the rows: CSV, TSV, JSON lines or Parquet, by the ending; CSV to an open file, or what a writer
        of `troenpy.tasks.row_writers` makes of it. By default they are kept in memory.
    text : str or sequence of str, optional
        The columns of text. By default those that the model has learnt from, if the file has them; otherwise guessed.
    proba : bool, default=False
        Add the probability of each class, as `probability_CLASS`.
    top : int, optional
        Add the most probable classes and their probabilities, as `top_1`, `top_1_probability` and so on.
    threshold : float, optional
        Leave the prediction empty if its probability is below this. With several labels for a document: predict those
        with at least this probability (0.5).
    explain : int, optional
        Add the terms that contribute most to the prediction, this many, as `explanation`.
    format, delimiter, encoding, on_error
        See `open_records`. By default broken rows are kept, without a prediction.
    jobs : int or None, default=-1
        Number of threads, which predict different rows; -1 means one per processor.
    callback : callable, optional
        Called after every batch with an object with the attributes `n_rows`, `seconds` and `done`.
    on_notice : callable, optional
        Called with a line for all that is sniffed, guessed or decided, as soon as it is.

    Returns
    -------
    Predictions
    """
    start, about, name = time.monotonic(), None, "the model"
    inputs = {"the model": model if isinstance(model, str | Path) else None, "the file they come from": source}
    if isinstance(model, str | Path):
        name = printable(str(model))
        check_is_model(model, ": the model comes first, as in `troenpy predict MODEL FILE`")
        model, _, found = load_with_about(model)
        about = About.from_dict(found)
        _prepare(model, name)
    predictor = _Predictor(model, about, name, proba, top, threshold, explain)
    with open_records(
        source,
        text=text,
        usual_text=() if about is None else about.text,
        needs_label=False,
        format=format,
        delimiter=delimiter,
        encoding=encoding,
        on_error=on_error,
    ) as records:
        n_rows, n_broken, n_by_label = 0, 0, Counter[str]()
        without_column = WithoutColumn()
        predictor.name_columns(records.columns)
        n_threads = job_count(jobs)
        with _opened(out, inputs) as (writer, written):
            if on_notice is not None:
                records.listen(on_notice)
                predictor.notices.listen(on_notice)

            def work(part: Part) -> tuple[Any, Counter[str]]:
                table, labels = predictor.predict(part.table, part.texts, part.is_broken)
                return writer.encode(table, part.late_keys), Counter(labels)

            parts = _parts(records, predictor.n_rows_at_once)
            for part, (encoded, counted) in in_order(work, parts, n_threads):
                writer.write(encoded)
                n_by_label.update(counted)
                n_rows += len(part.is_broken)
                n_broken += int(part.is_broken.sum())
                without_column.add(part.late_keys)
                if callback is not None:
                    done = min(1.0, records.position / records.size) if records.size else None
                    callback(Progress(n_rows, time.monotonic() - start, done))
            writer.close()
        return Predictions(
            source=records.name,
            out=written,
            n_rows=n_rows,
            n_broken=n_broken,
            n_by_label=dict(sorted(n_by_label.items())),
            seconds=round(time.monotonic() - start, 3),
            notices=[*records.notices, *predictor.notices],
            problems=records.problems.lines(),
            warnings=[
                *(_missing_columns(about, records) if text is None else []),
                *records.problems.not_kept(),
                *([] if isinstance(writer, JsonLinesWriter) else without_column.lines()),
            ],
            table=writer.table() if isinstance(writer, TableCollector) else None,
        )


def _prepare(model: Any, name: str) -> None:
    """Check that a loaded model classifies text, and let it use one thread: other threads predict other rows."""
    features = getattr(model, "features_", None)
    if features is None or any(view.counter is None for view in features.views_):
        raise ValueError(f"{name} holds a {type(model).__name__}: predict needs a text classifier, such as train makes")
    for estimator in (model, features, *(view.counter for view in features.views_)):
        estimator.n_jobs = 1


@contextmanager
def _opened(out: Any, inputs: Mapping[str, Any]) -> Iterator[tuple[RowWriter, str | None]]:
    if out is None:
        yield TableCollector(), None
    elif isinstance(out, CsvWriter | JsonLinesWriter | ParquetWriter):
        yield out, None
    elif hasattr(out, "write"):
        yield CsvWriter(out), None
    else:
        path = Path(out)
        make = writer_for(path)
        check_spared(path, "the rows", inputs)
        with draft(path) as file:
            yield make(file), str(path)


def _parts(records: Records, step: int) -> Iterator[Part]:
    """Yield rows, at most `step` at a time; once none, if there are none, for the header."""
    n_rows = 0
    for batch in records.batches():
        n_rows += batch.table.num_rows
        for first in range(0, batch.table.num_rows, step):
            rows = range(first, first + step)
            late = {row - first: keys for row, keys in batch.late_keys.items() if row in rows}
            yield Part(
                batch.table.slice(first, step), batch.texts.slice(first, step), batch.is_broken[first : rows.stop], late
            )
    if not n_rows:
        yield Part(records.schema.empty_table(), arrow().array([], arrow().string()), np.empty(0, dtype=bool), {})


def in_order(
    work: Callable[[Part], tuple[Any, Counter[str]]], parts: Iterable[Part], n_threads: int
) -> Iterator[tuple[Part, tuple[Any, Counter[str]]]]:
    """Yield parts with what `work` makes of each, in order; several threads work, a few parts ahead."""
    if n_threads == 1:
        yield from ((part, work(part)) for part in parts)
        return
    waiting = deque[tuple[Part, Future[tuple[Any, Counter[str]]]]]()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for part in parts:
                waiting.append((part, pool.submit(work, part)))
                if len(waiting) > n_threads:
                    first, found = waiting.popleft()
                    yield first, found.result()
            while waiting:
                first, found = waiting.popleft()
                yield first, found.result()
        finally:
            for _, rest in waiting:
                rest.cancel()


def _missing_columns(about: About | None, records: Records) -> list[str]:
    """Warn if the file lacks columns of text that the model has learnt from."""
    missing = [name for name in about.text if name not in records.columns] if about is not None else []
    if not missing or records.format in ("txt", "folder"):
        return []
    return [
        f"{records.name} has no {column_phrase(missing)}, which the model has learnt from: predicted from"
        f" {column_phrase(records.text)}"
    ]


class WithoutColumn:
    """Counts the rows with keys that a table has no column for."""

    def __init__(self) -> None:
        self._n_rows, self._keys, self._has_more = 0, list[str](), False

    def add(self, late_keys: LateKeys) -> None:
        """Count rows, and remember the first few keys."""
        self._n_rows += len(late_keys)
        for key in (key for keys in late_keys.values() for key in keys if key not in self._keys):
            if len(self._keys) == N_NAMED:
                self._has_more = True
                return
            self._keys.append(key)

    def lines(self) -> list[str]:
        """Return a line if there were such rows."""
        if not self._n_rows:
            return []
        keys = listed([*map(quoted, self._keys), *(["others"] if self._has_more else [])])
        rows = "1 row has" if self._n_rows == 1 else f"{self._n_rows:,} rows have"
        return [f"{rows} keys that are not in the first rows, and not in the output: {keys}; write .jsonl to keep them"]


class _Predictor:
    """Adds the columns of a model to rows."""

    def __init__(
        self,
        model: Any,
        about: About | None,
        name: str,
        proba: bool,
        top: int | None,
        threshold: float | None,
        explain: int | None,
    ) -> None:
        if not hasattr(model, "predict") or not hasattr(model, "classes_"):
            raise TypeError(f"{name} must be a text classifier, such as `train` makes, got {type(model).__name__}")
        self.model, self.proba, self.explain = model, proba, explain
        self.top = None if top is None else check_whole("top", top, least=1)
        if explain is not None:
            check_whole("explain", explain, least=1)
        if threshold is not None and not 0 <= threshold <= 1:
            raise ValueError(f"threshold must be a probability, between 0 and 1, got {threshold}")
        self.threshold = threshold
        self.classes = [str(name) for name in model.classes_.tolist()]
        self.has_sets = bool(getattr(model, "_is_multilabel", False))
        self.separator = (about.separator if about is not None else None) or SEPARATOR
        self.needs_probabilities = proba or top is not None or threshold is not None
        self.n_rows_at_once = ROWS_AT_ONCE
        if self.needs_probabilities:
            self.n_rows_at_once = min(ROWS_AT_ONCE, max(1, MOST_PROBABILITIES // len(self.classes)))
        self.notices = Notices()
        self._names: dict[str, str] = {}

    def name_columns(self, columns: Sequence[str]) -> None:
        """Choose names that the file does not have."""
        taken = set(columns)
        for name in self._added():
            free, number = name, 2
            while free in taken:
                free, number = f"{name}_{number}", number + 1
            if free != name:
                self.notices.say(f"the file has a column {printable(name)!r}: the new one is {printable(free)!r}")
            taken.add(free)
            self._names[name] = free

    def _added(self) -> list[str]:
        names = ["prediction"]
        if self.proba:
            names += [f"probability_{name}" for name in self.classes]
        for number in range(1, 1 + min(self.top or 0, len(self.classes))):
            names += [f"top_{number}", f"top_{number}_probability"]
        return names if self.explain is None else [*names, "explanation"]

    def predict(self, table: Any, texts: Any, is_broken: NDArray[np.bool_]) -> tuple[Any, list[str]]:
        """Return the rows with the new columns, and the predictions of those that are not broken."""
        pa = arrow()
        probabilities = self.model.predict_proba(texts) if self.needs_probabilities else None
        labels = self._labels(texts, probabilities)
        shown = pa.array(labels, type=pa.string(), mask=is_broken)
        columns = [shown]
        if probabilities is not None and self.proba:
            columns += [pa.array(column, mask=is_broken) for column in probabilities.T]
        if probabilities is not None and self.top is not None:
            columns += self._top(probabilities, is_broken)
        if self.explain is not None:
            columns.append(pa.array(self._explanations(texts, is_broken), type=pa.string()))
        for name, column in zip(self._names.values(), columns, strict=True):
            table = table.append_column(name, column)
        return table, [label for label, broken in zip(labels, is_broken.tolist(), strict=True) if not broken]

    def _labels(self, texts: Any, probabilities: Any) -> list[str]:
        if self.has_sets:
            least = 0.5 if self.threshold is None else self.threshold
            chosen = self.model.predict(texts) > 0 if probabilities is None else probabilities >= least
            return [self.separator.join(self.classes[k] for k in np.flatnonzero(row)) for row in chosen]
        if probabilities is None:
            return [str(label) for label in self.model.predict(texts).tolist()]
        best = probabilities.argmax(axis=1)
        kept = np.ones(len(best), dtype=bool)
        if self.threshold is not None:
            kept = probabilities[np.arange(len(best)), best] >= self.threshold
        return [self.classes[k] if keep else "" for k, keep in zip(best.tolist(), kept.tolist(), strict=True)]

    def _top(self, probabilities: NDArray[np.float64], is_broken: NDArray[np.bool_]) -> list[Any]:
        pa = arrow()
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, : self.top]
        columns = []
        for column in order.T:
            names = [self.classes[k] for k in column.tolist()]
            values = probabilities[np.arange(len(column)), column]
            columns += [pa.array(names, type=pa.string(), mask=is_broken), pa.array(values, mask=is_broken)]
        return columns

    def _explanations(self, texts: Any, is_broken: NDArray[np.bool_]) -> list[str | None]:
        pairs = zip(texts.to_pylist(), is_broken.tolist(), strict=True)
        return [None if broken else explanation(self.model, text, self.explain or 1) for text, broken in pairs]


def explanation(model: Any, text: str, n_terms: int) -> str:
    """Return the terms that contribute most to the prediction, or the nearest documents, on one line."""
    found = model.explain(text)
    if hasattr(found, "shown"):
        shown = found.shown
        values = shown.values[:, found.classes.tolist().index(found.label)]
        return ", ".join(f"{shown.names[i]} {values[i]:+.2f}" for i in range(min(n_terms, len(values))))
    totals = found.shared.sum(axis=1)
    order = np.argsort(-totals, kind="stable")[:n_terms]
    return ", ".join(f"{found.terms[i]} {totals[i]:+.2f}" for i in order.tolist())
