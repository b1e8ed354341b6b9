"""Parts of a page: the shell, and components that any page about labelled text can use.

A page is a template that extends ``parts/shell.html``, rendered by `shell.render_page`, which adds one style sheet, one
script and the content security policy. In the template, ``{{ part }}`` shows a part:

- `choices.Choices`: the bar at the top that is legend, filter of groups and choice of a setting (a corpus) at once;
- `choices.Panels`: one part per setting, of which the chosen one is shown;
- `tables.Table`: sticky header and first column, sort, filter, differences, bars, copy as Markdown or CSV;
- `dots.DotChart`: a row per method with dot, interval and number, sorted;
- `changes.ChangeBars`: a small picture of differences, for a line of text;
- `scatter.Scatter`: labelled points on two axes, with a frontier;
- `lines.LineChart`: lines with intervals, labelled at their ends;
- `document_map.DocumentMap`: thousands of documents in the plane, with a filter of classes;
- `term_explorer.TermExplorer`: search, order, address and account of the terms of a corpus;
- `term_search.TermSearch`: the same of terms that mark classes, in a table to filter and sort;
- `class_plane.ClassPlane`: the terms of any two classes against each other;
- `doubts.DoubtList`: rows whose label is doubted, with search and filters of classes.

Parts are frozen dataclasses of plain numbers and text. Numbers arrive in the unit that is shown (per cent, not
fractions). Templates escape all text, and scripts only ever set text, so text from data is shown and never run. A part
is drawn in Python: the page is whole before its script runs, which adds choosing, sorting and hovering.

A new part is a dataclass with a `template` in ``templates/parts``; a style or script of the same name is found by
`shell.style` and `shell.script` if it is listed there.
"""

from troenpy.report.parts.changes import ChangeBar, ChangeBars
from troenpy.report.parts.choices import Choices, Group, Panels
from troenpy.report.parts.class_plane import ClassPlane
from troenpy.report.parts.document_map import DocumentMap, MapView
from troenpy.report.parts.dots import Dot, DotChart
from troenpy.report.parts.doubts import Doubt, DoubtList, NearText
from troenpy.report.parts.lines import Line, LineChart
from troenpy.report.parts.scatter import Point, Scatter
from troenpy.report.parts.shell import check_extra, render_page
from troenpy.report.parts.tables import Cell, Column, Table, TableRow
from troenpy.report.parts.term_explorer import TermExplorer
from troenpy.report.parts.term_search import TermSearch

__all__ = [
    "Cell",
    "ChangeBar",
    "ChangeBars",
    "Choices",
    "ClassPlane",
    "Column",
    "DocumentMap",
    "Dot",
    "DotChart",
    "Doubt",
    "DoubtList",
    "Group",
    "Line",
    "LineChart",
    "MapView",
    "NearText",
    "Panels",
    "Point",
    "Scatter",
    "Table",
    "TableRow",
    "TermExplorer",
    "TermSearch",
    "check_extra",
    "render_page",
]
