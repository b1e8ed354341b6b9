"""Show names and numbers: escaped for a terminal, as a small table, or as a data frame."""

from troenpy.display.frames import data_frame, html_table, text_table
from troenpy.display.plain import printable, visible

__all__ = ["data_frame", "html_table", "printable", "text_table", "visible"]
