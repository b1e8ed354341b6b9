"""Read files of labelled text: CSV, JSON, Parquet, Arrow, fastText and folders, in batches, checked row by row."""

from troenpy.records.label_summary import LabelSummary
from troenpy.records.problems import Problems
from troenpy.records.records import RecordBatch, Records, open_records

__all__ = ["LabelSummary", "Problems", "RecordBatch", "Records", "open_records"]
