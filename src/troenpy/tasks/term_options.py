"""The options of `terms`, checked before anything is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from troenpy.counts.class_frequency import check_min_class_df
from troenpy.fitting.parameters import check_positive, check_whole
from troenpy.records.chunk import Notices
from troenpy.statistics.log_odds import PRIOR
from troenpy.tasks.term_views import TermView, choose_view
from troenpy.weights.schemes import Weight, check_scheme

REST = "rest"
#: Terms of a file that are counted, at most, by default.
MOST_TERMS = 1 << 21


@dataclass(frozen=True)
class TermOptions:
    """What `terms` and `terms_file` have in common; see there."""

    reference: Any = REST
    scheme: str | Weight = "pi"
    view: Any = "auto"
    ngrams: tuple[int, int] | None = None
    min_class_df: float = 2
    fdr: float = 0.05
    prior: float = PRIOR
    limit: int | None = 100
    max_terms: int | None = None
    jobs: int | None = -1
    notices: Notices = field(default_factory=Notices)
    warnings: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Raise for wrong options, before anything is read."""
        check_scheme(self.scheme, 1.0)
        check_min_class_df(self.min_class_df)
        if self.min_class_df is None:
            raise ValueError("min_class_df must be a number of documents or a share of them, got None")
        check_positive("prior", self.prior)
        if not 0 < check_positive("fdr", self.fdr) <= 1:
            raise ValueError(f"fdr must be above 0 and at most 1, got {self.fdr!r}")
        for name in ("limit", "max_terms"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), least=1)
        choose_view(self.view, self.ngrams, [])

    def chosen_view(self, texts: Sequence[str]) -> TermView:
        """Return the view that suits the texts."""
        name, counter = choose_view(self.view, self.ngrams, texts)
        if self.view == "auto" and name != "words":
            self.notices.say(
                "texts in a script without spaces between words: terms are letters and pairs (view 'pairs')"
            )
        if self.max_terms is not None:
            counter.set_params(max_terms=self.max_terms)
        return TermView(name, counter)


def is_rest(reference: Any) -> bool:
    """Whether classes are compared with all other documents."""
    return isinstance(reference, str) and reference == REST
