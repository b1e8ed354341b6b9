"""Small tables: text for a terminal, HTML for a notebook, or a pandas DataFrame."""

import html
from collections.abc import Iterable, Sequence
from typing import Any

from troenpy.display.plain import printable


def text_table(rows: Iterable[Sequence[str]], *, indent: str = "  ") -> list[str]:
    r"""Format rows as aligned lines: the first column to the left, the others to the right.

    Parameters
    ----------
    rows : iterable of sequences of str
        All of the same length; control characters are escaped.
    indent : str, default="  "

    Examples
    --------
    >>> print("\n".join(text_table([("term", "weight"), ("goal", "0.52"), ("a\nb", "-1")], indent="")))
    term  weight
    goal    0.52
    a\nb      -1
    """
    printed = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*printed, strict=True)]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in printed
    ]


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table as HTML, with everything escaped.

    Examples
    --------
    >>> html_table(["term"], [["<b>"]])
    '<table><thead><tr><th>term</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def data_frame(names: Sequence[Any], columns: Sequence[Any]) -> Any:
    """Return a pandas DataFrame.

    Parameters
    ----------
    names : sequence
        Names of the columns; they may repeat, e.g. if a class is called "term".
    columns : sequence of sequences
        The values of each column.

    Examples
    --------
    >>> data_frame(["term", "weight"], [["goal", "vote"], [0.5, 0.25]])
       term  weight
    0  goal    0.50
    1  vote    0.25
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas", name="pandas") from None
    try:
        frame = pd.DataFrame(dict(enumerate(columns)))
    except UnicodeEncodeError:  # lone surrogates, which the strings of pandas 3 cannot hold
        frame = pd.DataFrame({i: pd.Series(list(column), dtype=object) for i, column in enumerate(columns)})
    frame.columns = pd.Index(list(names), dtype=object)
    return frame
