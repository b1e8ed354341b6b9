"""Open a file of labelled text."""

from collections.abc import Sequence
from typing import Any

from troenpy.records.arrow import arrow
from troenpy.records.formats import Wanted
from troenpy.records.records import Records
from troenpy.records.source import Source

ON_ERROR = ("stop", "skip")


def open_records(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    separator: str | None = None,
    needs_label: bool = True,
    format: str | None = None,  # noqa: A002 (as in pandas and pyarrow)
    delimiter: str | None = None,
    encoding: str | None = None,
    on_error: str = "stop",
    spool: bool = False,
    usual_text: Sequence[str] = (),
) -> Records:
    r"""Open a file of labelled text.

    The format is found by the first bytes and the ending of the name: CSV and TSV, JSON lines, an array of JSON
    objects, Parquet, Arrow and Feather, lines of fastText (``__label__``), lines of plain text (without labels), or a
    folder with a folder of text files for each class; all but Parquet and Arrow files also compressed with gzip or
    Zstandard.

    Parameters
    ----------
    source : path-like, "-" or binary file
        "-" is standard input.
    text : str or sequence of str, optional
        The column of text; several columns are joined by newlines. By default the one obvious choice.
    label : str or sequence of str, optional
        The column of labels. With several columns a row has the labels of all; if their cells only say yes or no (1 or
        0, true or false), the names of the columns are the labels.
    separator : str, optional
        Between several labels in a cell. Lists of labels in JSON, Parquet and Arrow need none.
    needs_label : bool, default=True
        False reads no labels, unless `label` names a column.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "arrow", "fasttext", "txt", "folder"}, optional
    delimiter : str, optional
        Of CSV; by default sniffed among commas, tabs, semicolons and pipes.
    encoding : str, optional
        By default sniffed: UTF-8, UTF-16, UTF-32 or Windows-1252.
    on_error : {"stop", "skip"}, default="stop"
        What to do with broken rows (without text or label, with bytes that are not text, or with too many or too few
        cells): raise an error for the first one, or mark and count them.
    spool : bool, default=False
        Copy what can be read only once, such as standard input, to a temporary file, to read it several times. Parquet
        and Arrow files are copied in any case.
    usual_text : sequence of str, optional
        The columns of text if `text` is not given and the file has all of these.

    Returns
    -------
    Records

    Examples
    --------
    >>> import io
    >>> from troenpy.records import open_records
    >>> with open_records(io.BytesIO(b"text,label\na good day,pos\na bad day,neg\n")) as records:
    ...     print(records.text, records.label, *records.documents())
    ('text',) ('label',) (['a good day', 'a bad day'], ['pos', 'neg'])
    """
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error must be 'stop' or 'skip', got {on_error!r:.40}")
    arrow()
    opened = Source(source, spool=spool)
    try:
        return Records(
            opened,
            Wanted(format, delimiter, encoding),
            text=text,
            label=label,
            usual_text=usual_text,
            separator=separator,
            needs_label=needs_label,
            on_error=on_error,
        )
    except BaseException:
        opened.close()
        raise
