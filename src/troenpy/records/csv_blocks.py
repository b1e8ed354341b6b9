"""Find where the last record of a block of CSV ends, without parsing it.

A newline with an even number of quotes before it ends a record, provided that quotes are only where they enclose cells
or are doubled within them. Then every opening quote (the first, third, ...) follows a delimiter, a newline or a quote,
and every closing one comes before such a byte.
"""

import numpy as np
from numpy.typing import NDArray

from troenpy.records.csv_plain import Dialect

_QUOTE = ord('"')


def clean_end(block: bytes, dialect: Dialect, *, is_last: bool) -> int | None:
    r"""Return the end of the last complete record; 0 if there is none; None if quotes are not where they should be.

    Examples
    --------
    >>> clean_end(b'1,"a\nb"\n2,"c\n', Dialect(), is_last=False)
    8
    >>> clean_end(b'1,5" disk\n2,"c"\n', Dialect(), is_last=False) is None
    True
    """
    has_quotes = dialect.has_quotes and b'"' in block
    quotes = np.flatnonzero(np.frombuffer(block, np.uint8) == _QUOTE) if has_quotes else np.zeros(0, np.intp)
    end = len(block) if is_last else _last_end(block, quotes)
    n_before = int(np.searchsorted(quotes, end))
    if end and n_before % 2:
        return None
    before = quotes[:n_before] if end else quotes
    return end if _are_clean(block, before, dialect) else None


def _last_end(block: bytes, quotes: NDArray[np.intp]) -> int:
    r"""Return the end of the last line that ends outside quotes, by \n or, on old Macs, by \r."""
    return _last_newline(block, b"\n", len(block), quotes) or _last_newline(block, b"\r", len(block) - 1, quotes)


def _last_newline(block: bytes, newline: bytes, at: int, quotes: NDArray[np.intp]) -> int:
    while (at := block.rfind(newline, 0, at)) >= 0:
        n_before = int(np.searchsorted(quotes, at))
        is_half = newline == b"\r" and block.startswith(b"\n", at + 1)
        if n_before % 2 == 0 and not is_half:
            return at + 1
        if n_before % 2:
            at = int(quotes[n_before - 1])
    return 0


def _are_clean(block: bytes, quotes: NDArray[np.intp], dialect: Dialect) -> bool:
    """Whether all opening quotes follow, and all closing ones precede, a border of cells or another quote."""
    if len(quotes) == 0:
        return True
    is_border = np.zeros(256, bool)
    is_border[list(f'{dialect.delimiter}\r\n"'.encode())] = True
    content = np.frombuffer(block, np.uint8)
    opening, closing = quotes[0::2], quotes[1::2]
    opening = opening[int(opening[0] == 0) :]
    if len(closing) and closing[-1] == len(block) - 1:
        closing = closing[:-1]
    return bool(is_border[content[opening - 1]].all() and is_border[content[closing + 1]].all())
