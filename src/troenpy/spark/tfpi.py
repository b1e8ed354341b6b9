"""TfPi and TfPiModel: TfPiVectorizer as stages of a Spark Pipeline."""

from typing import Any

from troenpy.features.count_vectorizer import DEFAULT_TOKEN_PATTERN
from troenpy.features.missing_documents import Nulls
from troenpy.features.rows import Norm, TermFrequency
from troenpy.features.tfpi_vectorizer import TfPiVectorizer
from troenpy.spark.columns import Columns
from troenpy.spark.counting import check_for_spark, count_views
from troenpy.spark.fitting import counter_of, fit_vectorizer
from troenpy.spark.stages import TextEstimator, TextModel, described


class TfPiModel(TextModel):
    """A fitted TfPi: adds a column of sparse vectors to a DataFrame.

    Its local estimator is a :class:`TfPiVectorizer`; see `from_local` and `to_local`.

    Examples
    --------
    >>> from troenpy import TfPiVectorizer
    >>> vectorizer = TfPiVectorizer().fit(["late goal", "own goal", "late vote"], ["sport", "sport", "politics"])
    >>> df = spark.createDataFrame([("own goal",)], ["text"])
    >>> TfPiModel.from_local(vectorizer).transform(df).first().features
    SparseVector(4, {0: 0.7439, 2: -0.6683})
    """

    local_class = TfPiVectorizer


class TfPi(TextEstimator):
    """Learn TF-PI features, or any other weighting, from the texts and labels of a DataFrame.

    A stage for Spark's Pipeline and CrossValidator. Terms are counted and pruned on the cluster; the driver computes
    the weights. The features are those of :class:`TfPiVectorizer` on the same documents.

    Parameters
    ----------
    inputCol, labelCol, weightCol, outputCol : str
        The columns of texts, labels and weights, as in `class_counts`, and the name of the new column of vectors.
    strip_accents, lowercase, stop_words, token_pattern, ngram_range, analyzer, max_df, min_df, min_class_df, \
max_features, vocabulary, binary, nulls, scheme, tf, norm, smoothing
        As in :class:`TfPiVectorizer`, but no functions. Of terms with equal totals, `max_features` keeps those that
        come first in the order of code points.

    Examples
    --------
    >>> rows = [("late goal", "sport"), ("own goal", "sport"), ("late vote", "politics")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = TfPi(norm=None).fit(df)
    >>> model.to_local().get_feature_names_out().tolist()
    ['goal', 'late', 'own', 'vote']
    >>> model.transform(df).first().features.size
    4
    """

    local_class, model_class = TfPiVectorizer, TfPiModel

    strip_accents = described("TfPiVectorizer", "strip_accents")
    lowercase = described("TfPiVectorizer", "lowercase")
    stop_words = described("TfPiVectorizer", "stop_words")
    token_pattern = described("TfPiVectorizer", "token_pattern")
    ngram_range = described("TfPiVectorizer", "ngram_range")
    analyzer = described("TfPiVectorizer", "analyzer")
    max_df = described("TfPiVectorizer", "max_df")
    min_df = described("TfPiVectorizer", "min_df")
    min_class_df = described("TfPiVectorizer", "min_class_df")
    max_features = described("TfPiVectorizer", "max_features")
    vocabulary = described("TfPiVectorizer", "vocabulary")
    binary = described("TfPiVectorizer", "binary")
    nulls = described("TfPiVectorizer", "nulls")
    scheme = described("TfPiVectorizer", "scheme")
    tf = described("TfPiVectorizer", "tf")
    norm = described("TfPiVectorizer", "norm")
    smoothing = described("TfPiVectorizer", "smoothing")

    def __init__(
        self,
        *,
        inputCol: str = "text",
        labelCol: str = "label",
        weightCol: str | None = None,
        outputCol: str = "features",
        strip_accents: str | None = None,
        lowercase: bool = True,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        min_class_df: float | None = None,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        nulls: Nulls = "error",
        scheme: str = "pi",
        tf: TermFrequency = "raw",
        norm: Norm | None = "l2",
        smoothing: float = 1.0,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__()
        self._set_given(given)

    def _fit(self, dataset: Any) -> Any:
        vectorizer = self._local_estimator()
        columns = Columns.of(dataset, self.getInputCol(), self.getLabelCol(), self._column_params().get("weightCol"))
        counter = counter_of(vectorizer)
        check_for_spark(counter)
        vectorizer._check_parameters()
        (tally,) = count_views(dataset, columns, [counter])
        return self._new_model(fit_vectorizer(vectorizer, tally))
