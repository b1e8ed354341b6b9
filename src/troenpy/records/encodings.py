"""Detect the encoding of text from the first part of a file."""

import codecs

import numpy as np

# UTF-32 first: its mark starts with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAMES = {"cp1252": "Windows-1252 (guessed: it is not UTF-8)"}
# Control characters that text does not contain: all but tab, newlines, form feed, escape.
FEW_CONTROLS = 3
_CONTROLS = bytes(set(range(32)) - {9, 10, 11, 12, 13, 27})


def detect_encoding(head: bytes) -> str:
    r"""Return the encoding of text, by its byte order mark, the pattern of its zeros, or whether it is valid UTF-8.

    Examples
    --------
    >>> detect_encoding("naïve\n".encode()), detect_encoding("naïve\n".encode("cp1252"))
    ('utf-8', 'cp1252')
    >>> detect_encoding("text\n".encode("utf-16-be"))
    'utf-16-be'
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    return _by_zeros(head) or ("utf-8" if _is_mostly_utf8(head) else "cp1252")


def encoding_name(encoding: str) -> str:
    """Return the name of an encoding for people."""
    return _NAMES.get(encoding, encoding.upper())


def check_encoding(encoding: str) -> None:
    """Raise unless Python knows the encoding of text."""
    try:
        is_text = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):
        is_text = False
    if not is_text:
        raise ValueError(f"unknown encoding {encoding!r:.40}: try 'utf-8', 'cp1252' or 'utf-16'")


def is_binary(head: bytes) -> bool:
    """Whether this is not text: more than 1 % of the bytes, and more than a few, are control characters."""
    return len(head) - len(head.translate(None, _CONTROLS)) > max(len(head) / 100, FEW_CONTROLS)


def _by_zeros(head: bytes) -> str | None:
    """Return UTF-16 if nearly all zeros are in the odd or in the even positions, and there are many."""
    is_zero = np.frombuffer(head, np.uint8)[: len(head) // 2 * 2].reshape(-1, 2) == 0
    if len(is_zero) == 0:
        return None
    first, second = is_zero.mean(axis=0)
    if second > 0.3 and first < 0.05:
        return "utf-16-le"
    return "utf-16-be" if first > 0.3 and second < 0.05 else None


def _is_mostly_utf8(head: bytes) -> bool:
    lines = [line for line in head.splitlines() if not line.isascii()]
    if len(lines) > 1:
        lines.pop()  # may be cut
    return 2 * sum(_is_utf8(line) for line in lines) >= len(lines)


def _is_utf8(line: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(line)  # an incomplete character at the end is no error
    except UnicodeDecodeError:
        return False
    return True
