"""What a page shows of a summary: its corpora in order of choice, the names of its methods, and their records."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from troenpy.experiments.tables import Record, p_value
from troenpy.report.names import FAMILIES, Name, corpus_name
from troenpy.report.parts import Choices, Group
from troenpy.report.selection import change, main_settings, names
from troenpy.report.summary import Summary

PER_100 = "errors, baseline = 100"


@dataclass(frozen=True)
class View:
    """A summary, as the parts of the page read it."""

    summary: Summary

    @cached_property
    def names(self) -> dict[str, Name]:
        """The name of each method."""
        return names(self.summary)

    @cached_property
    def records(self) -> dict[tuple[str, str], Record]:
        """The records of errors by corpus and method."""
        return {(record["corpus"], record["method"]): record for record in self.summary["comparison"]["errors"]}

    @cached_property
    def main(self) -> list[str]:
        """The corpora that the answer is about."""
        return main_settings(self.summary)

    @cached_property
    def shown(self) -> list[str]:
        """The corpora that can be chosen: those with all training documents, samples last."""
        full = [name for name, record in self.summary["corpora"].items() if record["train_fraction"] == 1]
        return [*self.main, *(name for name in full if name not in self.main)]

    @property
    def has_mean(self) -> bool:
        """Whether the first choice is the mean over several corpora."""
        return len(self.main) > 1 and self.baseline is not None

    @property
    def settings(self) -> list[str]:
        """What can be chosen, in words; the mean over the main corpora comes first, if there are several."""
        mean = [f"all {len(self.main)} corpora"] if self.has_mean else []
        return mean + [corpus_name(corpus) for corpus in self.shown]

    @property
    def places(self) -> list[tuple[int, str]]:
        """The corpora that can be chosen, with their numbers among `settings`."""
        return list(enumerate(self.shown, start=int(self.has_mean)))

    @property
    def baseline(self) -> str | None:
        """The method that the others are compared with."""
        baseline: str | None = self.summary["comparison"]["baseline"]
        return baseline

    @property
    def key(self) -> list[str]:
        """The methods that matter most."""
        methods: list[str] = self.summary["headline"]["methods"]
        return methods

    def choices(self) -> Choices:
        """Return the bar of choices."""
        present = {name.family for name in self.names.values()}
        groups = [Group(key, said, hue) for hue, (key, said) in enumerate(FAMILIES.items()) if key in present]
        return Choices(groups, self.settings)

    def hue(self, method: str) -> int:
        """Return the number of a method's colour."""
        return list(FAMILIES).index(self.names[method].family)

    def run_on(self, corpus: str) -> list[Record]:
        """Return the records of a corpus, the lowest error first."""
        found = [record for (name, _), record in self.records.items() if name == corpus]
        return sorted(found, key=lambda record: record["error"])

    def means(self) -> list[tuple[str, float, int]]:
        """Return methods with their mean error per 100 of the baseline's, and on how many corpora; the lowest first.

        Methods that were run on all main corpora come first.
        """
        found = []
        for method in self.names:
            mean = change(self.summary, method)
            if method == self.baseline:
                n_corpora = sum((corpus, method) in self.records for corpus in self.main)
                found.append((method, 100.0, n_corpora))
            elif mean is not None and mean.share is not None:
                found.append((method, 100 * (1 + mean.share), mean.n_corpora))
        return sorted(found, key=lambda entry: (-entry[2], entry[1]))

    def about(self, record: Record) -> str:
        """Return what a tooltip says of a record, besides the error and its interval."""
        lines = []
        if record["reduction"] is not None:
            word = "fewer" if record["reduction"] >= 0 else "more"
            p = "" if record["p"] is None else f", {said_p(record['p'])} ({record['test']})"
            against = self.names[self.baseline].full if self.baseline in self.names else "the baseline"
            lines.append(f"{100 * abs(record['reduction']):.1f} % {word} errors than {against}{p}")
        lines.append(f"{seconds(record['seconds'])} per split")
        if record["n_splits"] > 1:
            lines.append(f"mean of {record['n_splits']} random splits")
        return "\n".join(lines)


def seconds(value: float) -> str:
    """Write a time with two significant digits.

    Examples
    --------
    >>> seconds(0.0123), seconds(2.345), seconds(75.2)
    ('0.012 s', '2.3 s', '75 s')
    """
    return f"{value:.0f} s" if value >= 10 else f"{value:.2g} s"


def said_p(p: float) -> str:
    """Write a p-value in a sentence.

    Examples
    --------
    >>> said_p(0.03), said_p(1e-9)
    ('p = 0.0300', 'p < 0.0001')
    """
    shown = p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def percent(share: float | None) -> Any:
    """Return a share in per cent, or None."""
    return None if share is None else 100 * share


def splits_run(record: dict[str, Any]) -> str:
    """Describe which splits were run.

    Examples
    --------
    >>> splits_run({"seeds": [0, 1, 2]}), splits_run({"seeds": [None]}), splits_run({"seeds": [4, 7]})
    ('3 random, seeds 0 to 2', 'given', '2 random, seeds 4, 7')
    """
    seeds = sorted(seed for seed in record["seeds"] if seed is not None)
    if not seeds:
        return "given"
    is_range = len(seeds) > 1 and seeds == list(range(seeds[0], seeds[-1] + 1))
    shown = f"{seeds[0]} to {seeds[-1]}" if is_range else ", ".join(map(str, seeds))
    return f"{len(seeds)} random, seeds {shown}" if len(seeds) > 1 else f"1 random, seed {shown}"
