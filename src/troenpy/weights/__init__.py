"""Term weights from class counts: the paper's, our own, those of others, and products of them by name."""

from troenpy.weights import rivals
from troenpy.weights.beyond import certainty, pcf_boost, pcf_gain
from troenpy.weights.intervals import weight_errors
from troenpy.weights.paper import (
    cib_ncf,
    cib_ncf_abs,
    cib_pcf,
    cib_pcf_abs,
    delta_idf,
    idf,
    ncf,
    pcf,
    pcf_present,
    pi,
)
from troenpy.weights.schemes import WEIGHTS, Weight, term_weights

__all__ = [
    "WEIGHTS",
    "Weight",
    "certainty",
    "cib_ncf",
    "cib_ncf_abs",
    "cib_pcf",
    "cib_pcf_abs",
    "delta_idf",
    "idf",
    "ncf",
    "pcf",
    "pcf_boost",
    "pcf_gain",
    "pcf_present",
    "pi",
    "rivals",
    "term_weights",
    "weight_errors",
]
