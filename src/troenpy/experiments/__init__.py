"""Run methods on splits of corpora, one row of results each, and compare the rows with intervals and tests."""

from troenpy.datasets import Corpus
from troenpy.experiments import comparison
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.journal import Row, read_rows
from troenpy.experiments.progress import Progress
from troenpy.experiments.runs import RunOptions, run

__all__ = ["Comparison", "Corpus", "Progress", "Row", "RunOptions", "comparison", "read_rows", "run"]
