"""Sniff the delimiter and quoting of CSV."""

import re
from collections import Counter

from troenpy.records.csv_plain import Dialect, plain_records

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "pipes"}
#: For a file with one column in which all others occur.
_UNUSUAL = "\x1f"
#: How much of the data is parsed with every delimiter.
SNIFFED_BYTES = 1 << 18


def sniff_dialect(head: bytes, ending: str = "", delimiter: str | None = None) -> tuple[Dialect, bool]:
    r"""Return the dialect under which most rows have as many cells as the header, and whether it is a table at all.

    Examples
    --------
    >>> sniff_dialect(b"id;text\n1;good, cheap\n2;bad\n")
    (Dialect(delimiter=';', has_quotes=True), True)
    """
    sample = head[:SNIFFED_BYTES]
    is_whole = len(head) < SNIFFED_BYTES
    preferred = "\t" if ending in (".tsv", ".tab") else ","
    candidates = [delimiter] if delimiter else sorted(DELIMITERS, key=lambda each: each != preferred)
    shares = {each: _share(sample, Dialect(each), is_whole) for each in candidates}
    best = max(candidates, key=lambda each: shares[each])
    if shares[best][0] == 0 and delimiter is None:  # one column: take a delimiter that occurs in no cell
        best = next((each for each in candidates if each.encode() not in sample), _UNUSUAL)
        shares.setdefault(best, (0.0, 0))
    has_quotes = b'"' not in sample or not _is_unquoted(sample, best, shares[best], is_whole)
    return Dialect(best, has_quotes), shares[best][0] > 0.5


def _share(sample: bytes, dialect: Dialect, is_whole: bool) -> tuple[float, int]:
    """Return the share of rows as wide as the header, and how many there are; no share if it has one column only."""
    rows = plain_records(sample, dialect, is_last=is_whole).rows
    width = len(rows[0]) if rows else 1
    n_equal = Counter(map(len, rows))[width]
    return (n_equal / len(rows) if width > 1 else 0.0), n_equal


def _is_unquoted(sample: bytes, delimiter: str, quoted_share: tuple[float, int], is_whole: bool) -> bool:
    """Whether double quotes are plain characters: rows fit better so, or equally well and no cell is within quotes.

    Where most cells that begin with a quote are within quotes, a row that does not fit has a broken quote; tabs are
    different, because quotes are usually plain there.
    """
    unquoted_share = _share(sample, Dialect(delimiter, has_quotes=False), is_whole)
    border = re.escape(delimiter.encode())
    opened = rb'(?:^|[\r\n]|%b)"' % border
    n_enclosed = len(re.findall(rb'%b(?:[^"]|"")*"(?=%b|[\r\n]|$)' % (opened, border), sample))
    is_long_cell = not is_whole and quoted_share[1] == 1 and delimiter != "\t"
    if unquoted_share[0] == quoted_share[0]:
        return n_enclosed == 0 and not is_long_cell
    are_usual = delimiter != "\t" and 2 * n_enclosed > len(re.findall(opened, sample))
    return unquoted_share[0] > quoted_share[0] and not are_usual
