"""Guess the columns of text and labels: by usual names, else by what the cells look like."""

import re
from collections.abc import Callable, Sequence, Set
from typing import Any, Final

from troenpy.records.cells import label_cells
from troenpy.records.wording import listed, quoted

#: Usual names, the most certain ones first; of equally certain ones a file must have only one.
TEXT_NAMES: Final = (
    {"text", "texts"},
    {"review", "reviewtext", "content", "body", "message", "sentence", "tweet", "comment", "document", "doc"}
    | {"description", "post", "utterance", "question", "query", "title", "headline", "summary", "abstract", "article"}
    | {"transcript", "email", "sms", "phrase"},
)
LABEL_NAMES: Final = (
    {"label", "labels"},
    {"class", "classes", "category", "categories", "target", "sentiment", "topic", "topics", "intent", "y", "tag"}
    | {"tags", "classification", "polarity", "emotion", "genre", "label_text", "class_name", "rating", "stars"},
)
#: Columns with these names are not labels, whatever they hold.
NEVER_LABELS: Final = {
    "id",
    "index",
    "split",
    "fold",
    "set",
    "partition",
    "date",
    "time",
    "timestamp",
    "url",
    "user",
    "file",
}
#: Columns whose names have one of these words are not labels if others may be.
RARELY_LABELS: Final = NEVER_LABELS | {"ids", "at", "count", "name", "number", "length"}
#: Text has at least so many characters, on average.
LEAST_LENGTH = 12.0
#: Names longer than this are probably data.
LONGEST_NAME = 80


def guess_text(sample: Any, columns: Sequence[str], name: str, *, is_only: bool) -> str:
    """Return the column of text; any one will do if there is no other, and the labels are known or not needed."""
    found = _usual("text", TEXT_NAMES, LABEL_NAMES, columns, name)
    if found is None and is_only and len(columns) == 1:
        return columns[0]
    return found or _alone("text", _that(sample, columns, _looks_like_text), sample, name)


def guess_label(sample: Any, columns: Sequence[str], name: str) -> str:
    """Return the column of labels."""
    found = _usual("label", LABEL_NAMES, TEXT_NAMES, columns, name)
    if found is not None:
        return found
    candidates = [column for column in columns if _folded(column) not in NEVER_LABELS]
    alike = candidates if len(candidates) == 1 else _that(sample, candidates, _looks_like_labels)
    label = _alone("label", [column for column in alike if not _words(column) & RARELY_LABELS] or alike, sample, name)
    if _names_itself(sample, label):
        raise ValueError(
            f"the names of the columns of {name} look like data: {listed_columns(sample.column_names)}; add a line of"
            " names, such as text,label, or name the column of labels with label= (--label)"
        )
    return label


def is_usual_text(column: str) -> bool:
    """Whether a column is usually called so if it holds text."""
    return any(_folded(column) in names for names in TEXT_NAMES)


def listed_columns(columns: Sequence[str]) -> str:
    """Return the columns for an error."""
    return listed([quoted(column) for column in columns[:30]] + ["more"] * (len(columns) > 30))


def lacks_header(columns: Sequence[str]) -> str:
    """Return a hint if names are numbers or very long."""
    looks_like_data = any(len(column) > LONGEST_NAME or _is_number(column) for column in columns)
    return ": does the file lack a line with the names of the columns?" if looks_like_data else ""


def _usual(
    parameter: str, usual: Sequence[Set[str]], unusual: Sequence[Set[str]], columns: Sequence[str], name: str
) -> str | None:
    """Return the one column with a usual name, or the one whose last word is one."""
    all_usual, all_unusual = set[str]().union(*usual), set[str]().union(*unusual)
    found = [[column for column in columns if _folded(column) in names] for names in usual]
    of_others = [column for column in columns if _folded(column) not in all_unusual]
    found.append([column for column in of_others if _folded(column).rpartition("_")[2] in all_usual])
    certain = next(filter(None, found), None)
    if certain is None or len(certain) == 1:
        return certain[0] if certain else None
    raise _several(parameter, certain, columns, name)


def _that(sample: Any, columns: Sequence[str], looks_so: Callable[[Sequence[str], int], bool]) -> list[str]:
    """Return the columns whose cells look like text or labels."""
    found = []
    for column in columns:
        try:
            values = label_cells(sample.column(column), sample.schema.field(column)).values
        except ValueError:
            continue
        if looks_so([cell for labels in values for cell in labels or ()], sample.num_rows):
            found.append(column)
    return found


def _alone(parameter: str, found: Sequence[str], sample: Any, name: str) -> str:
    if len(found) == 1:
        return found[0]
    if found:
        raise _several(parameter, found, sample.column_names, name)
    raise ValueError(
        f"no column of {name} is obviously the {parameter}: name it with {parameter}= (--{parameter})"
        f" (its columns: {listed_columns(sample.column_names)}{lacks_header(sample.column_names)})"
    )


def _several(parameter: str, found: Sequence[str], columns: Sequence[str], name: str) -> ValueError:
    shown = listed([quoted(column) for column in found[:10]], "or")
    several = "or several, which are joined," if parameter == "text" else "or several,"
    return ValueError(
        f"the {parameter} of {name} may be {shown}: name it, {several} with {parameter}= (--{parameter})"
        f"{lacks_header(columns)}"
    )


def _folded(column: str) -> str:
    """Return a name in small letters with underscores between its words."""
    return "_".join(re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column))).casefold()


def _words(column: str) -> set[str]:
    return set(_folded(column).split("_"))


def _looks_like_text(cells: Sequence[str], n_rows: int) -> bool:
    """Whether most rows have cells that are long, and mostly different; numbers and dates are not text."""
    n_letters = sum(sum(map(str.isalpha, cell[:200])) for cell in cells)
    n_characters = sum(min(len(cell), 200) for cell in cells)
    is_prose = n_characters >= LEAST_LENGTH * len(cells) and 2 * n_letters > n_characters
    return 2 * len(cells) > n_rows and is_prose and 2 * len(set(cells)) > len(cells)


def _looks_like_labels(cells: Sequence[str], n_rows: int) -> bool:
    """Whether most rows have cells that repeat, and are not numbers with a fraction."""
    distinct = set(cells)
    is_measured = all(map(_is_number, distinct)) and any("." in cell for cell in distinct)
    return 2 * len(cells) > n_rows and 1 < len(distinct) <= max(2, len(cells) // 2) and not is_measured


def _names_itself(sample: Any, label: str) -> bool:
    """Whether the name of a column is one of its cells, so that it is a cell itself."""
    values = label_cells(sample.column(label), sample.schema.field(label)).values
    return any(label in labels for labels in values if labels)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
