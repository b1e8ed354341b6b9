"""What a bounded table of terms may have missed: the state of the Space-Saving summary apart from its counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.files.archive import Arrays
from troenpy.files.saved import check_array, check_size


@dataclass(frozen=True, eq=False)
class Summary:
    """The errors of a Space-Saving summary over document frequency; see `troenpy.features.space_saving`.

    Parameters
    ----------
    max_terms : int
    errors : int64 array of shape (n_terms,)
        How many documents of each term may be missing: those from before it entered.
    order : int64 array of shape (n_terms,)
        Grows with every term that enters.
    kept_above : int
        A term in more documents than this is certainly kept; 0 while nothing has been dropped.
    largest_weight : float
        The largest weight of a document.
    """

    max_terms: int
    errors: NDArray[np.int64]
    order: NDArray[np.int64]
    kept_above: int
    largest_weight: float = 1.0

    def select(self, kept: NDArray[np.bool_]) -> "Summary":
        """Return the summary of some of the terms."""
        return Summary(self.max_terms, self.errors[kept], self.order[kept], self.kept_above, self.largest_weight)

    def for_counts(self, is_weighted: bool) -> dict[str, Any]:
        """Return the fields of inexact `ClassCounts`; none while nothing has been dropped.

        A missing document weighs at most as much as the heaviest.
        """
        if self.kept_above == 0:
            return {}
        if not is_weighted:
            return {"errors": self.errors, "kept_above": self.kept_above}
        return {"errors": self.errors * self.largest_weight, "kept_above": self.kept_above * self.largest_weight}

    def to_arrays(self) -> Arrays:
        """Return the arrays for a file."""
        return {
            "max_terms": np.array([self.max_terms]),
            "errors": self.errors,
            "order": self.order,
            "kept_above": np.array([self.kept_above]),
            "largest_weight": np.array([self.largest_weight]),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_terms: int) -> "Summary":
        """Rebuild the summary from the result of `to_arrays`; everything is validated."""
        errors, order = (check_array(arrays[name], (n_terms,)) for name in ("errors", "order"))
        kept_above, largest = arrays["kept_above"].item(), check_array(arrays["largest_weight"], (1,)).item()
        is_whole = errors.dtype.kind == order.dtype.kind == "i" and isinstance(kept_above, int)
        if not is_whole or (errors < 0).any() or (errors > kept_above).any() or len(np.unique(order)) < n_terms:
            raise ValueError("the errors of a summary must be whole, and none above kept_above")
        return cls(check_size(arrays["max_terms"].item()), errors, order, kept_above, largest)
