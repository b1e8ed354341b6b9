"""Checks of the parameters of text, beside scikit-learn's own."""

import re
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

LARGEST_INT32 = np.iinfo(np.int32).max


def check_pattern(pattern: Any) -> None:
    """Raise unless this says what a word is."""
    if pattern is None:
        raise ValueError("token_pattern must say what a word is, got None: give it, or a tokenizer")
    if isinstance(pattern, str):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"token_pattern must be a regular expression, got {pattern!r}: {error}") from None


def has_upper_case(term: Any) -> bool:
    """Say whether a term has a letter that lower-casing changes."""
    return any(map(str.isupper, term))


def has_whole_columns(vocabulary: Any) -> bool:
    """Say whether a given vocabulary numbers its columns by integers, as it does unless it came from a table."""
    return not isinstance(vocabulary, Mapping) or all(isinstance(column, Integral) for column in vocabulary.values())


def is_ngram_range(ngram_range: Any) -> bool:
    """Say whether this is a range of lengths that the kernel knows."""
    is_pair = isinstance(ngram_range, tuple) and len(ngram_range) == 2
    if not is_pair or not all(isinstance(n, int | np.integer) for n in ngram_range):
        return False
    return 1 <= ngram_range[0] <= ngram_range[1] <= LARGEST_INT32


def document_limit(share_or_number: Any, n_documents: int) -> Any:
    """Turn a `min_df` or `max_df` into a number of documents."""
    return share_or_number if isinstance(share_or_number, Integral) else share_or_number * n_documents
