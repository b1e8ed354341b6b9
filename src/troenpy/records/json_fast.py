"""Well-formed JSON lines by pyarrow, where it finds exactly what Python's json does.

A block that may be read differently is left to the plain reader: with NUL, blank lines, other columns than strings,
integers and booleans, missing cells of those, unknown or repeated keys, lone surrogates or invalid UTF-8.
"""

from troenpy.records.arrow import Table, arrow
from troenpy.records.json_rows import JsonColumns
from troenpy.records.lines import count_byte


def fast_table(block: bytes, columns: JsonColumns) -> Table | None:
    """Return the objects of a block as `JsonColumns.table` does; None if it takes the plain reader."""
    n_rows = None if columns.types is None or b"\0" in block else _count_objects(block)
    if columns.types is None or n_rows is None:
        return None
    pa, json = arrow(), arrow("json")
    expected = pa.schema(list(zip(columns.keys, columns.types, strict=True)))
    try:
        found = json.read_json(
            pa.BufferReader(block),
            read_options=json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            parse_options=json.ParseOptions(explicit_schema=expected, unexpected_field_behavior="error"),
        )
        found.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    is_same = found.schema.equals(expected) and found.num_rows == n_rows
    is_text = [type_ == pa.string() for type_ in columns.types]
    has_gaps = any(column.null_count and not text for column, text in zip(found.columns, is_text, strict=True))
    if not is_same or has_gaps:
        return None
    return pa.Table.from_arrays([column.cast(pa.string()) for column in found.columns], schema=columns.schema)


def _count_objects(block: bytes) -> int | None:
    """Return the number of lines if all begin with { and end with }, so that no object takes several lines."""
    content = block.rstrip(b"\r\n")
    if not (content.startswith(b"{") and content.endswith(b"}")):
        return None
    n_borders = count_byte(content, b"\n")
    return n_borders + 1 if n_borders == content.count(b"}\n{") or n_borders == content.count(b"}\r\n{") else None
