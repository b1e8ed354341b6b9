"""Helpers for `fit`: check parameters and memory, count threads, and undo a fit that fails."""

from troenpy.fitting.jobs import job_count
from troenpy.fitting.memory import check_memory
from troenpy.fitting.parameters import check_float_type, check_not_negative, check_positive, check_whole
from troenpy.fitting.transaction import all_or_nothing, estimator_lock

__all__ = [
    "all_or_nothing",
    "check_float_type",
    "check_memory",
    "check_not_negative",
    "check_positive",
    "check_whole",
    "estimator_lock",
    "job_count",
]
