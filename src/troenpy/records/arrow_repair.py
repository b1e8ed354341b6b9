"""Mend what files of Arrow and Parquet may hold: strings that are not UTF-8, columns without a name of their own."""

from typing import Any

from troenpy.records.arrow import Table, arrow
from troenpy.records.chunk import Chunk
from troenpy.records.column_names import unique_names
from troenpy.records.problems import Fault
from troenpy.records.wording import quoted


def repaired(table: Table, name: str) -> Chunk:
    """Return a table with unique names and valid strings; the rows whose strings were not valid are faults."""
    names = unique_names(table.column_names)
    table = table if names == table.column_names else table.rename_columns(names)
    pa, bad = arrow(), set[int]()
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
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
    pa, types, type_ = arrow(), arrow("types"), column.type
    if types.is_dictionary(type_):
        column, type_ = column.cast(pa.large_binary()), type_.value_type
    if not (types.is_string(type_) or types.is_large_string(type_)):
        raise ValueError(f"column {quoted(field.name)} of {name} is damaged: it holds {field.type} that is not valid")
    cells = list[str | None]()
    for row, value in enumerate(column.cast(pa.large_binary()).to_pylist()):
        cell = None if value is None else value.decode("utf-8", "replace")
        cells.append(cell)
        if cell is not None and value is not None and cell.encode() != value:
            bad.add(row)
    return pa.chunked_array([pa.array(cells, type_)])
