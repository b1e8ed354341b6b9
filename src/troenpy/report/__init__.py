"""Summarise rows of results, and write the summary as HTML, Markdown, JSON and terminal tables."""

from troenpy.report.page import write_report
from troenpy.report.projection import project
from troenpy.report.reproduction import rebuild, reproduce
from troenpy.report.summary import summarise
from troenpy.report.terms import term_table

__all__ = ["project", "rebuild", "reproduce", "summarise", "term_table", "write_report"]
