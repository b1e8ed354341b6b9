"""Save and load fitted estimators as one safetensors file of arrays and a JSON header, without any code.

Each estimator converts its own fitted state (`files.saved`); this module handles parameters and nested estimators.
Loading only creates the classes listed below, from plain values.
"""

import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np

from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.term_features import TermFeatures
from troenpy.features.term_weighter import TermWeighter
from troenpy.features.tfpi_vectorizer import TfPiVectorizer
from troenpy.files import archive
from troenpy.files.archive import Arrays
from troenpy.files.drafts import FilePath
from troenpy.files.saved import Saved, add_prefix, select_prefix
from troenpy.fitting.parameters import check_flag
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.neighbors import SparseKNeighborsClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier
from troenpy.persistence.version_1 import upgrade

#: Version 1: TermFeatures had no views. Version 2: coefficients were by decision and integers were not packed.
FILE_VERSION = 3
MAX_DEPTH = 50  # a classifier whose features have a list of stop words needs 10


def save(model: Any, path: FilePath, *, for_prediction: bool = False, about: Mapping[str, Any] | None = None) -> None:
    """Write a fitted estimator to one safetensors file; equal models give equal bytes.

    Parameters
    ----------
    model : CountVectorizer, TermWeighter, ClassProfile, TfPiVectorizer, TermFeatures, TroenpyClassifier, \
SparseKNeighborsClassifier or TextKNeighborsClassifier
        Parameters that are functions (a scheme, a tokenizer), random states or splitters cannot be saved: use pickle
        for those. The file of a nearest-neighbour classifier contains its training rows.
    path : path-like
        The file to write; an existing file is replaced atomically, and models loaded from it do not change.
    for_prediction : bool, default=False
        Leave out what only learning and explaining terms need: the class counts (unless the class profile predicts
        from them) and the running totals of `partial_fit`. The loaded model predicts and transforms the same, and
        raises an error for `counts_`, `partial_fit` and the explanation of a term.
    about : mapping, optional
        Anything to keep with the model that JSON can hold, such as where it comes from;
        `persistence.load_with_about` returns it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from troenpy import TfPiVectorizer, load, save
    >>> vectorizer = TfPiVectorizer().fit(["a goal", "own goal", "the vote"], ["sport", "sport", "politics"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(vectorizer, pathlib.Path(folder) / "model.safetensors")
    ...     loaded = load(pathlib.Path(folder) / "model.safetensors")
    >>> loaded.vocabulary_ == vectorizer.vocabulary_
    True
    """
    state, arrays = _pack(model, for_prediction=check_flag("for_prediction", for_prediction))
    versions = {name: version(name) for name in ("troenpy", "numpy", "scipy", "scikit-learn")}
    versions["python"] = platform.python_version()
    header = {"kind": "model", "version": FILE_VERSION, "versions": versions, "state": state}
    archive.write(path, header if about is None else {**header, "about": dict(about)}, arrays)


def load_with_about(path: FilePath) -> tuple[Any, dict[str, str], dict[str, Any]]:
    """Load an estimator; also return the versions it was saved with, and what `save` was told about it.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    estimator, versions, about
    """
    header, arrays = archive.read(path, "model", FILE_VERSION)
    versions, about = header.get("versions", {}), header.get("about", {})
    if not isinstance(versions, dict) or not isinstance(about, dict):
        raise ValueError(f"{path} does not hold a valid model: versions and about must be objects")  # noqa: TRY004
    return _from_file(path, header, arrays), versions, about


def load(path: FilePath, *, allow_reading_files: bool = False) -> Any:
    """Load an estimator written by `save`. Everything is validated, and no code in the file is run.

    The file is mapped into memory: its large arrays are read-only, and processes that load the same file share them.

    Parameters
    ----------
    path : path-like
        The file to read. It may be replaced or deleted while the model is in use, but not changed in place.
    allow_reading_files : bool, default=False
        Also load a model whose `input` is "filename" or "file". Such a model opens every file named in its input data,
        so only allow this if you trust both.

    Returns
    -------
    estimator

    Raises
    ------
    ValueError
        If the file is damaged or does not hold a valid model.

    Examples
    --------
    >>> load("no such file")
    Traceback (most recent call last):
        ...
    FileNotFoundError: file not found: no such file
    """
    return _from_file(path, *archive.read(path, "model", FILE_VERSION), allow_reading_files=allow_reading_files)


def _from_file(path: FilePath, header: dict[str, Any], arrays: Arrays, *, allow_reading_files: bool = False) -> Any:
    try:
        _check_state(header["state"], allow_reading_files=allow_reading_files)
        return _unpack(header["state"], arrays)
    except Exception as error:  # untrusted values can make constructors and numpy raise anything
        raise ValueError(f"{path} does not hold a valid model: {archive.reason(error)}") from None


def _check_state(state: Any, *, allow_reading_files: bool) -> None:
    """Raise an error if any part of the header reads files, or if it is nested too deeply."""
    level = [state]
    for _ in range(MAX_DEPTH):
        if not level:
            return
        for part in level:
            input_kind = part.get("input") if isinstance(part, dict) else None
            if input_kind in ("filename", "file") and not allow_reading_files:
                raise ValueError(
                    f"with input={input_kind!r} it opens every file named in its input data: "
                    "if you trust it, call load(path, allow_reading_files=True)"
                )
        nested = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = list(chain.from_iterable(nested))
    raise ValueError(f"its header must not be nested more than {MAX_DEPTH} levels deep")


def _pack(model: Any, *, for_prediction: bool = False) -> tuple[dict[str, Any], Arrays]:
    name = type(model).__name__
    if type(model) is not _CLASSES.get(name):
        known = ", ".join(_CLASSES)
        raise TypeError(f"save takes one of {known}, got {name}: use pickle for anything else")
    parameters = {key: _encode(value, f"{key} of {name}") for key, value in model.get_params(deep=False).items()}
    saved = model._saved()
    if saved is None:
        return {"class": name, "parameters": parameters, "fitted": None}, {}
    fitted, arrays = dict(saved.state), saved.arrays | ({} if for_prediction else saved.for_learning)
    for part, estimator in saved.parts.items():
        fitted[part], part_arrays = _pack(estimator, for_prediction=for_prediction)
        arrays |= add_prefix(f"{part}.", part_arrays)
    return {"class": name, "parameters": parameters, "fitted": fitted}, arrays


def _unpack(state: dict[str, Any], arrays: Arrays) -> Any:
    if state["class"] not in _CLASSES:
        raise ValueError(f"unknown class {state['class']!r}: it must be one of {', '.join(_CLASSES)}")
    state, arrays = upgrade(state, arrays)
    model = _CLASSES[state["class"]](**{name: _decode(value) for name, value in state["parameters"].items()})
    fitted = state["fitted"]
    if fitted is not None:
        packed = {name: value for name, value in fitted.items() if isinstance(value, dict) and "class" in value}
        parts = {name: _unpack(value, select_prefix(f"{name}.", arrays)) for name, value in packed.items()}
        model._restore(Saved({name: fitted[name] for name in fitted if name not in parts}, arrays, parts))
    return model


# Parameters are plain values, or other values under a tag.


def _encode(value: Any, owner: str) -> Any:
    if value is None or isinstance(value, str | bool | int | np.bool_ | np.integer):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float | np.floating):
        return {"float": float(value).hex()}
    if isinstance(value, tuple | list | set | frozenset):
        tag = type(value).__name__
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return {tag: [_encode(item, owner) for item in items]}
    if isinstance(value, dict):
        return {"dict": [[_encode(key, owner), _encode(item, owner)] for key, item in value.items()]}
    if isinstance(value, slice):
        return {"slice": [_encode(part, owner) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"dtype": np.dtype(value).str}
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return {"list": [_encode(item, owner) for item in value.tolist()]}
    if isinstance(value, Block):
        return {"block": value.fields()}
    if type(value).__name__ in _CLASSES:
        return {"estimator": _pack(value)[0]}
    what = "a function" if callable(value) else f"a {type(value).__name__}"
    raise TypeError(f"{owner} is {what}, which cannot be saved: use a name, a number or a list, or use pickle")


_TAGS: dict[str, Callable[[Any], Any]] = {
    "float": float.fromhex,
    "tuple": lambda items: tuple(map(_decode, items)),
    "list": lambda items: list(map(_decode, items)),
    "set": lambda items: set(map(_decode, items)),
    "frozenset": lambda items: frozenset(map(_decode, items)),
    "dict": lambda items: {_decode(key): _decode(item) for key, item in items},
    "slice": lambda parts: _decode_slice(*parts),
    "dtype": lambda name: np.dtype(name).type,
    "block": lambda fields: Block(*fields),
    "estimator": lambda state: _unpack({**state, "fitted": None}, {}),
}


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    return _TAGS[tag](content)


def _decode_slice(start: Any, stop: Any, step: Any) -> slice:
    if not all(part is None or type(part) is int for part in (start, stop, step)):
        raise TypeError(f"a slice must consist of integers, got {start!r}, {stop!r} and {step!r}")
    return slice(start, stop, step)


#: The estimators that a file may hold.
_CLASSES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        CountVectorizer,
        TermWeighter,
        ClassProfile,
        TfPiVectorizer,
        TermFeatures,
        TroenpyClassifier,
        SparseKNeighborsClassifier,
        TextKNeighborsClassifier,
    )
}
