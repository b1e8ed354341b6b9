"""Objects of JSON as a table: the first rows decide the columns, and which of them hold only text."""

import json
import re
from collections.abc import Sequence
from typing import Any

from troenpy.records.arrow import Table, arrow
from troenpy.records.chunk import N_SAMPLED, Notices
from troenpy.records.problems import Fault
from troenpy.records.wording import counted, quoted

#: Metadata of a column whose cells hold JSON text.
JSON_FIELD = {b"troenpy": b"json"}
_SURROGATES = re.compile("[\ud800-\udfff]")


class JsonColumns:
    """The columns of rows of JSON.

    Columns where the sample has only strings and nulls are text. All others hold JSON text, marked in the metadata of
    the field, so that every value can be written as it was. A key that an object lacks is null.
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
        self._is_text = {
            key: all(row.get(key) is None or isinstance(row[key], str) for row in objects) for key in self.keys
        }

    def table(self, rows: Sequence[Any]) -> tuple[Table, list[Fault]]:
        """Return a table of objects, and faults of rows with characters that are not text; other values are null."""
        pa = arrow()
        objects = [row if isinstance(row, dict) else {} for row in rows]
        for row in objects:
            if not row.keys() <= self._known:
                extra = next(key for key in row if key not in self._known)
                first = counted(N_SAMPLED, "row")
                self._notices.say(f"{self._name}: keys such as {quoted(extra)}, not in the first {first}, are ignored")
                break
        bad: set[int] = set()
        arrays = [pa.array(self._cells(objects, key, bad), pa.string()) for key in self.keys]
        fields = [
            pa.field(_text(key), pa.string(), metadata=None if self._is_text[key] else JSON_FIELD) for key in self.keys
        ]
        faults = [Fault(index, "bad encoding") for index in sorted(bad)]
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields)), faults

    def _cells(self, objects: list[dict[str, Any]], key: str, bad: set[int]) -> list[str | None]:
        cells: list[str | None] = []
        for index, row in enumerate(objects):
            value = row.get(key)
            if isinstance(value, str) and _is_bad(value):
                bad.add(index)
                value = _text(value)
            if self._is_text[key] and (value is None or isinstance(value, str)):
                cells.append(value)
            else:
                cells.append(json.dumps(value) if key in row else None)
                if self._is_text[key]:
                    kind = f"column {quoted(key)}, text in the first rows, has other values later"
                    self._notices.say(f"{self._name}: {kind}: they are kept as JSON text")
        return cells


def row_fault(index: int, row: Any, error: str | None) -> Fault | None:
    """Return the fault of a row that is not JSON, with the parser's error, or not an object."""
    if error is not None:
        return Fault(index, "not JSON", error)
    return None if isinstance(row, dict) else Fault(index, "not an object", type(row).__name__)


def merge_faults(first: list[Fault], then: list[Fault]) -> list[Fault]:
    """Return the faults of both lists, one for each row."""
    return list({fault.row: fault for fault in (*then, *first)}.values())


def _is_bad(text: str) -> bool:
    return not text.isascii() and _SURROGATES.search(text) is not None


def _text(value: str) -> str:
    return _SURROGATES.sub("\ufffd", value)
