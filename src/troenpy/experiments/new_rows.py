"""Compute missing rows: count the terms of a corpus, split it, and run each method on the split."""

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace

from troenpy.datasets.corpora import Corpus
from troenpy.experiments.evaluation import cost, groups, predict
from troenpy.experiments.grammar import Method
from troenpy.experiments.journal import PROTOCOL, Row, pack_bits, versions
from troenpy.experiments.progress import Task
from troenpy.experiments.splits import CountedCorpus, Split, count_terms
from troenpy.files.drafts import FilePath
from troenpy.files.processes import cpu_seconds
from troenpy.transport import embeddings


@dataclass(frozen=True)
class RunContext:
    """What the rows of a run share: fingerprints of corpora, package versions and word vectors."""

    fingerprints: dict[tuple[str, bool], str]
    versions: dict[str, str]
    vectors: FilePath | None
    vectors_name: str | None
    data_dir: FilePath | None

    def count_corpus(self, corpus: Corpus, n_threads: int) -> CountedCorpus:
        """Count the terms of a corpus, and load their word vectors if wanted."""
        counted = count_terms(corpus, n_jobs=n_threads)
        if self.vectors is None:
            return counted
        vectors = embeddings.load(self.vectors, counted.terms, data_dir=self.data_dir)
        if not len(vectors):
            raise ValueError(f"{self.vectors} has no vector for any of the {len(counted.terms)} terms of {corpus.name}")
        return replace(counted, vectors=vectors)


def new_rows(tasks: Iterable[Task], pool: ThreadPoolExecutor, n_threads: int, context: RunContext) -> Iterator[Row]:
    """Yield rows as they are computed, split by split; transport methods run last on each split."""
    counted_name, counted = None, None
    for task in tasks:
        if not task.methods:
            continue
        if counted is None or counted_name != task.corpus.name:
            counted_name, counted = task.corpus.name, context.count_corpus(task.corpus, n_threads)
        split = counted.split(task.seed, task.train_fraction, task.sample)
        # Start the slowest methods first, so that no thread is idle at the end.
        order = sorted(groups(task.methods), key=lambda group: -cost(group[0]))
        futures = [pool.submit(_evaluate, task, split, group, context) for group in order if not group[0].is_transport]
        for future in as_completed(futures):
            yield from future.result()
        for group in order:
            if group[0].is_transport:
                yield from _evaluate(task, split, group, context, n_threads)


def _evaluate(task: Task, split: Split, group: list[Method], context: RunContext, n_processes: int = 1) -> list[Row]:
    """Return the rows of methods that differ only in k."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    try:
        predictions = predict(split, group, n_processes)
    except ValueError as error:
        raise ValueError(f"{group[0].name!r} on {task.corpus.name}: {error}") from None
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    rows = []
    for method, predicted in zip(group, predictions, strict=True):
        correct = predicted == split.truth
        n_wrong = int((~correct).sum())
        rows.append(
            Row(
                protocol=PROTOCOL,
                corpus=task.corpus.name,
                fingerprint=context.fingerprints[task.corpus.name, task.deduplicated],
                deduplicated=task.deduplicated,
                train_fraction=task.train_fraction,
                seed=task.seed,
                method=method.name,
                n_train=len(split.codes),
                n_test=len(correct),
                n_terms=split.train.shape[1],
                n_wrong=n_wrong,
                error=n_wrong / len(correct),
                correct=pack_bits(correct),
                wall_seconds=round(wall / len(group), 6),
                cpu_seconds=round(cpu / len(group), 6),
                versions=context.versions if method.is_transport else versions(),
                sample=task.sample,
                vectors=context.vectors_name if method.is_transport else None,
            )
        )
    return rows


@contextmanager
def threads(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Start threads; after a failure or Ctrl-C, do not wait for them, as their results are lost."""
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
