"""Objects of JSON as a table: the first rows decide the columns, and which of them hold only text."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from troenpy.records.arrow import Array, Table, arrow
from troenpy.records.chunk import N_SAMPLED, LateKeys, Notices
from troenpy.records.column_names import unique_names
from troenpy.records.problems import Fault
from troenpy.records.wording import quoted

#: Metadata of a column whose cells hold JSON text.
JSON_FIELD = {b"troenpy": b"json"}
_encoder = json.JSONEncoder(allow_nan=False)
_SURROGATES = re.compile("[\ud800-\udfff]")


class JsonColumns:
    """The columns of rows of JSON.

    Columns where the sample has strings, and nulls, are text. All others hold JSON text, marked in the metadata of the
    field, so that every value can be written as it was. A key that an object lacks is null.
    """

    def __init__(self, sample: Sequence[Any], name: str, notices: Notices) -> None:
        self._name, self._notices = name, notices
        objects = [row for row in sample[:N_SAMPLED] if isinstance(row, dict)]
        self.keys = list(dict.fromkeys(key for row in objects for key in row))
        if not self.keys:
            raise ValueError(
                f'{name} has no objects in its first rows: expected objects such as {{"text": "good", "label": "pos"}}'
            )
        self._known = set(self.keys)
        kinds = {key: {_kind(row[key]) for row in objects if key in row} for key in self.keys}
        self._is_text = {key: str in kinds[key] and kinds[key] <= {str, type(None)} for key in self.keys}
        pa = arrow()
        names = unique_names([_text(key) for key in self.keys])
        self.schema = pa.schema(
            [
                pa.field(column, pa.string(), metadata=None if self._is_text[key] else JSON_FIELD)
                for column, key in zip(names, self.keys, strict=True)
            ]
        )
        self.types = self._simple_types(kinds) if names == self.keys else None

    def table(self, rows: Sequence[Any]) -> tuple[Table, list[Fault]]:
        """Return a table of objects, and faults of rows; what is not an object has nulls."""
        objects = [row if isinstance(row, dict) else {} for row in rows]
        bad = dict[int, str]()
        arrays = [self._cells(objects, key, bad) for key in self.keys]
        faults = [Fault(index, bad[index]) for index in sorted(bad)]
        return arrow().Table.from_arrays(arrays, schema=self.schema), faults

    def late_keys(self, rows: Sequence[Any]) -> LateKeys:
        """Return the keys without a column, of the rows that have some, with their values as JSON text."""
        found = {
            index: {key: _json(row[key]) for key in row if key not in self._known}
            for index, row in enumerate(rows)
            if isinstance(row, dict) and not row.keys() <= self._known
        }
        if found:
            key = next(iter(found[min(found)]))
            self._notices.say(f"{self._name}: keys such as {quoted(key)}, not in the first rows, have no column")
        return found

    def _simple_types(self, kinds: dict[str, set[type]]) -> list[Any] | None:
        """Return the types of columns of strings, integers and booleans; None if there are others."""
        pa = arrow()
        known = {frozenset([int]): pa.int64(), frozenset([bool]): pa.bool_()}
        types = [pa.string() if self._is_text[key] else known.get(frozenset(kinds[key])) for key in self.keys]
        return None if None in types else types

    def _cells(self, objects: list[dict[str, Any]], key: str, bad: dict[int, str]) -> Array:
        pa = arrow()
        if self._is_text[key]:
            try:
                return pa.array([row.get(key) for row in objects], pa.string())
            except (pa.ArrowException, UnicodeEncodeError):  # other values, lone surrogates
                pass
        return pa.array([self._cell(index, row, key, bad) for index, row in enumerate(objects)], pa.string())

    def _cell(self, index: int, row: dict[str, Any], key: str, bad: dict[int, str]) -> str | None:
        if key not in row:
            return None
        value, is_text = row[key], self._is_text[key]
        if isinstance(value, str) and _is_bad(value):
            bad[index] = "bad encoding"
            value = _text(value)
        if is_text and _kind(value) in (str, type(None)):
            return value if isinstance(value, str) else None
        if is_text and isinstance(value, list | dict):
            bad[index] = "not text"
        elif is_text:
            kind = f"column {quoted(key)}, text in the first rows, has other values later"
            self._notices.say(f"{self._name}: {kind}: they are kept as JSON text")
        return _json(value)


def _json(value: Any) -> str:
    try:
        return _encoder.encode(value)
    except ValueError:  # JSON has neither NaN nor infinity
        return _encoder.encode(_finite(value))


def _finite(value: Any) -> Any:
    """Return a value with None in place of numbers that are not finite."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def row_fault(index: int, row: Any, error: str | None) -> Fault | None:
    """Return the fault of a row that is not JSON, with the parser's error, or not an object."""
    if error is not None:
        return Fault(index, "not JSON", error)
    return None if isinstance(row, dict) else Fault(index, "not an object", type(row).__name__)


def merge_faults(first: list[Fault], then: list[Fault]) -> list[Fault]:
    """Return the faults of both lists, one for each row."""
    return list({fault.row: fault for fault in (*then, *first)}.values())


def _kind(value: Any) -> type:
    """Return the type of a value; NaN, which pandas writes for a missing value, is None."""
    return type(None if value != value else value)


def _is_bad(text: str) -> bool:
    return not text.isascii() and _SURROGATES.search(text) is not None


def _text(value: str) -> str:
    return _SURROGATES.sub("\ufffd", value)
