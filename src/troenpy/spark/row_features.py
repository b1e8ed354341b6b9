"""In an executor: features and predictions of the documents of a partition, as columns next to the others."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from troenpy.counts.labels import Labels
from troenpy.models.classifier import TroenpyClassifier
from troenpy.spark.local_files import received
from troenpy.spark.partition_counts import check_texts, read_label_column

#: A SentModel: plain values, because a closure must not need troenpy to be read.
Sent = tuple[str, bytes | None]
#: Probabilities that are held at a time: 32 MB.
MOST_PROBABILITIES = 1 << 22


def add_features(batches: Iterator[Any], model: Sent, text: str, name: str) -> Iterator[Any]:
    """Yield the batches with the features of a vectorizer or of TermFeatures as a column of vectors."""
    features = received(*model)
    for batch in batches:
        yield _with_column(batch, name, vectors(features.transform(checked_texts(batch, text, features))))


def add_training_features(
    batches: Iterator[Any],
    model: Sent,
    text: str,
    label: str,
    weight: str | None,
    kind: str,
    name: str,
) -> Iterator[Any]:
    """Yield the batches with the features of training documents: class profiles leave out the document itself."""
    features = received(*model)
    profiles = [view.profile for view in features.views_ if view.profile is not None]
    for batch in batches:
        documents = checked_texts(batch, text, features)
        if not profiles:
            yield _with_column(batch, name, vectors(features.transform(documents)))
            continue
        own = own_labels(read_label_column(batch.column(label), kind), profiles[0].counts_.classes)
        if weight is not None:
            weights = batch.column(weight).cast(pa.float64()).to_numpy(zero_copy_only=False)
            own.data *= np.repeat(weights, np.diff(own.indptr))
        yield _with_column(batch, name, vectors(features._rows_without(documents, own)))


def own_labels(labels: Labels, classes: Any) -> sparse.csr_array:
    """Return which documents have which of the classes, ones of shape (n_documents, n_classes)."""
    place = {name: number for number, name in enumerate(classes.tolist())}
    unknown = [name for name in labels.classes.tolist() if name not in place]
    if unknown:
        raise ValueError(f"the features were not fitted to these documents: they have a class {unknown[0]!r}")
    numbers = np.array([place[name] for name in labels.classes.tolist()], dtype=np.int64)
    ones, codes = np.ones(len(labels.indicator.indices)), numbers[labels.indicator.indices]
    return sparse.csr_array((ones, codes, labels.indicator.indptr), shape=(len(labels), len(classes)))


def add_predictions(batches: Iterator[Any], model: Sent, text: str, prediction: str, probability: str) -> Iterator[Any]:
    """Yield the batches with what a classifier says of each document."""
    classifier = received(*model)
    step = max(1, MOST_PROBABILITIES // len(classifier.classes_))
    for batch in batches:
        for first in range(0, batch.num_rows, step):
            part = batch.slice(first, step)
            labels, probabilities = predictions(classifier, checked_texts(part, text, classifier))
            of_rows = pa.FixedSizeListArray.from_arrays(pa.array(probabilities.ravel()), probabilities.shape[1])
            part = _with_column(part, prediction, labels)
            yield _with_column(part, probability, of_rows.cast(pa.list_(pa.float64())))


def checked_texts(batch: Any, text: str, model: Any) -> Any:
    """Return the column of texts of a batch."""
    documents, features = batch.column(text), getattr(model, "features_", model)
    views = getattr(features, "views_", None)
    check_texts(documents, [features] if views is None else [view.counter for view in views])
    return documents


def vectors(X: Any) -> Any:
    """Return the rows of a CSR matrix as Spark's VectorUDT stores sparse vectors.

    Examples
    --------
    >>> vectors(sparse.csr_array([[0.0, 2.5, 0.0]])).to_pylist()
    [{'type': 0, 'size': 3, 'indices': [1], 'values': [2.5]}]
    """
    borders = pa.array(X.indptr, pa.int32())
    fields = {
        "type": pa.array(np.zeros(X.shape[0], dtype=np.int8)),
        "size": pa.array(np.full(X.shape[0], X.shape[1], dtype=np.int32)),
        "indices": pa.ListArray.from_arrays(borders, pa.array(X.indices, pa.int32())),
        "values": pa.ListArray.from_arrays(borders, pa.array(X.data, pa.float64())),
    }
    return pa.StructArray.from_arrays(list(fields.values()), names=list(fields))


def predictions(classifier: Any, documents: Any) -> tuple[Any, Any]:
    """Return the labels of documents as an Arrow array, lists if there are several, and the probabilities."""
    if isinstance(classifier, TroenpyClassifier):
        values = np.concatenate([*classifier._decisions(documents)])
        labels, probabilities = classifier._predictions(values), classifier._probabilities(values)
    else:
        labels, probabilities = classifier.predict(documents), classifier.predict_proba(documents)
    if labels.ndim == 1:
        return pa.array(labels.tolist(), arrow_type(classifier.classes_)), probabilities
    rows = sparse.csr_array(labels)
    names = pa.array(classifier.classes_[rows.indices].tolist(), arrow_type(classifier.classes_))
    return pa.ListArray.from_arrays(pa.array(rows.indptr, pa.int32()), names), probabilities


def arrow_type(classes: Any) -> Any:
    """Return the Arrow type of classes."""
    return {"O": pa.string(), "i": pa.int64(), "b": pa.bool_(), "f": pa.float64()}[classes.dtype.kind]


def _with_column(batch: Any, name: str, values: Any) -> Any:
    return pa.RecordBatch.from_arrays([*batch.columns, values], names=[*batch.schema.names, name])
