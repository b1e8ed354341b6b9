"""Train a classifier on one's own file: read it, measure the error, fit, and save the model."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sklearn.base import clone

from troenpy.files.drafts import FilePath, check_target
from troenpy.persistence import save
from troenpy.records import Records, open_records
from troenpy.records.columns import missing_column
from troenpy.tasks.about import About
from troenpy.tasks.documents import documents, has_sets, predicted_labels
from troenpy.tasks.evaluation import Evaluation, Label, evaluate
from troenpy.tasks.learning import Plan, Step, done, fit_in_memory, read
from troenpy.tasks.learning_in_passes import fit_in_passes
from troenpy.tasks.new_models import Candidates, new_classifier
from troenpy.tasks.strongest_terms import strongest_terms
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

    Returns
    -------
    Training
        Its `model` is fitted; print it for a summary.
    """
    start = time.monotonic()
    if split_column is not None and (group_column is not None or test is not None):
        raise ValueError("split_column says which rows are for testing: leave out group_column and test")
    if out is not None:
        check_target(out)
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
    tell = callback or (lambda step: None)
    plan = Plan(classifier, split_column, group_column, seed, in_memory, max_terms, checkpoint, tell)
    with open_records(source, **reading, format=format, on_error=on_error, spool=True) as records:
        _check_columns(records, split_column=split_column, group_column=group_column)
        if out is not None:
            _check_not_same(source, out)
        found, summary = read(records, plan)
        warnings = summary.check(records.name)
        if found is None:
            fitted = fit_in_passes(records, plan, summary, measure=test is None)
        else:
            fitted = fit_in_memory(found, plan, measure=test is None)
        reading = {**reading, "text": records.text, "label": records.label, "encoding": None, "delimiter": None}
        notices, problems = [*records.notices, *plan.notices], records.problems
    evaluation = fitted.evaluation
    if test is not None:
        evaluation = _test_on(test, reading, on_error, fitted.model, tell)
    about = About(
        source=records.name,
        text=records.text,
        label=records.label,
        separator=separator,
        trained=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=round(time.monotonic() - start, 3),
        n_documents=fitted.n_documents,
        n_by_class=dict(sorted(fitted.n_by_class.items())),
        n_skipped=problems.total,
        in_passes=fitted.in_passes,
        evaluation=None if evaluation is None else evaluation.to_dict(),
        warnings=(*warnings, *problems.lines()),
    )
    if out is not None:
        tell(Step("saving the model"))
        save(fitted.model, out, about=about.to_dict())
    terms = strongest_terms(fitted.model)
    return Training(fitted.model, about, evaluation, terms, notices, None if out is None else str(out))


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


def _check_not_same(source: Any, out: FilePath) -> None:
    path = Path(out)
    if isinstance(source, str | Path) and str(source) != "-" and path.exists() and path.samefile(source):
        raise ValueError(f"the model would replace the file it is learnt from, {path}: choose another name")


def _test_on(test: Any, reading: dict[str, Any], on_error: str, model: Any, tell: Callable[[Step], Any]) -> Evaluation:
    """Return the result on another file."""
    true, predicted = list[Label](), list[Label]()
    with open_records(test, **reading, on_error=on_error) as records:
        for batch in documents(records):
            tell(Step(f"testing on {records.name}", done(records)))
            true += batch.labels
            predicted += predicted_labels(model, batch.texts)
        if not true:
            raise ValueError(f"{records.name} has no documents to test on")
        if has_sets(true) != has_sets(predicted):
            raise ValueError(f"{records.name} has another kind of labels than the training documents")
        return evaluate(records.name, true, predicted)
