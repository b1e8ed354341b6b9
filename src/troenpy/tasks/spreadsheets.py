"""Cells of text in a CSV file that a spreadsheet opens: none of them becomes a formula."""

#: A spreadsheet takes a cell that starts with one of these for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def protected(cell: str) -> str:
    """Return a cell that a spreadsheet does not take for a formula: with an apostrophe, if need be.

    Examples
    --------
    >>> protected("=1+1"), protected("-1"), protected("goal")
    ("'=1+1", '-1', 'goal')
    """
    return f"'{cell}" if cell.startswith(FORMULA) and not _is_number(cell) else cell


def unprotected(cell: str) -> str:
    """Return what was protected.

    Examples
    --------
    >>> unprotected("'=1+1"), unprotected("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
