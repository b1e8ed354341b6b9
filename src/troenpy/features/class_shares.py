"""The last step of a class profile: from sums over its terms to the fraction of each class, minus what is left out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.weights.count_table import Floats, remainder


def finish_dense(z: Floats, sums: Floats, sizes: Floats, remaining: Floats, left_out: Any, smoothing: float) -> Floats:
    """Turn sum b n_iw into z_i, in place."""
    total, shrunk = sums.T
    pseudo = smoothing * shrunk / np.where(remaining > 0, remaining, np.inf)
    # Without known terms, z is the class distribution of the remaining documents.
    is_known = total > 0
    total = np.where(is_known, total, remaining)
    pseudo, shrunk = np.where(is_known, pseudo, 1.0), np.where(is_known, shrunk, 0.0)
    z += np.multiply.outer(pseudo, sizes)
    if left_out is not None:
        row, i, m = np.repeat(np.arange(len(z)), np.diff(left_out.indptr)), left_out.indices, left_out.data
        z[row, i] = np.where(remainder(sizes[i], m) > 0, np.maximum(z[row, i] - m * (shrunk + pseudo)[row], 0.0), 0.0)
    z /= np.where(remaining > 0, total, 1.0)[:, np.newaxis]
    if left_out is not None:  # what is left of enormous weights may be rounding
        np.minimum(z, 1.0, out=z)
    z[remaining == 0] = 1 / len(sizes)  # no document remains: a uniform distribution
    return z


def finish_sparse(
    z: sparse.csr_array, sums: Floats, sizes: Floats, remaining: Floats, left_out: Any, smoothing: float
) -> sparse.csr_array:
    """Turn sum b n_iw into z_i, for the classes that share a term with the document."""
    total, shrunk = sums.T
    pseudo = smoothing * shrunk / np.where(remaining > 0, remaining, np.inf)
    row = np.repeat(np.arange(z.shape[0]), np.diff(z.indptr))
    added = pseudo[row] * sizes[z.indices]
    if left_out is not None:
        at, own_row, m = _find_entries(z, row, left_out)
        before = z.data[at]
        z.data[at] -= m * shrunk[own_row]
        added[at] -= m * pseudo[own_row]
        # If no other document of the class shares a term, only a rounding error is left: storing it would leak the
        # label.
        gone = at[z.data[at] <= 1e-12 * before]
        z.data[gone], added[gone] = 0.0, 0.0
    z.data += added
    z.data /= np.where(total > 0, total, 1.0)[row]
    z.eliminate_zeros()
    return z


def _find_entries(z: sparse.csr_array, row: NDArray[Any], part: Any) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Return the positions in z of the entries that `part` shares with it, and their rows and values in `part`."""
    n_columns = np.int64(z.shape[1])
    keys = row * n_columns + z.indices
    part_row = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
    part_keys = part_row * n_columns + part.indices
    at = np.searchsorted(keys, part_keys)
    is_found = np.append(keys, -1)[at] == part_keys
    return at[is_found], part_row[is_found], part.data[is_found]
