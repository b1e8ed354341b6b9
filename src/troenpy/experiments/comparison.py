"""Comparison: errors with intervals, pairwise tests and ranks over corpora, from rows of results."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from troenpy.display.plain import printable
from troenpy.experiments import tables
from troenpy.experiments.journal import Row, all_versions
from troenpy.experiments.records import compare
from troenpy.experiments.significance import (
    ALPHA,
    Friedman,
    PairTest,
    friedman_test,
    mcnemar_test,
    rank_pairs,
    resampled_interval,
    resampled_t_test,
    wilson_interval,
)


@dataclass(frozen=True)
class ErrorEstimate:
    """Estimated error of one method on one corpus.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation over splits; `sd` is NaN for a single split.
    low, high : float
        Ends of the 95 % interval.
    interval : {"Nadeau-Bengio", "Wilson"}
        The kind of interval: over random splits, or over the test documents of a single split.
    n_splits, n_test : int
        Number of splits, and of test documents in each.
    seconds : float
        Mean wall time per split.
    """

    mean: float
    sd: float
    low: float
    high: float
    interval: str
    n_splits: int
    n_test: int
    seconds: float


class Comparison:
    """Compare methods on the corpora they were run on.

    Two methods on one corpus are compared on the splits they share, by the corrected resampled t-test, or by McNemar's
    exact test if they share a single split. Comparisons across corpora use ranks.

    Parameters
    ----------
    rows : iterable of Row
        From `experiments.run` or `experiments.read_rows`.
    baseline : str or None
        The method to compare the others with.

    Attributes
    ----------
    corpora, methods : list of str
        In the order of the rows. Variants of a corpus have longer names, such as "r8, deduplicated".
    errors : dict
        {(corpus, method): ErrorEstimate}

    Raises
    ------
    ValueError
        If there are no rows, if the rows come from different package versions or from different documents under the
        same name, or if the baseline was not run.

    Examples
    --------
    >>> import numpy as np
    >>> from troenpy.experiments import comparison
    >>> from troenpy import experiments
    >>> texts, labels = ("late goal", "own goal", "close vote", "no vote") * 5, np.array(["s", "s", "p", "p"] * 5)
    >>> corpus = experiments.Corpus("tiny", texts, labels)
    >>> rows = experiments.run([corpus], ["knn: tf*idf", "lr: tf*pi"], splits=3)
    >>> result = comparison.Comparison(rows, baseline="knn: tf*idf")
    >>> result.errors["tiny", "lr: tf*pi"].mean, result.win_tie_loss("lr: tf*pi")
    (0.0, (0, 1, 0))
    >>> print(result)
    tiny: test error, %
    method       error  95 % interval  reduction       p
    knn: tf*idf   0.00   0.00 to 0.00
    lr: tf*pi     0.00   0.00 to 0.00             1.0000
    Nadeau-Bengio interval; reduction and p against knn: tf*idf, corrected resampled t-test
    """

    def __init__(self, rows: Iterable[Row], *, baseline: str | None = None) -> None:
        self.rows = list(rows)
        _check_comparable(self.rows)
        self.corpora = list(dict.fromkeys(row.setting for row in self.rows))
        self.methods = list(dict.fromkeys(row.method for row in self.rows))
        if baseline is not None and baseline not in self.methods:
            raise ValueError(f"baseline {baseline!r} was not run: choose one of {', '.join(self.methods)}")
        self.baseline = baseline
        self._splits: dict[tuple[str, str], dict[int | None, Row]] = {}
        for row in self.rows:
            self._splits.setdefault((row.setting, row.method), {})[row.seed] = row
        self.errors = {key: _estimate(list(splits.values())) for key, splits in self._splits.items()}

    def test(self, method: str, other: str, corpus: str) -> PairTest:
        """Compare two methods on a corpus; the difference is negative if the first has the lower error."""
        ours, theirs = self._splits[corpus, method], self._splits[corpus, other]
        common = [seed for seed in ours if seed in theirs]
        if not common:
            raise ValueError(f"{method!r} and {other!r} share no split of {corpus}: run both on the same splits")
        if len(common) == 1:
            return mcnemar_test(ours[common[0]].was_correct(), theirs[common[0]].was_correct())
        errors, others = ([splits[seed].error for seed in common] for splits in (ours, theirs))
        return resampled_t_test(errors, others, _test_to_train(list(ours.values())))

    def tests(self, corpus: str) -> dict[tuple[str, str], PairTest]:
        """Compare every pair of methods that were run on a corpus."""
        present = [method for method in self.methods if (corpus, method) in self.errors]
        return {(a, b): self.test(a, b, corpus) for a, b in combinations(present, 2)}

    def reduction(self, method: str, corpus: str) -> float:
        """Return the relative error reduction over the baseline on a corpus; NaN if the baseline makes no errors."""
        before, after = self.errors[corpus, self._baseline()].mean, self.errors[corpus, method].mean
        return 1 - after / before if before else float("nan")

    def win_tie_loss(self, method: str) -> tuple[int, int, int]:
        """Count wins, ties and losses against the baseline over the corpora; p >= 0.05 is a tie."""
        baseline = self._baseline()
        results = [
            self.test(method, baseline, corpus)
            for corpus in self.corpora
            if {(corpus, method), (corpus, baseline)} <= self.errors.keys()
        ]
        signs = [int(np.sign(result.difference)) if result.p < ALPHA else 0 for result in results]
        return signs.count(-1), signs.count(0), signs.count(1)

    @cached_property
    def ranked_methods(self) -> list[str]:
        """Methods that were run on every corpus."""
        return [method for method in self.methods if all((corpus, method) in self.errors for corpus in self.corpora)]

    @cached_property
    def friedman(self) -> Friedman | None:
        """Mean ranks of `ranked_methods`, with Friedman's test; None for fewer than two corpora or three methods.

        Also None if the rows hold several variants of a corpus, such as whole and deduplicated: the test assumes that
        corpora are independent.
        """
        n_corpora = len({row.corpus for row in self.rows})
        if not n_corpora == len(self.corpora) >= 2 or len(self.ranked_methods) < 3:
            return None
        return friedman_test(
            [[self.errors[corpus, method].mean for method in self.ranked_methods] for corpus in self.corpora]
        )

    def rank_pairs(self, *, against_baseline: bool = False) -> dict[tuple[str, str], float]:
        """Return Holm-corrected p-values for differences of mean ranks, for all pairs or those with the baseline."""
        if self.friedman is None:
            return {}
        control = self.ranked_methods.index(self._baseline()) if against_baseline else None
        pairs = rank_pairs(self.friedman.mean_ranks, len(self.corpora), control=control)
        return {(self.ranked_methods[i], self.ranked_methods[j]): p for (i, j), p in pairs.items()}

    def __repr__(self) -> str:
        n_methods, n_corpora = len(self.methods), len(self.corpora)
        against = "" if self.baseline is None else f", against {printable(self.baseline)}"
        methods, corpora = "method" if n_methods == 1 else "methods", "corpus" if n_corpora == 1 else "corpora"
        return f"<Comparison: {n_methods} {methods} on {n_corpora} {corpora}{against}>"

    def __str__(self) -> str:
        return tables.to_text(compare(self))

    def _repr_html_(self) -> str:
        return tables.to_html(compare(self))

    def to_markdown(self) -> str:
        """Return a Markdown table of errors in per cent by method and corpus, with the lowest in bold."""
        return tables.to_markdown(compare(self))

    def to_latex(self) -> str:
        """Return the same table as a LaTeX tabular, which needs the package booktabs."""
        return tables.to_latex(compare(self))

    def to_csv(self) -> str:
        """Return all figures as CSV, one line per corpus and method."""
        return tables.to_csv(compare(self))

    def _baseline(self) -> str:
        if self.baseline is None:
            raise ValueError("this needs a baseline: pass one, such as Comparison(rows, baseline='knn: tf*idf')")
        return self.baseline


def _check_comparable(rows: list[Row]) -> None:
    if not rows:
        raise ValueError("there are no rows to compare: run some methods first")
    all_versions(rows)
    first: dict[str, Row] = {}
    seen = set()
    for row in rows:
        key = row.setting, row.seed, row.method
        if key in seen:
            raise ValueError(
                f"each corpus, split and method may have one row, got two for {key[0]}, {key[1]}, {key[2]!r}"
            )
        seen.add(key)
        _check_alike(first.setdefault(row.setting, row), row)


def _check_alike(row: Row, other: Row) -> None:
    """Raise unless two rows of one setting can come from the same documents."""
    if row.fingerprint != other.fingerprint:
        raise ValueError(f"rows for {row.setting} come from different documents: give each corpus its own name")
    if (row.seed is None) != (other.seed is None):
        raise ValueError(f"{row.setting} has rows for its given split and for random splits: compare them separately")
    for name, verb in (("n_test", "tested"), ("n_train", "trained")):
        ours, theirs = getattr(row, name), getattr(other, name)
        if ours != theirs:
            raise ValueError(
                f"{row.setting} was {verb} on {ours} documents with {row.method!r}, on {theirs} with {other.method!r}"
            )


def _estimate(rows: list[Row]) -> ErrorEstimate:
    errors = np.array([row.error for row in rows])
    seconds = float(np.mean([row.wall_seconds for row in rows]))
    if len(rows) == 1:
        low, high = wilson_interval(rows[0].n_wrong, rows[0].n_test)
        return ErrorEstimate(rows[0].error, float("nan"), low, high, "Wilson", 1, rows[0].n_test, seconds)
    low, high = resampled_interval(errors, _test_to_train(rows))
    sd = float(errors.std(ddof=1))
    return ErrorEstimate(float(errors.mean()), sd, low, high, "Nadeau-Bengio", len(rows), rows[0].n_test, seconds)


def _test_to_train(rows: list[Row]) -> float:
    return rows[0].n_test / rows[0].n_train
