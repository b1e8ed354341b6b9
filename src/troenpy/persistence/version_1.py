"""Upgrade model files of version 1, in which TermFeatures had the parameters of CountVectorizer instead of views."""

from typing import Any

import numpy as np

from troenpy.features.blocks import BLOCKS, PROFILE
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.term_features import TermFeatures
from troenpy.files.archive import Arrays


def upgrade(state: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Return the state and arrays of an estimator in the current format; only TermFeatures has changed."""
    if state["class"] != "TermFeatures" or "views" in state["parameters"]:
        return state, arrays
    old = dict(state["parameters"])
    blocks = old.pop("blocks")
    own = set(TermFeatures().get_params(deep=False))
    counter = {
        "class": "CountVectorizer",
        "parameters": {name: old[name] for name in CountVectorizer().get_params() if name in old},
        "fitted": None,
    }
    takes_counts = old["input"] == "counts"
    view = {"tuple": ["words", "counts" if takes_counts else {"estimator": counter}, blocks]}
    parameters = {"views": {"list": [view]}, **{name: value for name, value in old.items() if name in own}}
    fitted = state["fitted"]
    if fitted is None:
        return {"class": "TermFeatures", "parameters": parameters, "fitted": None}, arrays
    known = {block.name: block for of_name in BLOCKS.values() for block in of_name}
    has_profile = PROFILE in next(iter(blocks.values()))
    view_state = {
        "name": "words",
        "blocks": [known[name].fields() for name in fitted["blocks"]],
        "profile": {"smoothing": _number(old["smoothing"]), "leave_out": old["leave_out"]} if has_profile else None,
        "profile_scale": _number(old["profile_scale"]),
    }
    new = {"views": [view_state]} | ({} if takes_counts else {"counter0": {**counter, "fitted": fitted["counter"]}})
    moved = {_new_name(name): array for name, array in arrays.items()} | {"view0.length": np.zeros(1)}
    return {"class": "TermFeatures", "parameters": parameters, "fitted": new}, moved


def _new_name(name: str) -> str:
    """Return the current name of an array."""
    if name.startswith("counter."):
        return f"counter0.{name.removeprefix('counter.')}"
    return f"view0.{name}" if name == "weights" or name.startswith("counts.") else name


def _number(value: Any) -> float:
    return float.fromhex(value["float"]) if isinstance(value, dict) else float(value)
