"""The paper's experiments as one job: run, compare, check its claims, and write it all down."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from troenpy import archive, datasets, methods
from troenpy.archive import FilePath
from troenpy.claims import TF_IDF, Claim, check_claims
from troenpy.comparison import Comparison
from troenpy.experiments import Progress, run
from troenpy.journal import PROTOCOL
from troenpy.methods import read_methods
from troenpy.tables import summary

ROWS, REPORT = "rows.jsonl", "report.json"
FEW_SPLITS, ALL_SPLITS = 5, 50


@dataclass(frozen=True)
class Reproduction:
    """What came out: errors and tests, and the paper's claims."""

    comparison: Comparison
    claims: list[Claim]


def corpus_names(chosen: str) -> list[str]:
    """Read names of corpora, separated by commas; "all" stands for the seven.

    Examples
    --------
    >>> corpus_names("r8, classic")
    ['r8', 'classic']
    """
    known = [listing.name for listing in datasets.available()]
    names = known if chosen.strip() == "all" else list(dict.fromkeys(chosen.replace(",", " ").split()))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"unknown corpus {', '.join(unknown) or chosen!r}; known are {', '.join(known)}, and all")
    return names


def reproduce(
    corpora: Iterable[str] = ("r8",),
    *,
    out: str | os.PathLike[str],
    is_full: bool = False,
    chosen: Sequence[str] = (),
    splits: int | None = None,
    is_fresh: bool = False,
    ks: Sequence[int] | None = None,
    is_deduplicated: bool = False,
    train_fractions: Sequence[float] = (1.0,),
    sample: int | None = None,
    vectors: FilePath | None = None,
    n_jobs: int = -1,
    data_dir: FilePath | None = None,
    on_row: Callable[[Progress], None] | None = None,
) -> Reproduction:
    """Run the paper's methods and their rivals, and answer the paper's claims.

    Parameters
    ----------
    corpora : iterable of str, default=("r8",)
    out : path-like
        A folder: `rows.jsonl` is what was measured and lets a stopped run resume, `report.json` what follows from it.
    is_full : bool, default=False
        Every weight there is, and 50 random splits instead of 5.
    chosen : sequence of str
        Methods to run instead.
    splits : int, optional
        How many random splits where a corpus has no given one.
    is_fresh, ks, is_deduplicated, train_fractions, sample, vectors, n_jobs, data_dir, on_row
        As in `experiments.run`.

    Returns
    -------
    Reproduction
    """
    names = tuple(chosen) or methods.PAPER + methods.RIVALS + (methods.ALL_WEIGHTS if is_full else ())
    rows = run(
        corpora,
        names,
        splits or (ALL_SPLITS if is_full else FEW_SPLITS),
        out=Path(out) / ROWS,
        is_fresh=is_fresh,
        ks=ks,
        is_deduplicated=is_deduplicated,
        train_fractions=train_fractions,
        sample=sample,
        vectors=vectors,
        n_jobs=n_jobs,
        data_dir=data_dir,
        on_row=on_row,
    )
    known = {method.name for method in read_methods(names, ks)}
    comparison = Comparison(rows, baseline=TF_IDF if TF_IDF in known else rows[0].method)
    result = Reproduction(comparison, check_claims(comparison))
    archive.write_whole(Path(out) / REPORT, report(result).encode())
    return result


def report(result: Reproduction) -> str:
    """Return everything as JSON text."""
    corpora = {
        row.setting: {"fingerprint": row.fingerprint, "n_train": row.n_train, "n_test": row.n_test}
        for row in result.comparison.rows
    }
    content = {
        "protocol": PROTOCOL,
        "versions": result.comparison.rows[0].versions,
        "corpora": corpora,
        "comparison": summary(result.comparison),
        "claims": [asdict(claim) for claim in result.claims],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
