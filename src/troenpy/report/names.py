"""Names that people say: "TF-PI" for "knn: tf*pi", with the family of the model; "Reuters R8" for "r8".

Pages and terminal tables show these names; the string of the grammar stays beside them, because a command takes it. The
names follow from the grammar, so every method has one; a string that it cannot read is its own name.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from troenpy.experiments.grammar import DEFAULT_C, DEFAULT_K, Columns, Method, Profile, read_method
from troenpy.experiments.methods import OURS

KNN, LOGISTIC, SVM, NBSVM, TRANSPORT, OTHER = "knn", "lr", "svm", "nbsvm", "transport", "other"

#: Families of methods in the order of legends and tables, with the names of their models.
FAMILIES = {
    KNN: "nearest neighbours",
    LOGISTIC: "logistic regression",
    SVM: "linear SVM",
    NBSVM: "NB-SVM",
    TRANSPORT: "optimal transport",
    OTHER: "other methods",
}

#: The same in the little space of a terminal.
_BRIEF = {KNN: "kNN", LOGISTIC: "logistic", SVM: "SVM", NBSVM: "NB-SVM", TRANSPORT: "transport"}
_CORPORA = {
    "bbcsport": "BBC Sport",
    "twitter": "Twitter",
    "ohsumed": "Ohsumed",
    "classic": "Classic",
    "r8": "Reuters R8",
    "amazon": "Amazon",
    "20news": "20 Newsgroups",
}
_FREQUENCIES = {"raw": "TF", "log": "log TF", "sqrt": "√TF", "binary": "BTF", "bm25": "BM25"}
_NORMS = {"l2": "", "hellinger": ", Hellinger", "l1": ", L1", None: ", no norm"}
_SCHEMES = {
    "pcf_present": "PCF₁",
    "pcf_gain": "PCF gain",
    "pcf_boost": "(1 + PCF₁)",
    "delta_idf": "Δ-IDF",
    "chi2": "χ²",
    "gain_ratio": "gain ratio",
    "odds_ratio": "odds ratio",
    "cib_ncf": "CIB-NCF",
    "cib_pcf": "CIB-PCF",
    "cib_ncf_abs": "|CIB-NCF|",
    "cib_pcf_abs": "|CIB-PCF|",
    "certainty": "certainty",
}
_PROFILES = {"document": "class profile", "copies": "class profile", None: "class profile of all rows"}
#: The blocks of terms in our settings, which their ablations share.
_OUR_WEIGHTS = (
    "log TF × √(certainty × IDF) + log TF × (1 + PCF₁) × IDF",
    "TF × √(certainty × IDF), Hellinger",
)
_TRANSPORT = {"wmd": "WMD", "wfr": "WFR", "hott": "HOTT", "hoftt": "HOFTT"}


@dataclass(frozen=True)
class Name:
    """What people call a method.

    Parameters
    ----------
    method : str
        The string that the grammar reads.
    short : str
        The features, such as "TF-PI"; unique within a family.
    family : str
        A key of `FAMILIES`.
    is_ours : bool
        Whether it is one of our recommended settings.
    """

    method: str
    short: str
    family: str
    is_ours: bool

    @property
    def full(self) -> str:
        """The name with its model, such as "TF-PI, nearest neighbours"."""
        return self.short if self.family == OTHER else f"{self.short}, {FAMILIES[self.family]}"

    @property
    def brief(self) -> str:
        """The name with a short word for its model, such as "TF-PI, kNN"."""
        return self.short if self.family == OTHER else f"{self.short}, {_BRIEF[self.family]}"


@lru_cache(maxsize=4096)
def name_of(method: str, *, is_transport: bool = False) -> Name:
    """Return the name that people say for a method.

    Parameters
    ----------
    method : str
    is_transport : bool, default=False
        Whether it ran with word vectors, which a method outside the grammar does not tell.

    Examples
    --------
    >>> name_of("knn: tf*pi").full, name_of("lr: tf*pi + 2b").short, name_of("knn-manhattan: tf*idf/l1").short
    ('TF-PI, nearest neighbours', 'TF-PI + BTF + ECIB', 'TF-IDF, L1')
    >>> name_of("knn3: logtf*rf*idf/hellinger").short, name_of("my own").full
    ('log TF-RF-IDF, Hellinger, k = 3', 'my own')
    >>> name_of("knn: tf*sqrt(certainty*idf)/hellinger & 3*profile").short
    'our weights + 3 × class profile'
    """
    try:
        read = read_method(method)
    except ValueError:
        return Name(method, method, TRANSPORT if is_transport else OTHER, is_ours=False)
    family = TRANSPORT if is_transport or read.is_transport else read.model
    if read.with_k(DEFAULT_K).name in OURS:
        k = "" if read.name in OURS else f", k = {read.k}"
        return Name(method, f"our settings{k}", family, is_ours=not k)
    return Name(method, _features(read) + _model(read), family, is_ours=False)


def corpus_name(setting: str) -> str:
    """Return the name that people say for a corpus, or for a variant of it.

    Examples
    --------
    >>> corpus_name("r8"), corpus_name("r8, 0.5 of training"), corpus_name("mine")
    ('Reuters R8', 'Reuters R8, 0.5 of training', 'mine')
    """
    corpus, comma, rest = setting.partition(",")
    return _CORPORA.get(corpus, corpus) + comma + rest


def _features(method: Method) -> str:
    if method.is_transport:
        return _TRANSPORT.get(method.features[0], method.features[0].upper())
    parts = [_columns(columns) for columns in method.columns]
    joined = " + ".join(parts)
    for weights in _OUR_WEIGHTS:
        joined = joined.replace(weights, "our weights")
    for scheme in ("", *(f" × {_SCHEMES.get(name, name.upper())}" for name in ("pcf", "ncf", "pi"))):
        joined = joined.replace(f"TF-CIB-NCF{scheme} + TF-CIB-PCF{scheme}", f"ECIB{scheme}")
    return joined


def _columns(columns: Columns) -> str:
    blocks = [_block(block.tf, block.scheme, block.norm) for block in columns.blocks]
    return " + ".join(blocks + [_profile(profile) for profile in columns.profiles])


def _block(frequency: str, scheme: str | None, norm: str | None) -> str:
    """Name a block of terms, such as "TF-PI" or "TF × √(certainty × IDF), Hellinger".

    Examples
    --------
    >>> _block("raw", "sqrt(certainty*idf)", "hellinger"), _block("binary", "pcf", "l2")
    ('TF × √(certainty × IDF), Hellinger', 'BTF × PCF')
    """
    tf = _FREQUENCIES[frequency]
    if scheme is None:
        return tf + _NORMS[norm]
    first, *others = scheme.split("*")
    if first.startswith("cib") and others:  # the two halves of ECIB times PCF
        return f"{tf}-{_product(first)} × {_product('*'.join(others))}{_NORMS[norm]}"
    if re.fullmatch(r"[a-z*]+", scheme) and "certainty" not in scheme and frequency != "binary":
        return f"{tf}-{_product(scheme).replace(' × ', '-')}{_NORMS[norm]}"
    is_word = re.fullmatch(r"\w+", scheme) and scheme not in ("pcf_boost", "certainty") and frequency != "binary"
    return f"{tf}{'-' if is_word else ' × '}{_product(scheme)}{_NORMS[norm]}"


def _product(scheme: str) -> str:
    spelled = re.sub(r"[a-z]\w*", lambda word: _word(word[0]), scheme)
    return re.sub(r"√\(([^*()]+)\)", r"√\1", spelled).replace("*", " × ")


def _word(name: str) -> str:
    return "√" if name == "sqrt" else _SCHEMES.get(name, name.upper())


def _profile(profile: Profile) -> str:
    factor = "" if profile.factor == 1 else f"{profile.factor:g} × "
    return factor + _PROFILES[profile.left_out]


def _model(method: Method) -> str:
    """Say what differs from the usual model: the metric, k or C."""
    if method.model == KNN:
        norms = {block.norm for block in method.blocks}
        usual = "manhattan" if norms == {"l1"} else "euclidean"
        metric = "" if method.is_transport or method.metric == usual else f", {method.metric.capitalize()}"
        return metric + ("" if method.k == DEFAULT_K else f", k = {method.k}")
    usual_c = DEFAULT_C if method.model == LOGISTIC else None
    if usual_c == method.C:
        return ""
    return ", C chosen" if method.C is None else f", C = {method.C:g}"
