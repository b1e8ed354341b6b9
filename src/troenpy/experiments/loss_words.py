"""Words and numbers for the metrics: their names and units, and how many digits are shown."""

from troenpy.experiments.losses import Metric

LOSS_NAMES: dict[Metric, str] = {"error": "error", "macro-f1": "macro-F1", "log-loss": "log loss"}


def shown_loss(metric: Metric, value: float) -> str:
    """Return an error or macro-F1 in per cent, or a log loss.

    Examples
    --------
    >>> shown_loss("error", 0.0653), shown_loss("log-loss", 0.4567)
    ('6.53', '0.457')
    """
    return f"{value:.3f}" if metric == "log-loss" else f"{100 * value:.2f}"


def shown_p(p: float) -> str:
    """Return a p-value with three digits; a very small one is not called zero.

    Examples
    --------
    >>> shown_p(0.0004), shown_p(0.0185), shown_p(1)
    ('<0.001', '0.018', '1.000')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def unit_of(metric: Metric) -> str:
    """Return the unit of a metric."""
    return "" if metric == "log-loss" else " %"
