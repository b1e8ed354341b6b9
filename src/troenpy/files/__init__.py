"""Files and processes: written whole or not at all, read without running anything; folders; work shared out.

`archive` is one safetensors file of arrays and a JSON header, `folders` where corpora and word vectors are, `processes`
work for several processes.
"""

from troenpy.files.archive import Arrays, FilePath, write_whole

__all__ = ["Arrays", "FilePath", "write_whole"]
