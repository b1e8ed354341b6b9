"""Views: what to count in a document, and which blocks to make from the counts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from troenpy.features.blocks import Block, read_blocks
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.tfpi_vectorizer import TfPiVectorizer

#: Replaces the CountVectorizer if documents are rows of a matrix of counts.
COUNTS = "counts"
#: Parameters of a counter that decide which terms a document has.
DECIDE_TERMS = (
    "analyzer", "ngram_range", "lowercase", "strip_accents", "token_pattern", "tokenizer", "preprocessor", "stop_words",
)  # fmt: skip
FORM = "write [('words', CountVectorizer(), ('pi', 'btf'))], with 'counts' as the second entry for a matrix of counts"


@dataclass(frozen=True)
class View:
    """A validated view; if there is no counter, documents are rows of counts."""

    name: str
    counter: CountVectorizer | None
    blocks: list[Block]
    has_profile: bool
    prefix: str = ""  # of messages, if there are several views

    def kind(self) -> Any:
        """Return what decides the terms of the view."""
        if self.counter is None:
            return self.name, COUNTS
        values = [getattr(self.counter, name) for name in DECIDE_TERMS]
        return self.name, *(tuple(value) if isinstance(value, list) else value for value in values)

    def new_counter(self, dtype: Any, n_jobs: int | None) -> CountVectorizer | None:
        """Return an unfitted counter with this dtype, and with this n_jobs unless it has its own."""
        if self.counter is None:
            return None
        counter = clone(self.counter)
        return counter.set_params(dtype=dtype, n_jobs=n_jobs if counter.n_jobs is None else counter.n_jobs)


def view_of_words(*blocks: str | Block, **options: Any) -> list[tuple[str, Any, tuple[str | Block, ...]]]:
    """Return a list of one view, "words": a CountVectorizer with these options, and these blocks."""
    return [("words", CountVectorizer(**options), blocks)]


def read_views(views: Any) -> list[View]:
    """Validate a list of (name, counter, blocks) triples.

    Examples
    --------
    >>> (view,) = read_views([("words", "counts", ("pi", "profile"))])
    >>> view.name, view.counter, view.has_profile
    ('words', None, True)
    """
    if not isinstance(views, list | tuple) or not views or not all(map(_is_triple, views)):
        raise ValueError(f"views must be (name, CountVectorizer, blocks) triples, got {views!r}: {FORM}")
    names = [name for name, _, _ in views]
    if len(set(names)) < len(names):
        raise ValueError(f"the names of views must differ, got {', '.join(map(repr, names))}")
    if len(views) > 1 and any(_is_counts(counter) for _, counter, _ in views):
        raise ValueError(f"a view of 'counts' must be the only one, got {', '.join(map(repr, names))}")
    if len(views) > 1 and any(getattr(counter, "input", None) == "file" for _, counter, _ in views):
        raise ValueError("input='file' needs a single view, since a file can be read once: use input='filename'")
    read = [_read_view(*view) for view in views]
    return read if len(read) == 1 else [replace(view, prefix=f"view {view.name!r}: ") for view in read]


def any_takes_counts(views: Any) -> bool:
    """Whether documents are rows of counts; False for invalid views."""
    return isinstance(views, list | tuple) and any(_is_triple(view) and _is_counts(view[1]) for view in views)


def _is_counts(counter: Any) -> bool:
    return isinstance(counter, str) and counter == COUNTS


def _is_triple(view: Any) -> bool:
    return isinstance(view, list | tuple) and len(view) == 3 and isinstance(view[0], str)


def _read_view(name: str, counter: Any, blocks: Any) -> View:
    if not name or "__" in name:
        raise ValueError(f"the name of a view must be a non-empty string without '__', such as 'words', got {name!r}")
    if _is_counts(counter):
        counter = None
    elif not isinstance(counter, CountVectorizer) or isinstance(counter, TfPiVectorizer):
        message = f"the view {name!r} must have a CountVectorizer of troenpy or 'counts', got {counter!r:.60}: {FORM}"
        raise ValueError(message)
    try:
        chosen, has_profile = read_blocks(blocks)
    except ValueError as error:
        raise ValueError(f"view {name!r}: {error}") from None
    return View(name, counter, chosen, has_profile)


# Nested parameters, as in scikit-learn's FeatureUnion: `words` is the counter of the view "words", `words__ngram_range`
# a parameter of that counter, and `words__blocks` the blocks of the view.


def nested_parameters(views: Any) -> dict[str, Any]:
    """Return the nested parameters of views; empty for invalid views."""
    found: dict[str, Any] = {}
    for name, counter, blocks in views if isinstance(views, list | tuple) and all(map(_is_triple, views)) else ():
        found |= {name: counter, f"{name}__blocks": blocks}
        if hasattr(counter, "get_params") and not isinstance(counter, type):
            found |= {f"{name}__{key}": value for key, value in counter.get_params().items()}
    return found


def set_nested_parameters(views: Any, changes: Mapping[str, Any]) -> list[Any]:
    """Return the views after setting nested parameters; counters are changed in place, as in scikit-learn."""
    changed = []
    for name, counter, blocks in views:
        counter, blocks = changes.get(name, counter), changes.get(f"{name}__blocks", blocks)
        own = {
            key.removeprefix(f"{name}__"): value
            for key, value in changes.items()
            if key.startswith(f"{name}__") and key != f"{name}__blocks"
        }
        if own and (isinstance(counter, type) or not hasattr(counter, "set_params")):
            raise ValueError(
                f"unknown parameter {next(iter(own))!r} for the view {name!r}: {counter!r} has no parameters"
            )
        changed.append((name, counter.set_params(**own) if own else counter, blocks))
    return changed
