"""Make untrusted text safe to print: a name or term must not move the cursor or reorder the text around it."""

import re

# Control characters (C0, DEL, C1), bidirectional controls, line separators, and surrogates, which cannot be encoded.
# Zero-width joiners are kept: many scripts need them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# A page wraps lines itself, and has marks of direction that only concern the text beside them.
_UNSAFE_ON_PAGES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ISOLATED = re.compile("\u2068([^\u2066-\u2069]*)\u2069")


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
    return _UNSAFE.sub(_escape, text)


def visible(text: str) -> str:
    r"""Return text for a page, with control characters as visible escapes.

    White space is kept, and so are names that are isolated from the sentence around them: U+2068, name, U+2069.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The same text if it cannot reorder what follows it. HTML needs its own escaping.

    Examples
    --------
    >>> print(visible("r8\u202e\x1b"), visible("\u2068r8\u202e\u2069") == "\u2068r8\\u202e\u2069")
    r8\u202e\x1b True
    """
    if _UNSAFE_ON_PAGES.search(text) is None:
        return text
    parts = [_UNSAFE_ON_PAGES.sub(_escape, part) for part in _ISOLATED.split(text)]  # every second one was isolated
    return "".join(f"\u2068{part}\u2069" if place % 2 else part for place, part in enumerate(parts))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
