"""Prune terms on the cluster: `min_df`, `max_df`, `min_class_df` and `max_features` of each view."""

from dataclasses import dataclass
from functools import reduce
from numbers import Integral
from typing import Any

from pyspark.sql import functions
from pyspark.sql.functions import col

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.text_parameters import document_limit


@dataclass(frozen=True)
class Limits:
    """Which terms of a view are kept."""

    min_df: float
    max_df: float
    min_class_df: float | None
    max_features: int | None

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


def kept_sums(sums: Any, limits: list[Limits], is_weighted: bool) -> Any:
    """Return the sums of the terms that are kept, and the totals, as an Arrow table.

    Parameters
    ----------
    sums : pyspark.sql.DataFrame
        With one row for each view, term and class; see `partition_counts`.
    limits : list of Limits
        Of each view.
    is_weighted : bool

    Returns
    -------
    pyarrow.Table
    """
    if not any(limit.prunes for limit in limits):
        return sums.toArrow()
    totals = sums.filter(col("term").isNull())
    (found, *_) = totals.filter(col("class").isNull()).select("frequency").take(1) or [[0]]
    by_view = [_kept_terms(sums, view, limit, int(found[0]), is_weighted) for view, limit in enumerate(limits)]
    kept = reduce(lambda one, other: one.unionAll(other), by_view)
    return totals.unionAll(sums.join(kept, ["view", "term"], "left_semi").select(*sums.columns)).toArrow()


def _kept_terms(sums: Any, view: int, limit: Limits, n_documents: int, is_weighted: bool) -> Any:
    """Return the keys of the terms of a view that are kept."""
    of_view = sums.filter((col("view") == view) & col("term").isNotNull())
    fewest, most = (document_limit(share, n_documents) for share in (limit.min_df, limit.max_df))
    terms = of_view.filter(col("class").isNull() & col("frequency").between(fewest, most))
    if limit.min_class_df is not None:
        frequent = _frequent_in_some_class(sums, of_view, view, limit.min_class_df, is_weighted)
        terms = terms.join(frequent, ["view", "term"], "left_semi")
    if limit.max_features is not None:
        terms = terms.orderBy(col("occurrences").desc(), col("term")).limit(limit.max_features)
    return terms.select("view", "term")


def _frequent_in_some_class(sums: Any, of_view: Any, view: int, least: float, is_weighted: bool) -> Any:
    """Return the rows of terms in a class that has them in enough documents; the rule of `min_class_df`."""
    slack = 1 + 1e-9 if is_weighted else 1  # sums of weights in a different order differ by rounding
    by_class = of_view.filter(col("class").isNotNull())
    if isinstance(least, Integral):
        return by_class.filter(col("documents") * slack >= int(least))
    is_size = (col("view") == view) & col("term").isNull() & col("class").isNotNull()
    sizes = sums.filter(is_size).select("class", col("documents").alias("size"))
    share = col("documents").cast("double") / functions.nullif(col("size").cast("double"), functions.lit(0.0))
    return by_class.join(sizes, "class").filter(share * slack >= float(least))
