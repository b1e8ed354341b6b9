"""Train a classifier on one's own file: read it, measure the error, fit, and save the model."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sklearn.base import clone

from troenpy.files.drafts import FilePath, check_target
from troenpy.persistence import save
from troenpy.records import Records, open_records
from troenpy.records.columns import missing_column
from troenpy.tasks.about import About
from troenpy.tasks.learning import Fitted, Plan, Step, fit_in_memory, read
from troenpy.tasks.learning_in_passes import fit_in_passes
from troenpy.tasks.new_models import Candidates, new_classifier
from troenpy.tasks.spared_files import check_spared
from troenpy.tasks.strongest_terms import strongest_terms
from troenpy.tasks.tested_file import TestedFile
from troenpy.tasks.training_result import Training


def train(
    source: Any,
    out: FilePath | None = None,
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
    model: Any = "linear",
    views: Candidates | None = None,
    ngrams: tuple[int, int] | None = None,
    stop_words: str | Sequence[str] | None = None,
    min_df: float | None = None,
    C: float | str = "auto",
    seed: int = 0,
    jobs: int | None = -1,
    in_memory: bool | None = None,
    max_terms: int | None = None,
    callback: Callable[[Step], Any] | None = None,
    on_notice: Callable[[str], Any] | None = None,
) -> Training:
    """Fit a text classifier to a file, measure its error, and save it.

    The error is measured on documents that the model did not learn from: those of `test` or of `split_column`;
    otherwise every fifth in turn, of up to 2,000 documents, or a fifth of them once, at most 20,000. Copies of a text
    are held out together. The model that is kept has learnt from all documents, except those that the file sets apart
    for testing, and those held out of a file that is too large for memory.

    Parameters
    ----------
    source : path-like, "-" or binary file
        See `open_records`.
    out : path-like, optional
        Where to save the model; an existing file is replaced at the end.
    text, label, separator, format, delimiter, encoding, on_error
        See `open_records`.
    test : path-like, optional
        A file with test documents, with the same columns.
    split_column : str, optional
        A column that says "train" or "test"; rows with anything else are not used.
    group_column : str, optional
        Rows with equal cells are held out together, such as the messages of an author.
    model, views, ngrams, stop_words, min_df, C, seed, jobs
        See `new_classifier`; `model` may also be an unfitted classifier, with options of its own.
    in_memory : bool, optional
        Whether to hold all documents in memory; by default if they have less than 32 million characters.
    max_terms : int, optional
        See :meth:`TroenpyClassifier.fit_batches`.
    callback : callable, optional
        Called with a Step, with the attributes `text` and `done`.
    on_notice : callable, optional
        Called with a line for all that is sniffed, guessed, decided or suspicious, before the model is fitted.

    Returns
    -------
    Training
        Its `model` is fitted; print it for a summary.
    """
    start = time.monotonic()
    _check_options(in_memory, max_terms, test=test, split_column=split_column, group_column=group_column)
    if out is not None:
        check_target(out)
        inputs = {"the file it is learnt from": source, "the test file": test, "the list of stop words": stop_words}
        check_spared(out, "the model", inputs)
    options = {"views": views, "ngrams": ngrams, "stop_words": stop_words, "min_df": min_df, "C": C}
    classifier = _classifier(model, options, seed, jobs)
    reading: dict[str, Any] = {
        "text": text,
        "label": label,
        "separator": separator,
        "encoding": encoding,
        "delimiter": delimiter,
    }
    checkpoint = None if out is None else Path(out).with_name(f".{Path(out).name}.counts")
    tell, say = callback or (lambda step: None), on_notice or (lambda line: None)
    plan = Plan(classifier, split_column, group_column, seed, in_memory, max_terms, checkpoint, tell)
    with ExitStack() as opened:
        records = opened.enter_context(open_records(source, **reading, format=format, on_error=on_error, spool=True))
        _check_columns(records, split_column=split_column, group_column=group_column)
        tested = None
        if test is not None:
            alike = {**reading, "text": records.text, "label": records.label, "encoding": None, "delimiter": None}
            tested = opened.enter_context(TestedFile(test, {**alike, "on_error": on_error}, tell))
        try:
            fitted, warnings = _learn(records, tested, plan, say)
        except ValueError as error:
            if min_df is None or "min_df" not in str(error):
                raise
            raise ValueError(
                f"min_df={min_df} leaves no terms to learn from: choose a smaller one (--min-df)"
            ) from None
        evaluation = fitted.evaluation if tested is None else tested.evaluate(fitted.model)
        notices, n_skipped = [*records.notices, *plan.notices], records.problems.total
    about = About(
        source=records.name,
        text=records.text,
        label=records.label,
        separator=separator,
        trained=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=round(time.monotonic() - start, 3),
        n_documents=fitted.n_documents,
        n_by_class=dict(sorted(fitted.n_by_class.items())),
        n_skipped=n_skipped,
        in_passes=fitted.in_passes,
        evaluation=None if evaluation is None else evaluation.to_dict(),
        warnings=tuple(warnings),
    )
    if out is not None:
        tell(Step("saving the model"))
        save(fitted.model, out, about=about.to_dict())
    terms = strongest_terms(fitted.model)
    return Training(fitted.model, about, evaluation, terms, notices, None if out is None else str(out))


def _check_options(in_memory: bool | None, max_terms: int | None, *, test: Any, **columns: str | None) -> None:
    """Raise if options contradict each other."""
    if max_terms is not None and in_memory:
        raise ValueError("max_terms is for learning in passes: leave it out, or in_memory=True (--in-memory)")
    if columns["split_column"] is not None and (columns["group_column"] is not None or test is not None):
        raise ValueError("split_column says which rows are for testing: leave out group_column and test")


def _learn(
    records: Records, tested: TestedFile | None, plan: Plan, say: Callable[[str], Any]
) -> tuple[Fitted, list[str]]:
    """Read, check and learn from the documents; return warnings, too.

    Notices are heard from when the data has passed all checks: errors of data are one line, and name the column.
    """
    found, summary = read(records, plan)
    warnings = [*summary.check(records.name), *records.problems.lines()]
    if tested is not None:
        warnings += tested.check(summary, are_sets=records.has_sets)
        tested.records.listen(say)
    summary.forget_texts()
    records.listen(say)
    plan.notices.listen(say)
    for warning in warnings:
        say(f"warning: {warning}")
    if found is None:
        return fit_in_passes(records, plan, summary, measure=tested is None), warnings
    if plan.max_terms is not None:
        plan.notices.say("all terms are kept: max_terms is for learning in passes (--in-passes)")
    return fit_in_memory(found, plan, measure=tested is None), warnings


def _classifier(model: Any, options: dict[str, Any], seed: int, jobs: int | None) -> Any:
    if isinstance(model, str):
        return new_classifier(model, **options, seed=seed, jobs=jobs)
    given = [name for name, value in options.items() if value is not (None if name != "C" else "auto")]
    if given:
        raise ValueError(f"{given[0]} cannot be set for a classifier: set its own parameters")
    if not hasattr(model, "fit") or not hasattr(model, "new_features"):
        raise TypeError(f"model must be 'linear', 'knn' or a text classifier of troenpy, got {type(model).__name__}")
    return clone(model)


def _check_columns(records: Records, **columns: str | None) -> None:
    for parameter, name in columns.items():
        if name is not None and name not in records.columns:
            raise missing_column(parameter, name, records.columns, records.name)
