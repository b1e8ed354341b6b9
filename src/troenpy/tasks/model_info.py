"""What a saved model is: its classes, terms, views and settings, where it comes from, and how well it predicts."""

import html
import os
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from troenpy.display import data_frame, html_table, printable, text_table
from troenpy.features.fitted_view import FittedView
from troenpy.files.drafts import FilePath
from troenpy.persistence.models import load_with_about
from troenpy.tasks.about import About, check_is_model
from troenpy.tasks.training_result import MOST_CLASSES, WIDTH, chosen_settings, percent, shortened, wrapped

#: Settings that are shown, if the model has them.
SETTINGS = ("C", "candidates", "class_weight", "n_neighbors", "weighting", "norm", "random_state")


@dataclass(frozen=True)
class ViewInfo:
    """A view of the text: what is counted, and how many terms are known."""

    name: str
    analyzer: str
    ngram_range: tuple[int, int]
    n_terms: int
    blocks: tuple[str, ...]

    def __str__(self) -> str:
        least, most = self.ngram_range
        lengths = f"{least}" if least == most else f"{least} to {most}"
        return f"{self.name} ({self.analyzer}, n-grams of {lengths}): {self.n_terms:,} terms"


@dataclass(frozen=True, eq=False)
class ModelInfo:
    """What the file of a model says; `print` shows a summary.

    Attributes
    ----------
    path : str
    n_bytes : int
    kind : str
        The name of the estimator's class.
    classes : dict
        The number of documents of each class that the model has learnt from; None if that was not saved.
    views : tuple of ViewInfo
    settings : dict
        Parameters and what was chosen.
    about : About or None
        Where the model comes from, and its error; None unless `train` made it.
    versions : dict
        Of the libraries that saved it.
    """

    path: str
    n_bytes: int
    kind: str
    classes: dict[str, int | None]
    views: tuple[ViewInfo, ...]
    settings: dict[str, Any]
    about: About | None
    versions: dict[str, str]

    @property
    def n_terms(self) -> int:
        """The number of terms, in all views."""
        return sum(view.n_terms for view in self.views)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        about = None if self.about is None else self.about.to_dict()
        views = [{**asdict(view), "ngram_range": [*view.ngram_range], "blocks": [*view.blocks]} for view in self.views]
        return {**vars(self), "n_terms": self.n_terms, "views": views, "about": about}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each class.

        Returns
        -------
        pandas.DataFrame
        """
        results = self._results()
        columns = [
            list(self.classes),
            list(self.classes.values()),
            *([results.get(name, {}).get(field) for name in self.classes] for field in ("precision", "recall", "f1")),
        ]
        return data_frame(["class", "documents", "precision", "recall", "f1"], columns)

    def __str__(self) -> str:
        lines = self._lines()
        if self.classes:
            lines += ["", *text_table([self._header(), *self._rows()], indent="")]
        more = len(self.classes) - MOST_CLASSES
        return "\n".join([*lines, *([f"and {more:,} more classes"] if more > 0 else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = "<br>".join(html.escape(line) for line in self._lines())
        return f"<div><p>{title}</p>{html_table(self._header(), self._rows())}</div>"

    def _lines(self) -> list[str]:
        lines = [f"{printable(self.path)}: {self.kind}, {max(self.n_bytes / 1e6, 0.1):,.1f} MB"]
        lines += [str(view) for view in self.views]
        shown = ", ".join(f"{name} = {_setting(value)}" for name, value in self.settings.items() if value is not None)
        lines += [f"settings: {shown}"] if shown else []
        if self.about is not None:
            lines += _origin(self.about)
        versions = [f"{name} {version}," for name, version in self.versions.items()]
        wrapping: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
        lines = [part for line in lines for part in textwrap.wrap(line, WIDTH, **wrapping)]
        return [*lines, *(wrapped(["saved with", *versions[:-1], versions[-1].rstrip(",")]) if versions else [])]

    def _results(self) -> dict[str, dict[str, Any]]:
        evaluation = None if self.about is None else self.about.evaluation
        return {} if evaluation is None else {one["class"]: one for one in evaluation["classes"]}

    def _header(self) -> list[str]:
        return ["class", "documents", *(["precision", "recall"] if self._results() else [])]

    def _rows(self) -> list[list[str]]:
        results, rows = self._results(), []
        for name, n_documents in sorted(self.classes.items(), key=lambda item: -(item[1] or 0))[:MOST_CLASSES]:
            one = results.get(name, {})
            shares = [percent(one.get("precision")), percent(one.get("recall"))] if results else []
            rows.append([shortened(name), "" if n_documents is None else f"{n_documents:,}", *shares])
        return rows


def info(model: FilePath) -> ModelInfo:
    """Say what a file of a model holds: classes, terms, views, settings, origin, error and versions.

    Parameters
    ----------
    model : path-like
        A file that `train` or `troenpy.save` has written.

    Returns
    -------
    ModelInfo
    """
    check_is_model(model)
    estimator, versions, about = load_with_about(model)
    known = About.from_dict(about)
    return ModelInfo(
        path=os.fspath(model),
        n_bytes=Path(model).stat().st_size,
        kind=type(estimator).__name__,
        classes=_classes(estimator, known),
        views=tuple(map(_view_info, _views(estimator))),
        settings=_settings(estimator),
        about=known,
        versions={str(name): str(version) for name, version in versions.items()},
    )


def _views(estimator: Any) -> list[FittedView]:
    return list(getattr(getattr(estimator, "features_", estimator), "views_", []))


def _view_info(view: FittedView) -> ViewInfo:
    counter = view.counter
    analyzer = "counts" if counter is None else counter.analyzer
    blocks = (*(block.name for block in view.blocks), *(["profile"] if view.profile is not None else []))
    name = analyzer if isinstance(analyzer, str) else "a function"
    return ViewInfo(view.name, name, tuple(counter.ngram_range) if counter else (1, 1), view.n_terms, blocks)


def _classes(estimator: Any, about: About | None) -> dict[str, int | None]:
    """Return the classes with their numbers of documents, where these are known."""
    names = [str(name) for name in getattr(estimator, "classes_", [])]
    if about is not None:
        return {name: about.n_by_class.get(name) for name in names}
    views = _views(estimator)
    sizes = getattr(views[0].counts, "n_docs", None) if views else None
    if sizes is None or len(sizes) != len(names):
        return dict.fromkeys(names)
    return {name: int(size) for name, size in zip(names, sizes, strict=True)}


def _settings(estimator: Any) -> dict[str, Any]:
    found = {name: value for name, value in estimator.get_params(deep=False).items() if name in SETTINGS}
    if hasattr(estimator, "choice_"):
        found["C"] = chosen_settings(estimator)[1]
        found["chosen from"] = [list(views) for views in dict.fromkeys(one.views for one in estimator.choice_.trials)]
    return {name: value if _is_plain(value) else repr(value) for name, value in found.items() if value != []}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(" + ".join(map(str, one)) if isinstance(one, list | tuple) else str(one) for one in value)
    return printable(f"{value:g}" if isinstance(value, float) else str(value))


def _origin(about: About) -> list[str]:
    columns = f"text {' + '.join(map(printable, about.text))}, label {' + '.join(map(printable, about.label))}"
    how = ", in passes" if about.in_passes else ""
    lines = [
        f"trained {about.trained} on {about.n_documents:,} documents of {printable(about.source)}{how}",
        f"columns: {columns}",
    ]
    if about.evaluation is not None:
        found = about.evaluation
        low, high = found["interval"]
        lines.append(
            f"error {100 * found['error']:.2f} % (95 % interval {100 * low:.2f} to {100 * high:.2f} %),"
            f" {printable(str(found['method']))}"
        )
    return lines
