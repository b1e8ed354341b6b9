"""Run checks in a mode of Spark that needs a process of its own, and print what was found as JSON.

python in_other_mode.py {cluster,connect} FOLDER [CORPUS]
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
from made_up_texts import made_up_texts

from troenpy import ClassCounts, CountVectorizer, TermFeatures, TfPiVectorizer, TroenpyClassifier, datasets, settings
from troenpy import spark as on_spark

VIEWS = [
    ("words", CountVectorizer(min_df=2), ("pi", "btf")),
    ("pieces", CountVectorizer(analyzer="char_wb", ngram_range=(2, 3), min_class_df=0.1), ("profile",)),
]


def session(mode):
    from conftest import SETTINGS  # tests collect this module, with or without pyspark
    from pyspark.sql import SparkSession

    if mode == "connect":
        builder = SparkSession.builder.remote("local[2]")
        return builder.config("spark.sql.shuffle.partitions", SETTINGS["spark.sql.shuffle.partitions"]).getOrCreate()
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return (
        builder.config("spark.executor.memory", "512m")
        .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )


def in_memory(texts, labels, **options):
    counter = CountVectorizer(**options)
    X = counter.fit_transform(texts, labels)
    return ClassCounts.from_matrix(X, labels, terms=counter.get_feature_names_out())


def dense(df):
    return np.array([row.features.toArray() for row in df.orderBy("id").collect()])


def equal_results(spark, df, texts, labels, folder):
    """Yield what was compared, and whether it is equal."""
    limits = {"min_df": 0.02, "max_df": 0.9, "min_class_df": 2}
    found = on_spark.class_counts(df, counter=CountVectorizer(**limits))
    yield "pruned counts", found == in_memory(texts, labels, **limits)
    model = on_spark.TfPi().fit(df)
    model.write().overwrite().save(f"{folder}/tfpi")
    model.write().overwrite().save(f"{folder}/tfpi")
    expected = TfPiVectorizer().fit_transform(texts, labels).toarray()
    yield "TF-PI", np.array_equal(dense(on_spark.TfPiModel.load(f"{folder}/tfpi").transform(df)), expected)
    training_rows = TermFeatures(VIEWS).fit_transform(texts, labels).toarray()
    model = on_spark.TermFeatures(views=VIEWS).fit(df)
    yield "training rows", np.array_equal(dense(model.transform_training(df)), training_rows)
    classifier = TroenpyClassifier(C=1).fit(texts, labels)
    rows = on_spark.predict(classifier, df).orderBy("id").collect()
    yield "labels", [row.prediction for row in rows] == classifier.predict(texts).tolist()
    yield "probabilities", np.allclose([row.probability for row in rows], classifier.predict_proba(texts), rtol=1e-12)


def error_of_nulls(spark):
    df = spark.createDataFrame([("late goal", "x"), (None, "y")], "text string, label string")
    try:
        on_spark.class_counts(df)
    except ValueError as error:
        return str(error)
    return None


def is_executor(process):
    try:
        return "CoarseGrainedExecutorBackend" in " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return False


def counts_with_a_killed_executor(spark, df):
    """Count in slow tasks, and kill an executor when the first of them have ended."""

    def slowly(batches):
        for batch in batches:
            time.sleep(0.5)
            yield batch

    tracker, killed, done = spark.sparkContext.statusTracker(), [], threading.Event()

    def kill():
        while not done.wait(0.05):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            if any(stage is not None and stage.numTasks > 6 and stage.numCompletedTasks > 2 for stage in stages):
                executor = next(filter(is_executor, psutil.Process().children(recursive=True)))
                executor.kill()
                killed.append(executor.pid)
                return

    thread = threading.Thread(target=kill)
    thread.start()
    slow = df.repartition(10).mapInArrow(slowly, df.schema)
    found = on_spark.class_counts(slow)
    done.set()
    thread.join()
    return found, len(killed)


def main(mode, folder, name=None):
    if name is None:
        texts, labels = made_up_texts(200, seed=5)
        texts, labels = ["", "größe 👩🏽‍🚀 <b>", *texts], ["sport", "science", *labels.tolist()]
    else:
        corpus = datasets.load(name)
        texts, labels = list(corpus.texts), corpus.labels.tolist()
    spark = session(mode)
    found = {"python": sys.executable, "version": spark.version}
    try:
        rows = [*zip(range(len(texts)), texts, labels, strict=True)]
        if name is None:
            df = spark.createDataFrame(rows, ["id", "text", "label"]).repartition(3)
        else:
            path = Path(folder) / "corpus.jsonl"
            keys = ("id", "text", "label")
            path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
            df = spark.read.schema("id long, text string, label string").json(str(path)).repartition(4)
            found["counts"] = on_spark.class_counts(df) == in_memory(texts, labels)
            model = on_spark.TfPi(min_df=3).fit(df).to_local()
            expected = TfPiVectorizer(min_df=3).fit(texts, labels)
            found["weights"] = bool(np.array_equal(model.weights_, expected.weights_))
            found["terms"] = model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
            return found
        found |= {what: bool(is_equal) for what, is_equal in equal_results(spark, df, texts, labels, folder)}
        found["nulls"] = error_of_nulls(spark)
        if mode == "connect":
            trained, expected = (
                on_spark.train(df.coalesce(1), max_iter=5),
                settings.classifier("linear").fit(texts, labels),
            )
            found["trained"] = bool(np.mean(trained.predict(texts) == expected.predict(texts)) > 0.98)
        if mode == "cluster":
            counts, found["killed"] = counts_with_a_killed_executor(spark, df)
            found["counts with a killed executor"] = counts == in_memory(texts, labels)
    finally:
        spark.stop()
    return found


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = sys.executable
    sys.stdout.write(json.dumps(main(*sys.argv[1:])) + "\n")
