"""Count a DataFrame by class and term on the cluster: each partition by the kernel, their sums bucket by bucket.

Raw text is never shuffled: what leaves an executor are the sums of a partition. Terms are pruned on the cluster, so
that the driver only collects those that are kept.
"""

from collections.abc import Mapping
from contextlib import contextmanager
from typing import Any

from sklearn.base import clone

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.batches import check_counter
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.tallies import Tally
from troenpy.fitting.parameters import check_whole
from troenpy.spark.collected import Collected
from troenpy.spark.columns import Columns
from troenpy.spark.executors import clear_errors, in_executors
from troenpy.spark.local_files import to_bytes
from troenpy.spark.pruning import Limits, kept_sums
from troenpy.spark.sums import SCHEMA


def class_counts(
    df: Any, *, text: str = "text", label: str = "label", weight: str | None = None, counter: Any = None
) -> ClassCounts | dict[str, ClassCounts]:
    """Count the documents of a Spark DataFrame by class and term: the same counts as in memory.

    Each partition is counted where it is. Spark shuffles the sums by buckets of terms, as many as
    ``spark.sql.shuffle.partitions``, and the executors add each bucket and prune its terms before the driver collects
    them. The driver holds the counts of the terms that are kept, an executor those of about 2 million terms of a
    partition, or of a bucket.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Of a classic session or of Spark Connect.
    text : str, default="text"
        The column of texts. A null is an error, or an empty text if the counter has ``nulls="empty"``.
    label : str, default="label"
        The column of labels: strings, whole numbers, booleans, or arrays of strings for any number of labels. A null is
        an error.
    weight : str, optional
        A column of numbers: how many documents each document counts as. Counts are then floats, and equal to those in
        memory up to rounding.
    counter : CountVectorizer or dict of CountVectorizer, optional
        How to count terms; by default words. Its `min_df`, `max_df`, `min_class_df` and `max_features` prune on the
        cluster. Of terms with equal totals, `max_features` keeps those that come first in the order of code points.
        With a dict all counters read the documents in one pass, and the result is a dict.

    Returns
    -------
    ClassCounts, or dict of ClassCounts
        With names of terms.

    Raises
    ------
    ValueError, TypeError
        Before a job starts: for an unknown column, or one that cannot hold texts, labels or weights; for a counter
        with functions, with `max_terms`, or that reads files. Later: for nulls, wrong weights or no documents.
    ImportError
        If the executors lack troenpy, or have another version.

    Examples
    --------
    >>> rows = [("late goal", "sport"), ("own goal", "sport"), ("late vote", "politics")]
    >>> counts = class_counts(spark.createDataFrame(rows, ["text", "label"]))
    >>> counts.terms.tolist(), counts.doc_freq.toarray().tolist()
    (['goal', 'late', 'own', 'vote'], [[0, 1, 0, 1], [2, 1, 1, 0]])
    """
    columns = Columns.of(df, text, label, weight)
    counters = dict(counter) if isinstance(counter, Mapping) else {"counter": counter}
    if not counters:
        raise ValueError("counter must name at least one CountVectorizer, got an empty dict")
    ready = {name: _ready(one) for name, one in counters.items()}
    tallies = count_views(df, columns, list(ready.values()))
    found = {name: _named(one, tally) for (name, one), tally in zip(ready.items(), tallies, strict=True)}
    return found if isinstance(counter, Mapping) else found["counter"]


def count_views(df: Any, columns: Columns, counters: list[CountVectorizer]) -> list[Tally]:
    """Return the pruned counts of each view; documents are read once.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    columns : Columns
    counters : list of CountVectorizer
        With checked parameters.

    Returns
    -------
    list of Tally
    """
    saved = [to_bytes(_without_limits(counter)) for counter in counters]
    count = in_executors("partition_counts:count_partition", saved, columns.kind, _n_buckets(df.sparkSession))
    rows = columns.select(df).mapInArrow(count, SCHEMA)
    # Sorted, so that a bucket is added while it is read, and in the same order each time.
    rows = rows.repartition("view", "bucket").sortWithinPartitions("view", "bucket", "place")
    sums = rows.mapInArrow(in_executors("partition_counts:add_partition"), SCHEMA)
    limits = [Limits.of(counter) for counter in counters]
    with clear_errors(), _kept(sums, any(limit.prunes for limit in limits)):
        collected = Collected(kept_sums(sums, limits), columns)
    return [collected.tally(view, counter) for view, counter in enumerate(counters)]


def _n_buckets(session: Any) -> int:
    number = session.conf.get("spark.sql.shuffle.partitions")
    return int(number) if number.isdigit() else 200  # some platforms set a word, to choose it themselves


@contextmanager
def _kept(sums: Any, several_jobs: bool) -> Any:
    """Keep the sums on the cluster, in memory or on disk, while several jobs read them."""
    if not several_jobs:
        yield
        return
    sums.persist()
    try:
        yield
    finally:
        sums.unpersist()


def _ready(counter: Any) -> CountVectorizer:
    """Return a copy of the counter with checked parameters."""
    if not (counter is None or isinstance(counter, CountVectorizer)):
        raise TypeError(f"counter must be a CountVectorizer, got {type(counter).__name__}")
    ready: CountVectorizer = CountVectorizer() if counter is None else clone(counter)
    check_for_spark(ready)
    return ready


def check_for_spark(counter: CountVectorizer) -> None:
    """Raise an error for parameters that are wrong, or cannot be used on Spark; set those that do not matter."""
    if counter.max_terms is not None:
        raise ValueError(
            "max_terms cannot be used on Spark, where counts are exact and every partition is bounded: use min_df,"
            " min_class_df or max_features"
        )
    if counter.input != "content":
        raise ValueError(f"input={counter.input!r} cannot be used on Spark: pass a column of texts")
    most, counter.max_features = counter.max_features, None  # it needs all documents, as there are here
    counter.n_jobs = None  # Spark counts partitions in parallel
    check_counter(counter, "Spark")
    counter.max_features = None if most is None else check_whole("max_features", most, least=1)
    if counter.vocabulary is not None:
        counter._validate_vocabulary()


def _without_limits(counter: CountVectorizer) -> CountVectorizer:
    bare: CountVectorizer = clone(counter)
    return bare.set_params(min_df=1, max_df=1.0, min_class_df=None, max_features=None)


def _named(counter: CountVectorizer, tally: Tally) -> ClassCounts:
    names = counter.get_feature_names_out() if tally.terms is None else tally.terms.names()
    return tally.counts.with_terms(names)
