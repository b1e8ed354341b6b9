"""The CSV in which people review doubtful labels, and the corrected copy that is made from it."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from troenpy.display import printable, text_table
from troenpy.files.drafts import FilePath, check_target, draft
from troenpy.records import RecordBatch, Records, open_records
from troenpy.records.arrow import arrow
from troenpy.records.cells import holds_json
from troenpy.records.wording import counted, listed, quoted, shortened
from troenpy.tasks.learning import Step, done
from troenpy.tasks.result_files import write_csv
from troenpy.tasks.row_writers import JsonLinesWriter, writer_for
from troenpy.tasks.spared_files import check_spared
from troenpy.tasks.spreadsheets import protected, unprotected

if TYPE_CHECKING:
    from troenpy.tasks.audit_result import Suspect

COLUMNS = (
    *("rank", "row", "check", "label", "suggested", "corrected", "p_label", "p_suggested", "likely"),
    *("against", "nearest", "copies", "text"),
)
#: The columns that a corrected copy is made from.
NEEDED = ("row", "check", "corrected")
#: So many names are shown.
N_SHOWN, MOST_CHANGES = 5, 20


class Correction(NamedTuple):
    """A reviewed row: the checksum of the text and label it had, and its new label, if any."""

    check: str
    label: str


@dataclass(frozen=True)
class Corrected:
    """What was corrected; `print` shows the changes.

    Attributes
    ----------
    out : str
    n_rows : int
        Rows of the file.
    n_reviewed, n_changed : int
    by_change : dict of (str, str) to int
        How many labels were changed from what to what.
    warnings : list of str
    """

    out: str
    n_rows: int
    n_reviewed: int
    n_changed: int
    by_change: dict[tuple[str, str], int]
    warnings: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        changes = [{"from": old, "to": new, "rows": n} for (old, new), n in self.by_change.items()]
        return {**vars(self), "by_change": changes}

    def __str__(self) -> str:
        changed = f"{self.n_changed:,} of {counted(self.n_reviewed, 'reviewed label')} changed"
        rows = [[f"{shortened(old)} -> {shortened(new)}", f"{n:,}"] for (old, new), n in self.by_change.items()]
        more = [f"  and {len(rows) - MOST_CHANGES:,} more changes"] if len(rows) > MOST_CHANGES else []
        title = f"{printable(self.out)}: {changed}, {counted(self.n_rows, 'row')}"
        return "\n".join([title, *text_table(rows[:MOST_CHANGES]), *more])


def row_check(text: str, label: Any) -> str:
    """Return letters that tell whether a row still has the same text and label.

    Examples
    --------
    >>> row_check("late goal", "sport") == row_check("late goal", "politics")
    False
    """
    content = f"{label}\\0{text}".encode("utf-8", "surrogatepass")
    digest = blake2b(content, digest_size=5).hexdigest()
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)  # letters: a spreadsheet keeps them


def review_rows(suspects: Sequence["Suspect"]) -> Iterator[list[Any]]:
    """Yield the header and the rows of a review; `corrected` is empty."""
    yield list(COLUMNS)
    for one in suspects:
        yield [
            one.rank,
            one.row,
            row_check(one.text, one.label),
            str(one.label),
            str(one.suggested),
            "",
            one.p_label,
            one.p_suggested,
            "yes" if one.is_likely else "",
            ", ".join(f"{term} {value:+.2f}" for term, value in one.against),
            ", ".join(f"row {near.row}: {' or '.join(near.labels)} ({near.similarity:.2f})" for near in one.nearest),
            ", ".join(f"{name}: {n}" for name, n in one.copies.items()),
            one.text,
        ]


def write_review(file: BinaryIO, suspects: Sequence["Suspect"]) -> None:
    """Write a review as CSV."""
    rows = review_rows(suspects)
    write_csv(file, ([protected(cell) if isinstance(cell, str) else cell for cell in row] for row in rows))


def apply_review(
    source: Any,
    review: FilePath,
    out: FilePath,
    *,
    callback: Callable[[Step], Any] | None = None,
    **reading: Any,
) -> Corrected:
    """Write a corrected copy of a file, with all its columns and rows, in order; whole or not at all.

    Rows are found by their number. Text and label of every reviewed row must be those that were reviewed.

    Parameters
    ----------
    source : path-like or "-"
    review : path-like
        What `Audit.write_csv` wrote, with right labels in the column `corrected`; empty cells keep the label.
    out : path-like
        CSV, TSV, JSON lines or Parquet, by the ending; not the file itself.
    callback : callable, optional
        Called with a `Step` after each batch.
    **reading
        See `open_records`. A row that a copy cannot hold as it is, such as one with too many cells, is always an error.

    Returns
    -------
    Corrected
    """
    corrections = read_review(review)
    check_spared(out, "the corrected copy", {"the file it is made from": source, "the review": review})
    check_target(out)
    make = writer_for(Path(out))
    with open_records(source, **reading) as records, draft(out) as file:
        if records.has_sets or len(records.label) > 1:
            raise ValueError(f"{records.name} may hold several labels, but an audit takes one label for each document")
        correcting, writer = _Correcting(corrections, records, review), make(file)
        for batch in records.batches():
            table = correcting.correct(batch)
            _check_kept(records, batch, keeps_keys=isinstance(writer, JsonLinesWriter))
            writer.write(writer.encode(table, batch.late_keys))
            if callback is not None:
                callback(Step("writing", done(records)))
        correcting.check_all()
        writer.close()
    return correcting.result(out)


def _check_kept(records: Records, batch: RecordBatch, *, keeps_keys: bool) -> None:
    """Raise if the copy would not hold all that the file does."""
    lost = records.problems.not_kept()
    if lost:
        raise ValueError(f"the copy of {records.name} would not be whole: {lost[0]}: mend them first")
    if batch.late_keys and not keeps_keys:
        row = min(batch.late_keys)
        raise ValueError(
            f"row {batch.first_row + row:,} of {records.name} has the key {quoted(next(iter(batch.late_keys[row])))},"
            " which none of the first rows has: write the corrected copy as JSON lines, to a name that ends in .jsonl"
        )


class _Correcting:
    """Corrects batches of rows, and counts what changed."""

    def __init__(self, corrections: dict[int, Correction], records: Records, review: FilePath) -> None:
        self._left, self._n_reviewed, self._review = dict(corrections), len(corrections), review
        self._name, self._column = records.name, records.label[0]
        self._new_type = _new_type(records, corrections)
        self._n_rows, self._classes = 0, set[str]()
        self._by_change = Counter[tuple[str, str]]()

    def correct(self, batch: RecordBatch) -> Any:
        """Return the rows with right labels."""
        labels, changed = batch.labels or [], dict[int, str]()
        self._classes.update(map(str, labels))
        for place in range(len(batch.is_broken)):
            row = batch.first_row + place
            found = self._left.pop(row, None)
            if found is not None:
                old = str(labels[place])
                self._check(row, batch.texts[place].as_py(), old, found)
                if found.label and found.label != old:
                    changed[place] = found.label
                    self._by_change[old, found.label] += 1
        self._n_rows += len(batch.is_broken)
        return _with_labels(batch.table, self._column, changed, self._new_type)

    def _check(self, row: int, text: str, label: str, found: Correction) -> None:
        if row_check(text, label) != found.check:
            raise ValueError(
                f"row {row:,} of {self._name} is not the row that was reviewed: its text or label, {quoted(label)},"
                f" differs. Was {self._review} made from this file, with the same columns?"
            )

    def check_all(self) -> None:
        """Raise if reviewed rows are left."""
        if self._left:
            raise ValueError(
                f"{self._review} has row {min(self._left):,}, but {self._name} has {counted(self._n_rows, 'row')}: was"
                " it made from this file?"
            )

    def result(self, out: FilePath) -> Corrected:
        """Return what was changed."""
        ordered = dict(sorted(self._by_change.items(), key=lambda item: (-item[1], item[0])))
        new = sorted({label for _, label in ordered} - self._classes)
        warnings = _warnings(new, sum(ordered.values()), self._review)
        return Corrected(str(out), self._n_rows, self._n_reviewed, sum(ordered.values()), ordered, warnings)


def read_review(path: FilePath) -> dict[int, Correction]:
    """Return reviewed rows by their number."""
    with open_records(path, usual_text=("check",), needs_label=False, on_error="skip") as records:
        missing = [name for name in NEEDED if name not in records.columns]
        if missing:
            raise ValueError(
                f"{path} has no column {quoted(missing[0])}: a review has the columns that `audit -o` writes, of which"
                f" {listed(NEEDED)} are needed"
            )
        found = dict[int, Correction]()
        for batch in records.batches():
            cells = [batch.table.column(name).to_pylist() for name in NEEDED]
            for number, check, label in zip(*cells, strict=True):
                row = _row_number(number, path)
                if not str(check or "").strip():
                    raise ValueError(f"the column 'check' of {path} is empty for row {row:,}: leave it as it was")
                if row in found:
                    raise ValueError(f"{path} has row {row:,} twice: keep one of them")
                found[row] = Correction(str(check).strip(), unprotected("" if label is None else str(label).strip()))
        if records.problems.total:
            raise ValueError(f"{path}: {records.problems.lines()[0]}: mend it first")
    if not found:
        raise ValueError(f"{path} has no rows")
    return found


def small_classes(not_judged: dict[str, int]) -> str:
    """Return a sentence about classes that are not judged.

    Examples
    --------
    >>> small_classes({"a": 3, "b": 1})
    "not judged, with fewer than 5 different texts: 'a' (3) and 'b' (1)"
    """
    names = [f"{quoted(name)} ({n:,})" for name, n in not_judged.items()]
    more = [f"{len(names) - N_SHOWN:,} more"] if len(names) > N_SHOWN else []
    return f"not judged, with fewer than 5 different texts: {listed([*names[:N_SHOWN], *more])}"


def _row_number(cell: Any, path: FilePath) -> int:
    try:
        number = float(str(cell).replace(",", ""))
        if number == int(number) and number >= 0:
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{path}: column 'row' must hold the numbers of rows, got {quoted(cell)}")


def _new_type(records: Records, corrections: dict[int, Correction]) -> Any:
    """Return the type of the column of labels: its own if it can hold the corrections, otherwise text."""
    pa, kind = arrow(), records.schema.field(records.label[0]).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    new = [found.label for found in corrections.values() if found.label]
    try:
        return kind if pa.array(new, pa.string()).cast(kind).cast(pa.string()).to_pylist() == new else pa.string()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.string()


def _with_labels(table: Any, column: str, changed: dict[int, str], new_type: Any) -> Any:
    """Return the table with new labels."""
    pa, pc = arrow(), arrow("compute")
    place = table.column_names.index(column)
    field, cells = table.schema.field(place), table.column(place)
    if holds_json(field):
        changed = {row: _as_json(label, cells[row].as_py()) for row, label in changed.items()}
    cells = cells.cast(new_type)
    if changed:
        mask = np.zeros(table.num_rows, dtype=bool)
        mask[list(changed)] = True
        new = pa.array([changed[row] for row in sorted(changed)], pa.string()).cast(new_type)
        cells = pc.replace_with_mask(pa.concat_arrays(cells.chunks), mask, new)
    return table.set_column(place, field.with_type(new_type), cells)


def _as_json(label: str, cell: str) -> str:
    """Return JSON text of a label in place of a cell: numbers, yes and no are no strings, a list stays one."""
    try:
        value = json.loads(label, parse_constant=str)
    except ValueError:
        value = label
    value = value if isinstance(value, int | float) else label
    return json.dumps([value] if cell.startswith("[") else value)


def _warnings(new: list[str], n_changed: int, review: FilePath) -> list[str]:
    warnings = []
    if not n_changed:
        warnings.append(f"no label was changed: write right labels into the column 'corrected' of {review}")
    if new:
        shown = listed([*map(quoted, new[:N_SHOWN]), *(["others"] if len(new) > N_SHOWN else [])])
        warnings.append(f"no other row has the new label {shown}: a slip?")
    return warnings
