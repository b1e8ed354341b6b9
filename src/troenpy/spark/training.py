"""Train a TroenpyClassifier on the cluster: features by counts, coefficients by Spark's LogisticRegression."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.ml.classification import LogisticRegression
from pyspark.sql import functions

from troenpy.features.term_features import TermFeatures
from troenpy.fitting.parameters import check_positive, check_whole
from troenpy.models import settings
from troenpy.models.choice import Choice
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.coefficients import by_feature
from troenpy.spark.columns import Columns, column
from troenpy.spark.executors import clear_errors
from troenpy.spark.term_features import TermFeaturesModel, fit_on_cluster

#: The columns that the regression reads.
FEATURES, CLASS, WEIGHT = "troenpy_features", "troenpy_class", "troenpy_weight"


def train(
    df: Any,
    *,
    text: str = "text",
    label: str = "label",
    weight: str | None = None,
    features: TermFeatures | None = None,
    C: float = 3.0,
    max_iter: int = 300,
) -> TroenpyClassifier:
    """Train a classifier on a Spark DataFrame, and return it as if it had been trained in memory.

    Terms are counted on the cluster, and Spark's LogisticRegression learns the coefficients from features that the
    executors compute. The driver never holds documents: it needs the counts of the terms that are kept, and about 25
    arrays of n_columns x n_classes numbers for L-BFGS; bound them by `min_df` or `max_features` of the counters.

    The objective is that of ``TroenpyClassifier(features, C=C)``. Two things differ: training documents are left out of
    their own class profiles, but their copies are not; and a document without a known term gets the class frequencies
    of all training documents.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    text, label, weight : str
        The columns, as in `class_counts`, with one label for each document.
    features : TermFeatures, optional
        Unfitted; by default one view of words, that of ``settings.classifier("linear")``.
    C : float, default=3.0
        Inverse of the strength of the penalty.
    max_iter : int, default=300
        Iterations of L-BFGS at most, each of which is a job that computes the features again or reads them from Spark's
        cache. Rare terms make it converge slowly.

    Returns
    -------
    TroenpyClassifier

    Examples
    --------
    >>> rows = 2 * [("late goal", "sport"), ("own goal", "sport"), ("late vote", "politics"), ("a vote", "politics")]
    >>> model = train(spark.createDataFrame(rows, ["text", "label"]))
    >>> model.predict(["another goal", "no vote"]).tolist()
    ['sport', 'politics']
    """
    C, max_iter = check_positive("C", C), check_whole("max_iter", max_iter, least=1)
    if not (features is None or isinstance(features, TermFeatures)):
        raise TypeError(f"features must be TermFeatures, got {type(features).__name__}")
    columns = Columns.of(df, text, label, weight)
    if columns.kind == "sets":
        raise TypeError(f"train takes one label for each document, but {label!r} is a column of arrays")
    model: Any = settings.classifier("linear", C=C) if features is None else TroenpyClassifier(features, C=C)
    fitted = fit_on_cluster(model.new_features(), df, columns)
    with clear_errors():
        _learn(model, fitted, df, columns, max_iter)
    return model


def _learn(model: TroenpyClassifier, features: TermFeatures, df: Any, columns: Columns, max_iter: int) -> None:
    counts: Any = features.views_[0].counts
    classes, sizes = counts.classes, counts.n_docs
    stage = TermFeaturesModel.from_local(features, inputCol=columns.text, outputCol=FEATURES)
    stage.setParams(labelCol=columns.label, weightCol=columns.weight)
    weight = functions.lit(1.0) if columns.weight is None else column(columns.weight).cast("double")
    number = _class_number(columns, classes)
    rows = stage.transform_training(df).select(FEATURES, number.alias(CLASS), weight.alias(WEIGHT))
    found = LogisticRegression(
        featuresCol=FEATURES,
        labelCol=CLASS,
        weightCol=WEIGHT,
        regParam=1 / (model.C * float(sizes.sum())),  # Spark's loss is a mean
        standardization=False,
        family="binomial" if len(classes) == 2 else "multinomial",
        maxIter=max_iter,
        tol=1e-6,
    ).fit(rows)
    coef, intercept = _coefficients(found)
    model.features_, model.classes_, model._is_multilabel = features, classes, False
    model.coef_, model.intercept_ = by_feature(coef), intercept
    model.choice_, model.C_ = Choice(tuple(view.name for view in features.views_), model.C), model.C
    model.n_iter_, model.solver_ = int(found.summary.totalIterations), "Spark's LogisticRegression"
    model.class_frequencies_ = sizes / sizes.sum()


def _class_number(columns: Columns, classes: NDArray[Any]) -> Any:
    """Return the number of the class of each document, as Spark needs it."""
    kind, pairs = columns.kind, list[Any]()
    for number, name in enumerate(classes.tolist()):
        pairs += [functions.lit(name).cast(kind), functions.lit(float(number))]
    return functions.create_map(*pairs)[column(columns.label).cast(kind)]


def _coefficients(found: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    coef = found.coefficientMatrix.toArray()
    intercept = np.asarray(found.interceptVector.toArray(), dtype=np.float64)
    return coef, intercept - (intercept.mean() if len(intercept) > 1 else 0.0)
