"""Mend what files of Arrow and Parquet may hold: strings that are not UTF-8, columns without a name of their own."""

from typing import Any

from troenpy.records.arrow import Table, arrow
from troenpy.records.chunk import Chunk
from troenpy.records.column_names import unique_names
from troenpy.records.problems import Fault
from troenpy.records.wording import quoted


def repaired(table: Table, name: str) -> Chunk:
    """Return a table with unique names and valid strings; the rows whose strings were not valid are faults.

    Anything else that is not valid is an error: pyarrow would read memory that is not its own.
    """
    names = unique_names(table.column_names)
    table = table if names == table.column_names else table.rename_columns(names)
    bad = set[int]()
    for index, field in enumerate(table.schema):
        column = table.column(index)
        if not _is_valid(column):
            table = table.set_column(index, field.name, _decoded(column, field, name, bad))
    return Chunk(table, [Fault(row, "bad encoding") for row in sorted(bad)])


def _is_valid(column: Any) -> bool:
    try:
        column.validate(full=True)
    except arrow().ArrowInvalid:
        return False
    return True


def _decoded(column: Any, field: Any, name: str, bad: set[int]) -> Any:
    """Return a column of strings with replacements for what is not UTF-8, and note the rows."""
    pa, cells = arrow(), list[str | None]()
    for chunk in column.chunks:
        values = _as_bytes(chunk)
        if values is None or not _is_valid(values):
            raise ValueError(f"column {quoted(field.name)} of {name} is damaged: its {field.type} is not valid")
        for value in values.to_pylist():
            cell = None if value is None else value.decode("utf-8", "replace")
            if cell is not None and cell.encode() != value:
                bad.add(len(cells))
            cells.append(cell)
    if arrow("types").is_dictionary(field.type):
        return pa.chunked_array([pa.array(cells, field.type.value_type).dictionary_encode().cast(field.type)])
    return pa.chunked_array([pa.array(cells, field.type)])


def _as_bytes(chunk: Any) -> Any:
    """Return strings as bytes without looking at them; None if these are no strings."""
    pa, types, type_ = arrow(), arrow("types"), chunk.type
    if types.is_string(type_):
        return chunk.view(pa.binary())
    if types.is_large_string(type_):
        return chunk.view(pa.large_binary())
    if not types.is_dictionary(type_):
        return None
    values = _as_bytes(chunk.dictionary)
    if values is None or not (_is_valid(values) and _is_valid(chunk.indices)):
        return None
    try:
        return pa.DictionaryArray.from_arrays(chunk.indices, values).dictionary_decode()
    except pa.ArrowException:
        return None
