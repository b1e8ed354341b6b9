"""Statistics of terms and classes as pure functions of arrays: tests, intervals, dispersion, the jackknife.

They know nothing of documents or counts of classes, so they lie at the bottom, next to `information`: whatever counts,
weighs or shows terms may use them.
"""

from troenpy.statistics.dispersion import deviation_of_proportions
from troenpy.statistics.false_discovery import adjusted_p_values
from troenpy.statistics.fisher import fisher_exact
from troenpy.statistics.jackknife import critical_value, jackknife_error, rank_intervals
from troenpy.statistics.log_odds import Comparison, Interval, log_odds_ratio, log_share_ratio
from troenpy.statistics.strength import mark_strength

__all__ = [
    "Comparison",
    "Interval",
    "adjusted_p_values",
    "critical_value",
    "deviation_of_proportions",
    "fisher_exact",
    "jackknife_error",
    "log_odds_ratio",
    "log_share_ratio",
    "mark_strength",
    "rank_intervals",
]
