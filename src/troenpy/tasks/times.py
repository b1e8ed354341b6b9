"""Read times: numbers, dates, or text that is either."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.records.wording import quoted


def read_times(cells: Sequence[Any], column: str) -> NDArray[np.float64]:
    """Return times as numbers that are in the same order; NaN for an empty cell.

    Examples
    --------
    >>> read_times(["3", "10", ""], "week").tolist()
    [3.0, 10.0, nan]
    >>> read_times(["1970-01-02", "1970-01-01T12:00"], "sent").tolist()
    [86400.0, 43200.0]
    >>> read_times(["1970-01-02", "soon"], "sent")
    Traceback (most recent call last):
        ...
    ValueError: column 'sent' must hold numbers or dates such as 2024-05-31, got 'soon' (and '1970-01-02')
    """
    is_empty = [cell is None or cell != cell or not str(cell).strip() for cell in cells]
    filled = [cell for cell, empty in zip(cells, is_empty, strict=True) if not empty]
    found = [_number(cell) for cell in filled]
    if None in found:
        found = [_moment(cell) for cell in filled]
    if None in found:
        bad, first = filled[found.index(None)], filled[0]
        also = f" (and {quoted(first)})" if first != bad else ""
        raise ValueError(
            f"column {quoted(column)} must hold numbers or dates such as 2024-05-31, got {quoted(bad)}{also}"
        )
    times = np.full(len(is_empty), np.nan)
    times[~np.array(is_empty, dtype=bool)] = found
    return times


def _number(cell: Any) -> float | None:
    if isinstance(cell, date):
        return None
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _moment(cell: Any) -> float | None:
    """Return seconds since 1970; a time without a zone is in UTC."""
    try:
        moment = cell if isinstance(cell, date) else datetime.fromisoformat(str(cell).strip())
        if not isinstance(moment, datetime):
            moment = datetime(moment.year, moment.month, moment.day)
        zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return zoned.timestamp()
    except (ValueError, OverflowError):
        return None
