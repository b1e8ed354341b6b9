"""Which columns hold text and labels: those that the user names, or the one obvious choice."""

from collections.abc import Callable, Iterable, Sequence, Set
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from troenpy.records.cells import label_cells, text_cells
from troenpy.records.chunk import Notices
from troenpy.records.wording import column_phrase, listed, quoted

#: Usual names, the most certain ones first; of equally certain ones a file must have only one.
TEXT_NAMES: Final = (
    {"text", "texts"},
    {"review", "review_text", "reviewtext", "content", "body", "message", "sentence", "tweet", "comment"}
    | {"comment_text", "document", "doc", "description", "post", "utterance", "question", "query", "title"}
    | {"headline", "summary", "abstract", "article", "transcript", "email", "sms"},
)
LABEL_NAMES: Final = (
    {"label", "labels"},
    {"class", "classes", "category", "categories", "target", "sentiment", "topic", "topics", "intent", "y", "tag"}
    | {"tags", "classification", "polarity", "emotion", "genre", "label_text", "class_name", "rating", "stars"},
)
#: Columns with these names are not labels, whatever they hold.
NEVER_LABELS = ("id", "index", "split", "fold", "set", "partition", "date", "time", "timestamp", "url", "user", "file")
#: Text has at least so many characters, on average.
LEAST_LENGTH = 12.0
#: Names longer than this are probably data.
LONGEST_NAME = 80


class Columns(NamedTuple):
    """The columns of texts and of labels."""

    text: tuple[str, ...]
    label: tuple[str, ...]


def choose_columns(
    sample: Any,
    name: str,
    notices: Notices,
    *,
    text: str | Sequence[str] | None,
    label: str | Sequence[str] | None,
    usual_text: Sequence[str] = (),
    needs_label: bool = True,
) -> Columns:
    """Return the columns that were named, or guess them and say so.

    Parameters
    ----------
    sample : pyarrow.Table
        The first rows.
    name : str
        Of the file.
    notices : Notices
    text, label : str, sequence of str, or None
    usual_text : sequence of str
        The columns of text if `text` is None and the file has all of them.
    needs_label : bool
    """
    columns = list(sample.column_names)
    texts = _named("text", text, columns, name)
    labels = _named("label", label, columns, name)
    if not texts and usual_text and set(usual_text) <= set(columns):
        texts = tuple(usual_text)
    if both := set(texts) & set(labels):
        raise ValueError(f"{column_phrase(sorted(both))} of {name} cannot be text and label at once")
    is_guess = not texts or (needs_label and not labels)
    if not texts:
        texts = (_guess("text", TEXT_NAMES, [column for column in columns if column not in labels], sample, name),)
    if needs_label and not labels:
        labels = (_guess("label", LABEL_NAMES, [column for column in columns if column not in texts], sample, name),)
    if is_guess:
        of_label = f", label from {column_phrase(labels)}" if labels else ""
        notices.say(f"{name}: text from {column_phrase(texts)}{of_label}")
    return Columns(texts, labels)


def missing_column(parameter: str, wanted: str, columns: Sequence[str], name: str) -> ValueError:
    """Return the error for a column that the file does not have."""
    folded = {column.casefold(): column for column in columns}
    close = get_close_matches(wanted.casefold(), folded, n=1, cutoff=0.5)
    hint = f"; did you mean {quoted(folded[close[0]])}?" if close else ""
    return ValueError(f"{parameter} {quoted(wanted)} is not a column of {name}{hint} {_all(columns)}")


def _all(columns: Sequence[str]) -> str:
    shown = [quoted(column) for column in columns[:30]] + ["more"] * (len(columns) > 30)
    looks_like_data = any(len(column) > LONGEST_NAME or _is_number(column) for column in columns)
    hint = ": does the file lack a line with the names of the columns?" if looks_like_data else ""
    return f"(its columns: {listed(shown)}{hint})"


def _named(parameter: str, wanted: Any, columns: Sequence[str], name: str) -> tuple[str, ...]:
    if wanted is None:
        return ()
    names = (wanted,) if isinstance(wanted, str) or not isinstance(wanted, Iterable) else tuple(wanted)
    if not names or not all(isinstance(one, str) for one in names):
        raise TypeError(f"{parameter} must be the name of a column, or several names, got {wanted!r:.80}")
    if len(set(names)) < len(names):
        raise ValueError(f"{parameter} names a column twice: {listed([quoted(one) for one in names])}")
    for one in names:
        if one not in columns:
            raise missing_column(parameter, one, columns, name)
    return names


def _guess(parameter: str, usual: Sequence[Set[str]], columns: list[str], sample: Any, name: str) -> str:
    """Return the one column with a usual name, or the one that looks like it."""
    for names in usual:
        found = [column for column in columns if _folded(column) in names]
        if len(found) == 1:
            return found[0]
        if found:
            raise _several(parameter, found, name)
    looks_so: Callable[[Any], bool] = _looks_like_text if parameter == "text" else _looks_like_labels
    found = [column for column in columns if parameter == "text" or _folded(column) not in NEVER_LABELS]
    found = [column for column in found if looks_so(sample.select([column]))]
    if len(found) == 1:
        return found[0]
    if found:
        raise _several(parameter, found, name)
    raise ValueError(
        f"no column of {name} is obviously the {parameter}: name it with {parameter}= (--{parameter})"
        f" {_all(sample.column_names)}"
    )


def _several(parameter: str, found: Sequence[str], name: str) -> ValueError:
    shown = listed([quoted(column) for column in found[:10]], "or")
    return ValueError(f"the {parameter} of {name} may be {shown}: name it with {parameter}= (--{parameter})")


def _folded(column: str) -> str:
    return column.strip().casefold().replace(" ", "_").replace("-", "_")


def _looks_like_text(column: Any) -> bool:
    """Whether cells are long, and mostly different; numbers and dates are not text."""
    try:
        cells = [cell for cell in text_cells(column.column(0), column.schema.field(0)).values if cell]
    except ValueError:
        return False
    n_letters = sum(sum(map(str.isalpha, cell[:200])) for cell in cells)
    n_characters = sum(min(len(cell), 200) for cell in cells)
    return (
        bool(cells)
        and n_characters >= LEAST_LENGTH * len(cells)
        and 2 * n_letters > n_characters
        and (2 * len(set(cells)) > len(cells))
    )


def _looks_like_labels(column: Any) -> bool:
    """Whether cells repeat, and are not numbers with a fraction."""
    try:
        cells = [
            cell for labels in label_cells(column.column(0), column.schema.field(0)).values for cell in labels or ()
        ]
    except ValueError:
        return False
    distinct = set(cells)
    is_measured = all(map(_is_number, distinct)) and any("." in cell for cell in distinct)
    return 1 < len(distinct) <= max(2, len(cells) // 2) and not is_measured


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
