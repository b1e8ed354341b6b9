"""TfPi and TermFeatures on Spark: the same features as in memory, as stages that Spark can tune, save and load."""

from multiprocessing.pool import ThreadPool

import numpy as np
import pytest
from scipy import sparse

from troenpy import CountVectorizer, TermFeatures, TfPiVectorizer
from troenpy import spark as on_spark

WORDS = ("words", CountVectorizer(min_df=2), ("pi", "btf", "certainty"))
PIECES = ("pieces", CountVectorizer(analyzer="char_wb", ngram_range=(2, 3), min_class_df=3), ("boost", "profile"))


def matrix(df, column="features"):
    """Return the vectors of a DataFrame as a CSR matrix, in the order of `id` if there is one."""
    rows = df.orderBy("id").collect() if "id" in df.columns else df.collect()
    return sparse.vstack([sparse.csr_array(row[column].toArray()[np.newaxis]) for row in rows]).tocsr()


@pytest.fixture(scope="module")
def numbered(spark, texts_and_labels):
    texts, labels = texts_and_labels
    rows = [(i, text, label, 0.5 + i % 3) for i, (text, label) in enumerate(zip(texts, labels, strict=True))]
    return spark.createDataFrame(rows, ["id", "text", "label", "w"]).repartition(3).cache()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ngram_range": (1, 2), "min_df": 2, "tf": "bm25", "norm": None},
        {"scheme": "sqrt(certainty*idf)", "analyzer": "text", "min_class_df": 4},
        {"vocabulary": ["goal", "vote", "nowhere"], "tf": "bm25"},
    ],
    ids=str,
)
def test_tf_pi_equals_that_in_memory(numbered, texts_and_labels, options):
    expected = TfPiVectorizer(**options)
    X = expected.fit_transform(*texts_and_labels)
    model = on_spark.TfPi(**options).fit(numbered)
    local = model.to_local()
    assert local.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert local.counts_ == expected.counts_
    np.testing.assert_array_equal(local.weights_, expected.weights_)
    transformed = model.transform(numbered)
    assert transformed.columns == ["id", "text", "label", "w", "features"]
    np.testing.assert_array_equal(matrix(transformed).toarray(), X.toarray())
    np.testing.assert_array_equal(local.transform(texts_and_labels[0]).toarray(), X.toarray())


def test_weights_of_documents(numbered, texts_and_labels):
    texts, labels = texts_and_labels
    expected = TfPiVectorizer().fit(texts, labels, 0.5 + np.arange(len(texts)) % 3)
    local = on_spark.TfPi(weightCol="w").fit(numbered).to_local()
    np.testing.assert_allclose(local.weights_, expected.weights_, rtol=1e-9)


def test_term_features_of_two_views_equal_those_in_memory(numbered, texts_and_labels):
    texts, labels = texts_and_labels
    expected = TermFeatures([WORDS, PIECES], smoothing=2.0)
    training_rows = expected.fit_transform(texts, labels)
    model = on_spark.TermFeatures(views=[WORDS, PIECES], smoothing=2.0).fit(numbered)
    local = model.to_local()
    assert local.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    np.testing.assert_array_equal(matrix(model.transform(numbered)).toarray(), expected.transform(texts).toarray())
    np.testing.assert_array_equal(matrix(model.transform_training(numbered)).toarray(), training_rows.toarray())
    np.testing.assert_array_equal(local.transform(texts).toarray(), expected.transform(texts).toarray())


def test_training_rows_without_a_profile_are_rows(numbered):
    model = on_spark.TermFeatures(views=[WORDS]).fit(numbered)
    both = matrix(model.transform_training(numbered)), matrix(model.transform(numbered))
    assert (both[0] != both[1]).nnz == 0


def test_training_rows_leave_out_the_weight_of_a_document(numbered, texts_and_labels):
    texts, labels = texts_and_labels
    view = [("words", CountVectorizer(), ("profile",))]
    expected = TermFeatures(view).fit_transform(texts, labels, 0.5 + np.arange(len(texts)) % 3)
    model = on_spark.TermFeatures(views=view, weightCol="w").fit(numbered)
    np.testing.assert_allclose(matrix(model.transform_training(numbered)).toarray(), expected.toarray(), rtol=1e-9)


@pytest.mark.parametrize(
    "local", [TfPiVectorizer(min_df=2), TermFeatures([PIECES])], ids=["TfPiVectorizer", "TermFeatures"]
)
def test_a_model_fitted_in_memory_transforms_on_spark(numbered, texts_and_labels, local):
    texts, labels = texts_and_labels
    local.fit(texts, labels)
    stage = on_spark.TfPiModel if isinstance(local, TfPiVectorizer) else on_spark.TermFeaturesModel
    model = stage.from_local(local, outputCol="found")
    np.testing.assert_array_equal(
        matrix(model.transform(numbered), "found").toarray(), local.transform(texts).toarray()
    )


def test_only_a_fitted_estimator_of_the_right_class_becomes_a_model():
    with pytest.raises(TypeError, match=r"^model must be a TfPiVectorizer, got TermFeatures$"):
        on_spark.TfPiModel.from_local(TermFeatures())
    with pytest.raises(ValueError, match=r"^the TfPiVectorizer is not fitted: call fit first"):
        on_spark.TfPiModel.from_local(TfPiVectorizer())


def test_stages_are_saved_and_loaded_in_a_pipeline(numbered, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel

    tfpi = on_spark.TfPi(ngram_range=(1, 2), min_df=3, stop_words=["the"], outputCol="tfpi", norm=None)
    features = on_spark.TermFeatures(views=[WORDS, PIECES], pcf=True, outputCol="blocks")
    pipeline = Pipeline(stages=[tfpi, features])
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    loaded = Pipeline.load(str(tmp_path / "pipeline")).getStages()
    for before, after in zip(pipeline.getStages(), loaded, strict=True):
        assert after.uid == before.uid
        assert after._column_params() == before._column_params()
        assert repr(after._local_estimator()) == repr(before._local_estimator())
    model = pipeline.fit(numbered)
    model.write().overwrite().save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    for column in ("tfpi", "blocks"):
        of_both = [matrix(one.transform(numbered), column).toarray() for one in (model, again)]
        np.testing.assert_array_equal(*of_both)


@pytest.fixture
def closed_pools(monkeypatch):
    """Close the pools of threads that Spark's CrossValidator leaves open, with a ResourceWarning."""
    from pyspark.ml import tuning

    pools = []

    def open_pool(*arguments, **options):
        pools.append(ThreadPool(*arguments, **options))
        return pools[-1]

    monkeypatch.setattr(tuning, "ThreadPool", open_pool)
    yield
    for pool in pools:
        pool.terminate()
        pool.join()


def test_a_cross_validator_tunes_it_before_logistic_regression(numbered, closed_pools):
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.feature import StringIndexer
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    tfpi = on_spark.TfPi()
    regression = LogisticRegression(labelCol="y", maxIter=3)
    stages = [StringIndexer(inputCol="label", outputCol="y"), tfpi, regression]
    grid = ParamGridBuilder().addGrid(tfpi.min_df, [1, 25]).build()
    judge = MulticlassClassificationEvaluator(labelCol="y", metricName="accuracy")
    search = CrossValidator(
        estimator=Pipeline(stages=stages), estimatorParamMaps=grid, evaluator=judge, numFolds=2, seed=1
    )
    found = search.fit(numbered.filter("id > 5"))
    assert found.avgMetrics[0] > 0.9
    assert len(found.bestModel.stages[1].to_local().vocabulary_) > 40


def test_params():
    tfpi = on_spark.TfPi(min_df=2, norm=None, labelCol="kind")
    assert tfpi.getOrDefault("min_df") == 2
    assert tfpi.getOrDefault(tfpi.norm) is None
    assert tfpi.getLabelCol() == "kind"
    assert "min_df: as in troenpy.TfPiVectorizer" in tfpi.explainParams()
    copy = tfpi.copy({tfpi.min_df: 5})
    assert (copy.getOrDefault("min_df"), tfpi.getOrDefault("min_df")) == (5, 2)
    assert tfpi.setParams(scheme="idf")._local_estimator().scheme == "idf"
    with pytest.raises(ValueError, match=r"^unknown parameter 'mindf' of TfPi: it has .*min_df"):
        tfpi.setParams(mindf=2)


@pytest.mark.parametrize(
    ("stage", "error", "message"),
    [
        (lambda: on_spark.TfPi(inputCol="body"), ValueError, "^text='body' names no column"),
        (lambda: on_spark.TfPi(labelCol="w"), TypeError, "^label must be a column of"),
        (lambda: on_spark.TfPi(scheme="nonsense"), ValueError, "nonsense"),
        (lambda: on_spark.TfPi(ngram_range="x"), ValueError, "ngram_range"),
        (lambda: on_spark.TfPi(analyzer=str.split), TypeError, "^analyzer of CountVectorizer is a function"),
        (lambda: on_spark.TermFeatures(views=[("words", "counts", ("pi",))]), TypeError, "^a view of 'counts' cannot"),
        (lambda: on_spark.TermFeatures(views=[]), ValueError, "^views must be"),
        (lambda: on_spark.TfPi(min_df=10**6), ValueError, "^no term is within min_df, max_df and min_class_df: loosen"),
    ],
    ids=str,
)
def test_mistakes(numbered, stage, error, message):
    with pytest.raises(error, match=message):
        stage().fit(numbered)


def test_one_class_is_not_enough(spark):
    df = spark.createDataFrame([("a goal", "x"), ("own goal", "x")], ["text", "label"])
    with pytest.raises(ValueError, match=r"^term weights need at least two classes with documents, got one class"):
        on_spark.TfPi().fit(df)


def test_a_column_that_is_there_already(numbered):
    model = on_spark.TfPi(outputCol="w").fit(numbered)
    with pytest.raises(ValueError, match=r"^the DataFrame has a column 'w' already: drop it, or rename one$"):
        model.transform(numbered)


def test_nulls_of_new_documents(spark, numbered):
    from pyspark.errors import PySparkException

    from troenpy.spark.executors import clear_errors

    new = spark.createDataFrame([(1, None), (2, "goal")], "id int, text string")
    strict, lenient = (on_spark.TfPi(nulls=nulls).fit(numbered) for nulls in ("error", "empty"))
    assert np.diff(matrix(lenient.transform(new)).indptr).tolist() == [0, 1]
    with pytest.raises(PySparkException, match=r"ValueError: troenpy in an executor: a text is missing \(null\)"):
        strict.transform(new).collect()
    with pytest.raises(ValueError, match=r"^a text is missing \(null\)"), clear_errors():
        strict.transform(new).collect()
