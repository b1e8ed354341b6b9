"""Cells of any type as text, or as lists of labels; what cannot be either is a fault of its row."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from troenpy.records.arrow import Array, Table, arrow, whole
from troenpy.records.json_rows import JSON_FIELD
from troenpy.records.wording import quoted


class TextCells(NamedTuple):
    """Text or None of each row, and the kind of problem of some rows."""

    values: list[str | None]
    faults: dict[int, str]


class LabelCells(NamedTuple):
    """The labels of each row, None if there are none to read, and the kind of problem of some rows.

    `are_lists` is whether the cells are lists by their nature, so that an empty one means no label, and not a missing
    one.
    """

    values: list[tuple[str, ...] | None]
    faults: dict[int, str]
    are_lists: bool = False


def text_array(column: Any, field: Any) -> tuple[Array, dict[int, str]]:
    """Return a column as an array of strings, and the kind of problem of some rows."""
    kind, pa = _kind(column.type), arrow()
    if holds_json(field):
        cells = _json_texts(column.to_pylist())
        return pa.array(cells.values, pa.string()), cells.faults
    if kind == "nested":
        raise _not_text(column, field)
    if kind == "binary":
        cells = _decoded(column.to_pylist())
        return pa.array(cells.values, pa.string()), cells.faults
    found = whole(column)
    if kind == "number":  # what is not a number is a missing value
        found = arrow("compute").if_else(arrow("compute").is_nan(found), None, found)
    try:
        return (found if kind == "text" else found.cast(pa.string())), {}
    except pa.ArrowNotImplementedError:
        raise _not_text(column, field) from None


def _not_text(column: Any, field: Any) -> ValueError:
    return ValueError(f"column {quoted(field.name)} holds {column.type}, not text: choose another column")


def text_cells(column: Any, field: Any) -> TextCells:
    """Return a column as text."""
    found, faults = text_array(column, field)
    return TextCells(found.to_pylist(), faults)


def label_cells(column: Any, field: Any, separator: str | None = None) -> LabelCells:
    """Return the labels of a column: a cell is one label, a list of labels, or some with a separator between them."""
    if _is_list(column.type) and not holds_json(field):
        return _list_labels(column.to_pylist(), field)
    if holds_json(field):
        return _json_labels(column.to_pylist(), separator)
    texts, faults = text_array(column, field)
    split, encoded = splitter(separator), texts.dictionary_encode()
    distinct = [*map(split, encoded.dictionary.to_pylist()), None]
    places = encoded.indices.fill_null(len(distinct) - 1).to_numpy().tolist()
    return LabelCells([distinct[place] for place in places], faults)


def splitter(separator: str | None) -> Callable[[str], tuple[str, ...]]:
    """Return a function that cuts a cell into labels, without spaces around them; blank ones are left out.

    Examples
    --------
    >>> splitter(";")("oil; grain;")
    ('oil', 'grain')
    >>> splitter(None)("oil; grain;")
    ('oil; grain;',)
    """
    if separator is None:
        return lambda cell: (cell,) if cell.strip() else ()
    return lambda cell: tuple(dict.fromkeys(filter(None, (part.strip() for part in cell.split(separator)))))


def holds_json(field: Any) -> bool:
    """Whether the cells of a column hold JSON text."""
    return (field.metadata or {}).items() >= JSON_FIELD.items()


def without_json_quotes(table: Table) -> Table:
    """Return a table in which cells that hold JSON text are strings without quotes, or null; lists and numbers stay."""
    for place, field in enumerate(table.schema):
        if holds_json(field):
            cells = _json_texts(table.column(place).to_pylist(), keeps_nested=True).values
            plain = arrow().field(field.name, arrow().string())
            table = table.set_column(place, plain, arrow().array(cells, arrow().string()))
    return table


def _kind(type_: Any) -> str:
    types = arrow("types")
    if types.is_dictionary(type_):
        kind = _kind(type_.value_type)
        return kind if kind in ("nested", "binary") else "other"
    if types.is_nested(type_):
        return "nested"
    if str(type_) in ("binary", "large_binary", "binary_view") or types.is_fixed_size_binary(type_):
        return "binary"
    if types.is_float32(type_) or types.is_float64(type_):
        return "number"
    return "text" if types.is_string(type_) or types.is_large_string(type_) else "other"


def _is_list(type_: Any) -> bool:
    types = arrow("types")
    return bool(types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_))


def _decoded(values: list[bytes | None]) -> TextCells:
    cells, faults = list[str | None](), dict[int, str]()
    for row, value in enumerate(values):
        try:
            cells.append(None if value is None else value.decode())
        except UnicodeDecodeError:
            cells.append(value.decode("utf-8", "replace") if value is not None else None)
            faults[row] = "bad encoding"
    return TextCells(cells, faults)


def _json_texts(values: list[str | None], *, keeps_nested: bool = False) -> TextCells:
    cells, faults = list[str | None](), dict[int, str]()
    for row, value in enumerate(values):
        found = _json(value)
        if isinstance(found, list | dict) and not keeps_nested:
            faults[row] = "not text"
            found = None
        cells.append(found if found is None or isinstance(found, str) else value)
    return TextCells(cells, faults)


def _json(cell: str | None) -> Any:
    """Return the value of JSON text; NaN is what pandas writes for a missing one."""
    found = None if cell is None else json.loads(cell)
    return None if found != found else found


def _json_labels(values: list[str | None], separator: str | None) -> LabelCells:
    split = splitter(separator)
    cells, faults, are_lists = list[tuple[str, ...] | None](), dict[int, str](), False
    for row, value in enumerate(values):
        found = _json(value)
        if isinstance(found, list):
            are_lists = True
            labels = _listed_labels(found)
            cells.append(labels)
            if labels is None:
                faults[row] = "not text"
        elif isinstance(found, dict):
            faults[row] = "not text"
            cells.append(None)
        elif isinstance(found, str):
            cells.append(split(found))
        else:
            cells.append(None if found is None or value is None else (value,))
    return LabelCells(cells, faults, are_lists)


def _list_labels(values: list[Any], field: Any) -> LabelCells:
    if arrow("types").is_nested(field.type.value_type):
        raise ValueError(f"column {quoted(field.name)} holds {field.type}, not labels: choose another column")
    cells = [None if value is None else _listed_labels(value) for value in values]
    return LabelCells(cells, {row: "not text" for row, cell in enumerate(cells) if cell is None and values[row]}, True)


def _listed_labels(values: list[Any]) -> tuple[str, ...] | None:
    """Return a list of labels without blanks and repetitions; None if some are lists or objects themselves."""
    if any(isinstance(value, list | dict | tuple) for value in values):
        return None
    labels = (_label(value) for value in values if value is not None and value == value)
    return tuple(dict.fromkeys(label for label in labels if label.strip()))


def _label(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return (
        value if isinstance(value, str) else json.dumps(value) if isinstance(value, bool | int | float) else str(value)
    )
