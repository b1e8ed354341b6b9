"""Predict the documents of a DataFrame with a classifier of ours."""

import os
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StringType,
    StructField,
)

from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier
from troenpy.persistence import load
from troenpy.spark.columns import check_text
from troenpy.spark.executors import in_executors
from troenpy.spark.local_files import SentModel
from troenpy.spark.stages import with_columns


def predict(
    model: Any, df: Any, *, text: str = "text", prediction: str = "prediction", probability: str = "probability"
) -> Any:
    """Add the predictions of a classifier to a Spark DataFrame: those that it gives in memory.

    The file of the model is copied to each machine once, and mapped into memory by its Python workers.

    Parameters
    ----------
    model : path-like, TroenpyClassifier or TextKNeighborsClassifier
        A fitted classifier of texts, or a file of one, on the driver.
    df : pyspark.sql.DataFrame
    text : str, default="text"
        The column of texts. A null is an error, or an empty text if the model's counters have ``nulls="empty"``.
    prediction, probability : str
        The names of the new columns: the label (an array of labels, if the classifier was trained with several), and
        an array of the probabilities of all classes, in the order of the model's `classes_`.

    Returns
    -------
    pyspark.sql.DataFrame
        Nothing is computed until it is used.

    Examples
    --------
    >>> from troenpy import TroenpyClassifier
    >>> texts, labels = ["late goal", "own goal", "late vote", "vote"], ["sport", "sport", "politics", "politics"]
    >>> model = TroenpyClassifier().fit(texts, labels)
    >>> df = spark.createDataFrame([("a goal",), ("no vote",)], ["text"])
    >>> [row.prediction for row in predict(model, df).collect()]
    ['sport', 'politics']
    """
    classifier = load(model) if isinstance(model, str | os.PathLike) else model
    if not isinstance(classifier, TroenpyClassifier | TextKNeighborsClassifier):
        raise TypeError(
            "model must be a TroenpyClassifier or a TextKNeighborsClassifier, or a file of one, got"
            f" {type(classifier).__name__}"
        )
    if not hasattr(classifier, "features_"):
        raise ValueError(f"the {type(classifier).__name__} is not fitted: call fit first")
    if classifier.features_.takes_counts:
        raise TypeError("the model was trained on a matrix of counts: predict needs a classifier of texts")
    check_text(df, text)
    if prediction == probability:
        raise ValueError(f"prediction and probability must be names of different columns, got {prediction!r} twice")
    of_class = _class_type(classifier.classes_)
    of_label = ArrayType(of_class) if getattr(classifier, "_is_multilabel", False) else of_class
    fields = StructField(prediction, of_label), StructField(probability, ArrayType(DoubleType()))
    schema = with_columns(df, *fields)
    sent = SentModel.of(df.sparkSession, classifier)
    return df.mapInArrow(
        in_executors("row_features:add_predictions", tuple(sent), text, prediction, probability), schema
    )


def _class_type(classes: Any) -> DataType:
    """Return the type of classes in Spark."""
    return {"O": StringType(), "i": LongType(), "b": BooleanType(), "f": DoubleType()}[classes.dtype.kind]
