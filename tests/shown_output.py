"""Whether a program printed what a page of the documentation shows below it."""

import re

import pytest

#: What differs from run to run: seconds, speeds, dates, the versions of libraries, and names of files with a checksum.
NOT_REPEATED = re.compile(
    r"\d+\.\d s \([\d,]+ a second\)|\d{4}-\d\d-\d\d \d\d:\d\d UTC|^saved with .*$"
    r"|(?:(?<=best)|(?<=\.\d\d\d)) +\d+\.\d\d +\d+\.\d\d(?=  )|(?<=csv-)[0-9a-f]{16}(?=\.jsonl)",
    flags=re.MULTILINE,
)


def is_shown(printed, shown):
    """Whether words are equal and numbers nearly so: another BLAS may change the last digit."""
    both = [NOT_REPEATED.sub("", text) for text in (printed, shown)]
    both = [re.findall(r"[+-]?\d+\.\d+|\w+|[^\w\s]", text) for text in both]
    printed, shown = ([float(word) if "." in word[1:] else word for word in words] for words in both)
    return printed == [pytest.approx(word, abs=2e-3) if isinstance(word, float) else word for word in shown]
