"""Warnings that point to the user's line, however deep in the library they arise."""

import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parent.parent)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn, and name the line that called into this package.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     warn_user("not converged", UserWarning)
    >>> str(seen[0].message), PACKAGE in seen[0].filename
    ('not converged', False)
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_ours(filename: str) -> bool:
    # scikit-learn wraps transform and fit_transform in a function of its own.
    return filename.startswith(PACKAGE) or filename.endswith("_set_output.py")
