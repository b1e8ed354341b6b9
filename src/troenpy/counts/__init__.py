"""Labels, and the counts of documents per class and term that every weight is computed from."""

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.labels import Labels, read_labels

__all__ = ["ClassCounts", "Labels", "read_labels"]
