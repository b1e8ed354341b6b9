"""Files and processes.

`archive` writes arrays and a JSON header to a safetensors file, `saved` describes the fitted state of an estimator,
`folders` finds corpora and word vectors, `processes` runs work in several processes.
"""

from troenpy.files.archive import Arrays
from troenpy.files.drafts import FilePath, write_atomically

__all__ = ["Arrays", "FilePath", "write_atomically"]
