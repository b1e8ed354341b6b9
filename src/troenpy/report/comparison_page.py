"""The page of `compare`: which method to use, whether more labels would help, what it costs, and how to build it."""

from troenpy.report.comparison_charts import cost_chart, curve_chart, dot_chart, method_table
from troenpy.report.comparison_view import ComparisonView, Found
from troenpy.report.parts import render_page


def comparison_page(found: Found) -> str:
    """Return the page of a comparison, given as plain data, as HTML."""
    view = ComparisonView(found)
    curve, cost = curve_chart(view), cost_chart(view)
    sections = {"labels": "More labels?", "cost": "Cost", "table": "Table", "made": "How this was measured"}
    shown = {"labels": curve is not None, "cost": cost is not None}
    return render_page(
        "comparison.html",
        title=f"troenpy compare: {view.source}"[:100],
        found=found,
        view=view,
        dots=dot_chart(view),
        table=method_table(view),
        curve=curve,
        cost=cost,
        sections=[(anchor, name) for anchor, name in sections.items() if shown.get(anchor, True)],
    )
