"""Missing documents: None, NaN, pandas' NA and Arrow's nulls; an error that counts and names them, or empty texts."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

Nulls: TypeAlias = Literal["error", "empty"]

#: How many positions an error names.
N_NAMED = 5


def check_nulls(nulls: Any) -> None:
    """Raise unless `nulls` is "error" or "empty"."""
    if not isinstance(nulls, str) or nulls not in ("error", "empty"):
        raise ValueError(f"nulls must be 'error' or 'empty', got {nulls!r:.60}")


def is_missing(document: object) -> bool:
    """Whether this is None, NaN, or pandas' NA or NaT.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    is_nan = isinstance(document, float) and document != document
    return document is None or is_nan or type(document).__name__ in ("NAType", "NaTType")


def missing_error(document: object, n_missing: int, first: Sequence[int], n_read: int | None = None) -> ValueError:
    """Return the error for missing documents.

    Parameters
    ----------
    document : object
        The first of them: None, NaN and so on.
    n_missing : int
        Their number.
    first : sequence of int
        The positions of the first of them, at most `N_NAMED`.
    n_read : int or None
        The number of documents read so far, if there may be more.

    Examples
    --------
    >>> raise missing_error(None, 1, [7])
    Traceback (most recent call last):
        ...
    ValueError: document 7 is missing (None): drop it, fill it with '', or set nulls='empty'
    >>> str(missing_error(None, 9, [0, 2, 3, 5, 8], 20)).partition(":")[0]
    '9 of the first 20 documents are missing (None), the first at 0, 2, 3, 5 and 8'
    """
    if n_missing == 1:
        what, them = f"document {first[0]} is missing ({document})", "it"
    else:
        among = "" if n_read is None else f" of the first {n_read}"
        named = f"{', '.join(map(str, first[:-1]))} and {first[-1]}"
        where = f"at {named}" if len(first) == n_missing else f"the first at {named}"
        what, them = f"{n_missing}{among} documents are missing ({document}), {where}", "them"
    message = f"{what}: drop {them}, fill {them} with '', or set nulls='empty'"
    if isinstance(document, float):  # scikit-learn's message, which users may search for
        message += "; np.nan is an invalid document, expected byte or unicode string."
    return ValueError(message)
