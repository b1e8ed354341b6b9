"""Save and load fitted estimators: one safetensors file, arrays and a JSON header, nothing that can run.

Each class has a pair of functions here, from its fitted state to JSON and arrays and back. Loading builds only
the classes of the table below, from parameters that are plain values.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from troenpy._kernel.neighbors import LARGEST_INT32, Space
from troenpy.counts.class_counts import ClassCounts
from troenpy.features.blocks import BLOCKS, PROFILE
from troenpy.features.class_profile import ClassProfile
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.tallies import Tally
from troenpy.features.term_features import TermFeatures
from troenpy.features.term_weighter import TermWeighter
from troenpy.features.tfpi_vectorizer import TfPiVectorizer
from troenpy.files import archive
from troenpy.files.archive import Arrays
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.neighbors import SparseKNeighborsClassifier, read_metric
from troenpy.models.text_neighbors import TextKNeighborsClassifier

FILE_VERSION = 1
# Classes in one array of numpy's strings all take the room of the longest: a small file must not make a huge array.
MOST_CHARACTERS = 2**26
DEEPEST = 50  # a classifier with features whose stop words are a list takes 10


def save(model: Any, path: archive.FilePath) -> None:
    """Write a fitted estimator to one safetensors file; equal models give equal bytes.

    Parameters
    ----------
    model : CountVectorizer, TermWeighter, ClassProfile, TfPiVectorizer, TermFeatures, TroenpyClassifier, \
SparseKNeighborsClassifier or TextKNeighborsClassifier
        Functions among its parameters (a scheme, a tokenizer) cannot be saved, nor random states and splitters:
        use pickle for those. The file of a classifier by neighbours holds its training rows.
    path : path-like
        The file; one that is there is replaced, whole or not at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from troenpy import TfPiVectorizer, load, save
    >>> vectorizer = TfPiVectorizer().fit(["a goal", "own goal", "the vote"], ["sport", "sport", "politics"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(vectorizer, pathlib.Path(folder) / "model.safetensors")
    ...     again = load(pathlib.Path(folder) / "model.safetensors")
    >>> again.vocabulary_ == vectorizer.vocabulary_
    True
    """
    state, arrays = _pack(model)
    versions = {name: version(name) for name in ("troenpy", "numpy", "scipy", "scikit-learn")}
    versions["python"] = platform.python_version()
    archive.write(path, {"kind": "model", "version": FILE_VERSION, "versions": versions, "state": state}, arrays)


def load(path: archive.FilePath, *, allow_reading_files: bool = False) -> Any:
    """Read an estimator that `save` wrote; nothing in the file is run, everything is checked.

    Parameters
    ----------
    path : path-like
        The file.
    allow_reading_files : bool, default=False
        Load a model whose `input` is "filename" or "file" too. It reads whatever file its data names: allow it if you
        trust both.

    Returns
    -------
    estimator

    Raises
    ------
    ValueError
        If the file is damaged, or holds anything but a sound model.

    Examples
    --------
    >>> load("no such file")
    Traceback (most recent call last):
        ...
    FileNotFoundError: there is no file no such file
    """
    header, arrays = archive.read(path, "model", FILE_VERSION)
    try:
        _check_state(header["state"], allow_reading_files=allow_reading_files)
        return _unpack(header["state"], arrays)
    except Exception as error:  # whatever the values of a stranger make a constructor or numpy raise
        raise ValueError(f"{path} does not hold a sound model: {archive.reason(error)}") from None


def _check_state(state: Any, *, allow_reading_files: bool) -> None:
    """Raise for a model that reads files or holds estimators without end, wherever in the header it says so."""
    level = [state]
    for _ in range(DEEPEST):
        if not level:
            return
        for part in level:
            way = part.get("input") if isinstance(part, dict) else None
            if way in ("filename", "file") and not allow_reading_files:
                raise ValueError(
                    f"its input={way!r} reads the files that its data names: "
                    "if you trust it, load(path, allow_reading_files=True)"
                )
        nested = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = list(chain.from_iterable(nested))
    raise ValueError(f"its header is nested more than {DEEPEST} times")


@dataclass(frozen=True)
class _Kind:
    """How the fitted state of a class goes into JSON and arrays, and comes back."""

    cls: Any
    pack: Callable[[Any], tuple[dict[str, Any] | None, Arrays]]
    unpack: Callable[[Any, dict[str, Any], Arrays], None]


def _pack(model: Any) -> tuple[dict[str, Any], Arrays]:
    kind = _KINDS.get(type(model).__name__)
    if kind is None or type(model) is not kind.cls:
        known = ", ".join(_KINDS)
        raise TypeError(f"save takes one of {known}, got {type(model).__name__}: use pickle for anything else")
    parameters = {
        name: _encoded(value, f"{name} of {type(model).__name__}")
        for name, value in model.get_params(deep=False).items()
    }
    fitted, arrays = kind.pack(model)
    return {"class": type(model).__name__, "parameters": parameters, "fitted": fitted}, arrays


def _unpack(state: dict[str, Any], arrays: Arrays) -> Any:
    kind = _KINDS.get(state["class"])
    if kind is None:
        raise ValueError(f"it names the class {state['class']!r}; known are {', '.join(_KINDS)}")
    model = kind.cls(**{name: _decoded(value) for name, value in state["parameters"].items()})
    kind.unpack(model, state["fitted"], arrays)
    return model


# Parameters: plain values, and a few more under a tag.


def _encoded(value: Any, owner: str) -> Any:
    if value is None or isinstance(value, str | bool | int | np.bool_ | np.integer):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float | np.floating):
        return {"float": float(value).hex()}
    if isinstance(value, tuple | list | set | frozenset):
        tag = type(value).__name__
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return {tag: [_encoded(item, owner) for item in items]}
    if isinstance(value, dict):
        return {"dict": [[_encoded(key, owner), _encoded(item, owner)] for key, item in value.items()]}
    if isinstance(value, slice):
        return {"slice": [_encoded(part, owner) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"dtype": np.dtype(value).str}
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return {"list": [_encoded(item, owner) for item in value.tolist()]}
    if type(value).__name__ in _KINDS:
        return {"estimator": _pack(value)[0]}
    what = "a function" if callable(value) else f"a {type(value).__name__}"
    raise TypeError(f"{owner} is {what}, which cannot be saved without code: use a name, a number or a list, or pickle")


_TAGS: dict[str, Callable[[Any], Any]] = {
    "float": float.fromhex,
    "tuple": lambda items: tuple(map(_decoded, items)),
    "list": lambda items: list(map(_decoded, items)),
    "set": lambda items: set(map(_decoded, items)),
    "frozenset": lambda items: frozenset(map(_decoded, items)),
    "dict": lambda items: {_decoded(key): _decoded(item) for key, item in items},
    "slice": lambda parts: _decoded_slice(*parts),
    "dtype": lambda name: np.dtype(name).type,
    "estimator": lambda state: _unpack({**state, "fitted": None}, {}),
}


def _decoded(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    return _TAGS[tag](content)


def _decoded_slice(start: Any, stop: Any, step: Any) -> slice:
    if not all(part is None or type(part) is int for part in (start, stop, step)):
        raise TypeError(f"a slice has the parts {start!r}, {stop!r} and {step!r}, which are not all whole numbers")
    return slice(start, stop, step)


# Fitted state. None stands for a model that is not fitted.


def _at(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays below a prefix."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _below(prefix: str, arrays: Arrays) -> Arrays:
    """Put arrays below a prefix."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def _pack_counter(model: CountVectorizer) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "vocabulary_"):
        return None, {}
    columns = sorted(model.vocabulary_.items(), key=lambda item: item[1])
    if [column for _, column in columns] != list(range(len(columns))) or not all(
        isinstance(t, str) for t, _ in columns
    ):
        raise TypeError("a vocabulary with terms that are not strings, or with gaps, cannot be saved: use pickle")
    terms = np.array([*(term for term, _ in columns), ""], dtype=object)[:-1]
    return {"is_fixed": bool(model.fixed_vocabulary_)}, archive.packed("terms", terms)


def _unpack_counter(model: CountVectorizer, fitted: Any, arrays: Arrays) -> None:
    if fitted is not None:
        terms = archive.unpacked("terms", arrays)
        model.vocabulary_ = {term: column for column, term in enumerate(terms)}
        model.fixed_vocabulary_ = bool(fitted["is_fixed"])
        if len(model.vocabulary_) < len(terms):
            raise ValueError("a term of the vocabulary repeats")


def _pack_weighter(model: TermWeighter) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "counts_"):
        return None, {}
    arrays = _below("counts.", model.counts_.to_arrays())
    arrays["total_length"] = np.array([model.total_length_])
    if hasattr(model, "weights_"):
        arrays["weights"] = model.weights_
    return {"is_named": hasattr(model, "feature_names_in_")}, arrays


def _unpack_weighter(model: TermWeighter, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    model.counts_ = ClassCounts.from_arrays(_at("counts.", arrays))
    model.total_length_ = float(arrays["total_length"].item())
    model.n_features_in_ = len(model.counts_.term_docs)
    if fitted["is_named"]:
        model.feature_names_in_ = np.array(model.counts_.terms)
    if "weights" in arrays:
        model.weights_ = _checked(arrays["weights"], (model.n_features_in_,))


def _pack_profile(model: ClassProfile) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "counts_"):
        return None, {}
    return {"is_named": hasattr(model, "feature_names_in_")}, _below("counts.", model.counts_.to_arrays())


def _unpack_profile(model: ClassProfile, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    counts = ClassCounts.from_arrays(_at("counts.", arrays))
    model.counts_, model.n_features_in_ = counts, len(counts.term_docs)
    if fitted["is_named"]:
        model.feature_names_in_ = np.array(counts.terms)
    if np.count_nonzero(counts.n_docs) > 1:
        model.learn(counts)


def _pack_vectorizer(model: TfPiVectorizer) -> tuple[dict[str, Any] | None, Arrays]:
    model._settle()
    weighter = getattr(model, "_weighter", None)
    tally = model._tallies[0] if hasattr(model, "_tallies") else None
    fitted, arrays = _pack_counter(model)
    if weighter is None and tally is None:
        return None, {}
    if weighter is not None:
        arrays |= _below("weighter.", _pack_weighter(weighter)[1])
    if tally is not None:
        arrays |= _below("tally.counts.", tally.counts.to_arrays())
        arrays |= {"tally.frequency": tally.frequency, "tally.occurrences": tally.occurrences}
    n_documents = None if tally is None else tally.n_documents
    return {"counter": fitted, "n_documents": n_documents, "is_weighted": weighter is not None}, arrays


def _unpack_vectorizer(model: TfPiVectorizer, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    _unpack_counter(model, fitted["counter"], arrays)
    if fitted["n_documents"] is not None:
        counts = ClassCounts.from_arrays(_at("tally.counts.", arrays))
        shape = counts.term_docs.shape
        frequency, occurrences = (_checked(arrays[f"tally.{name}"], shape) for name in ("frequency", "occurrences"))
        model._tallies = [Tally(counts, int(fitted["n_documents"]), frequency, occurrences)]
    if fitted["is_weighted"]:
        model._weighter = model._new_weighter()
        _unpack_weighter(model._weighter, {"is_named": False}, _at("weighter.", arrays))
        if model._weighter.n_features_in_ != len(model.vocabulary_):
            raise ValueError("vocabulary and counts differ in size")


def _pack_features(model: TermFeatures) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "weights_"):
        return None, {}
    arrays = {"weights": model.weights_, **_below("counts.", model._counts.to_arrays())}
    counter, names = None, getattr(model, "feature_names_in_", None)
    if model.input != "counts":
        counter, terms = _pack_counter(model._counter)
        arrays |= _below("counter.", terms)
    if names is not None:
        arrays |= archive.packed("names", names)
    return {"blocks": [block.name for block in model.blocks_], "counter": counter}, arrays


def _unpack_features(model: TermFeatures, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    known = {block.name: block for blocks in BLOCKS.values() for block in blocks}
    model.blocks_ = [known[name] for name in fitted["blocks"]]
    model._counts = ClassCounts.from_arrays(_at("counts.", arrays))
    n_terms = len(model._counts.term_docs)
    model.weights_ = _checked(arrays["weights"], (len(model.blocks_), n_terms))
    model.profile_ = model._new_profile().learn(model._counts) if PROFILE in model.blocks else None
    if model.input == "counts":
        model.n_features_in_ = n_terms
    else:
        model._counter = model._new_counter()
        _unpack_counter(model._counter, fitted["counter"], _at("counter.", arrays))
        if len(model.vocabulary_) != n_terms:
            raise ValueError("vocabulary and counts differ in size")
    if archive.is_packed("names", arrays):
        model.feature_names_in_ = archive.unpacked("names", arrays)


def _pack_classifier(model: TroenpyClassifier) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "coef_"):
        return None, {}
    features, arrays = _pack(model.features_)
    arrays = _below("features.", arrays) | archive.packed("classes", model.classes_)
    arrays |= {"coef": model.coef_, "intercept": model.intercept_}
    return {"features": features, "is_multilabel": model._is_multilabel}, arrays


def _unpack_classifier(model: TroenpyClassifier, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    model.features_ = _unpack(fitted["features"], _at("features.", arrays))
    if not isinstance(model.features_, TermFeatures):
        raise TypeError("its features are no TermFeatures")
    model.classes_ = archive.unpacked("classes", arrays)
    model._is_multilabel = bool(fitted["is_multilabel"])
    n_decisions = 1 if len(model.classes_) == 2 and not model._is_multilabel else len(model.classes_)
    model.coef_ = _checked(arrays["coef"], (n_decisions, model.features_.n_columns_))
    model.intercept_ = _checked(arrays["intercept"], (n_decisions,), may_be_infinite=True)


def _pack_neighbors(model: SparseKNeighborsClassifier) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "classes_"):
        return None, {}
    dtype = model.classes_.dtype
    has_strings = dtype.kind == "U"
    if not has_strings and (dtype.kind not in "Obiuf" or dtype.itemsize > 8):
        raise TypeError(f"classes of type {dtype} cannot be saved: use strings or numbers, or pickle")
    arrays = archive.packed("classes", model.classes_.astype(object) if has_strings else model.classes_)
    arrays["codes"] = model._codes.astype(np.int64)
    for number, space in enumerate(model._spaces):
        indptr, indices, data = space.rows.indptr, space.rows.indices, space.rows.data
        index = _index_type(space.rows.shape, len(data))
        rows = {"indptr": indptr.astype(index), "indices": indices.astype(index), "data": data}
        arrays |= _below(f"rows{number}.", rows)
    if hasattr(model, "feature_names_in_"):
        arrays |= archive.packed("names", model.feature_names_in_)
    blocks = [[_encoded(columns, "metric"), metric] for columns, metric in model._blocks]
    return {"blocks": blocks, "n_features": int(model.n_features_in_), "has_strings": has_strings}, arrays


def _unpack_neighbors(model: SparseKNeighborsClassifier, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    model._check_parameters()
    model.n_features_in_ = n_features = _checked_count(fitted["n_features"])
    blocks = [(_decoded(columns), metric) for columns, metric in fitted["blocks"]]
    is_whole = [columns for columns, _ in blocks] == [None]
    model._blocks = read_metric(blocks[0][1] if is_whole else dict(enumerate(blocks)), n_features)
    model.classes_ = _checked_classes(archive.unpacked("classes", arrays), has_strings=fitted["has_strings"])
    model._codes = codes = arrays["codes"]
    model.n_samples_fit_ = _checked_count(len(codes))
    if codes.ndim != 1 or codes.dtype != np.int64 or codes.min() < 0 or codes.max() >= len(model.classes_):
        raise ValueError("the classes of the rows are not numbers of classes")
    model._spaces = []
    for number, (columns, metric) in enumerate(model._blocks):
        n_columns = n_features if columns is None else len(range(*columns.indices(n_features)))
        rows = _checked_rows(_at(f"rows{number}.", arrays), (len(codes), n_columns))
        model._spaces.append(Space(rows, metric))
    model._index = None  # made when it is needed
    if archive.is_packed("names", arrays):
        model.feature_names_in_ = archive.unpacked("names", arrays)
        if model.feature_names_in_.shape != (n_features,) or model.feature_names_in_.dtype != object:
            raise ValueError(f"there are not {n_features} names of columns")


def _pack_text_neighbors(model: TextKNeighborsClassifier) -> tuple[dict[str, Any] | None, Arrays]:
    if not hasattr(model, "neighbors_"):
        return None, {}
    features, arrays = _pack(model.features_)
    neighbors, rows = _pack(model.neighbors_)
    return {"features": features, "neighbors": neighbors}, _below("features.", arrays) | _below("neighbors.", rows)


def _unpack_text_neighbors(model: TextKNeighborsClassifier, fitted: Any, arrays: Arrays) -> None:
    if fitted is None:
        return
    model.features_ = _unpack(fitted["features"], _at("features.", arrays))
    model.neighbors_ = _unpack(fitted["neighbors"], _at("neighbors.", arrays))
    if not (isinstance(model.features_, TermFeatures) and isinstance(model.neighbors_, SparseKNeighborsClassifier)):
        raise TypeError("its features are no TermFeatures, or its neighbours no SparseKNeighborsClassifier")
    if model.neighbors_.n_features_in_ != model.features_.n_columns_ + 1:
        raise ValueError("features and neighbours differ in columns")


def _checked_count(value: Any) -> int:
    if type(value) is not int or not 1 <= value < 2**63:
        raise ValueError(f"{value!r} is not a number of rows or columns")
    return value


def _checked_classes(classes: Any, *, has_strings: Any) -> Any:
    """Return the classes if they are what np.unique returns."""
    if classes.ndim != 1 or not len(classes) or not (classes[1:] > classes[:-1]).all():
        raise ValueError("the classes are not distinct values in order")
    if not has_strings:
        return classes
    if classes.dtype != object or max(map(len, classes)) * len(classes) > MOST_CHARACTERS:
        raise ValueError("the classes are no strings, or too long ones")
    return classes.astype(str)


def _checked_rows(arrays: Arrays, shape: tuple[int, int]) -> sparse.csr_array:
    """Return the rows if the kernel can trust them: ascending columns in range, finite values other than zero."""
    indptr, indices, data = (arrays[name] for name in ("indptr", "indices", "data"))
    index = _index_type(shape, len(data))
    data = _checked(data, (len(data),))
    if data.dtype != np.float64 or indptr.dtype != index or indices.dtype != index or not data.all():
        raise ValueError("rows have values that are zero or of a wrong type")
    if indptr.shape != (shape[0] + 1,) or indices.shape != data.shape:
        raise ValueError("the arrays of the rows differ in length")
    lengths = np.diff(indptr)
    if indptr[0] != 0 or indptr[-1] != len(data) or (lengths < 0).any():
        raise ValueError("rows do not follow one another")
    is_first = np.zeros(len(data), dtype=bool)
    is_first[indptr[:-1][lengths > 0]] = True
    if len(data) and (indices.min() < 0 or indices.max() >= shape[1] or (np.diff(indices) <= 0)[~is_first[1:]].any()):
        raise ValueError("the columns of a row do not ascend, or are out of range")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def _index_type(shape: tuple[int, ...], n_values: int) -> Any:
    return np.int32 if max(n_values, *shape) <= LARGEST_INT32 else np.int64


def _checked(array: Any, shape: tuple[int, ...], *, may_be_infinite: bool = False) -> Any:
    """Return the array if it has the shape and numbers that the rest of the model needs."""
    if array.shape != shape or array.dtype.kind not in "if":
        raise ValueError(f"an array has shape {array.shape} and type {array.dtype}, {shape} of numbers is needed")
    if np.isnan(array).any() or (np.isinf(array).any() and not may_be_infinite):
        raise ValueError("an array holds values that are not finite")
    return array


_KINDS = {
    kind.cls.__name__: kind
    for kind in (
        _Kind(CountVectorizer, _pack_counter, _unpack_counter),
        _Kind(TermWeighter, _pack_weighter, _unpack_weighter),
        _Kind(ClassProfile, _pack_profile, _unpack_profile),
        _Kind(TfPiVectorizer, _pack_vectorizer, _unpack_vectorizer),
        _Kind(TermFeatures, _pack_features, _unpack_features),
        _Kind(TroenpyClassifier, _pack_classifier, _unpack_classifier),
        _Kind(SparseKNeighborsClassifier, _pack_neighbors, _unpack_neighbors),
        _Kind(TextKNeighborsClassifier, _pack_text_neighbors, _unpack_text_neighbors),
    )
}
