"""Compare methods on one's own texts: errors with intervals and tests, seconds, a learning curve, and advice."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from troenpy.experiments.journal import Row
from troenpy.experiments.learning_curve import LearningCurve, learning_curve
from troenpy.experiments.losses import METRICS, Codes, Metric, compare_losses, estimate, loss_of
from troenpy.experiments.significance import holm
from troenpy.experiments.text_methods import SHORT_LIST, TEXT_METHODS, TextMethod, read_text_methods
from troenpy.files.drafts import FilePath
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_whole
from troenpy.records.chunk import Notices
from troenpy.tasks.comparison_jobs import USUAL_COSTS, Job, Jobs, PlannedTests, open_jobs
from troenpy.tasks.comparison_result import MethodComparison, MethodResult
from troenpy.tasks.folds import Fold, Folds, by_column, cross_validation, given, in_time
from troenpy.tasks.learning import Step
from troenpy.tasks.text_data import TextData, check_texts, read_texts

MAJORITY = "majority class"
#: The learning curve: fractions of the documents; fewer, and on fewer folds, if a fit takes longer than this.
FRACTIONS, FEW_FRACTIONS = (0.1, 0.2, 0.4, 0.7, 1.0), (0.1, 0.2, 0.4, 1.0)
SLOW_FIT, FEW_FOLDS = 5.0, 2
#: Fewer documents are no point of the curve.
LEAST_LEARNT = 10
N_FOLDS = 5

Tell = Callable[[Step], Any]


def compare(
    texts: Any,
    labels: Any,
    *,
    test_texts: Any = None,
    test_labels: Any = None,
    splits: Any = None,
    groups: Any = None,
    times: Any = None,
    methods: Sequence[str] | None = None,
    metric: Metric = "error",
    folds: int = N_FOLDS,
    curve: bool = True,
    seed: int = 0,
    rows: FilePath | None = None,
    jobs: int | None = -1,
    callback: Tell | None = None,
    on_notice: Callable[[str], Any] | None = None,
) -> MethodComparison:
    """Compare ways to classify texts: which method to use, and whether more labels would help.

    Methods are tested by cross-validation, with copies of a text on one side of every split, unless there are test
    texts, splits or times.

    Parameters
    ----------
    texts : iterable of str or bytes, array, Series or Arrow string data
    labels : array-like
        One label for each text.
    test_texts, test_labels : optional
        Texts for testing, and their labels.
    splits : array-like of str, optional
        "train" or "test" for each text; texts with anything else are not used.
    groups : array-like, optional
        Texts of the same group, such as an author, are on one side of every split.
    times : array-like, optional
        Numbers or dates: methods learn from the past, and are tested on the future.
    methods : sequence of str, optional
        Names of methods, by default the short list: majority, tfidf-lr, tfidf-svm, tfidf-knn, naive-bayes, troenpy,
        neighbours and paper.
    metric : {"error", "macro-f1", "log-loss"}, default="error"
        What decides. Methods without probabilities have no log loss, and are left out then.
    folds : int, default=5
    curve : bool, default=True
        Whether to measure the learning curve of the recommended method.
    seed : int, default=0
        Draws the folds.
    rows : path-like, optional
        A folder for the results of single tests: the same call goes on from them if it is interrupted.
    jobs : int or None, default=-1
        Number of processes; -1 means one per processor.
    callback : callable, optional
        Called with an object with the attributes `text` and `done`.
    on_notice : callable, optional
        Called with a line for all that is sniffed, guessed, decided or suspicious, before methods are tested.

    Returns
    -------
    MethodComparison

    Notes
    -----
    Intervals and p-values over several tests are corrected for their overlap (Nadeau and Bengio 2003), those on one
    test are Wilson's and McNemar's, or a bootstrap over the tested texts. The p-values of all methods against the
    recommended one are corrected for their number (Holm). The recommended method is the one with the lowest loss.

    Examples
    --------
    >>> import troenpy
    >>> texts = [f"{word} {number}" for number in range(10) for word in ("goal", "match", "vote", "law")]
    >>> result = troenpy.compare(texts, 10 * ["s", "s", "p", "p"], methods=["majority", "naive-bayes"], curve=False)
    >>> result.recommended, [f"{method.error:.2f}" for method in result.methods]
    ('ComplementNB', ['0.50', '0.00'])
    >>> print(result.python)
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import ComplementNB
    from sklearn.pipeline import make_pipeline
    <BLANKLINE>
    model = make_pipeline(TfidfVectorizer(), ComplementNB())
    model.fit(texts, labels)
    """
    data = check_texts(texts, labels, groups=groups, splits=splits, times=times)
    if (test_texts is None) != (test_labels is None):
        raise ValueError("test_texts and test_labels go together: pass both, or neither")
    test = None if test_texts is None else check_test(data, test_texts, test_labels)
    used = {name: name for name in ("splits", "groups", "times") if name in data.columns}
    return compare_data(
        data,
        test,
        split_column=used.get("splits"),
        group_column=used.get("groups"),
        time_column=used.get("times"),
        methods=methods,
        metric=metric,
        folds=folds,
        curve=curve,
        seed=seed,
        rows=rows,
        jobs=jobs,
        callback=callback,
        on_notice=on_notice,
    )


def check_test(data: TextData, texts: Any, labels: Any) -> TextData:
    """Return test texts, which may have one class only."""
    both = [*data.labels[:1], *np.asarray(labels, dtype=object).ravel().tolist()]
    found = check_texts([*data.texts[:1], *texts], both)
    return TextData(found.texts[1:], found.labels[1:], found.rows[:-1], name="the test texts")


def compare_file(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    separator: str | None = None,
    format: str | None = None,  # noqa: A002 (as in open_records)
    delimiter: str | None = None,
    encoding: str | None = None,
    on_error: str = "stop",
    test: Any = None,
    split_column: str | None = None,
    group_column: str | None = None,
    time_column: str | None = None,
    callback: Tell | None = None,
    on_notice: Callable[[str], Any] | None = None,
    **options: Any,
) -> MethodComparison:
    """Compare ways to classify the texts of a file; see `troenpy.compare`.

    Parameters
    ----------
    source, text, label, separator, format, delimiter, encoding, on_error
        See `open_records`.
    test : path-like, optional
        A file with test documents, with the same columns.
    split_column, group_column, time_column : str, optional
        Columns of splits, groups and times.
    callback, on_notice : callable, optional
    **options
        See `troenpy.compare`.
    """
    reading: dict[str, Any] = {"format": format, "delimiter": delimiter, "encoding": encoding, "on_error": on_error}
    columns = (split_column, group_column, time_column)
    data = read_texts(
        source, text=text, label=label, separator=separator, columns=columns, callback=callback, **reading
    )
    found = None
    if test is not None:
        chosen = {"text": data.reading["text"], "label": data.reading["label"], "on_error": on_error}
        found = read_texts(test, **chosen, separator=separator, is_test=True, callback=callback)
    return compare_data(
        data,
        found,
        split_column=split_column,
        group_column=group_column,
        time_column=time_column,
        callback=callback,
        on_notice=on_notice,
        **options,
    )


def compare_data(
    data: TextData,
    test: TextData | None,
    *,
    split_column: str | None,
    group_column: str | None,
    time_column: str | None,
    methods: Sequence[str] | None = None,
    metric: Metric = "error",
    folds: int = N_FOLDS,
    curve: bool = True,
    seed: int = 0,
    rows: FilePath | None = None,
    jobs: int | None = -1,
    callback: Tell | None = None,
    on_notice: Callable[[str], Any] | None = None,
) -> MethodComparison:
    """Compare methods on texts that were read; see `compare`."""
    start = time.monotonic()
    if metric not in METRICS:
        raise ValueError(f"metric must be {', '.join(METRICS[:-1])} or {METRICS[-1]}, got {metric!r:.40}")
    chosen, left_out = _choose(methods, metric)
    given_by = {"test": test is not None, "split": split_column, "time": time_column, "group": group_column}
    _check_ways({name: bool(value) for name, value in given_by.items()})
    n_folds, n_processes = check_whole("folds", folds, least=1 if time_column else 2), job_count(jobs)
    everything, planned = _plan(data, test, split_column, group_column, time_column, n_folds, seed)
    numbered = everything.numbered()
    plan = PlannedTests(
        PurePath(data.name).name or data.name,
        everything.texts,
        numbered.indicator.indices.astype(np.int64),
        planned.folds,
        seed,
    )
    truths = [plan.codes[fold.tested] for fold in planned.folds]
    notices = Notices([*data.notices, *planned.notices])
    if left_out:
        notices.say(f"left out, as they have no probabilities and so no log loss: {', '.join(left_out)}")
    warnings = [*data.warnings, *(test.warnings if test else []), *planned.warnings]
    say = on_notice or (lambda line: None)
    notices.listen(say)
    for warning in warnings:
        say(f"warning: {warning}")
    with open_jobs(plan, chosen, rows, n_processes, callback or (lambda step: None)) as (work, path):
        wanted = [Job(method.name, number) for number in range(len(planned.folds)) for method in _slowest_first(chosen)]
        found = work.run(wanted, f"testing {len(chosen)} methods")
        by_method = {m.name: [found[Job(m.name, number)] for number in range(len(planned.folds))] for m in chosen}
        results = _results(chosen, by_method, metric, truths, planned)
        recommended = _recommend(results)
        of_curve = _curve(work, plan, recommended, by_method[recommended], metric, truths) if curve else None
        n_kept = work.n_kept
    if path is not None:
        earlier = f"; {n_kept:,} of them are of an earlier run" if n_kept else ""
        notices.say(f"results of single tests are kept in {path}{earlier}")
    return MethodComparison(
        source=data.name,
        n_documents=len(data.texts),
        n_classes=len(numbered.classes),
        metric=metric,
        tested=planned.method,
        sizes=[(len(fold.learnt), len(fold.tested)) for fold in planned.folds],
        methods=results,
        recommended=recommended,
        curve=of_curve,
        reading={**data.reading, **_testing(test, split_column, group_column)},
        notices=[*notices],
        warnings=warnings,
        rows=None if path is None else str(path),
        seconds=round(time.monotonic() - start, 3),
    )


def _choose(names: Sequence[str] | None, metric: Metric) -> tuple[list[TextMethod], list[str]]:
    """Return the methods, and the names of those without the probabilities that the metric needs."""
    given_names = [names] if isinstance(names, str) else names
    found = read_text_methods([*SHORT_LIST] if given_names is None else given_names)
    if not [method for method in found if method.name != MAJORITY]:
        raise ValueError(f"methods must name at least one besides the majority class, got {names!r:.60}")
    left_out = [method.name for method in found if metric == "log-loss" and not method.has_probabilities]
    kept = [method for method in found if method.name not in left_out]
    if not [method for method in kept if method.name != MAJORITY]:
        raise ValueError(f"none of the methods has probabilities, which a log loss needs: {', '.join(left_out)}")
    return kept, left_out


def _check_ways(ways: dict[str, bool]) -> None:
    used = [name for name in ("test", "split", "time") if ways[name]]
    if len(used) > 1:
        raise ValueError(f"{' and '.join(used)} each say what is tested: choose one of them")
    if ways["group"] and used and used != ["time"]:
        raise ValueError(f"{used[0]} says what is tested: leave out the groups")


def _plan(
    data: TextData,
    test: TextData | None,
    split_column: str | None,
    group_column: str | None,
    time_column: str | None,
    n_folds: int,
    seed: int,
) -> tuple[TextData, Folds]:
    """Return all documents, and how they are tested."""
    cells = None
    if group_column is not None:
        cells = ["" if cell is None else str(cell) for cell in data.columns[group_column]]
    if test is not None:
        n_learnt, n_tested = len(data.texts), len(test.texts)
        both = replace(data, texts=[*data.texts, *test.texts], labels=[*data.labels, *test.labels])
        fold = Fold(np.arange(n_learnt), n_learnt + np.arange(n_tested))
        return both, given(both.texts, both.labels, fold, f"on {test.name}", [])
    if split_column is not None:
        splits = ["" if cell is None else str(cell) for cell in data.columns[split_column]]
        return data, by_column(data.texts, data.labels, splits, split_column)
    if time_column is not None:
        times = data.columns[time_column]
        return data, in_time(data.texts, data.labels, times, time_column, cells, n_folds)
    return data, cross_validation(data.texts, data.labels, cells, n_folds, seed)


def _slowest_first(methods: Sequence[TextMethod]) -> list[TextMethod]:
    """Return methods so that no process is idle at the end."""
    return sorted(methods, key=lambda method: -USUAL_COSTS.get(method.name, 1.0))


def _results(
    methods: Sequence[TextMethod], rows: dict[str, list[Row]], metric: Metric, truths: list[Codes], planned: Folds
) -> list[MethodResult]:
    """Return the results of methods; the p-values are against the recommended one."""
    results = []
    for method in methods:
        of_method = rows[method.name]
        measured = {
            one: estimate(one, of_method, truths, planned.test_to_train)
            for one in METRICS
            if one != "log-loss" or method.has_probabilities
        }
        results.append(MethodResult.of(method, of_method, metric, measured))
    best = rows[_recommend(results)]
    others = [result for result in results if result.name != best[0].method]
    p_values = holm([compare_losses(metric, rows[one.name], best, truths, planned.test_to_train) for one in others])
    corrected = {one.name: p for one, p in zip(others, p_values, strict=True)}
    return [replace(result, p=corrected.get(result.name)) for result in results]


def _recommend(results: Sequence[MethodResult]) -> str:
    """Return the method with the lowest loss; of equal ones, preferably one that `troenpy train` fits."""
    others = [one for one in results if one.name != MAJORITY]
    return min(others, key=lambda one: (round(one.loss, 9), TEXT_METHODS[one.name].options is None)).name


def _curve(
    work: Jobs, plan: PlannedTests, method: str, rows: list[Row], metric: Metric, truths: list[Codes]
) -> LearningCurve | None:
    """Return the learning curve of a method, on a few folds only if it is slow; None if there are few documents."""
    is_slow = float(np.mean([row.fit_seconds or 0 for row in rows])) > SLOW_FIT
    folds = range(min(len(plan.folds), FEW_FOLDS) if is_slow else len(plan.folds))
    fractions = FEW_FRACTIONS if is_slow else FRACTIONS
    learnt = [fraction for fraction in fractions if all(_is_enough(plan, method, fold, fraction) for fold in folds)]
    if len(learnt) < 2:
        return None
    wanted = [Job(method, fold, fraction) for fold in folds for fraction in learnt]
    found = work.run(sorted(wanted, key=lambda job: -job.fraction), "measuring the learning curve")
    by_fold = [[found[Job(method, fold, fraction)] for fraction in learnt] for fold in folds]
    sizes = [round(np.mean([of_fold[k].n_train for of_fold in by_fold])) for k in range(len(learnt))]
    losses = [[loss_of(metric, row, truths[fold]) for row in by_fold[fold]] for fold in folds]
    return learning_curve(method, learnt, sizes, losses, [len(truths[fold]) for fold in folds])


def _is_enough(plan: PlannedTests, method: str, fold: int, fraction: float) -> bool:
    learnt = plan.learnt(Job(method, fold, fraction))
    return len(learnt) >= LEAST_LEARNT and len(np.unique(plan.codes[learnt])) > 1


def _testing(test: TextData | None, split_column: str | None, group_column: str | None) -> dict[str, str]:
    """Return the options with which `troenpy train` tests in the same way."""
    options = {
        "test": None if test is None else test.reading.get("source"),
        "split_column": split_column,
        "group_column": group_column,
    }
    return {name: value for name, value in options.items() if value is not None}
