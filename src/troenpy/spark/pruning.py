"""Prune terms on the cluster: `min_df`, `max_df`, `min_class_df` and `max_features` of each view."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import functions
from pyspark.sql.functions import col

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.text_parameters import document_limit
from troenpy.spark.executors import in_executors
from troenpy.spark.sums import SCHEMA, TOTALS, all_classes, cells_of, from_rows, to_rows, unpack


@dataclass(frozen=True)
class Limits:
    """Which terms of a view are kept.

    Parameters
    ----------
    min_df, max_df : int or float
    min_class_df : int, float or None
    max_features : int or None
    last : (float, bytes) or None
        Occurrences and bytes of the last term within `max_features`, once it is known.
    """

    min_df: float
    max_df: float
    min_class_df: float | None
    max_features: int | None
    last: tuple[float, bytes] | None = None

    @classmethod
    def of(cls, counter: CountVectorizer) -> "Limits":
        """Return the limits of a counter; none if its vocabulary is given."""
        if counter.vocabulary is not None:
            return cls(1, 1.0, None, None)
        return cls(counter.min_df, counter.max_df, counter.min_class_df, counter.max_features)

    @property
    def prunes(self) -> bool:
        """Whether a term may have to go."""
        is_least = isinstance(self.min_df, Integral) and self.min_df <= 1
        is_most = not isinstance(self.max_df, Integral) and self.max_df >= 1
        return not (is_least and is_most and self.min_class_df is None and self.max_features is None)

    def keep(self, sums: Any, totals: Any) -> NDArray[np.bool_]:
        """Return which terms of a batch of sums are kept; `totals` are those of all documents."""
        n_documents = totals["frequency"][0].as_py()
        fewest, most = (document_limit(share, n_documents) for share in (self.min_df, self.max_df))
        frequency = sums["frequency"].to_numpy()
        kept: NDArray[np.bool_] = (frequency >= fewest) & (frequency <= most)
        if self.min_class_df is not None:
            kept &= _frequent_in_some_class(sums, totals, self.min_class_df)
        if self.last is not None:
            occurrences, (least, last) = sums["occurrences"].to_numpy(), self.last
            is_before = pc.less_equal(sums["term"], pa.scalar(last, pa.large_binary()))
            kept &= (occurrences > least) | ((occurrences == least) & is_before.to_numpy(zero_copy_only=False))
        return kept


def kept_sums(sums: Any, limits: list[Limits]) -> Any:
    """Return the rows of the sums, with only the terms that are kept, as an Arrow table.

    Parameters
    ----------
    sums : pyspark.sql.DataFrame
        The rows of `partition_counts.add_partition`. They are read more than once if terms are pruned.
    limits : list of Limits
        Of each view.

    Returns
    -------
    pyarrow.Table
    """
    if not any(limit.prunes for limit in limits):
        return sums.toArrow()
    of_all = sums.filter(col("bucket") == TOTALS).toArrow()
    totals = dict(zip(of_all["view"].to_pylist(), of_all["sums"].to_pylist(), strict=True))
    known = [
        limit if limit.max_features is None or view not in totals else _with_last(sums, view, limit, totals)
        for view, limit in enumerate(limits)
    ]
    prune = in_executors("pruning:prune_partition", [astuple(limit) for limit in known], totals)
    return sums.mapInArrow(prune, SCHEMA).toArrow()


def _with_last(sums: Any, view: int, limit: Limits, totals: dict[int, bytes]) -> Limits:
    """Find the last term within `max_features`: of those with most occurrences, and then the first in order."""
    of_view = sums.filter((col("view") == view) & (col("bucket") != TOTALS))
    strongest = in_executors("pruning:strongest_terms", astuple(limit), totals)
    terms = of_view.mapInArrow(strongest, "less double, term binary")
    last = functions.max(functions.struct("less", "term"))
    found = terms.orderBy("less", "term").limit(limit.max_features).agg(last).first()[0]
    return limit if found is None else replace(limit, last=(-found[0], bytes(found[1])))


def prune_partition(
    batches: Iterator[Any], limits: list[tuple[Any, ...]], totals: Mapping[int, bytes]
) -> Iterator[Any]:
    """Yield rows of sums with only the terms that are kept.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        The rows of `partition_counts.add_partition`.
    limits : list of tuple
        The fields of the Limits of each view.
    totals : mapping
        The packed sums of all documents by view.
    """
    return to_rows(_kept(batches, [Limits(*limit) for limit in limits], totals))


def _kept(batches: Iterator[Any], limits: list[Limits], totals: Mapping[int, bytes]) -> Iterator[tuple[int, int, Any]]:
    for view, bucket, sums in from_rows(batches):
        kept = sums if bucket == TOTALS else sums.filter(limits[view].keep(sums, unpack(totals[view])))
        if kept.num_rows:
            yield view, bucket, kept


def strongest_terms(batches: Iterator[Any], fields: tuple[Any, ...], totals: Mapping[int, bytes]) -> Iterator[Any]:
    """Yield the terms of a view that may be within its `max_features`, with their occurrences below 0."""
    limit = Limits(*fields)
    for view, _, sums in from_rows(batches):
        kept = sums.filter(limit.keep(sums, unpack(totals[view])))
        less = pc.negate(kept["occurrences"])
        terms = pa.RecordBatch.from_arrays([less, kept["term"].cast(pa.binary())], names=["less", "term"])
        order = pc.sort_indices(terms, sort_keys=[("less", "ascending"), ("term", "ascending")])
        yield terms.take(order[: limit.max_features])


def _frequent_in_some_class(sums: Any, totals: Any, least: float) -> NDArray[np.bool_]:
    """Return the terms that some class has in enough documents; the rule of `min_class_df`."""
    classes = all_classes([totals])
    _, codes, sizes = cells_of(totals, classes)
    rows, of_class, documents = cells_of(sums, classes)
    slack = 1 + 1e-9 if sizes.dtype.kind == "f" else 1  # sums of weights in a different order differ by rounding
    values = documents * slack
    if not isinstance(least, Integral):
        size_of = np.zeros(len(classes))
        size_of[codes] = sizes
        values = np.divide(values, size_of[of_class], out=np.zeros(len(values)), where=size_of[of_class] > 0)
    kept = np.zeros(sums.num_rows, dtype=bool)
    kept[rows[values >= least]] = True
    return kept
