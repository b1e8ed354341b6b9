"""Make untrusted text safe to print: a name or term must not move the cursor or reorder the text around it."""

import re

# Control characters (C0, DEL, C1), bidirectional controls, line separators, and surrogates, which cannot be encoded.
# Zero-width joiners are kept: many scripts need them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return text on one line, with control characters and unprintable ones as visible escapes.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The same text if it is safe to print. HTML and Markdown need their own escaping.

    Examples
    --------
    >>> print(printable("knn\x1b[2J: tf\n"), printable("naïve 日本"))
    knn\x1b[2J: tf\n naïve 日本
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
