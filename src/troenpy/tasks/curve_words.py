"""What a learning curve says, in sentences: what more labels would bring, and how sure that is."""

from troenpy.experiments.learning_curve import LearningCurve
from troenpy.experiments.loss_words import LOSS_NAMES, shown_loss, unit_of
from troenpy.experiments.losses import Metric


def curve_rows(curve: LearningCurve, metric: Metric) -> list[list[str]]:
    """Return a table of two rows: documents, and the metric after learning from them."""
    losses = [1 - point.loss if metric == "macro-f1" else point.loss for point in curve.points]
    return [
        ["documents learnt from", *(f"{point.n_train:,}" for point in curve.points)],
        [f"{LOSS_NAMES[metric]}{unit_of(metric)}", *(shown_loss(metric, loss) for loss in losses)],
    ]


def curve_advice(curve: LearningCurve, metric: Metric) -> str:
    """Return what twice the labels would bring, and how sure that is."""
    unit = unit_of(metric)

    def shown(loss: float) -> str:
        return shown_loss(metric, 1 - loss if metric == "macro-f1" else loss)

    twice = curve.twice
    if twice is None:
        return "too few documents to say what more labels would bring"
    ends = sorted([twice.low, twice.high], reverse=metric == "macro-f1")
    between = f"{shown(ends[0])} to {shown(ends[1])}"
    if twice.is_flat:
        return (
            "more labels cannot be counted on: the learning curve is flat, or too noisy to say. Twice as many"
            f" ({twice.n_train:,}) might give {shown(twice.loss)}{unit} (95 % interval {between}), an extrapolation"
            " by a power law"
        )
    return (
        f"twice the labels ({twice.n_train:,}) would give about {shown(twice.loss)}{unit} (95 % interval {between}), if"
        " the learning curve goes on as it has: an extrapolation by a power law"
    )
