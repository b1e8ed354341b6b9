"""What is known of the terms that mark a class: counts, intervals, spread over documents, how stable their order is.

Stability is that of the delete-a-group jackknife: strengths are computed again without each of the groups of documents.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.counts.grouped_counts import GroupedCounts
from troenpy.statistics import (
    Comparison,
    critical_value,
    deviation_of_proportions,
    jackknife_error,
    log_odds_ratio,
    mark_strength,
    rank_intervals,
)
from troenpy.tasks.term_tests import Discoveries
from troenpy.weights.schemes import Weight, term_weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassMarks:
    """The terms that a class has more often than its reference, or less often; the strongest first.

    Attributes
    ----------
    number : int
        Of the class.
    sign : int
        1 for terms that the class has more often, -1 for those that it has less often.
    n_found : int
        How many there are; at most a given number of them are described.
    columns : ndarray
        The columns of these terms.
    values : dict of ndarrays
        What is known of each term, by name.
    """

    number: int
    sign: int
    n_found: int
    columns: NDArray[np.int64]
    values: dict[str, Any]


class TermWeights:
    """The weights of terms by a scheme, with jackknife intervals."""

    def __init__(self, grouped: GroupedCounts, scheme: str | Weight) -> None:
        self.values = term_weights(grouped.total(), scheme)
        groups = np.flatnonzero(grouped.n_documents > 0)
        self.low = self.high = np.full(len(self.values), np.nan)
        n_docs = grouped.n_docs.sum(axis=1)[:, np.newaxis] - grouped.n_docs[:, groups]
        if len(groups) < 2 or (np.count_nonzero(n_docs, axis=0) < 2).any():
            return  # without one of the groups there is a single class, which has no weights
        replicates = [term_weights(grouped.without(int(group)), scheme) for group in groups]
        width = critical_value(len(groups)) * jackknife_error(replicates)
        self.low, self.high = self.values - width, self.values + width


@dataclass(frozen=True, eq=False)
class Marker:
    """Describes discoveries.

    Parameters
    ----------
    grouped : GroupedCounts
        Of the terms that are tested.
    reference : int or None
        The number of the class that others are compared with.
    weights : TermWeights
    prior : float
    limit : int or None
        Describe at most so many terms of a class and sign.
    """

    grouped: GroupedCounts
    reference: int | None
    weights: TermWeights
    prior: float
    limit: int | None

    def describe(self, found: Discoveries, sign: int) -> ClassMarks:
        """Return the marks of a class; the columns of the discoveries are those of `grouped`."""
        groups = self._groups(found)
        n_in, n_out = int(groups.n_in.sum()), int(groups.n_out.sum())
        a, b = groups.a.sum(axis=0), groups.b.sum(axis=0)
        of_sign = np.flatnonzero(np.sign(a * n_out - b * n_in) == sign)
        groups = groups.select(of_sign)
        whole = Comparison(a[of_sign], n_in, b[of_sign], n_out)
        strength = mark_strength(whole, sign, self.prior)
        order = np.lexsort((found.columns[of_sign], -self._lengths(found.columns[of_sign]), -strength))
        best = order[: self.limit]
        replicates = groups.replicates(lambda part: mark_strength(part, sign, self.prior))
        low, high = rank_intervals(strength, replicates, best)
        columns = found.columns[of_sign[best]]
        odds = log_odds_ratio(Comparison(whole.a[best], n_in, whole.b[best], n_out), self.prior)
        ends = odds.ends()
        spread = groups.select(best)
        values = {
            "rank": np.arange(1, len(best) + 1),
            "rank_low": low,
            "rank_high": high,
            "documents": whole.a[best],
            "share": whole.a[best] / max(n_in, 1),
            "reference_documents": whole.b[best],
            "reference_share": whole.b[best] / max(n_out, 1),
            "log_odds": odds.value,
            "log_odds_low": ends[0],
            "log_odds_high": ends[1],
            "p": found.p[of_sign[best]],
            "q": found.q[of_sign[best]],
            "strength": strength[best],
            "dispersion": deviation_of_proportions(
                *((spread.a, spread.n_in) if sign > 0 else (spread.b, spread.n_out))
            ),
            "weight": self.weights.values[columns],
            "weight_low": self.weights.low[columns],
            "weight_high": self.weights.high[columns],
        }
        return ClassMarks(found.number, sign, len(of_sign), columns, values)

    def _lengths(self, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the words of each term: of phrases in the same documents, the longest one says most."""
        return np.array([term.count(" ") for term in self.grouped.terms[columns].tolist()], dtype=np.int64)

    def _groups(self, found: Discoveries) -> "_Groups":
        grouped, k = self.grouped, found.number
        a, n_in = grouped.of_class(k, found.columns), grouped.n_docs[k]
        if self.reference is None:
            return _Groups(a, n_in, grouped.of_all(found.columns) - a, grouped.n_documents - n_in)
        return _Groups(a, n_in, grouped.of_class(self.reference, found.columns), grouped.n_docs[self.reference])


@dataclass(frozen=True, eq=False)
class _Groups:
    """Documents by group: with each term in the class, all of the class, and the same of the reference."""

    a: NDArray[np.int64]
    n_in: NDArray[np.int64]
    b: NDArray[np.int64]
    n_out: NDArray[np.int64]

    def select(self, columns: NDArray[np.int64]) -> "_Groups":
        return _Groups(self.a[:, columns], self.n_in, self.b[:, columns], self.n_out)

    def replicates(self, strength: Callable[[Comparison], Floats]) -> list[Floats]:
        """Return the strengths of all terms without each of the groups."""
        a, b, n_in, n_out = self.a.sum(axis=0), self.b.sum(axis=0), self.n_in.sum(), self.n_out.sum()
        return [
            strength(Comparison(a - self.a[g], n_in - self.n_in[g], b - self.b[g], n_out - self.n_out[g]))
            for g in np.flatnonzero(self.n_in + self.n_out > 0)
        ]
