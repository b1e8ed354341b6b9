"""Words for messages: data quoted safely and shortened, lists, numbers."""

from collections.abc import Sequence
from typing import Any

from troenpy.display.plain import printable

#: Longer data is shortened in messages.
N_SHOWN = 40


def shortened(value: Any) -> str:
    """Return printable text of at most `N_SHOWN` characters."""
    text = printable(str(value)[: N_SHOWN + 1])
    return text if len(text) <= N_SHOWN else text[: N_SHOWN - 3] + "..."


def quoted(value: Any) -> str:
    r"""Quote data for a message.

    Examples
    --------
    >>> print(quoted("a\n"), quoted("x" * 50))
    'a\n' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'
    """
    return f"'{shortened(value)}'"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words.

    Examples
    --------
    >>> listed(["4", "9", "12"])
    '4, 9 and 12'
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def column_phrase(names: Sequence[str]) -> str:
    """Return "column 'a'" or "columns 'a' and 'b'"."""
    return f"column{'s' * (len(names) > 1)} {listed([quoted(name) for name in names])}"
