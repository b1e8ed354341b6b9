"""Methods by name: weighting x tf x norm x model, such as "knn: tf*pi" or "lr: tf*pi + btf + ecib".

    method = model ": " features, joined by " + "
    model  = "knn", with k if it is not 7, "-manhattan" or another metric if it is not Euclidean; or "lr"
    features = tf, "*" and a scheme of `term_weights` if any, "/" and a norm if it is not l2
    tf     = "tf", "logtf", "sqrttf", "btf" (binary) or "bm25tf"

"ecib" stands for tf*cib_ncf + tf*cib_pcf, "2b" for btf + ecib; both may be followed by "*" and a scheme. kNN adds the
distances in several features, logistic regression (L2, C = 1) puts them side by side.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from troenpy.neighbors import METRICS
from troenpy.rows import NORMS, Norm, TermFrequency
from troenpy.schemes import WEIGHTS, check_scheme

TERM_FREQUENCIES: dict[str, TermFrequency] = {
    "tf": "raw",
    "logtf": "log",
    "sqrttf": "sqrt",
    "btf": "binary",
    "bm25tf": "bm25",
}
SHORTHANDS = {"ecib": ("tf*cib_ncf", "tf*cib_pcf"), "2b": ("btf", "ecib")}
GRAMMAR = "write it as 'knn: tf*pi', 'knn3-manhattan: tf*idf/l1' or 'lr: logtf*rf*idf + btf + ecib'"
DEFAULT_K = 7


@dataclass(frozen=True)
class Block:
    """Columns of tf x weight, normalised by row; without a scheme every term weighs 1."""

    tf: TermFrequency
    scheme: str | None
    norm: Norm | None


@dataclass(frozen=True)
class Method:
    """Features and a model, as `read_method` reads them from a name."""

    model: str
    k: int
    metric: str
    features: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        """The shortest name of the method."""
        model = self.model
        if model == "knn":
            model += "" if self.k == DEFAULT_K else str(self.k)
            model += "" if self.metric == "euclidean" else f"-{self.metric}"
        return f"{model}: {' + '.join(self.features)}"

    def with_k(self, k: int) -> "Method":
        """Return the same method with other neighbours; logistic regression has none and stays as it is."""
        return replace(self, k=k) if self.model == "knn" else self


def read_method(name: str) -> Method:
    """Read a method from its name.

    Examples
    --------
    >>> read_method("knn: tf*rf*idf/hellinger").blocks
    (Block(tf='raw', scheme='rf*idf', norm='hellinger'),)
    >>> read_method("lr:tf*pi+2b").name
    'lr: tf*pi + btf + ecib'
    """
    model, colon, rest = name.partition(":")
    match = re.fullmatch(r"\s*(?:(lr)|knn(\d*)(?:-(\w+))?)\s*", model)
    if not (match and colon):
        raise ValueError(f"cannot read method {name!r}: {GRAMMAR}")
    metric = match[3] or "euclidean"
    k = int(match[2] or DEFAULT_K)
    if metric not in METRICS or k < 1:
        raise ValueError(f"cannot read method {name!r}: k is 1 or more, and the metric one of {', '.join(METRICS)}")
    features = tuple(part for text in rest.split("+") for part in _features(text.strip(), name))
    blocks = tuple(_block(part, name) for text in features for part in _expanded(text))
    if len(set(features)) < len(features):
        raise ValueError(f"cannot read method {name!r}: features repeat")
    return Method("lr" if match[1] else "knn", k, metric, features, blocks)


def _features(text: str, name: str) -> list[str]:
    """Return a feature in its shortest spelling; 2b is two."""
    text = text.replace(" ", "").removesuffix("/l2")
    tf = re.split(r"[*/]", text)[0]
    if tf == "2b":
        return [part + text[2:] for part in SHORTHANDS["2b"]]
    if tf not in (*TERM_FREQUENCIES, "ecib"):
        known = ", ".join([*TERM_FREQUENCIES, *SHORTHANDS])
        raise ValueError(f"cannot read {text!r} in method {name!r}: features begin with one of {known}; {GRAMMAR}")
    return [text]


def _expanded(feature: str) -> list[str]:
    if not feature.startswith("ecib"):
        return [feature]
    return [part + feature[4:] for part in SHORTHANDS["ecib"]]


def _block(text: str, name: str) -> Block:
    product, slash, norm = text.partition("/")
    tf, star, scheme = product.partition("*")
    if (slash and norm not in (*NORMS, "none")) or (star and not scheme) or tf not in TERM_FREQUENCIES:
        norms = ", ".join("none" if known is None else known for known in NORMS)
        raise ValueError(f"cannot read {text!r} in method {name!r}: norms are {norms}; {GRAMMAR}")
    if star:
        check_scheme(scheme, smoothing=1.0)
    chosen = {"none": None, "": "l2"}.get(norm, norm)
    return Block(TERM_FREQUENCIES[tf], scheme or None, chosen)  # type: ignore[arg-type]


def read_methods(names: Iterable[str | Method], ks: Iterable[int] | None = None) -> list[Method]:
    """Read methods, each once; with `ks`, those of kNN once for every k."""
    methods = [name if isinstance(name, Method) else read_method(name) for name in names]
    if ks is not None:
        sweep = sorted(set(ks))
        if not sweep or sweep[0] < 1:
            raise ValueError(f"ks must be numbers of neighbours, 1 or more, got {sweep}")
        methods = [method.with_k(k) for method in methods for k in sweep]
    return list({method.name: method for method in methods}.values())


#: What the paper compares: TF-IDF and TF-PI by kNN, TF-PI with and without 2B by logistic regression, and its six
#: settings of BTF and ECIB, each with and without PCF.
PAPER = (
    "knn: tf*idf",
    "knn: tf*pi",
    "lr: tf*pi",
    "lr: tf*pi + 2b",
    "lr: btf",
    "lr: ecib",
    "lr: 2b",
    "lr: btf*pcf",
    "lr: ecib*pcf",
    "lr: 2b*pcf",
)
#: What its reviewers asked for: the parts of PI apart, other norms, log tf, and the best-known weights of others.
RIVALS = (
    "knn: tf",
    "knn: tf*pcf",
    "knn: tf*ncf*idf",
    "knn: tf*idf + btf",
    "knn-manhattan: tf*idf/l1",
    "knn: tf*idf/hellinger",
    "knn: logtf*idf",
    "knn: tf*rf",
    "knn: tf*delta_idf",
    "knn: tf*bns",
    "knn: tf*odds_ratio",
    "knn: tf*chi2",
    "knn: tf*ig",
    "knn: tf*rf*idf/hellinger",
    "knn: tf*sqrt(pcf_present)*idf/hellinger",
    "lr: tf*idf",
    "lr: logtf*idf",
    "lr: tf*rf",
)
#: Every weight there is, under both norms by kNN, and by logistic regression.
ALL_WEIGHTS = tuple(
    pattern.format(weight) for pattern in ("knn: tf*{}", "knn: tf*{}/hellinger", "lr: tf*{}") for weight in WEIGHTS
)
