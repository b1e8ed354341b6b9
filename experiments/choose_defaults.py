"""How the default of TroenpyClassifier was chosen: losses of held-out training documents, by views, scale and C.

    python experiments/choose_defaults.py run FOLDER...
    python experiments/choose_defaults.py show

`run` reads corpora as JSON lines, NAME.jsonl.gz with "text", "label" and "split" ("train", "test" or null; without a
split, the first 80/20 split), and of these the training parts only. Of each it holds out a quarter in turn, as
`troenpy.models.choice` does, and tries every C with every set of views; one row per fold, views and C in
studies/choice.jsonl. Rows that are there are not computed again. `show` compares rules: each chooses on some folds, and
is judged by the others.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits
from views import STUDIES, Corpus, read

from troenpy import CountVectorizer, TermFeatures
from troenpy._kernel.solver import Part
from troenpy.counts.labels import read_labels
from troenpy.features.counted_documents import CountedDocuments
from troenpy.models.choice import STRENGTHS
from troenpy.models.default_views import BLOCKS, default_counters
from troenpy.models.held_out import N_FOLDS, NOT_USED, design_parts, draw_folds
from troenpy.models.logistic import Design
from troenpy.models.strength_path import StrengthPath

#: Views, and the factor of all columns of the last one.
CANDIDATES: dict[str, tuple[tuple[str, ...], float]] = {
    "words": (("words",), 1.0),
    "tokens": (("tokens",), 1.0),
    "pairs": (("pairs",), 1.0),
    "pairs + pieces": (("pairs", "pieces"), 1.0),
    "pairs + 0.5 pieces": (("pairs", "pieces"), 0.5),
    "pairs + 0.7 pieces": (("pairs", "pieces"), 0.7),
    "pairs + 1.4 pieces": (("pairs", "pieces"), 1.4),
    "words + pieces": (("words", "pieces"), 1.0),
}
PATH = STUDIES / "choice.jsonl"


class Cell(NamedTuple):
    """The losses of one fold for some views and one C."""

    log_loss: float
    error: float


def trial_rows(corpus: Corpus, done: set[Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows that are missing."""
    _, train, _ = next(corpus.parts(1))
    views = [*default_counters().items(), ("tokens", CountVectorizer(analyzer="text"))]
    features = TermFeatures([(name, counter, BLOCKS) for name, counter in views], leave_out="copies", dtype=np.float32)
    labels = read_labels(corpus.labels[train])
    counted = features._count([corpus.texts[i] for i in train], labels, None)
    text_of, fold_of_text = draw_folds(counted, 0)
    folds = fold_of_text[text_of]
    counted, folds = counted.part(np.flatnonzero(folds > NOT_USED)), folds[folds > NOT_USED]
    for fold in range(N_FOLDS):
        held_out = np.flatnonzero(folds == fold)
        for name, (names, factor) in CANDIDATES.items():
            if (corpus.name, fold, name, STRENGTHS[-1]) in done:
                continue
            for C, cell in losses(features, counted.of_views(names), factor, held_out):
                key = {"corpus": corpus.name, "fold": fold, "views": name, "C": C}
                yield {**key, "log_loss": round(cell.log_loss, 6), "error": round(cell.error, 6), "n": len(held_out)}


def losses(
    features: TermFeatures, counted: CountedDocuments, factor: float, held_out: Any
) -> Iterator[tuple[float, Cell]]:
    """Yield every C with its losses."""
    weights = np.ones(len(counted.labels))
    weights[held_out] = 0
    *others, last = design_parts(features._trial_parts(counted.weighted(weights)), 1)
    design = Design(*others, Part(last.X * np.float32(factor), last.n_blocks, last.tail * np.float32(factor)))
    codes, n_classes = counted.labels.indicator.indices.astype(np.int64), len(counted.labels.classes)
    path, own = StrengthPath(design, codes, weights, n_classes, held_out), codes[held_out]
    for C in STRENGTHS:
        z = path.decisions(C)
        z = np.hstack([np.zeros_like(z), z]) if z.shape[1] == 1 else z
        logs = z - np.logaddexp.reduce(z, axis=1, keepdims=True)
        yield C, Cell(float(-logs[np.arange(len(own)), own].mean()), float((z.argmax(axis=1) != own).mean()))


# Rules, and how they are judged.

Table = dict[tuple[str, float], Cell]  # by views and C
Rule = Callable[[Table], tuple[str, float]]


def least_loss(names: tuple[str, ...]) -> Rule:
    """Choose the least log loss of some views."""
    return lambda table: min((key for key in table if key[0] in names), key=lambda key: table[key].log_loss)


def least_error_near(names: tuple[str, ...], share: float) -> Rule:
    """Choose the least error among those whose log loss is near the least."""

    def rule(table: Table) -> tuple[str, float]:
        own = [key for key in table if key[0] in names]
        limit = (1 + share) * min(table[key].log_loss for key in own)
        return min((key for key in own if table[key].log_loss <= limit), key=lambda key: table[key].error)

    return rule


def largest_near(names: tuple[str, ...], share: float) -> Rule:
    """Choose the views by the least log loss, and of them the largest C whose log loss is near it."""

    def rule(table: Table) -> tuple[str, float]:
        views, C = least_loss(names)(table)
        limit = (1 + share) * table[views, C].log_loss
        return max(key for key in table if key[0] == views and table[key].log_loss <= limit)

    return rule


BASIC = ("words", "pairs", "pairs + pieces")
RULES: dict[str, Rule] = {
    "both, C = 3": lambda _: ("pairs + pieces", 3.0),
    "words, C = 3": lambda _: ("words", 3.0),
    "C of both": least_loss(("pairs + pieces",)),
    "words | pairs | both": least_loss(BASIC),
    "tokens | pairs | both": least_loss(("tokens", *BASIC[1:])),
    "words | both": least_loss(("words", "pairs + pieces")),
    "pairs | both": least_loss(BASIC[1:]),
    "words | pairs | words + pieces": least_loss(("words", "pairs", "words + pieces")),
    "both by 0.5": least_loss((*BASIC[:2], "pairs + 0.5 pieces")),
    "both by 0.7": least_loss((*BASIC[:2], "pairs + 0.7 pieces")),
    "both by 1.4": least_loss((*BASIC[:2], "pairs + 1.4 pieces")),
    "both by 0.5, 1 or 1.4": least_loss((*BASIC, "pairs + 0.5 pieces", "pairs + 1.4 pieces")),
    "least error within 1 %": least_error_near(BASIC, 0.01),
    "least error within 3 %": least_error_near(BASIC, 0.03),
    "largest C within 1 %": largest_near(BASIC, 0.01),
    "largest C within 3 %": largest_near(BASIC, 0.03),
}


def rule_table(rows: list[dict[str, Any]]) -> str:
    """Return a table of how every rule that chooses on one or three folds does on the others, over all corpora."""
    folds_of = complete_folds(rows)
    lines = ["| rule | log loss | error | log loss | error |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, rule in RULES.items():
        cells = [name.replace("|", "or")]
        for n_folds in (1, 3):
            judged = [judge(rule, folds, n_folds) for folds in folds_of.values()]
            worse, error = np.mean([found[:2] for found in judged], axis=0)
            cells += [f"{100 * worse:+.1f} %", f"{100 * error:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def choice_table(rows: list[dict[str, Any]]) -> str:
    """Return what the training data of each corpus choose, by all folds."""
    lines = ["| corpus | views | C | log loss | words, C = 3 | error | words, C = 3 |", "| --- | --- |" + " ---: |" * 5]
    for corpus, folds in complete_folds(rows).items():
        table = mean(list(folds.values()))
        views, C = least_loss(BASIC)(table)
        both = [table[views, C], table["words", 3.0]]
        cells = [*(f"{cell.log_loss:.4f}" for cell in both), *(f"{100 * cell.error:.2f}" for cell in both)]
        lines.append(f"| {corpus} | {views} | {C:g} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def complete_folds(rows: list[dict[str, Any]]) -> dict[str, dict[int, Table]]:
    """Return the losses by corpus and fold, of corpora that have them all."""
    found: dict[str, dict[int, Table]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        found[row["corpus"]][row["fold"]][row["views"], row["C"]] = Cell(row["log_loss"], row["error"])
    n_cells = N_FOLDS * len(CANDIDATES) * len(STRENGTHS)
    return {name: folds for name, folds in sorted(found.items()) if sum(map(len, folds.values())) == n_cells}


def judge(rule: Rule, folds: dict[int, Table], n_folds: int) -> tuple[float, float]:
    """Return the log loss over the best and the error on the folds that a choice did not see, averaged over choices."""
    found = []
    for first in folds:
        seen = [(first + i) % N_FOLDS for i in range(n_folds)]
        chosen = rule(mean([folds[k] for k in seen]))
        table = mean([folds[k] for k in folds if k not in seen])
        found.append((table[chosen].log_loss / min(cell.log_loss for cell in table.values()) - 1, table[chosen].error))
    worse, error = np.mean(found, axis=0)
    return float(worse), float(error)


def mean(tables: list[Table]) -> Table:
    """Return the mean losses."""
    return {key: Cell(*np.mean([table[key] for table in tables], axis=0)) for key in tables[0]}


def main() -> None:
    """Append the rows that are missing, or compare rules."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "show"])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--corpora", nargs="+", help="only these")
    options = parser.parse_args()
    rows = [json.loads(line) for line in PATH.read_text().splitlines()] if PATH.exists() else []
    if options.action == "show":
        print(rule_table(rows), choice_table(rows), sep="\n")
        return
    done = {(row["corpus"], row["fold"], row["views"], row["C"]) for row in rows}
    for file in sorted(file for folder in options.folders for file in folder.glob("*.jsonl.gz")):
        if options.corpora and file.name.removesuffix(".jsonl.gz") not in options.corpora:
            continue
        with PATH.open("a") as lines, threadpool_limits(1):
            for row in trial_rows(read(file), done):
                lines.write(json.dumps(row) + "\n")
                lines.flush()
        print(file.name, flush=True)


if __name__ == "__main__":
    main()
