"""Labels and counts: documents per class and term, the one statistic that every weight is a function of; it adds."""

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.labels import Labels, read_labels

__all__ = ["ClassCounts", "Labels", "read_labels"]
