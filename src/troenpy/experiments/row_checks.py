"""Check the JSON of a row of results for types, ranges and consistency: the file may be damaged or untrusted."""

import base64
import binascii
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

_MOST = 2**63
_LONGEST_NAME = 1000
_LONGEST_SETTINGS = 10_000


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME


def _is_count(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < _MOST


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


# The rule for each field, and a test for it. Rules across fields are in `check_values`.
_NAME = f"text of 1 to {_LONGEST_NAME:,} characters", _is_name
_COUNT = "a whole number of 0 or more", _is_count
_POSITIVE = "a whole number of 1 or more", lambda value: _is_count(value, 1)
_SECONDS = "a number of 0 or more", lambda value: _is_number(value) and value >= 0
_SETTINGS = (
    f"null or text of 1 to {_LONGEST_SETTINGS:,} characters",
    lambda value: value is None or (isinstance(value, str) and 0 < len(value) <= _LONGEST_SETTINGS),
)
_RULES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "corpus": _NAME,
    "fingerprint": _NAME,
    "deduplicated": ("true or false", lambda value: type(value) is bool),
    "train_fraction": ("above 0 and at most 1", lambda value: _is_number(value) and 0 < value <= 1),
    "seed": (f"null or {_COUNT[0]}", lambda value: value is None or _is_count(value)),
    "method": _NAME,
    "n_train": _POSITIVE,
    "n_test": _POSITIVE,
    "n_terms": _COUNT,
    "n_wrong": _COUNT,
    "wall_seconds": _SECONDS,
    "cpu_seconds": _SECONDS,
    "versions": (
        "text by name",
        lambda value: isinstance(value, dict) and all(map(_is_name, [*value, *value.values()])),
    ),
    "vectors": ("null or text", lambda value: value is None or _is_name(value)),
    "log_loss": (f"null or {_SECONDS[0]}", lambda value: value is None or _SECONDS[1](value)),
    "calibration_error": (
        "null or from 0 to 1",
        lambda value: value is None or (_is_number(value) and 0 <= value <= 1),
    ),
    "settings": _SETTINGS,
    "chosen": _SETTINGS,
    "fit_seconds": (f"null or {_SECONDS[0]}", lambda value: value is None or _SECONDS[1](value)),
}


def read_json(line: str | bytes) -> Any:
    """Parse JSON strictly: repeated keys, NaN and excessive nesting are errors.

    Examples
    --------
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ValueError: repeated key 'a'
    """
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line  # json would also accept UTF-16
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"repeated key {short_repr(name)}")
        values[name] = value
    return values


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def check_values(values: dict[str, Any]) -> None:
    """Raise unless these are the values of a valid row.

    Parameters
    ----------
    values : dict
        By field of `journal.Row`; fields that older rows lack may be missing.
    """
    for name, (rule, is_met) in _RULES.items():
        if name in values and not is_met(values[name]):
            raise ValueError(f"{name} must be {rule}, got {short_repr(values[name])}")
    n_wrong, n_test, error, sample = values["n_wrong"], values["n_test"], values["error"], values.get("sample")
    if n_wrong > n_test:
        raise ValueError(f"n_wrong must be at most n_test, got {n_wrong} of {n_test}")
    if not _is_number(error) or error != n_wrong / n_test:
        raise ValueError(f"error must be n_wrong / n_test = {n_wrong / n_test:.6g}, got {short_repr(error)}")
    if sample is not None and (type(sample) is not int or sample != n_test):
        raise ValueError(f"sample must be null or n_test, got {short_repr(sample)}")
    n_found = _count_wrong(values["correct"], n_test)
    if n_found != n_wrong:
        raise ValueError(f"correct marks {n_found} documents as wrong, but n_wrong is {n_wrong}")
    for name in ("predicted", "losses"):
        _check_numbers(name, values.get(name), n_test)


def _check_numbers(name: str, value: Any, n_test: int) -> None:
    """Raise unless this holds a number of four bytes, not negative, for each test document."""
    if value is None:
        return
    content = _decoded(value)
    is_whole = len(content) == 4 * n_test
    numbers = np.frombuffer(content if is_whole else b"", dtype="<i4" if name == "predicted" else "<f4")
    if not is_whole or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ValueError(f"{name} must hold {n_test} numbers of 0 or more in base64, got {short_repr(value)}")


def _count_wrong(correct: Any, n_test: int) -> int:
    """Return the number of zero bits."""
    content = _decoded(correct)
    if len(content) != -(-n_test // 8):
        raise ValueError(f"correct must hold {n_test} bits in base64, got {short_repr(correct)}")
    return n_test - int(np.unpackbits(np.frombuffer(content, dtype=np.uint8), count=n_test).sum())


def _decoded(value: Any) -> bytes:
    """Return the bytes of text in base64; none if it is something else."""
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        return b""


def short_repr(value: Any) -> str:
    """Return the repr of a value for an error message, truncated if long."""
    try:
        shown = repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__}"  # too many digits, or nested too deeply
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
