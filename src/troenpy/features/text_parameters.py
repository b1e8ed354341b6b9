"""Checks of text parameters, in addition to scikit-learn's."""

import re
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

LARGEST_INT32 = np.iinfo(np.int32).max


def check_pattern(pattern: Any) -> None:
    """Raise unless this is a valid regular expression."""
    if pattern is None:
        raise ValueError("token_pattern must be a regular expression, got None: set it, or pass a tokenizer")
    if isinstance(pattern, str):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"token_pattern must be a regular expression, got {pattern!r}: {error}") from None


def has_upper_case(term: Any) -> bool:
    """Whether a term has an uppercase letter."""
    return any(map(str.isupper, term))


def has_whole_columns(vocabulary: Any) -> bool:
    """Whether the columns of a given vocabulary are integers; those from a data frame may be floats."""
    return not isinstance(vocabulary, Mapping) or all(isinstance(column, Integral) for column in vocabulary.values())


def is_ngram_range(ngram_range: Any) -> bool:
    """Whether this is an n-gram range that the kernel supports."""
    is_pair = isinstance(ngram_range, tuple) and len(ngram_range) == 2
    if not is_pair or not all(isinstance(n, int | np.integer) for n in ngram_range):
        return False
    return 1 <= ngram_range[0] <= ngram_range[1] <= LARGEST_INT32


def document_limit(share_or_number: Any, n_documents: int) -> Any:
    """Convert a `min_df` or `max_df` to a number of documents."""
    return share_or_number if isinstance(share_or_number, Integral) else share_or_number * n_documents
