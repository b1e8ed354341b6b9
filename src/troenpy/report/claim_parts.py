"""The parts of the page that answer the paper's claims: first those that the rows decide, then what the others need."""

from dataclasses import dataclass
from typing import Any

from troenpy.experiments.significance import ALPHA
from troenpy.report.claims import HELD, is_tested
from troenpy.report.names import corpus_name
from troenpy.report.parts import ChangeBar, ChangeBars
from troenpy.report.summary import Summary
from troenpy.report.view import said_p


@dataclass(frozen=True)
class ShownClaim:
    """A claim as the page shows it."""

    text: str
    verdict: str
    evidence: str
    number: str
    picture: ChangeBars | None
    command: str

    @property
    def mark(self) -> str:
        """The style class of the verdict."""
        return "held" if self.verdict == HELD else "not-held" if is_tested(self.verdict) else "open"


def tested_claims(summary: Summary) -> list[ShownClaim]:
    """Return the claims that the rows decide."""
    return [_shown(claim) for claim in summary["claims"] if is_tested(claim["verdict"])]


def open_claims(summary: Summary) -> list[ShownClaim]:
    """Return the claims that the rows cannot decide."""
    return [_shown(claim) for claim in summary["claims"] if not is_tested(claim["verdict"])]


def commands(claims: list[ShownClaim]) -> dict[str, list[ShownClaim]]:
    """Return claims by the command that decides them, the one for most claims first."""
    found: dict[str, list[ShownClaim]] = {}
    for claim in claims:
        found.setdefault(claim.command, []).append(claim)
    return dict(sorted(found.items(), key=lambda entry: -len(entry[1])))


def what_is_open(claims: list[ShownClaim]) -> tuple[str, str]:
    """Say how many claims the rows cannot decide, and the command that decides most of them.

    Examples
    --------
    >>> what_is_open([ShownClaim("", "needs 7 corpora", "", "", None, "troenpy reproduce --datasets all")])
    ('One claim of the paper needs more than this run', 'troenpy reproduce --datasets all')
    """
    n_claims, by_command = len(claims), commands(claims)
    command = next((command for command in by_command if command), "")
    said = f"{n_claims} claims of the paper need" if n_claims > 1 else "One claim of the paper needs"
    n_decided = len(by_command.get(command, []))
    part = f"; for {n_decided} of them" if n_decided < n_claims else ""
    return f"{said} more than this run{part}", command


def _shown(claim: dict[str, Any]) -> ShownClaim:
    bars = [_bar(case) for case in claim["cases"]]
    fewer = sum(case["change"] < 0 for case in claim["cases"])
    label = f"Fewer errors in {fewer} of {len(bars)} comparisons: " + "; ".join(bar.tip for bar in bars)
    picture = ChangeBars(label, bars) if bars else None
    return ShownClaim(claim["text"], claim["verdict"], claim["evidence"], claim["number"], picture, claim["command"])


def _bar(case: dict[str, Any]) -> ChangeBar:
    word = "fewer" if case["change"] < 0 else "more"
    change = f"{100 * abs(case['change']):.1f} % {word} errors, {said_p(case['p'])}"
    return ChangeBar(case["change"], case["p"] < ALPHA, f"{corpus_name(case['name'])}: {change}")
