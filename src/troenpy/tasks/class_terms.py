"""Which terms mark each class: of texts and labels, or of a file."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from troenpy.counts.labels import Labels, check_labels_fit, read_label_sets, read_labels
from troenpy.features import documents as reading
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.files.drafts import FilePath
from troenpy.records import LabelSummary, Records, open_records
from troenpy.statistics.log_odds import PRIOR
from troenpy.tasks.documents import documents
from troenpy.tasks.learning import Step, done
from troenpy.tasks.spared_files import check_spared
from troenpy.tasks.term_options import MOST_TERMS, REST, TermOptions, is_rest
from troenpy.tasks.term_task import TermTask
from troenpy.tasks.terms_result import Terms, check_out
from troenpy.weights.schemes import Weight

#: Documents of a list that are counted at a time.
N_AT_ONCE = 10_000


def terms(
    texts: Any,
    labels: Any,
    *,
    reference: Any = REST,
    scheme: str | Weight = "pi",
    view: str | CountVectorizer = "auto",
    ngrams: tuple[int, int] | None = None,
    min_class_df: float = 2,
    fdr: float = 0.05,
    prior: float = PRIOR,
    limit: int | None = 100,
    max_terms: int | None = None,
    jobs: int | None = -1,
) -> Terms:
    """Find the terms that mark each class, with tests, intervals and examples.

    For every term and class: in how many documents of the class it is, and in how many of the reference; log-odds with
    an interval (Monroe, Colaresi and Quinn 2008, on documents); a p-value by Fisher's exact test, and the
    false-discovery rate over all terms and classes (Benjamini and Hochberg); the weight by a scheme; how evenly it is
    spread (Gries' deviation of proportions); the interval of its rank and weight by a jackknife over 20 groups of
    documents; and an example. See the guide, "Which words mark each class".

    Parameters
    ----------
    texts : iterable of str or bytes, array, Series or Arrow string data
    labels : array-like
        One label for each text; or an indicator matrix, or lists of labels, for any number of labels.
    reference : str, int, bool or iterable of str, default="rest"
        What each class is compared with: "rest", all other documents; the documents of the class with this label; or
        other texts.
    scheme : str or callable, default="pi"
        Of the weights: a name in `troenpy.WEIGHTS`, a product such as "sqrt(certainty)*idf", or a function.
    view : {"auto", "words", "pairs", "pieces"} or CountVectorizer, default="auto"
        What a term is: words; tokens and pairs of them, in any script; pieces of words. "auto" is words, or pairs for
        scripts without spaces between words.
    ngrams : (int, int), optional
        The least and the largest number of words in a term, instead of what the view has.
    min_class_df : int or float, default=2
        Test the terms that some class has in at least so many of its documents: a number, or a share of them.
    fdr : float, default=0.05
        Keep the terms up to this false-discovery rate; 1 keeps all.
    prior : float, default=10
        Pseudo-documents that shrink log-odds and strength, at least; terms that are rare get more.
    limit : int or None, default=100
        Keep so many terms of each class that it has more often, and so many that it has less often.
    max_terms : int, optional
        Count at most this many terms at any time; see :class:`TfPiVectorizer`.
    jobs : int or None, default=-1
        Number of threads.

    Returns
    -------
    Terms
        Print it for the strongest terms; `to_frame` and `save` have all.

    Examples
    --------
    >>> import troenpy
    >>> texts = ["late goal", "own goal", "a goal", "late vote", "close vote", "a vote"] * 5
    >>> found = troenpy.terms(texts, ["sport", "sport", "sport", "politics", "politics", "politics"] * 5)
    >>> found.top(), found.classes[1].less["term"]
    ({'politics': ['vote'], 'sport': ['goal']}, ['vote'])
    """
    texts = reading.check_collection(texts)
    others = None
    if not isinstance(reference, str) and not np.isscalar(reference):
        others, reference = reading.check_collection(reference), "other texts"
    options = TermOptions(reference, scheme, view, ngrams, min_class_df, fdr, prior, limit, max_terms, jobs)
    options.check()
    read = _read_labels(labels)
    check_labels_fit(read, texts)
    name = None if others is not None or is_rest(reference) else reference
    task = TermTask(options, has_sets=not read.is_single, reference=name)
    position = 0
    for batch in _batches(texts):
        if position + len(batch) <= len(read):  # the rest is only counted, for the error
            task.add(batch, read.part(np.arange(position, position + len(batch))))
        position += len(batch)
    check_labels_fit(read, position, whole=False)
    for batch in () if others is None else _batches(others):
        task.add_others(batch)
    return task.end("texts", str(reference))


def terms_file(
    source: Any,
    out: FilePath | Sequence[FilePath] | None = None,
    *,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    separator: str | None = None,
    format: str | None = None,  # noqa: A002 (as in open_records)
    delimiter: str | None = None,
    encoding: str | None = None,
    on_error: str = "stop",
    reference: str = REST,
    scheme: str | Weight = "pi",
    view: str | CountVectorizer = "auto",
    ngrams: tuple[int, int] | None = None,
    min_class_df: float = 2,
    fdr: float = 0.05,
    prior: float = PRIOR,
    limit: int | None = 100,
    classes: Sequence[Any] | None = None,
    max_terms: int | None = MOST_TERMS,
    jobs: int | None = -1,
    callback: Callable[[Step], Any] | None = None,
    on_notice: Callable[[str], Any] | None = None,
) -> Terms:
    """Find the terms that mark each class of a file, in one pass and bounded memory.

    Parameters
    ----------
    source, text, label, separator, format, delimiter, encoding, on_error
        See `open_records`.
    out : path-like or sequence of path-like, optional
        Where to save the terms, as :meth:`Terms.save` does.
    reference : str, default="rest"
        "rest", the name of a class, or of a file of texts, in the same columns, which needs no labels.
    scheme, view, ngrams, min_class_df, fdr, prior, limit, jobs
        See `terms`.
    classes : sequence, optional
        Keep the terms of these classes only; all are tested.
    max_terms : int or None, default=2,097,152
        Count at most this many terms at any time. If there are more, rare ones are left out, which is said.
    callback : callable, optional
        Called with a Step, with the attributes `text` and `done`.
    on_notice : callable, optional
        Called with a line for all that is sniffed, guessed, decided or suspicious: while a large file is read, so that
        a wrong guess is seen early.

    Returns
    -------
    Terms
    """
    options = TermOptions(reference, scheme, view, ngrams, min_class_df, fdr, prior, limit, max_terms, jobs)
    options.check()
    tell, say = callback or (lambda step: None), on_notice or (lambda line: None)
    is_file = not is_rest(reference) and Path(reference).is_file()
    outputs = [] if out is None else [out] if isinstance(out, str | os.PathLike) else list(out)
    for path in outputs:
        check_out(path)
        check_spared(path, "the terms", {"the file": source, "the reference": reference if is_file else None})
    columns: dict[str, Any] = {"text": text, "delimiter": delimiter, "encoding": encoding, "on_error": on_error}
    with open_records(source, **columns, label=label, separator=separator, format=format) as records:
        task = TermTask(options, records.has_sets, None if is_file or is_rest(reference) else reference)
        summary = LabelSummary(" and ".join(records.label))
        records.listen(options.notices.say)
        n_batches = 0
        for n_batches, batch in enumerate(documents(records), start=1):
            if n_batches == 2:  # errors of a small file are one line, without what was guessed
                options.notices.listen(say)
            summary.add(batch.texts, batch.labels)
            task.add(batch.texts, read_label_sets(batch.labels) if records.has_sets else read_labels(batch.labels))
            tell(Step("reading", done(records)))
        if not is_file or len(summary.n_by_class) != 1:
            options.warnings.extend(summary.check(records.name))
        options.warnings.extend(records.problems.lines())
        columns["text"] = records.text
        name = records.name
    if is_file:
        with open_records(reference, **columns, needs_label=False) as records:
            for texts in _texts_of(records):
                task.add_others(texts)
                tell(Step(f"reading {records.name}", done(records)))
            options.warnings.extend(records.problems.lines())
    tell(Step("testing terms"))
    found = task.end(name, reference)
    found = found if classes is None else found.only(classes)
    if n_batches < 2:
        options.notices.listen(say)
    for warning in found.warnings:
        say(f"warning: {warning}")
    for path in outputs:
        found.save(path)
    return found


def _texts_of(records: Records) -> Iterator[list[str]]:
    for batch in records.batches():
        good = np.flatnonzero(~batch.is_broken)
        yield batch.texts.take(good).to_pylist()


def _read_labels(labels: Any) -> Labels:
    """Read labels of any kind, and lists of lists of labels."""
    if isinstance(labels, list | tuple) and labels and all(isinstance(one, list | tuple | set) for one in labels):
        return read_label_sets(labels)
    return read_labels(labels)


def _batches(texts: Any) -> Iterator[list[str]]:
    for batch in reading.batches(texts, bytes.decode):
        found = batch if isinstance(batch, list) else batch.to_list()
        for first in range(0, len(found), N_AT_ONCE):
            yield found[first : first + N_AT_ONCE]
