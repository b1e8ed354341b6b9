"""Count documents, test their terms, and describe those that mark a class."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.grouped_counts import GroupedCounts
from troenpy.counts.labels import Labels, read_labels
from troenpy.features.grouped_counter import N_GROUPS
from troenpy.records.wording import listed, quoted
from troenpy.tasks.class_marks import ClassMarks, Marker, TermWeights
from troenpy.tasks.contexts import Wanted, find_examples
from troenpy.tasks.term_counting import CountedTerms, TermCounting
from troenpy.tasks.term_options import TermOptions
from troenpy.tasks.term_tests import TermTests
from troenpy.tasks.term_views import TermView
from troenpy.tasks.terms_result import N_LISTED, ClassTerms, Terms, columns_of, find_class


@dataclass
class TermTask:
    """Counts documents, and those of the reference as a class of their own if they are other texts.

    Parameters
    ----------
    options : TermOptions
    has_sets : bool
        Whether documents may have any number of labels.
    reference : str, int, bool or None
        The class that others are compared with.
    """

    options: TermOptions
    has_sets: bool
    reference: Any
    _counting: TermCounting | None = None
    _n_others: int = 0

    def add(self, texts: list[str], labels: Labels) -> None:
        """Count documents. One that has the label of the reference, and others, counts for the reference only."""
        if not texts:
            return
        if self._counting is None:
            self._counting = TermCounting(self.options.chosen_view(texts), self.has_sets, self.options.jobs)
        self._counting.add(texts, self._without_both(labels))

    def _without_both(self, labels: Labels) -> Labels:
        place = None if self.reference is None else find_class(labels.classes.tolist(), self.reference)
        if place is None or not self.has_sets:
            return labels
        rows = labels.indicator.toarray()
        rows[rows[:, place] > 0] *= np.arange(rows.shape[1]) == place
        return Labels(labels.classes, sparse.csr_array(rows), labels.is_list)

    def add_others(self, texts: list[str]) -> None:
        """Count texts that the classes are compared with."""
        if self._counting is None:
            raise ValueError("there are no documents with labels to compare with the reference")
        if not self._n_others:
            self.reference = _new_name(self._counting.names)
        if texts:
            self._n_others += len(texts)
            self._counting.add(texts, read_labels([self.reference] * len(texts)))

    def end(self, source: str, reference: str) -> Terms:
        """Test and describe the terms.

        Parameters
        ----------
        source, reference : str
            How the result calls them.
        """
        if self._counting is None:
            raise ValueError(f"{source} has no documents")
        found, view, options = self._counting.end(), self._counting.view, self.options
        tests = TermTests(found.total, options.min_class_df, self._number(found, reference), found.exact)
        if not found.total.is_exact:
            options.notices.say(
                f"more than {options.max_terms:,} terms: some of those in up to {found.total.kept_above:,} documents"
                " are left out"
            )
        kept = tests.kept
        if not len(kept):
            raise ValueError(f"no term is in min_class_df={options.min_class_df} documents of a class: lower it")
        grouped = found.by_group(kept)
        classes = _describe(found, grouped, tests, options, view)
        return Terms(
            classes=classes,
            class_counts=_counts_of(grouped, classes),
            source=source,
            reference=reference,
            view=view.name,
            ngrams=tuple(view.counter.ngram_range),
            scheme=options.scheme if isinstance(options.scheme, str) else options.scheme.__name__,
            n_documents=int(found.total.n_documents) - self._n_others,
            n_classes=len(classes),
            n_tested=len(kept),
            n_tests=tests.n_tests,
            n_discoveries=sum(one.n_more + one.n_less for one in classes),
            fdr=options.fdr,
            prior=options.prior,
            n_groups=N_GROUPS,
            notices=list(options.notices),
            warnings=options.warnings,
        )

    def _number(self, found: CountedTerms, reference: str) -> int | None:
        """Return the number of the class that others are compared with."""
        classes = found.total.classes.tolist()
        if len(classes) < 2:
            raise ValueError(
                f"all documents are of class {quoted(classes[0])}: there must be two, or other texts as the reference"
            )
        if self.reference is None:
            return None
        number = find_class(classes, self.reference)
        if number is None:
            raise unknown_reference(reference, [str(name) for name in classes])
        return number


def _describe(
    found: CountedTerms, grouped: GroupedCounts, tests: TermTests, options: TermOptions, view: TermView
) -> list[ClassTerms]:
    """Return the terms of each class, largest class first."""
    kept = tests.kept
    marker = Marker(grouped, tests.reference, TermWeights(grouped, options.scheme), options.prior, options.limit)
    discoveries = [one._replace(columns=np.searchsorted(kept, one.columns)) for one in tests.discoveries(options.fdr)]
    marks = [marker.describe(one, sign) for one in discoveries for sign in (1, -1)]
    wanted = [_wanted(one, found.numbers, tests.reference, grouped.terms[one.columns].tolist()) for one in marks]
    examples = find_examples(found.sample, view.counter, wanted)
    columns = [columns_of(one.values, of, examples) for one, of in zip(marks, wanted, strict=True)]
    classes, sizes = found.total.classes.tolist(), found.total.n_docs.tolist()
    described = [
        ClassTerms(
            name=classes[more.number],
            n_documents=int(sizes[more.number]),
            n_reference=tests.n_reference(more.number),
            n_more=more.n_found,
            n_less=less.n_found,
            more=of_more,
            less=of_less,
        )
        for more, less, of_more, of_less in zip(marks[::2], marks[1::2], columns[::2], columns[1::2], strict=True)
    ]
    return sorted(described, key=lambda one: -one.n_documents)


def _counts_of(grouped: GroupedCounts, classes: list[ClassTerms]) -> ClassCounts:
    """Return the counts of all terms that are described."""
    described = {term for one in classes for columns in (one.more, one.less) for term in columns["term"]}
    return grouped.total().select(np.array([term in described for term in grouped.terms.tolist()], dtype=bool))


def _wanted(one: ClassMarks, numbers: Any, reference: int | None, terms: list[str]) -> Wanted:
    """Return where examples of terms are looked for: in the class, or in what it is compared with."""
    if one.sign < 0 and reference is not None:
        return Wanted(int(numbers[reference]), True, tuple(terms))
    return Wanted(int(numbers[one.number]), one.sign > 0, tuple(terms))


def unknown_reference(reference: str, classes: list[str]) -> ValueError:
    """Return the error for a reference that is nothing."""
    close = get_close_matches(reference, classes, n=1)
    hint = f"; did you mean {quoted(close[0])}?" if close else ""
    shown = [quoted(name) for name in classes[:N_LISTED]] + ["others"] * (len(classes) > N_LISTED)
    return ValueError(
        f"reference {quoted(reference)} is neither 'rest', nor a file, nor a class{hint} (the classes: {listed(shown)})"
    )


def _new_name(names: list[Any]) -> Any:
    """Return the name of a further class, of the same kind as the others."""
    if names and isinstance(names[0], int | float):
        return max(names) + 1
    name = "reference"
    while name in names:
        name += "_"
    return name
