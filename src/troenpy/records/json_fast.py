"""Well-formed JSON lines by pyarrow, where it finds exactly what Python's json does.

A block that may be read differently is left to the plain reader: with NUL, blank lines, other columns than strings,
integers and booleans, missing cells of those, unknown or repeated keys, lone surrogates or invalid UTF-8.
"""

from troenpy.records.arrow import Table, arrow
from troenpy.records.json_rows import JsonColumns


def fast_table(block: bytes, columns: JsonColumns) -> Table | None:
    """Return the objects of a block as `JsonColumns.table` does; None if it takes the plain reader."""
    if columns.types is None or not _is_object_per_line(block) or b"\0" in block:
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
    is_same = found.schema.equals(expected) and found.num_rows == block.count(b"\n") + (not block.endswith(b"\n"))
    is_text = [type_ == pa.string() for type_ in columns.types]
    has_gaps = any(column.null_count and not text for column, text in zip(found.columns, is_text, strict=True))
    if not is_same or has_gaps:
        return None
    return pa.Table.from_arrays([column.cast(pa.string()) for column in found.columns], schema=columns.schema)


def _is_object_per_line(block: bytes) -> bool:
    """Whether all lines begin with { and end with }, so that no object takes several lines."""
    n_borders = block.rstrip(b"\r\n").count(b"\n")
    is_object = block.startswith(b"{") and block.rstrip(b"\r\n").endswith(b"}")
    return is_object and n_borders in (block.count(b"}\n{"), block.count(b"}\r\n{"))
