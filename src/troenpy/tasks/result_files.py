"""Files of results, by the ending of their name: a page, all as JSON, or rows as CSV or JSON lines."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

from troenpy.files.drafts import FilePath, check_target, checked_path, draft
from troenpy.report.parts import check_extra
from troenpy.tasks.row_writers import Utf8File

PAGES, ROWS = (".html", ".htm"), (".csv", ".json", ".jsonl")


def check_result_file(path: FilePath) -> str:
    """Return the ending of a file of results; raise if there is no such kind, or it cannot be written.

    Examples
    --------
    >>> check_result_file("page.xlsx")
    Traceback (most recent call last):
        ...
    ValueError: results are written to .html, .csv, .json or .jsonl, got page.xlsx: choose another ending
    """
    checked = checked_path(path)
    ending = checked.suffix.lower()
    if ending not in (*PAGES, *ROWS):
        raise ValueError(
            f"results are written to .html, .csv, .json or .jsonl, got {checked.name}: choose another ending"
        )
    if ending in PAGES:
        check_extra()
    check_target(path)
    return ending


def write_result(
    path: FilePath,
    content: Callable[[], Mapping[str, Any]],
    *,
    page: Callable[[Mapping[str, Any]], str],
    rows: str,
    write_csv: Callable[[BinaryIO], None],
) -> None:
    """Write a result, whole or not at all.

    Parameters
    ----------
    path : path-like
    content : callable
        Returns the result as plain data.
    page : callable
        Makes a page of it.
    rows : str
        Name of the rows in the content, for JSON lines.
    write_csv : callable
        Writes the rows as CSV.
    """
    ending = check_result_file(path)
    with draft(path) as file:
        if ending == ".csv":
            write_csv(file)
        elif ending in PAGES:
            file.write(page(content()).encode("utf-8", "replace"))
        elif ending == ".json":
            file.write(_json(content(), indent=1))
        else:
            for row in content()[rows]:
                file.write(_json(row))


def write_csv(file: BinaryIO, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as CSV in UTF-8, the header first."""
    csv.writer(Utf8File(file), lineterminator="\n").writerows(rows)


def _json(value: Any, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return f"{text}\n".encode("utf-8", "backslashreplace")  # a lone surrogate becomes JSON's own escape
