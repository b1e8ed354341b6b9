"""Run experiments: one row per corpus, split and method, resumable, following the paper's protocol.

Terms are counted once per corpus; weights and models see only the training part of a split. A corpus with a given split
is evaluated on that; others on random 80/20 splits, `train_test_split(arange(n), test_size=0.2, random_state=seed)`,
the same for all methods.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from numbers import Integral, Real

from threadpoolctl import threadpool_limits

from troenpy import datasets
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.grammar import Method, read_methods
from troenpy.experiments.journal import Row, open_journal, versions
from troenpy.experiments.new_rows import RunContext, new_rows, threads
from troenpy.experiments.progress import Progress, ProgressMeter, Task
from troenpy.experiments.splits import deduplicate, fingerprint, n_test_documents
from troenpy.files.drafts import FilePath
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_count
from troenpy.transport import embeddings


@dataclass(frozen=True)
class RunOptions:
    """Options for running experiments; `run` documents each."""

    out: FilePath | None = None
    overwrite: bool = False
    ks: Iterable[int] | None = None
    deduplicate: bool = False
    train_fractions: Sequence[float] = (1.0,)
    sample: int | None = None
    vectors: FilePath | None = None
    n_jobs: int = 1
    data_dir: FilePath | None = None
    on_start: Callable[[Sequence[str]], None] | None = None
    on_row: Callable[[Progress], None] | None = None

    def check(self) -> None:
        """Raise for options that are invalid for any corpus."""
        job_count(self.n_jobs)
        fractions = self.train_fractions
        if not fractions or not all(isinstance(part, Real) and 0 < part <= 1 for part in fractions):
            raise ValueError(f"train_fractions must be numbers above 0 and at most 1, got {list(fractions)}")
        if self.sample is not None:
            check_count("sample", self.sample)

    def load(self, name: str) -> Corpus:
        """Load a corpus by name."""
        return datasets.load(name, data_dir=self.data_dir)


def run(
    corpora: Iterable[str | Corpus],
    methods: Iterable[str | Method],
    splits: int | Iterable[int] = 50,
    *,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    ks: Iterable[int] | None = None,
    deduplicate: bool = False,
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
        Names for `datasets.load`, or your own `Corpus` objects.
    methods : iterable of str
        Such as "knn: tf*pi" or "lr: tf*pi + 2b"; see `troenpy.experiments.grammar`.
    splits : int or iterable of int, default=50
        Number of random splits, or their seeds, for corpora without a given split.
    out : path-like, optional
        A JSON lines file. Each row is appended as soon as it is computed, and rows already in the file are not run
        again, so the same call resumes a run that was stopped or killed. Existing rows from other package versions or
        other documents are an error.
    overwrite : bool, default=False
        Discard the rows in `out`.
    ks : iterable of int, optional
        Numbers of neighbours; every kNN method is run with each, instead of its own k.
    deduplicate : bool, default=False
        Keep one copy of each text, and drop texts that occur with different labels.
    train_fractions : sequence of float, default=(1.0,)
        Fractions of the training documents to learn from.
    sample : int, optional
        Classify this many random test documents of each split, the same for all methods. By default, and if a split has
        no more, classify all of them.
    vectors : str or path-like, optional
        Word vectors for optimal transport: "glove-50d" (an 85 MB download), or a file for `embeddings.read`.
    n_jobs : int, default=1
        Number of threads, which share the methods of a split; for optimal transport, number of processes, which share
        the test documents. -1 means one per processor. Results do not depend on it.
    data_dir : path-like, optional
        Passed to `datasets.load`.
    on_start : callable, optional
        Called with the names of the corpora, after all arguments are checked and before the corpora are read.
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
        overwrite=overwrite,
        ks=ks,
        deduplicate=deduplicate,
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
    """Implement `run`; `load` loads corpora by name, so that callers can reuse them."""
    options.check()
    given = _checked_corpora(corpora)
    chosen = read_methods(methods, options.ks)
    seeds = _seeds(splits)
    if not chosen:
        raise ValueError("methods must not be empty: name one, such as 'knn: tf*pi'")
    is_transport = any(method.is_transport for method in chosen)
    if is_transport and options.vectors is None:
        raise ValueError("optimal transport needs word vectors: choose glove-50d (an 85 MB download) or a file")
    versions_used, vectors = _versions_used(is_transport), options.vectors if is_transport else None
    vectors_name = None if vectors is None else embeddings.fingerprint(vectors)
    with open_journal(options.out, overwrite=options.overwrite) as journal:  # fail early: reading corpora is slower
        if options.on_start is not None:
            options.on_start([one if isinstance(one, str) else one.name for one in given])
        loaded = [(load or options.load)(one) if isinstance(one, str) else one for one in given]
        if options.deduplicate:
            loaded = [deduplicate(corpus) for corpus in loaded]
        fingerprints = {(corpus.name, options.deduplicate): fingerprint(corpus) for corpus in loaded}
        journal.check(fingerprints, versions_used, vectors_name)
        tasks = list(_tasks(options, loaded, seeds, chosen))
        context = RunContext(fingerprints, versions_used, vectors, vectors_name, options.data_dir)
        meter = ProgressMeter([task.without(journal.rows) for task in tasks], len(tasks) * len(chosen))
        n_threads = job_count(options.n_jobs)
        # One BLAS thread each: the order of sums, and so the results, must not depend on the number of jobs.
        with threadpool_limits(1), threads(n_threads) as pool:
            for row in new_rows(meter.tasks, pool, n_threads, context):
                journal.append(row)
                if options.on_row is not None:
                    options.on_row(meter.progress(row))
        return [journal.rows[task.key(method)] for task in tasks for method in chosen]


def _tasks(options: RunOptions, corpora: Iterable[Corpus], seeds: list[int], methods: list[Method]) -> Iterator[Task]:
    """Yield every split of every corpus, with the methods to run on it."""
    for corpus in corpora:
        sample = _sample_size(options.sample, corpus)
        for fraction in options.train_fractions:
            for seed in seeds if corpus.split is None else [None]:
                yield Task(corpus, options.deduplicate, float(fraction), sample, seed, methods)


def _checked_corpora(corpora: Iterable[str | Corpus]) -> list[str | Corpus]:
    if isinstance(corpora, str | Corpus):
        raise TypeError(f"corpora must be a list, got {corpora!r}: write [{corpora!r}]")
    given = list(corpora)
    for one in given:
        if not isinstance(one, str | Corpus):
            raise TypeError(
                f"a corpus must be a name or a Corpus, got {type(one).__name__}: "
                "build one with experiments.Corpus('mine', texts, labels)"
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


def _versions_used(is_transport: bool) -> dict[str, str]:
    try:
        return versions("POT", "tomotopy") if is_transport else versions()
    except PackageNotFoundError as error:
        name = str(error.name)
        raise ImportError(f"optimal transport needs {name}: pip install 'troenpy[transport]'", name=name) from None


def _sample_size(sample: int | None, corpus: Corpus) -> int | None:
    """Return the sample size, or None if it covers all test documents."""
    return int(sample) if sample is not None and sample < n_test_documents(corpus) else None
