"""The grammar of method names: a model and its features, such as "knn: tf*pi" or "lr: tf*pi + btf + ecib".

    method  = model ": " features, joined by " + "
    model   = "knn", then k unless it is 7, then "-manhattan" or another metric unless it is Euclidean;
              or "lr", "svm" or "nbsvm", then C unless it is 1, or "-cv" to choose C by cross-validation
    feature = blocks, joined by " & "
    block   = tf, then "*" and a scheme of `term_weights` if any, then "/" and a norm unless it is l2
    tf      = "tf", "logtf", "sqrttf", "btf" (binary) or "bm25tf"

"ecib" is short for tf*cib_ncf + tf*cib_pcf, "2b" for btf + ecib; both may be followed by "*" and a scheme. A block may
also be the class profile: "profile" leaves each training row out of its own profile, "profile-copies" also leaves out
its copies, and "profile-all" uses all rows. A factor may precede it, as in "2*profile".

kNN sums the distances of its features; blocks joined by "&" are concatenated into one feature. Linear models
concatenate everything: logistic regression ("lr"), a linear SVM for each class against the rest ("svm"), and NB-SVM
("nbsvm"), which weights the terms by the log-count ratio of each class, so its feature is only a tf and a norm.

Instead of features, kNN accepts an optimal transport distance: "knn: wmd", "knn: wfr", "knn: hott", "knn: hoftt".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from troenpy.features.blocks import Block
from troenpy.features.rows import NORMS, TermFrequency
from troenpy.models.metrics import METRICS
from troenpy.transport.distances import DISTANCES
from troenpy.weights.schemes import check_scheme

TERM_FREQUENCIES: dict[str, TermFrequency] = {
    "tf": "raw",
    "logtf": "log",
    "sqrttf": "sqrt",
    "btf": "binary",
    "bm25tf": "bm25",
}
SHORTHANDS = {"ecib": ("tf*cib_ncf", "tf*cib_pcf"), "2b": ("btf", "ecib")}
LEFT_OUT: dict[str, Literal["document", "copies"] | None] = {
    "profile": "document",
    "profile-copies": "copies",
    "profile-all": None,
}
LINEAR = ("lr", "svm", "nbsvm")
GRAMMAR = "write it like 'knn: tf*pi', 'knn3-manhattan: tf*idf/l1' or 'svm-cv: logtf*rf*idf + 2b + profile'"
DEFAULT_K, DEFAULT_C = 7, 1.0


@dataclass(frozen=True)
class Profile:
    """The class profile times a factor, and what it leaves out for each training row."""

    factor: float
    left_out: Literal["document", "copies"] | None


@dataclass(frozen=True)
class Columns:
    """Concatenated blocks of terms, followed by class profiles."""

    blocks: tuple[Block, ...]
    profiles: tuple[Profile, ...]

    @property
    def has_term_features_profile(self) -> bool:
        """Whether there is exactly one class profile, of the kind that TermFeatures supports."""
        return len(self.profiles) == 1 and self.profiles[0].left_out is not None


@dataclass(frozen=True)
class Method:
    """A model and its features, parsed from a name by `read_method`.

    A linear model has one set of columns, kNN one per distance. C is None if cross-validation chooses it.
    """

    model: str
    k: int
    metric: str
    C: float | None
    features: tuple[str, ...]
    columns: tuple[Columns, ...]

    @property
    def is_transport(self) -> bool:
        """Whether the method uses optimal transport, and so needs word vectors."""
        return not self.columns

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of terms."""
        return tuple(block for columns in self.columns for block in columns.blocks)

    @property
    def name(self) -> str:
        """The shortest spelling of the method."""
        model = self.model
        if model == "knn":
            model += "" if self.k == DEFAULT_K else str(self.k)
            model += "" if self.metric == "euclidean" else f"-{self.metric}"
        elif self.C is None:
            model += "-cv"
        elif self.C != DEFAULT_C:
            model += f"{self.C:g}"
        return f"{model}: {' + '.join(self.features)}"

    def with_k(self, k: int) -> "Method":
        """Return the method with another k; linear models are returned unchanged."""
        return replace(self, k=k) if self.model == "knn" else self


def read_method(name: str) -> Method:
    """Parse the name of a method.

    Examples
    --------
    >>> read_method("knn: tf*rf*idf/hellinger").blocks
    (Block(name='tf*rf*idf/hellinger', scheme='rf*idf', tf='raw', norm='hellinger', takes_pcf=False),)
    >>> read_method("lr:tf*pi+2b").name
    'lr: tf*pi + btf + ecib'
    >>> read_method("svm-cv: btf & 1*profile").name
    'svm-cv: btf + profile'
    """
    model, colon, rest = name.partition(":")
    match = re.fullmatch(r"\s*(?:(lr|svm|nbsvm)(-cv|\d+(?:\.\d+)?)?|knn(\d*)(?:-(\w+))?)\s*", model)
    if not (match and colon):
        raise ValueError(f"cannot read method {name!r}: {GRAMMAR}")
    linear, strength = match[1], match[2]
    k, metric = int(match[3] or DEFAULT_K), match[4] or "euclidean"
    if metric not in METRICS or k < 1:
        raise ValueError(
            f"cannot read method {name!r}: k must be 1 or more, and the metric one of {', '.join(METRICS)}"
        )
    C = None if strength == "-cv" else float(strength or DEFAULT_C)
    if C is not None and not 0 < C < float("inf"):
        raise ValueError(f"cannot read method {name!r}: C must be positive")
    if rest.strip() in DISTANCES and not linear:
        if metric != "euclidean":
            raise ValueError(f"cannot read method {name!r}: {rest.strip()} is itself a distance: leave out the metric")
        return Method("knn", k, metric, C, (rest.strip(),), ())
    if linear:
        rest = rest.replace("&", "+")
    features = tuple(part for text in rest.split("+") for part in _features(text, name))
    if len(set(features)) < len(features):
        raise ValueError(f"cannot read method {name!r}: each feature may occur once")
    spaces = [space for text in features for space in _expand(text)]
    if linear:
        spaces = [[text for space in spaces for text in space]]
    columns = tuple(_columns(space, name) for space in spaces)
    if linear:
        _check_model(linear, columns[0], name)
    return Method(linear or "knn", k, metric, C, features, columns)


def _check_model(model: str, columns: Columns, name: str) -> None:
    """Raise for columns that a linear model does not accept."""
    n_columns = len(columns.blocks) + len(columns.profiles)
    if model == "nbsvm" and (n_columns > 1 or columns.profiles or columns.blocks[0].scheme):
        raise ValueError(
            f"cannot read method {name!r}: NB-SVM takes one feature without a scheme, such as 'nbsvm: btf'"
        )
    if model == "lr" and columns.profiles and not columns.has_term_features_profile:
        raise ValueError(
            f"cannot read method {name!r}: logistic regression takes one class profile, 'profile' or 'profile-copies'"
        )


def _features(text: str, name: str) -> list[str]:
    """Return a feature in its shortest spelling; 2b becomes two features, unless joined to others by "&"."""
    blocks = [part for block in re.sub(r"\s", "", text).split("&") for part in _abbreviate(block, name)]
    return [" & ".join(blocks)] if "&" in text else blocks


def _abbreviate(text: str, name: str) -> list[str]:
    """Return a block in its shortest spelling; 2b becomes two blocks."""
    factor, _, profile = text.rpartition("*")
    if profile in LEFT_OUT and re.fullmatch(r"(\d+(\.\d+)?)?", factor):
        return [profile if float(factor or 1) == 1 else f"{float(factor):g}*{profile}"]
    text = text.removesuffix("/l2")
    tf = re.split(r"[*/]", text)[0]
    if tf == "2b":
        return [part + text[2:] for part in SHORTHANDS["2b"]]
    if tf not in (*TERM_FREQUENCIES, "ecib"):
        known = ", ".join([*TERM_FREQUENCIES, *SHORTHANDS, *LEFT_OUT])
        raise ValueError(
            f"cannot read {text!r} in method {name!r}: a feature starts with one of {known}, "
            f"or for kNN is a distance, one of {', '.join(DISTANCES)}; {GRAMMAR}"
        )
    return [text]


def _expand(feature: str) -> list[list[str]]:
    """Return the blocks to concatenate; the two blocks of ECIB stay apart, unless joined to others by "&"."""
    blocks = []
    for block in feature.split(" & "):
        blocks += [part + block[4:] for part in SHORTHANDS["ecib"]] if block.startswith("ecib") else [block]
    return [blocks] if "&" in feature else [[block] for block in blocks]


def _columns(texts: list[str], name: str) -> Columns:
    parts = [(text.rpartition("*"), text) for text in texts]
    profiles = [Profile(float(factor or 1), LEFT_OUT[last]) for (factor, _, last), _ in parts if last in LEFT_OUT]
    blocks = [_block(text, name) for (_, _, last), text in parts if last not in LEFT_OUT]
    return Columns(tuple(blocks), tuple(profiles))


def _block(text: str, name: str) -> Block:
    product, slash, norm = text.partition("/")
    tf, star, scheme = product.partition("*")
    if (slash and norm not in (*NORMS, "none")) or (star and not scheme) or tf not in TERM_FREQUENCIES:
        norms = ", ".join("none" if known is None else known for known in NORMS)
        raise ValueError(f"cannot read {text!r} in method {name!r}: norms are {norms}; {GRAMMAR}")
    if star:
        check_scheme(scheme, smoothing=1.0)
    chosen = {"none": None, "": "l2"}.get(norm, norm)
    return Block(text, scheme or None, TERM_FREQUENCIES[tf], chosen)  # type: ignore[arg-type]


def read_methods(names: Iterable[str | Method], ks: Iterable[int] | None = None) -> list[Method]:
    """Parse method names, dropping repetitions; with `ks`, kNN methods are repeated for every k."""
    if isinstance(names, str):
        raise TypeError(f"methods must be a list of names, got the string {names!r}: write [{names!r}]")
    methods = [name if isinstance(name, Method) else read_method(_checked_name(name)) for name in names]
    if ks is not None:
        sweep = list(dict.fromkeys(ks))
        if not sweep or not all(isinstance(k, int) and k >= 1 for k in sweep):
            raise ValueError(f"ks must be whole numbers of 1 or more, got {sweep}")
        sweep = sorted(sweep)
        methods = [method.with_k(k) for method in methods for k in sweep]
    return list({method.name: method for method in methods}.values())


def _checked_name(name: Any) -> str:
    if isinstance(name, str):
        return name
    what = getattr(name, "__name__", None) or type(name).__name__
    raise TypeError(
        f"a method must be a name such as 'knn: tf*pi' or 'lr: tf*pi + 2b', got {what}: "
        "to evaluate your own estimator, use scikit-learn's cross_val_score"
    )


def name_parts(name: str) -> dict[str, Any]:
    """Split a name such as "knn3-manhattan: tf" into its parts; other names count as `features` as a whole."""
    parts = re.fullmatch(r"([A-Za-z_]+)(\d*)([^:]*): *(.*)", name, flags=re.DOTALL)
    if parts is None:
        return {"model": "other", "features": name, "k": None, "family": name}
    model, digits, rest, features = parts.groups()
    k = int(digits) if digits else DEFAULT_K if model == "knn" else None
    return {"model": model, "features": features, "k": k, "family": f"{model}{rest}: {features}"}
