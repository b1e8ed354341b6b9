"""The class counts in the file of a model, or what stands in for them if it was saved for prediction only."""

from typing import Any, NoReturn

from sklearn.exceptions import NotFittedError

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.fields import check_total
from troenpy.files import archive
from troenpy.files.archive import Arrays
from troenpy.files.saved import add_prefix, select_prefix

MESSAGE = (
    "this model was saved with for_prediction=True, without its class counts: for counts_, partial_fit or the"
    " explanation of a term, load a model that was saved without for_prediction"
)


class LeftOutCounts:
    """What remains of ClassCounts that were not saved; anything else raises an error that says so.

    Parameters
    ----------
    n_documents : int or float

    Examples
    --------
    >>> counts = LeftOutCounts(7)
    >>> counts.n_documents
    7
    >>> hasattr(counts, "doc_freq")
    False
    """

    def __init__(self, n_documents: int | float) -> None:
        self.n_documents = n_documents

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # how copy and pickle ask what an object can do
            raise AttributeError(name)
        raise NotFittedError(MESSAGE)

    def __add__(self, other: Any) -> NoReturn:
        raise NotFittedError(MESSAGE)

    __radd__ = __add__

    def __repr__(self) -> str:
        return f"LeftOutCounts({self.n_documents:g} documents)"


def check_not_left_out(counts: ClassCounts | LeftOutCounts) -> None:
    """Raise if the counts were not saved."""
    if isinstance(counts, LeftOutCounts):
        raise NotFittedError(MESSAGE)


def saved_counts(counts: ClassCounts | LeftOutCounts, *, without_terms: bool = False) -> Arrays:
    """Return the arrays of a model's counts for its file; none if the model has no counts to save."""
    if isinstance(counts, LeftOutCounts):
        return {}
    arrays = counts.to_arrays()
    if without_terms:
        arrays = {name: array for name, array in arrays.items() if not name.startswith("terms_")}
    return add_prefix("counts.", arrays)


def restored_counts(arrays: Arrays, terms: Any = None) -> Any:
    """Return the ClassCounts in the file of a model, or LeftOutCounts if it has none; everything is validated."""
    found = select_prefix("counts.", arrays)
    if found:
        return ClassCounts.from_arrays(found if terms is None else found | archive.pack("terms", terms))
    n_documents = arrays["n_documents"].item()
    check_total(n_documents)
    return LeftOutCounts(n_documents)
