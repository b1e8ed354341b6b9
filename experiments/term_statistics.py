"""Whether the statistics of `troenpy terms` keep their promises, on a corpus of one's own choice.

    python experiments/term_statistics.py shuffles FILE   # discoveries if labels are shuffled: there should be none
    python experiments/term_statistics.py bootstrap FILE  # errors and intervals, against a bootstrap

FILE is read as by `troenpy terms`. `shuffles` gives the documents the labels of others, 200 times, and counts how often
anything is a discovery at a false-discovery rate of 5 %. `bootstrap` draws as many different texts as there are, with
replacement, 200 times, each with all its copies; it compares the spread of the estimates with the errors of the
jackknife, which come from one pass, and counts how many of the bootstrap's ranks are within the interval.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy import ClassCounts, CountVectorizer, term_weights
from troenpy.counts.labels import read_labels
from troenpy.features.grouped_counter import N_GROUPS, text_hashes
from troenpy.records import open_records
from troenpy.statistics import Comparison, critical_value, jackknife_error, mark_strength, rank_intervals
from troenpy.tasks.term_tests import TermTests
from troenpy.weights import weight_errors

N_SHUFFLES, N_DRAWS, FDR = 200, 200, 0.05
#: The strongest terms of a class whose ranks are looked at.
N_TERMS = 20

Floats = NDArray[np.float64]


class Corpus:
    """The terms of all documents that have a label."""

    def __init__(self, path: str) -> None:
        texts, labels = list[str](), list[Any]()
        with open_records(path) as records:
            for batch, of_batch in records.documents():
                texts += batch
                labels += of_batch
        self.name, self.labels = records.name, np.array(labels, dtype=object)
        self.rows = (CountVectorizer().fit_transform(texts) > 0).astype(np.int64).tocsr()
        self.hashes = text_hashes(texts)

    def counts(self, labels: Any = None, weights: Floats | None = None) -> ClassCounts:
        """Return the counts of all documents, with these labels, each so many times."""
        chosen = self.labels if labels is None else labels
        return ClassCounts.from_present(self.rows, read_labels(chosen.tolist()), weights)


def count_shuffles(corpus: Corpus) -> None:
    """Print how many of the shuffles have a discovery."""
    rng, n_found, n_tests = np.random.default_rng(0), 0, 0
    for number in range(N_SHUFFLES):
        tests = TermTests(corpus.counts(rng.permutation(corpus.labels)), 2)
        found = sum(len(one.columns) for one in tests.discoveries(FDR))
        n_found, n_tests = n_found + (found > 0), tests.n_tests
        if (number + 1) % 20 == 0:
            print(f"{number + 1} shuffles, {n_found} with a discovery", flush=True)
    limit = FDR + 2 * np.sqrt(FDR * (1 - FDR) / N_SHUFFLES)
    print(f"{corpus.name}: {n_tests:,} tests, {n_found} of {N_SHUFFLES} shuffles have a discovery;", end=" ")
    print(f"{100 * limit:.1f} % would be {limit * N_SHUFFLES:.0f}")


class Marks:
    """The discoveries that a class has more often, with their strengths in any counts."""

    def __init__(self, number: int, columns: NDArray[np.int64]) -> None:
        self.number, self.columns = number, columns

    def strengths(self, counts: ClassCounts) -> Floats:
        """Return the strength of each term."""
        a = counts.doc_freq[[self.number]].toarray()[0, self.columns]
        n_in, n_out = counts.n_docs[self.number], counts.n_documents - counts.n_docs[self.number]
        return mark_strength(Comparison(a, n_in, counts.term_docs[self.columns] - a, n_out))


def marks_of(counts: ClassCounts) -> Iterator[Marks]:
    """Yield the discoveries of each class."""
    for found in TermTests(counts, 2).discoveries(FDR):
        a = counts.doc_freq[[found.number]].toarray()[0, found.columns]
        is_more = a * counts.n_documents > counts.term_docs[found.columns] * counts.n_docs[found.number]
        yield Marks(found.number, found.columns[is_more])


def draws(corpus: Corpus) -> Iterator[ClassCounts]:
    """Yield the counts of texts that are drawn with replacement, with their copies."""
    rng = np.random.default_rng(0)
    _, text = np.unique(corpus.hashes, return_inverse=True)
    for _ in range(N_DRAWS):
        times = np.bincount(rng.integers(0, text.max() + 1, text.max() + 1), minlength=text.max() + 1)
        yield corpus.counts(weights=times[text.ravel()].astype(np.float64))


def compare_bootstrap(corpus: Corpus) -> None:
    """Print the errors of the jackknife over those of the bootstrap, and how many ranks are in their intervals."""
    whole, groups = corpus.counts(), corpus.hashes % np.uint64(N_GROUPS)
    parts = [corpus.counts(weights=(groups != group).astype(np.float64)) for group in range(N_GROUPS)]
    drawn, marks = list(draws(corpus)), list(marks_of(whole))
    print(f"{corpus.name}: {N_DRAWS} draws, the {N_TERMS} strongest terms of each class\n")
    print("| class | documents | error of strength | ranks in interval | median width |")
    print("|---|---|---|---|---|")
    ratios, inside = list[Floats](), list[Floats]()
    for one in marks:
        strengths = one.strengths(whole)
        best = np.argsort(-strengths, kind="stable")[:N_TERMS]
        jackknife = np.array([one.strengths(part) for part in parts])
        bootstrap = np.array([one.strengths(draw) for draw in drawn])
        ratio = jackknife_error(jackknife)[best] / bootstrap.std(axis=0)[best]
        low, high = rank_intervals(strengths, jackknife, best)
        ranks = 1 + np.argsort(np.argsort(-bootstrap, axis=1, kind="stable"), axis=1)[:, best]
        is_inside = (ranks >= low) & (ranks <= high)
        name, n = whole.classes[one.number], whole.n_docs[one.number]
        width = np.median(high - low + 1)
        print(f"| {name} | {n:,} | {np.median(ratio):.2f} | {100 * is_inside.mean():.1f} % | {width:.0f} |", flush=True)
        ratios.append(ratio)
        inside.append(is_inside.mean(axis=0))
    print(f"| all | {whole.n_documents:,} | {np.median(np.concatenate(ratios)):.2f} |", end=" ")
    print(f"{100 * np.mean(np.concatenate(inside)):.1f} % | |\n")
    compare_weights(whole, parts, drawn, np.unique(np.concatenate([one.columns for one in marks])))


def compare_weights(
    whole: ClassCounts, parts: list[ClassCounts], drawn: list[ClassCounts], columns: NDArray[np.int64]
) -> None:
    """Print the errors of weights: by groups, and by single documents as `explain` has them, over the bootstrap's."""
    frequent = columns[whole.term_docs[columns] >= 20]
    print("| scheme | terms | error by groups | error by documents | weights of draws in the interval |")
    print("|---|---|---|---|---|")
    chosen = whole.select(frequent)
    for scheme in ("pi", "idf", "sqrt(certainty)*idf", "rf", "chi2"):
        bootstrap = np.array([term_weights(one.select(frequent), scheme) for one in drawn])
        by_groups = jackknife_error([term_weights(one.select(frequent), scheme) for one in parts])
        by_documents, spread = weight_errors(chosen, scheme), bootstrap.std(axis=0)
        width = critical_value(N_GROUPS) * by_groups
        is_inside = np.abs(bootstrap - term_weights(chosen, scheme)) <= width
        shares = np.median(by_groups / spread), np.median(by_documents / spread)
        inside = 100 * is_inside.mean()
        print(f"| {scheme} | {len(frequent):,} | {shares[0]:.2f} | {shares[1]:.2f} | {inside:.1f} % |", flush=True)


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["shuffles", "bootstrap"])
    parser.add_argument("file")
    arguments = parser.parse_args()
    corpus = Corpus(arguments.file)
    (count_shuffles if arguments.what == "shuffles" else compare_bootstrap)(corpus)


if __name__ == "__main__":
    main()
