"""Read files of labelled text: CSV, JSON, Parquet, Arrow, fastText and folders, in batches, checked row by row."""

from troenpy.records.label_summary import LabelSummary
from troenpy.records.opening import open_records
from troenpy.records.problems import Problems
from troenpy.records.record_batch import RecordBatch
from troenpy.records.records import Records

__all__ = ["LabelSummary", "Problems", "RecordBatch", "Records", "open_records"]
