"""Text from a stranger, made safe to show: a name or a term must not move the cursor or reorder what is around it."""

import re

# Control characters (C0, DEL, C1), marks that reorder text, separators of lines, and surrogates, which cannot be
# encoded. Joiners stay: many scripts need them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return text on one line, with what a terminal would obey or cannot print as a visible escape.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The same text if nothing in it is unsafe. Not for HTML or Markdown, which have escapes of their own.

    Examples
    --------
    >>> print(printable("knn\x1b[2J: tf\n"), printable("naïve 日本"))
    knn\x1b[2J: tf\n naïve 日本
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
