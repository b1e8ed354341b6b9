"""TermFeatures and TermFeaturesModel: our features in blocks and views as stages of a Spark Pipeline."""

from contextlib import nullcontext
from typing import Any

from troenpy.features import term_features
from troenpy.features.class_profile import LeaveOut
from troenpy.features.shared_reading import errors_of_view
from troenpy.features.views import read_views
from troenpy.spark.columns import Columns, check_text
from troenpy.spark.counting import check_for_spark, count_views
from troenpy.spark.executors import in_executors
from troenpy.spark.fitting import fit_features
from troenpy.spark.local_files import SentModel
from troenpy.spark.stages import TextEstimator, TextModel, described, with_vectors


class TermFeaturesModel(TextModel):
    """Fitted TermFeatures: adds a column of sparse vectors to a DataFrame.

    Its local estimator is :class:`troenpy.TermFeatures`; see `from_local` and `to_local`.

    Examples
    --------
    >>> from troenpy import TermFeatures
    >>> texts, labels = ["late goal", "own goal", "late vote"], ["sport", "sport", "politics"]
    >>> features = TermFeatures().set_params(words__blocks=("pi",)).fit(texts, labels)
    >>> df = spark.createDataFrame([("own goal",)], ["text"])
    >>> TermFeaturesModel.from_local(features).transform(df).first().features
    SparseVector(4, {0: 0.7439, 2: -0.6683})
    """

    local_class = term_features.TermFeatures

    def transform_training(self, dataset: Any) -> Any:
        """Add the features of the documents that the Model was fitted to, as `fit_transform` does in memory.

        Class profiles leave out the document itself, so that its label does not leak into its features; `transform`
        does not, and is meant for new documents. With ``leave_out="copies"`` copies are not left out here.

        Parameters
        ----------
        dataset : pyspark.sql.DataFrame
            With labels, and weights if `weightCol` is set.

        Returns
        -------
        pyspark.sql.DataFrame
        """
        given, name = self._column_params(), self.getOutputCol()
        weight = given.get("weightCol")
        columns = Columns.of(dataset, given["inputCol"], given["labelCol"], weight)
        model = tuple(SentModel.of(dataset.sparkSession, self._local))
        arguments = model, columns.text, columns.label, weight, columns.kind, name
        add = in_executors("row_features:add_training_features", *arguments)
        return dataset.mapInArrow(add, with_vectors(dataset, name))

    def _transform(self, dataset: Any) -> Any:
        if self._local.takes_counts:
            raise TypeError("features of a matrix of counts cannot be used on Spark: fit a view with a CountVectorizer")
        check_text(dataset, self.getInputCol())
        return super()._transform(dataset)


class TermFeatures(TextEstimator):
    """Learn blocks of features from the texts and labels of a DataFrame: the paper's and our own, of any views.

    A stage for Spark's Pipeline and CrossValidator. The terms of all views are counted in one pass and pruned on the
    cluster; the driver computes the weights. The features are those of :class:`troenpy.TermFeatures` on the same
    documents.

    A Pipeline transforms training documents as new ones. With the block "profile", their labels then leak into their
    features: use `transform_training` of the Model for them, as `train` does, or leave the block out.

    Parameters
    ----------
    inputCol, labelCol, weightCol, outputCol : str
        The columns of texts, labels and weights, as in `class_counts`, and the name of the new column of vectors.
    views, pcf, leave_out, profile_scale, smoothing
        As in :class:`troenpy.TermFeatures`, but no functions, and no view of "counts".

    Examples
    --------
    >>> from troenpy import CountVectorizer
    >>> rows = [("late goal", "sport"), ("own goal", "sport"), ("late vote", "politics")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = TermFeatures(views=[("words", CountVectorizer(min_df=2), ("pi", "btf"))]).fit(df)
    >>> model.to_local().get_feature_names_out().tolist()
    ['pi__goal', 'pi__late', 'btf__goal', 'btf__late']
    """

    local_class, model_class = term_features.TermFeatures, TermFeaturesModel

    views = described("TermFeatures", "views")
    pcf = described("TermFeatures", "pcf")
    leave_out = described("TermFeatures", "leave_out")
    profile_scale = described("TermFeatures", "profile_scale")
    smoothing = described("TermFeatures", "smoothing")

    def __init__(
        self,
        *,
        inputCol: str = "text",
        labelCol: str = "label",
        weightCol: str | None = None,
        outputCol: str = "features",
        views: Any = None,
        pcf: bool = False,
        leave_out: LeaveOut = "document",
        profile_scale: float = 1.0,
        smoothing: float = 1.0,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__()
        self._set_given(given)

    def _fit(self, dataset: Any) -> Any:
        features = self._local_estimator()
        columns = Columns.of(dataset, self.getInputCol(), self.getLabelCol(), self._column_params().get("weightCol"))
        return self._new_model(fit_on_cluster(features, dataset, columns))


def fit_on_cluster(features: term_features.TermFeatures, dataset: Any, columns: Columns) -> term_features.TermFeatures:
    """Fit features in place to the documents of a DataFrame, and return them."""
    if features.takes_counts:
        raise TypeError("a view of 'counts' cannot be used on Spark: pass a CountVectorizer, and a column of texts")
    views = read_views(features._views_or_default())
    features._check_views(views)
    features._check_parameters()
    counters = []
    for view in views:
        counter = view.new_counter(features.dtype, features.n_jobs)
        assert counter is not None  # noqa: S101 (checked above)
        with errors_of_view(view.name) if len(views) > 1 else nullcontext():
            check_for_spark(counter)
        counters.append(counter)
    return fit_features(features, views, count_views(dataset, columns, counters))
