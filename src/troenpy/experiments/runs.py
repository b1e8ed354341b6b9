"""Experiments: corpus x split x method to one row each, resumable. The rules are those of the paper, made exact.

Text is counted once per corpus; weights and models see the training part of a split and nothing else. Where a corpus
has a given split that is the one; elsewhere splits are 80/20, `train_test_split(arange(n), test_size=0.2,
random_state=seed)`, the same ones for all methods.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError
from numbers import Integral, Real

from threadpoolctl import threadpool_limits

from troenpy import datasets
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.evaluation import cost, groups, predict
from troenpy.experiments.grammar import Method, read_methods
from troenpy.experiments.journal import PROTOCOL, Row, open_journal, packed, versions
from troenpy.experiments.progress import Clock, Progress, Task
from troenpy.experiments.splits import CountedCorpus, Split, count_terms, deduplicated, fingerprint, n_test_documents
from troenpy.files.archive import FilePath
from troenpy.files.processes import cpu_seconds
from troenpy.fitting.jobs import job_count
from troenpy.models.neighbors import check_count
from troenpy.transport import embeddings


@dataclass(frozen=True)
class RunOptions:
    """How to run experiments; `run` says what each option means."""

    out: FilePath | None = None
    is_fresh: bool = False
    ks: Iterable[int] | None = None
    is_deduplicated: bool = False
    train_fractions: Sequence[float] = (1.0,)
    sample: int | None = None
    vectors: FilePath | None = None
    n_jobs: int = 1
    data_dir: FilePath | None = None
    on_start: Callable[[Sequence[str]], None] | None = None
    on_row: Callable[[Progress], None] | None = None

    def load(self, name: str) -> Corpus:
        """Load a corpus by name."""
        return datasets.load(name, data_dir=self.data_dir)


def run(
    corpora: Iterable[str | Corpus],
    methods: Iterable[str | Method],
    splits: int | Iterable[int] = 50,
    *,
    out: str | os.PathLike[str] | None = None,
    is_fresh: bool = False,
    ks: Iterable[int] | None = None,
    is_deduplicated: bool = False,
    train_fractions: Sequence[float] = (1.0,),
    sample: int | None = None,
    vectors: FilePath | None = None,
    n_jobs: int = 1,
    data_dir: FilePath | None = None,
    on_start: Callable[[Sequence[str]], None] | None = None,
    on_row: Callable[[Progress], None] | None = None,
) -> list[Row]:
    """Run methods on splits of corpora.

    Parameters
    ----------
    corpora : iterable of str or Corpus
        Names for `datasets.load`, or corpora of your own.
    methods : iterable of str
        Such as "knn: tf*pi" or "lr: tf*pi + 2b"; `troenpy.experiments.grammar` has the rules.
    splits : int or iterable of int, default=50
        How many random splits, or their seeds, where a corpus has no given split.
    out : path-like, optional
        A file of JSON lines. Rows are added as they come, and those that are there are not run again: a run that was
        stopped, however harshly, is resumed by the same call. Rows made by other versions or from other documents
        are an error.
    is_fresh : bool, default=False
        Forget the rows that `out` has.
    ks : iterable of int, optional
        Numbers of neighbours, for each method of kNN instead of its own.
    is_deduplicated : bool, default=False
        Keep the first of equal texts, and none of those that stand under more than one label.
    train_fractions : sequence of float, default=(1.0,)
        Which parts of the training documents to learn from.
    sample : int, optional
        Classify this many test documents of each split, drawn by its seed, the same for all methods; all by default,
        and where there are no more.
    vectors : str or path-like, optional
        Word vectors for methods of optimal transport: "glove-50d" (a download of 85 MB), or a file as
        `embeddings.read` takes it.
    n_jobs : int, default=1
        Threads, which share the methods of a split; for a method of optimal transport processes, which share its test
        documents. -1 is as many as there are processors. Results do not depend on it.
    data_dir : path-like, optional
        For `datasets.load`.
    on_start : callable, optional
        Called with the names of the corpora when everything that is asked for has been checked, and before they are
        read.
    on_row : callable, optional
        Called with a `Progress` after every row.

    Returns
    -------
    list of Row
        One per corpus, fraction, split and method, in this order.

    Examples
    --------
    >>> import numpy as np
    >>> from troenpy import experiments
    >>> texts, labels = ("late goal", "own goal", "close vote", "no vote") * 5, np.array(["s", "s", "p", "p"] * 5)
    >>> corpus = experiments.Corpus("tiny", texts, labels)
    >>> rows = experiments.run([corpus], ["knn: tf*idf", "lr: tf*pi"], splits=2)
    >>> [(row.seed, row.method, row.error) for row in rows]
    [(0, 'knn: tf*idf', 0.0), (0, 'lr: tf*pi', 0.0), (1, 'knn: tf*idf', 0.0), (1, 'lr: tf*pi', 0.0)]
    """
    options = RunOptions(
        out=out,
        is_fresh=is_fresh,
        ks=ks,
        is_deduplicated=is_deduplicated,
        train_fractions=train_fractions,
        sample=sample,
        vectors=vectors,
        n_jobs=n_jobs,
        data_dir=data_dir,
        on_start=on_start,
        on_row=on_row,
    )
    return run_with(options, corpora, methods, splits)


def run_with(
    options: RunOptions,
    corpora: Iterable[str | Corpus],
    methods: Iterable[str | Method],
    splits: int | Iterable[int],
    load: Callable[[str], Corpus] | None = None,
) -> list[Row]:
    """Do the work of `run`; corpora that come by name are loaded by a function, so that others can share them."""
    n_threads = job_count(options.n_jobs)
    given = _checked_corpora(corpora)
    chosen = read_methods(methods, options.ks)
    seeds = _seeds(splits)
    if not chosen:
        raise ValueError("there must be a method to run, such as 'knn: tf*pi'")
    fractions = options.train_fractions
    if not fractions or not all(isinstance(part, Real) and 0 < part <= 1 for part in fractions):
        raise ValueError(f"train_fractions must be above 0 and at most 1, got {list(fractions)}")
    sample = None if options.sample is None else check_count("sample", options.sample)
    vectors = options.vectors
    is_transport = any(method.is_transport for method in chosen)
    if is_transport and vectors is None:
        raise ValueError(
            "optimal transport needs word vectors: name them, such as glove-50d (a download of 85 MB), or a file"
        )
    made_with = _made_with(is_transport)
    vectors_name = embeddings.fingerprint(vectors) if is_transport and vectors is not None else None
    with open_journal(options.out, is_fresh=options.is_fresh) as journal:  # before corpora are read, which takes longer
        if options.on_start is not None:
            options.on_start([one if isinstance(one, str) else one.name for one in given])
        loaded = [(load or options.load)(one) if isinstance(one, str) else one for one in given]
        if options.is_deduplicated:
            loaded = [deduplicated(corpus) for corpus in loaded]
        marks = {(corpus.name, options.is_deduplicated): fingerprint(corpus) for corpus in loaded}
        tasks = [
            Task(corpus, options.is_deduplicated, float(fraction), _fewer(sample, corpus), seed, chosen)
            for corpus in loaded
            for fraction in fractions
            for seed in (seeds if corpus.split is None else [None])
        ]
        facts = _Facts(marks, made_with, vectors if is_transport else None, vectors_name, options.data_dir)
        journal.check(marks, made_with, vectors_name)
        clock = Clock([task.without(journal.rows) for task in tasks], len(tasks) * len(chosen))
        # One BLAS thread each, for all the run: sums, and so results, then do not depend on the number of jobs.
        with threadpool_limits(1), _threads(n_threads) as pool:
            for row in _new_rows(clock.tasks, pool, n_threads, facts):
                journal.append(row)
                if options.on_row is not None:
                    options.on_row(clock.progress(row))
        return [journal.rows[task.key(method)] for task in tasks for method in chosen]


def _checked_corpora(corpora: Iterable[str | Corpus]) -> list[str | Corpus]:
    if isinstance(corpora, str | Corpus):
        raise TypeError(f"corpora must be a list of them, got {corpora!r}: write [{corpora!r}]")
    given = list(corpora)
    for one in given:
        if not isinstance(one, str | Corpus):
            raise TypeError(
                f"a corpus must be a name or a Corpus, got {type(one).__name__}: "
                "experiments.Corpus('mine', texts, labels) makes one"
            )
    names = [one if isinstance(one, str) else one.name for one in given]
    if len(set(names)) < len(names):
        raise ValueError(f"corpora must have different names, got {names}")
    return given


def _seeds(splits: int | Iterable[int]) -> list[int]:
    """Return the seeds of random splits."""
    if isinstance(splits, Integral) and not isinstance(splits, bool):
        if splits < 1:
            raise ValueError(f"splits must be 1 or more, got {splits}")
        return list(range(int(splits)))
    seeds = list(dict.fromkeys(splits)) if isinstance(splits, Iterable) and not isinstance(splits, str) else []
    if not seeds or not all(isinstance(seed, Integral) and 0 <= seed < 2**32 for seed in seeds):
        raise ValueError(f"splits must be a number of splits, or seeds from 0 to 2**32 - 1, got {splits!r}")
    return [int(seed) for seed in seeds]


@contextmanager
def _threads(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Start threads; after a failure or Ctrl-C, do not wait for what they are at: nobody will see its result."""
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class _Facts:
    """What all rows of a run have in common."""

    marks: dict[tuple[str, bool], str]
    versions: dict[str, str]
    vectors: FilePath | None
    vectors_name: str | None
    data_dir: FilePath | None

    def counted(self, corpus: Corpus, n_threads: int) -> CountedCorpus:
        """Count the terms of a corpus, and give those that have vectors theirs."""
        counted = count_terms(corpus, n_jobs=n_threads)
        if self.vectors is None:
            return counted
        vectors = embeddings.load(self.vectors, counted.terms, data_dir=self.data_dir)
        if not len(vectors):
            raise ValueError(f"{self.vectors} has a vector for none of the {len(counted.terms)} terms of {corpus.name}")
        return replace(counted, vectors=vectors)


def _made_with(is_transport: bool) -> dict[str, str]:
    try:
        return versions("POT", "tomotopy") if is_transport else versions()
    except PackageNotFoundError as error:
        name = str(error.name)
        raise ImportError(f"optimal transport needs {name}: pip install 'troenpy[transport]'", name=name) from None


def _fewer(sample: int | None, corpus: Corpus) -> int | None:
    """Return the sample if it is less than all test documents."""
    return sample if sample is not None and sample < n_test_documents(corpus) else None


def _new_rows(tasks: Iterable[Task], pool: ThreadPoolExecutor, n_threads: int, facts: _Facts) -> Iterator[Row]:
    """Yield the rows of all tasks as they come, one split at a time, and of its methods those by transport last."""
    counted_name, counted = None, None
    for task in tasks:
        if not task.methods:
            continue
        if counted is None or counted_name != task.corpus.name:
            counted_name, counted = task.corpus.name, facts.counted(task.corpus, n_threads)
        split = counted.split(task.seed, task.train_fraction, task.sample)
        # What takes longest is begun first: it leaves no thread idle at the end.
        order = sorted(groups(task.methods), key=lambda group: -cost(group[0]))
        futures = [pool.submit(_evaluate, task, split, group, facts) for group in order if not group[0].is_transport]
        for future in as_completed(futures):
            yield from future.result()
        for group in order:
            if group[0].is_transport:
                yield from _evaluate(task, split, group, facts, n_threads)


def _evaluate(task: Task, split: Split, group: list[Method], facts: _Facts, n_processes: int = 1) -> list[Row]:
    """Return the rows of methods that differ in k only."""
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
                fingerprint=facts.marks[task.corpus.name, task.is_deduplicated],
                deduplicated=task.is_deduplicated,
                train_fraction=task.train_fraction,
                seed=task.seed,
                method=method.name,
                n_train=len(split.codes),
                n_test=len(correct),
                n_terms=split.train.shape[1],
                n_wrong=n_wrong,
                error=n_wrong / len(correct),
                correct=packed(correct),
                wall_seconds=round(wall / len(group), 6),
                cpu_seconds=round(cpu / len(group), 6),
                versions=facts.versions if method.is_transport else versions(),
                sample=task.sample,
                vectors=facts.vectors_name if method.is_transport else None,
            )
        )
    return rows
