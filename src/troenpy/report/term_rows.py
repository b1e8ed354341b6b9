"""The terms of classes as the data of a page: columns of numbers, cut to a size by a rule that the page states.

Each term is written once, with its weight and its documents by class; a row, of a class and a term, refers to it.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import Any, NamedTuple

from troenpy.display.plain import visible

#: Characters of rows and of examples, by which they are cut.
MOST_CHARACTERS = 1_100_000
#: Characters of a name or a term that are shown.
LONGEST = 120
#: The numbers of a row, and how many significant digits a reader needs.
DIGITS = {"documents": 0, "reference_documents": 0, "log_odds": 4, "error": 3, "p": 2, "q": 2, "dispersion": 2}
WEIGHTS = ("weight", "weight_low", "weight_high")
_PER_ROW, _PER_TERM, _PER_COUNT, _PER_EXAMPLE = 56, 28, 7, 14


class Cut(NamedTuple):
    """How many terms of each class and direction are on the page, and of how many there are examples."""

    n_terms: int
    n_examples: int
    n_most: int


def term_rows(found: Mapping[str, Any], n_classes: int, n_characters: int = MOST_CHARACTERS) -> dict[str, Any]:
    """Return the data of a page.

    Parameters
    ----------
    found : mapping
        From `Terms.to_dict`.
    n_classes : int
        So many classes are on the page, the largest.
    n_characters : int, default=1,100,000
        Approximate size of the rows as JSON, and of the examples. The first terms of each class and direction are kept.

    Returns
    -------
    dict
        `classes`, `sizes`, `compared` with so many others, of the first `n_described` of which there are rows; `terms`,
        their `weights` as [weight, low, high] and `counts` as [class, documents, ...]; `rows` by name as columns, with
        `examples` of the first as [before, term, after]; and the `cut`.
    """
    described = found["classes"][:n_classes]
    lists = [rows for one in described for rows in _by_direction(one)]
    order = _class_order(found, described, n_classes + 1)
    cut = _cut(lists, found["class_counts"]["terms"], order, n_characters)
    kept = [row for rows in lists for row in rows[: cut.n_terms]]
    places = {term: place for place, term in enumerate(dict.fromkeys(row["term"] for _, row in kept))}
    weights = {
        row["term"]: [_short(row[name], 3) for name in ("weight", "weight_low", "weight_high")] for _, row in kept
    }
    counts = found["class_counts"]
    return {
        "classes": [shown(counts["classes"][number]) for number in order],
        "sizes": [counts["documents"][number] for number in order],
        "compared": [one["reference_documents"] for one in described],
        "n_described": len(described),
        "terms": [shown(term) for term in places],
        "weights": [weights[term] for term in places],
        "counts": [_pairs(counts["terms"][term], order) for term in places],
        "rows": _columns(kept, described, places, cut),
        "cut": cut._asdict(),
    }


def shown(value: Any) -> str:
    r"""Return text for a page: cut if it is long, with control characters and lone surrogates as escapes.

    Examples
    --------
    >>> shown(2), shown("x" * 200)[-3:], shown("a\ud800")
    ('2', 'xx…', 'a\\ud800')
    """
    text = str(value)
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return visible(text)


_Row = tuple[Any, dict[str, Any]]


def _by_direction(one: Mapping[str, Any]) -> Iterator[list[_Row]]:
    for direction in ("more", "less"):
        yield [(one["name"], row) for row in one["terms"] if row["direction"] == direction]


def _class_order(found: Mapping[str, Any], described: Sequence[Mapping[str, Any]], n_most: int) -> dict[int, int]:
    """Return the place on the page of each class of the counts: those described, then what they are compared with."""
    number_of = {_key(name): number for number, name in enumerate(found["class_counts"]["classes"])}
    numbers = [number_of[_key(one["name"])] for one in described]
    left = {_key(one["name"]) for one in found["classes"]}
    numbers += [number for name, number in number_of.items() if name not in left]
    return {number: place for place, number in enumerate(numbers[:n_most])}


def _key(name: Any) -> tuple[str, Any]:
    return type(name).__name__, name


def _pairs(counted: tuple[list[int], list[int]], order: Mapping[int, int]) -> list[int]:
    pairs = sorted((order[number], n) for number, n in zip(*counted, strict=True) if number in order)
    return [value for pair in pairs for value in pair]


def _cut(lists: Sequence[list[_Row]], counts: Mapping[str, Any], order: Mapping[int, int], n_characters: int) -> Cut:
    """Return how many rows of each list fit, the first of all lists before the second."""
    row_costs, example_costs, known = list[int](), list[int](), set[str]()
    for same_rank in zip_longest(*lists):
        rows = [row for entry in same_rank if entry is not None for row in entry[1:]]
        new = {row["term"] for row in rows} - known
        known |= new
        n_counts = sum(number in order for term in new for number in counts[term][0])
        row_costs.append(
            _PER_ROW * len(rows) + sum(_PER_TERM + _size(shown(term)) for term in new) + _PER_COUNT * n_counts
        )
        example_costs.append(sum(_PER_EXAMPLE + sum(map(_size, _example(row))) for row in rows))
    n_terms, n_examples = (max(bisect_right(list(accumulate(c)), n_characters), 1) for c in (row_costs, example_costs))
    return Cut(n_terms, min(n_examples, n_terms), len(row_costs))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _example(row: Mapping[str, Any]) -> list[str]:
    example = row["example"]
    if example is None:
        return []
    return [example[name].encode("utf-8", "backslashreplace").decode() for name in ("before", "term", "after")]


def _columns(
    kept: Sequence[_Row], described: Sequence[Mapping[str, Any]], places: Mapping[str, int], cut: Cut
) -> dict[str, list[Any]]:
    code_of = {_key(one["name"]): code for code, one in enumerate(described)}
    rows = [{**row, "error": _error(row)} for _, row in kept]
    return {
        "class": [code_of[_key(name)] for name, _ in kept],
        "term": [places[row["term"]] for row in rows],
        "is_more": [int(row["direction"] == "more") for row in rows],
        **{name: [row[name] for row in rows] for name in ("rank", "rank_low", "rank_high")},
        **{name: [_short(row[name], digits) for row in rows] for name, digits in DIGITS.items()},
        "examples": [_example(row) if row["rank"] <= cut.n_examples else [] for row in rows],
    }


def _error(row: Mapping[str, Any]) -> float | None:
    ends = row["log_odds_high"], row["log_odds"]
    return None if None in ends else ends[0] - ends[1]


def _short(value: float | None, digits: int) -> float | int | None:
    """Return a number with few digits.

    Examples
    --------
    >>> _short(0.123456, 3), _short(7, 0), _short(None, 2)
    (0.123, 7, None)
    """
    if value is None or digits == 0:
        return value
    return float(f"{value:.{digits}g}")
