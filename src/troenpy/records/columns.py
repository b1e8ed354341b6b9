"""Which columns hold text and labels: those that the user names, or the one obvious choice."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from troenpy.records.chunk import Notices
from troenpy.records.column_guess import guess_label, guess_text, lacks_header, listed_columns
from troenpy.records.wording import column_phrase, listed, quoted


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
        others = [column for column in columns if column not in labels]
        texts = (guess_text(sample, others, name, is_only=bool(labels) or not needs_label),)
    if needs_label and not labels:
        labels = (guess_label(sample, [column for column in columns if column not in texts], name),)
    if is_guess:
        of_label = f", label from {column_phrase(labels)}" if labels else ""
        notices.say(f"{name}: text from {column_phrase(texts)}{of_label}{lacks_header(texts)}")
    return Columns(texts, labels)


def missing_column(parameter: str, wanted: str, columns: Sequence[str], name: str) -> ValueError:
    """Return the error for a column that the file does not have."""
    folded = {column.casefold(): column for column in columns}
    close = get_close_matches(wanted.casefold(), folded, n=1, cutoff=0.5)
    hint = f"; did you mean {quoted(folded[close[0]])}?" if close else ""
    shown = f"(its columns: {listed_columns(columns)}{lacks_header(columns)})"
    return ValueError(f"{parameter} {quoted(wanted)} is not a column of {name}{hint} {shown}")


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
