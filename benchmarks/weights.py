"""Time and memory of every weight on synthetic class counts.

Three tables: all schemes at 20 classes x 100,000 terms; the same at 4, 8 and 16 times the terms and non-zeros, with
the growth of the time per non-zero from the smallest of the four to the largest (1 is linear); all schemes at 2,000
classes x 1,000,000 terms with 10 million non-zeros, with peak memory. Times are the least of five runs, taken in turn.

    python benchmarks/weights.py            # all, about three minutes
    python benchmarks/weights.py --quick    # the first table only
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse

from troenpy import WEIGHTS, ClassCounts


def synthetic(n_classes: int, n_terms: int, n_cells: int, seed: int = 0) -> ClassCounts:
    """Draw class counts with Zipf-like terms: a few in all classes, most in one or two."""
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.pareto(1.5, n_classes) * 200 + 50).astype(np.int64)
    popularity = 1 / np.arange(1, n_terms + 1) ** 0.6
    per_term = np.minimum(rng.poisson(popularity / popularity.sum() * (n_cells * 1.05)) + 1, n_classes)
    columns = np.repeat(np.arange(n_terms), per_term)
    rows = rng.integers(0, n_classes, len(columns))
    present = sparse.csc_array((np.ones(len(columns), dtype=np.int64), (rows, columns)), shape=(n_classes, n_terms))
    share = rng.beta(0.3, 6, present.nnz)
    present.data = np.maximum(1, (share * sizes[present.indices]).astype(np.int64))
    return ClassCounts(
        classes=np.arange(n_classes),
        n_documents=int(sizes.sum()),
        n_docs=sizes,
        doc_freq=present,
        term_docs=present.sum(axis=0),
    )


def seconds(weight: Callable[..., object], tables: list[ClassCounts], repeats: int) -> list[float]:
    """Return the minimum time for each table, measured in turn; other work on the machine only adds time."""
    times = [[] for _ in tables]  # type: list[list[float]]
    for _ in range(repeats):
        for table, taken in zip(tables, times, strict=True):
            start = time.perf_counter()
            weight(table)
            taken.append(time.perf_counter() - start)
    return [min(taken) for taken in times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only 20 classes x 100,000 terms")
    quick = parser.parse_args().quick

    sizes = [400_000] if quick else [400_000, 1_600_000, 3_200_000, 6_400_000]
    tables = [synthetic(20, 100_000 * size // 400_000, size) for size in sizes]
    print(" | ".join(["scheme", *(f"{table.doc_freq.nnz:,} non-zeros" for table in tables), "growth"]))
    for name, weight in WEIGHTS.items():
        times = seconds(weight, tables, 5)
        rates = [taken / table.doc_freq.nnz for taken, table in zip(times, tables, strict=True)]
        growth = "" if quick else f"{rates[-1] / rates[0]:.2f}"
        print(" | ".join([name, *(f"{t * 1000:.1f} ms" for t in times), growth]), flush=True)
    if quick:
        return
    del tables
    large = synthetic(2000, 1_000_000, 10_000_000)
    print(f"\n{large!r}")
    print("scheme | seconds | peak memory of the process so far")
    for name, weight in WEIGHTS.items():
        taken = seconds(weight, [large], 1)[0]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{name} | {taken:.2f} | {peak:.2f} GB", flush=True)


if __name__ == "__main__":
    main()
