"""What matters in a summary: the corpora that the answer is about, the methods of the first screen, their changes."""

from dataclasses import dataclass
from typing import Any

from troenpy.experiments import methods as known
from troenpy.experiments.significance import ALPHA
from troenpy.experiments.tables import Record
from troenpy.report.claims import HOFTT, LR_ALL, LR_PI, TF_IDF, TF_PI
from troenpy.report.names import FAMILIES, Name, name_of

#: The methods that matter most, in the order of families.
KEY = (
    *(TF_IDF, "knn-manhattan: tf*idf/l1", TF_PI, known.OURS[0]),
    *("lr: tf*idf", LR_PI, LR_ALL, known.OURS[1]),
    *("svm-cv: logtf*idf", known.OURS[2]),
    *(HOFTT, "knn: wmd"),
)
OURS = known.OURS[0]
N_KEY = 12


@dataclass(frozen=True)
class Change:
    """How the error of a method differs from the baseline's, over the corpora where both were run.

    Parameters
    ----------
    method : str
    share : float or None
        Mean relative change of the error; None if the baseline makes no errors anywhere.
    n_corpora, n_fewer, n_clear : int
        Corpora with both, with fewer errors, and with a clear difference in the direction of `share`.
    error, before : float
        Mean errors of the method and of the baseline.
    p : float or None
        The p-value, if there is one corpus only.
    """

    method: str
    share: float | None
    n_corpora: int
    n_fewer: int
    n_clear: int
    error: float
    before: float
    p: float | None


def main_settings(summary: Record) -> list[str]:
    """Return the corpora that the answer is about: whole ones, or all there are if none is whole."""
    corpora: dict[str, Any] = summary["corpora"]
    whole = [name for name, record in corpora.items() if name == record["corpus"]]
    full = [name for name, record in corpora.items() if record["train_fraction"] == 1]
    return whole or full or list(corpora)


def names(summary: Record) -> dict[str, Name]:
    """Return the name of each method of a summary."""
    return {
        method["name"]: name_of(method["name"], is_transport=method["model"] == "transport")
        for method in summary["comparison"]["methods"]
    }


def key_methods(summary: Record) -> list[str]:
    """Return at most twelve methods that tell the story, in the order of families.

    These are the baseline, the paper's, ours and their usual rivals; if fewer than three of them were run, the best of
    all. The best method of all is always among them.
    """
    shown, order = set(main_settings(summary)), list(FAMILIES)
    baseline = summary["comparison"]["baseline"]
    errors: dict[str, list[float]] = {}
    for record in summary["comparison"]["errors"]:
        if record["corpus"] in shown:
            errors.setdefault(record["method"], []).append(record["error"])
    complete = max(map(len, errors.values()), default=0)
    means = {name: sum(found) / len(found) for name, found in errors.items()}
    ranked = sorted((name for name in errors if len(errors[name]) == complete), key=lambda name: means[name])
    run = [name for name in KEY if name in errors]
    chosen = run if len(run) > 2 else [*run, *(name for name in ranked if name not in run)]
    first = [name for name in (baseline, *ranked[:1]) if name in errors]
    kept = [*first, *(name for name in chosen if name not in first)][:N_KEY]
    called = names(summary)

    def place(name: str) -> tuple[int, bool, int, float]:
        rank = KEY.index(name) if name in KEY else len(KEY)
        return order.index(called[name].family), name != baseline, rank, means[name]

    return sorted(dict.fromkeys(kept), key=place)


def change(summary: Record, method: str, settings: list[str] | None = None) -> Change | None:
    """Return how a method differs from the baseline, or None if they share no corpus."""
    comparison, shown = summary["comparison"], settings or main_settings(summary)
    records = {(record["corpus"], record["method"]): record for record in comparison["errors"]}
    pairs = [
        (records[corpus, method], records[corpus, comparison["baseline"]])
        for corpus in shown
        if {(corpus, method), (corpus, comparison["baseline"])} <= records.keys()
    ]
    if not pairs or method == comparison["baseline"]:
        return None
    shares = [-ours["reduction"] for ours, _ in pairs if ours["reduction"] is not None]
    share = sum(shares) / len(shares) if shares else None
    fewer = [ours["error"] < theirs["error"] for ours, theirs in pairs]
    clear = [ours["p"] is not None and ours["p"] < ALPHA for ours, _ in pairs]
    is_down = share is not None and share < 0
    return Change(
        method,
        share,
        len(pairs),
        sum(fewer),
        sum(is_clear and is_fewer == is_down for is_clear, is_fewer in zip(clear, fewer, strict=True)),
        sum(ours["error"] for ours, _ in pairs) / len(pairs),
        sum(theirs["error"] for _, theirs in pairs) / len(pairs),
        pairs[0][0]["p"] if len(pairs) == 1 else None,
    )
