"""Optimal transport: distances per second against gensim's `wmdistance`, and the speed-up from pruning.

    pip install gensim          # for this benchmark only
    python benchmarks/transport.py --vectors FILE --data FOLDER

reads r8.jsonl.gz there. Distances are between the same pairs of documents, over the same words with vectors of length
1 (gensim makes them so), one thread; their largest difference is given. The search is for the seven nearest training
documents of test documents; of WMD the solutions are counted too. The plain loop works out every distance, with our
own exact solution; on a part of the pairs it is also timed with gensim's. Neighbours are compared. Then several
processes share a search (`n_jobs`), in turns with one alone: seconds of the clock, once with the start of the processes
and then without. Last come the steps of the unbalanced solver against POT's, and the solver with and without its
interior point method. All other figures are CPU seconds, medians
over rounds.
"""

import argparse
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from troenpy import datasets, embeddings
from troenpy.experiments.splits import WordCounts, count_terms
from troenpy.transport import balanced, interior_point, unbalanced
from troenpy.transport.distances import DocumentDistance, word_distance
from troenpy.transport.pruning import NearestDocuments

K = 7
N_TEXTS = 10  # documents that are each compared with many


def cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = run()
    return time.process_time() - begin, result


def words_of(counts: sparse.csr_array, vectors: embeddings.WordVectors, row: int) -> list[str]:
    """Return the words of a document, with repetitions."""
    place = slice(counts.indptr[row], counts.indptr[row + 1])
    return [
        vectors.words[column]
        for column, count in zip(counts.indices[place], counts.data[place], strict=True)
        for _ in range(int(count))
    ]


def all_distances(distance: DocumentDistance, train: sparse.csr_array, test: sparse.csr_array) -> Any:
    return NearestDocuments(distance.space, distance.shares(train)).distances(distance.shares(test))


def loop(distance: Callable[[Any, Any], float], texts: list[Any], others: list[Any]) -> list[list[float]]:
    return [[distance(text, other) for other in others] for text in texts]


def compare_distances(words: WordCounts, n_pairs: int, n_rounds: int) -> float:
    """Time both on the same pairs; return gensim's seconds per distance."""
    from gensim.models import KeyedVectors

    theirs = KeyedVectors(words.vectors.vectors.shape[1])
    theirs.add_vectors(list(words.vectors.words), words.vectors.vectors)
    theirs.fill_norms()
    distance = word_distance("wmd", words.vectors.normalize())
    generator = np.random.default_rng(0)
    seconds: dict[str, list[float]] = {"ours": [], "gensim": []}
    worst = 0.0
    for _ in range(n_rounds):
        numbers = generator.choice(np.flatnonzero(np.diff(words.train.indptr)), n_pairs // N_TEXTS, replace=False)
        train = words.train[numbers]
        test = words.test[generator.choice(np.flatnonzero(np.diff(words.test.indptr)), N_TEXTS, replace=False)]
        texts, others = ([words_of(part, words.vectors, row) for row in range(part.shape[0])] for part in (test, train))
        ours, mine = cpu_seconds(partial(all_distances, distance, train, test))
        other, found = cpu_seconds(partial(loop, theirs.wmdistance, texts, others))
        worst = max(worst, float(np.abs(mine - np.array(found)).max()))
        seconds["ours"].append(ours / mine.size)
        seconds["gensim"].append(other / mine.size)
    for name, each in seconds.items():
        print(f"{name}: {1 / statistics.median(each):.0f} distances per second")
    ratios = [theirs / ours for theirs, ours in zip(seconds["gensim"], seconds["ours"], strict=True)]
    print(f"{statistics.median(ratios):.1f} times as many as gensim; the largest difference is {worst:.1e}\n")
    return statistics.median(seconds["gensim"])


def compare_searches(distance: DocumentDistance, words: WordCounts, n_queries: int, gensim: float | None) -> None:
    """Time the search with and without pruning, and compare the neighbours."""
    train, test = distance.shares(words.train), distance.shares(words.test[:n_queries])
    pruned, found = cpu_seconds(lambda: NearestDocuments(distance.space, train).search(test, K))
    plain, expected = cpu_seconds(lambda: NearestDocuments(distance.space, train, prune=False).search(test, K))
    same = all(np.array_equal(mine, other) for mine, other in zip(found, expected, strict=True))
    print(f"{n_queries} documents among {train.shape[0]}: pruned {1000 * pruned / n_queries:.0f} ms each,", end=" ")
    print(f"plain loop {1000 * plain / n_queries:.0f} ms, {plain / pruned:.1f} times; same neighbours: {same}")
    if gensim is not None:
        looked_at, solved = n_solutions(distance, train, test)
        n_pairs = n_queries * train.shape[0]
        print(f"of {n_pairs} distances {looked_at} were looked at, one in {n_pairs / looked_at:.0f},", end=" ")
        print(f"and {solved} worked out, one in {n_pairs / solved:.0f}")
        seconds = gensim * train.shape[0]
        print(f"gensim's plain loop, from its distances above: {1000 * seconds:.0f} ms,", end=" ")
        print(f"{seconds * n_queries / pruned:.0f} times")
    print()


def compare_jobs(distance: DocumentDistance, words: WordCounts, n_queries: int, n_jobs: int, n_rounds: int) -> None:
    """Time the search in one process and in several, and compare the neighbours."""
    nearest = NearestDocuments(distance.space, distance.shares(words.train))
    test = distance.shares(words.test[:n_queries])
    begin = time.perf_counter()
    expected = nearest.search(test, K, n_jobs=n_jobs)
    first, seconds, same = time.perf_counter() - begin, [], True
    for _ in range(n_rounds):
        for jobs in (1, n_jobs):
            begin = time.perf_counter()
            found = nearest.search(test, K, n_jobs=jobs)
            seconds.append(time.perf_counter() - begin)
            same &= all(np.array_equal(mine, other) for mine, other in zip(found, expected, strict=True))
    alone, shared = seconds[::2], seconds[1::2]
    ratio = statistics.median(one / several for one, several in zip(alone, shared, strict=True))
    print(f"{test.shape[0]} documents: alone {statistics.median(alone):.2f} s, {n_jobs} processes", end=" ")
    print(f"{statistics.median(shared):.2f} s, {ratio:.2f} times as fast; {first:.2f} s with their start;", end=" ")
    print(f"same neighbours: {same}\n")


def n_solutions(distance: DocumentDistance, train: sparse.csr_array, test: sparse.csr_array) -> tuple[int, int]:
    """Count the documents that a search examines, and those that it solves."""
    solve = mock.patch.object(balanced.Balanced, "solve", autospec=True, side_effect=balanced.Balanced.solve)
    simplex = mock.patch.object(balanced, "_network_simplex", side_effect=balanced._network_simplex)
    with solve as looked_at, simplex as solved:
        NearestDocuments(distance.space, train).search(test, K)
    return looked_at.call_count, solved.call_count


def compare_steps(n_points: int) -> None:
    """Time the steps of the unbalanced solver."""
    import ot

    generator = np.random.default_rng(0)
    p, q = generator.dirichlet(np.ones(n_points), 2)
    costs = generator.exponential(1, (n_points, n_points))
    plan, decay, n_steps = p[:, None] * q, np.exp(-costs / 2), unbalanced.STEPS_AT_ONCE
    ours, theirs = (
        statistics.median(cpu_seconds(lambda step=step: [step() for _ in range(20)])[0] / 20 for _ in range(5))  # type: ignore[misc]
        for step in (
            lambda: unbalanced.improve_plan(p, q, decay, plan),
            lambda: ot.unbalanced.mm_unbalanced(p, q, costs, 1.0, G0=plan, numItermax=n_steps, stopThr=0),
        )
    )
    print(f"{n_points} x {n_points} points, {n_steps} steps: {1e3 * ours:.2f} ms, POT {1e3 * theirs:.2f} ms,", end=" ")
    print(f"{theirs / ours:.1f} times as fast")


def compare_newton(words: WordCounts, coef: float, tolerance: float) -> None:
    """Time WFR with and without its interior point method, and count the pairs that miss the tolerance."""
    distance = word_distance("wfr", words.vectors.normalize(), coef=coef, tolerance=tolerance)
    generator = np.random.default_rng(0)
    train = words.train[generator.choice(words.train.shape[0], 30, replace=False)]
    print(f"wfr, coef {coef}, tolerance {tolerance:g}:", end=" ")
    for name, plans in (("with", interior_point.interior_plans), ("without", lambda *_: iter(()))):
        method = mock.patch.object(unbalanced, "interior_plans", side_effect=plans)
        with method as called, warnings.catch_warnings(record=True) as unproven:
            warnings.simplefilter("always")
            seconds, costs = cpu_seconds(partial(all_distances, distance, train, words.test[:3]))
        print(f"{name} Newton's steps {1e3 * seconds / costs.size:.1f} ms a pair, {called.call_count} of", end=" ")
        print(f"{costs.size} asked for them, {len(unproven)} not proven;", end=" ")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("TROENPY_DATA"), help="folder of corpora; defaults to TROENPY_DATA"
    )
    parser.add_argument("--vectors", default="glove-50d", help="a name or a file")
    parser.add_argument("--dataset", default="r8")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shared-queries", type=int, default=240, help="queries for the search with several processes")
    arguments = parser.parse_args()
    corpus = datasets.load(arguments.dataset, data_dir=arguments.data)
    counted = count_terms(corpus)
    n_test = max(arguments.queries, arguments.shared_queries)
    train, test = counted.parts(None if corpus.split is not None else 0, sample=n_test)
    columns, vectors = embeddings.load(arguments.vectors, counted.terms).select(counted.terms)
    print(f"{corpus.name}: {vectors.coverage(counted.terms, np.asarray(counted.counts.sum(axis=0)).ravel())}")
    counts = sparse.csr_array(counted.counts)[:, columns]
    words = WordCounts(vectors, counts[train], counts[test])
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("POT", "gensim", "numpy"))
    print(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}, {packages}\n")
    with threadpool_limits(1):
        gensim = compare_distances(words, arguments.pairs, arguments.rounds)
        unit = vectors.normalize()
        for name in ("wmd", "wfr"):
            print(name, end=": ")
            distance = word_distance(name, unit)
            compare_searches(
                distance, words, arguments.queries if name == "wmd" else 3, gensim if name == "wmd" else None
            )
            print(name, end=": ")
            compare_jobs(distance, words, arguments.shared_queries, arguments.jobs, arguments.rounds)
        compare_steps(100)
        for coef, tolerance in ((1.0, 1e-3), (0.3, 1e-4), (0.1, 1e-5)):
            compare_newton(words, coef, tolerance)


if __name__ == "__main__":
    main()
