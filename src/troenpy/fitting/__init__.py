"""What every estimator does around a fit: check its parameters and its room, count its threads, all or nothing."""

from troenpy.fitting.jobs import job_count
from troenpy.fitting.memory import check_room
from troenpy.fitting.parameters import check_float_type, check_not_negative, check_positive, check_whole
from troenpy.fitting.transaction import all_or_nothing, lock_of

__all__ = [
    "all_or_nothing",
    "check_float_type",
    "check_not_negative",
    "check_positive",
    "check_room",
    "check_whole",
    "job_count",
    "lock_of",
]
