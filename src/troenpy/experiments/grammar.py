"""The grammar of methods: features and a model, such as "knn: tf*pi" or "lr: tf*pi + btf + ecib".

    method  = model ": " features, joined by " + "
    model   = "knn", with k if it is not 7, "-manhattan" or another metric if it is not Euclidean;
              or "lr", "svm" or "nbsvm", with C if it is not 1, "-cv" if C is chosen by cross-validation
    feature = blocks, joined by " & "
    block   = tf, "*" and a scheme of `term_weights` if any, "/" and a norm if it is not l2
    tf      = "tf", "logtf", "sqrttf", "btf" (binary) or "bm25tf"

"ecib" stands for tf*cib_ncf + tf*cib_pcf, "2b" for btf + ecib; both may be followed by "*" and a scheme. A block may
also be the class profile: "profile", a training row profiled without itself; "profile-copies", without its copies
either; "profile-all", with all rows; a factor may stand in front, as in "2*profile".

kNN adds the distances in several features; blocks joined by "&" are side by side in one. The linear models put all
side by side: logistic regression ("lr"), the linear SVM of each class against the rest ("svm"), and NB-SVM ("nbsvm"),
in which each class against the rest has terms weighted by its own log-count ratio: its feature is a tf and a norm.

Instead of features, kNN may have a distance by optimal transport: "knn: wmd", "knn: wfr", "knn: hott", "knn: hoftt".
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
GRAMMAR = "write it as 'knn: tf*pi', 'knn3-manhattan: tf*idf/l1' or 'svm-cv: logtf*rf*idf + 2b + profile'"
DEFAULT_K, DEFAULT_C = 7, 1.0


@dataclass(frozen=True)
class Profile:
    """The class profile times a factor, and what is left out of it for a training row."""

    factor: float
    left_out: Literal["document", "copies"] | None


@dataclass(frozen=True)
class Columns:
    """Blocks of terms side by side, then class profiles."""

    blocks: tuple[Block, ...]
    profiles: tuple[Profile, ...]

    @property
    def has_term_features_profile(self) -> bool:
        """Whether there is one class profile, which leaves training documents out, as TermFeatures have it."""
        return len(self.profiles) == 1 and self.profiles[0].left_out is not None


@dataclass(frozen=True)
class Method:
    """Features and a model, as `read_method` reads them from a name.

    A linear model has one set of columns, kNN one for each distance; C is None if it is to be chosen.
    """

    model: str
    k: int
    metric: str
    C: float | None
    features: tuple[str, ...]
    columns: tuple[Columns, ...]

    @property
    def is_transport(self) -> bool:
        """Whether neighbours are those by optimal transport, which takes word vectors."""
        return not self.columns

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of terms."""
        return tuple(block for columns in self.columns for block in columns.blocks)

    @property
    def name(self) -> str:
        """The shortest name of the method."""
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
        """Return the same method with other neighbours; a linear model has none and stays as it is."""
        return replace(self, k=k) if self.model == "knn" else self


def read_method(name: str) -> Method:
    """Read a method from its name.

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
        raise ValueError(f"cannot read method {name!r}: k is 1 or more, and the metric one of {', '.join(METRICS)}")
    C = None if strength == "-cv" else float(strength or DEFAULT_C)
    if C is not None and not 0 < C < float("inf"):
        raise ValueError(f"cannot read method {name!r}: C must be positive")
    if rest.strip() in DISTANCES and not linear:
        if metric != "euclidean":
            raise ValueError(f"cannot read method {name!r}: {rest.strip()} is a distance itself, so write 'knn: wmd'")
        return Method("knn", k, metric, C, (rest.strip(),), ())
    if linear:
        rest = rest.replace("&", "+")
    features = tuple(part for text in rest.split("+") for part in _features(text, name))
    if len(set(features)) < len(features):
        raise ValueError(f"cannot read method {name!r}: features repeat")
    spaces = [space for text in features for space in _expanded(text)]
    if linear:
        spaces = [[text for space in spaces for text in space]]
    columns = tuple(_columns(space, name) for space in spaces)
    if linear:
        _check_model(linear, columns[0], name)
    return Method(linear or "knn", k, metric, C, features, columns)


def _check_model(model: str, columns: Columns, name: str) -> None:
    """Raise for columns that a linear model does not take."""
    n_columns = len(columns.blocks) + len(columns.profiles)
    if model == "nbsvm" and (n_columns > 1 or columns.profiles or columns.blocks[0].scheme):
        raise ValueError(f"cannot read method {name!r}: NB-SVM has one feature, without a scheme, as in 'nbsvm: btf'")
    if model == "lr" and columns.profiles and not columns.has_term_features_profile:
        raise ValueError(
            f"cannot read method {name!r}: logistic regression has one class profile, 'profile' or 'profile-copies'"
        )


def _features(text: str, name: str) -> list[str]:
    """Return a feature in its shortest spelling; 2b is two, unless it stands beside others."""
    blocks = [part for block in re.sub(r"\s", "", text).split("&") for part in _shortest(block, name)]
    return [" & ".join(blocks)] if "&" in text else blocks


def _shortest(text: str, name: str) -> list[str]:
    """Return a block in its shortest spelling; 2b is two."""
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
            f"cannot read {text!r} in method {name!r}: features begin with one of {known}, "
            f"or kNN has a distance, one of {', '.join(DISTANCES)}; {GRAMMAR}"
        )
    return [text]


def _expanded(feature: str) -> list[list[str]]:
    """Return what is side by side; the two blocks of ECIB are apart, unless they stand beside others."""
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
    """Read methods, each once; with `ks`, those of kNN once for every k."""
    if isinstance(names, str):
        raise TypeError(f"methods must be a list of names, got the text {names!r}: write [{names!r}]")
    methods = [name if isinstance(name, Method) else read_method(_checked_name(name)) for name in names]
    if ks is not None:
        sweep = list(dict.fromkeys(ks))
        if not sweep or not all(isinstance(k, int) and k >= 1 for k in sweep):
            raise ValueError(f"ks must be numbers of neighbours, 1 or more, got {sweep}")
        sweep = sorted(sweep)
        methods = [method.with_k(k) for method in methods for k in sweep]
    return list({method.name: method for method in methods}.values())


def _checked_name(name: Any) -> str:
    if isinstance(name, str):
        return name
    what = getattr(name, "__name__", None) or type(name).__name__
    raise TypeError(
        f"a method is named by text, such as 'knn: tf*pi' or 'lr: tf*pi + 2b', got {what}: only features and models "
        "that have a name here can be run; score your own with scikit-learn's cross_val_score"
    )


def name_parts(name: str) -> dict[str, Any]:
    """Take a name apart, "knn3-manhattan: tf" for instance; of a name that is built otherwise, all is `features`."""
    parts = re.fullmatch(r"([A-Za-z_]+)(\d*)([^:]*): *(.*)", name, flags=re.DOTALL)
    if parts is None:
        return {"model": "other", "features": name, "k": None, "family": name}
    model, digits, rest, features = parts.groups()
    k = int(digits) if digits else DEFAULT_K if model == "knn" else None
    return {"model": model, "features": features, "k": k, "family": f"{model}{rest}: {features}"}
