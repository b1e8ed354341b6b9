"""What our stages of a Spark Pipeline share: an Estimator counts on the cluster, and a Model transforms there.

Every parameter of the local estimator is a Param of the same name, next to Spark's inputCol, labelCol, weightCol and
outputCol. The local estimator checks their values.
"""

import inspect
from typing import Any, ClassVar, Self

from pyspark.ml import Estimator, Model
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param import Param, Params
from pyspark.ml.param.shared import HasInputCol, HasLabelCol, HasOutputCol, HasWeightCol
from pyspark.sql.types import StructField, StructType

from troenpy.spark.columns import check_text
from troenpy.spark.executors import in_executors
from troenpy.spark.local_files import SentModel
from troenpy.spark.saving import SavedStage

#: Params that name columns.
COLUMNS = ("inputCol", "labelCol", "weightCol", "outputCol")


def described(local: str, name: str) -> Any:
    """Return a Param that is a parameter of a local estimator."""
    return Param(Params._dummy(), name, f"as in troenpy.{local}, which checks it", _without_tuple)


def _without_tuple(value: Any) -> Any:
    """Return a list instead of a tuple, which Spark's `explainParams` cannot show."""
    return list(value) if isinstance(value, tuple) else value


class Stage(HasInputCol, HasOutputCol, HasLabelCol, HasWeightCol, SavedStage):
    """A stage with columns."""

    def _set_given(self, given: dict[str, Any]) -> None:
        """Set the arguments of `__init__`; those that have their default values are defaults."""
        signature = inspect.signature(type(self).__init__).parameters
        usual = {name: signature[name].default for name in given}
        self._setDefault(**{name: value for name, value in usual.items() if value is not None or name not in COLUMNS})
        self.setParams(**{name: value for name, value in given.items() if value is not usual[name]})

    def setParams(self, **params: Any) -> Self:  # noqa: N802 (Spark's name)
        """Set parameters by name."""
        unknown = [name for name in params if not self.hasParam(name)]
        if unknown:
            known = ", ".join(param.name for param in self.params)
            raise ValueError(f"unknown parameter {unknown[0]!r} of {type(self).__name__}: it has {known}")
        self._set(**{name: value for name, value in params.items() if value is not None})
        for name in [name for name, value in params.items() if value is None]:
            self._paramMap[self.getParam(name)] = None  # Spark's _set leaves None out
        return self

    def _column_params(self) -> dict[str, Any]:
        """Return the Params that name columns, if they are set."""
        return {name: self.getOrDefault(name) for name in COLUMNS if self.isDefined(name)}


class TextModel(Stage, Model):
    """A Model that adds a column of sparse vectors."""

    #: The class of the local estimator.
    local_class: ClassVar[Any]

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(inputCol="text", labelCol="label", outputCol="features")
        self._local: Any = None

    @classmethod
    def from_local(cls, model: Any, *, inputCol: str = "text", outputCol: str = "features") -> Self:
        """Return the Model of an estimator that was fitted in memory.

        Parameters
        ----------
        model : estimator
            Fitted; see the class.
        inputCol, outputCol : str
            The columns of texts and of vectors.
        """
        stage = cls()
        stage._take(model)
        return stage.setParams(inputCol=inputCol, outputCol=outputCol)

    def to_local(self) -> Any:
        """Return the fitted local estimator, which gives the same features in memory."""
        return self._local

    def _local_estimator(self) -> Any:
        return self._local

    def _take(self, model: Any) -> None:
        if type(model) is not self.local_class:
            raise TypeError(f"model must be a {self.local_class.__name__}, got {type(model).__name__}")
        if not model.__sklearn_is_fitted__():
            raise ValueError(f"the {self.local_class.__name__} is not fitted: call fit first, or partial_fit")
        self._local = model

    def _transform(self, dataset: Any) -> Any:
        text, name = self.getInputCol(), self.getOutputCol()
        check_text(dataset, text)
        add = in_executors(
            "row_features:add_features", tuple(SentModel.of(dataset.sparkSession, self._local)), text, name
        )
        return dataset.mapInArrow(add, with_vectors(dataset, name))


def with_vectors(dataset: Any, name: str) -> Any:
    """Return the schema of a DataFrame with another column, of vectors."""
    return with_columns(dataset, StructField(name, VectorUDT()))


def with_columns(dataset: Any, *fields: Any) -> Any:
    """Return the schema of a DataFrame with other columns."""
    before = dataset.schema
    for field in fields:
        if field.name in before.names:
            raise ValueError(f"the DataFrame has a column {field.name!r} already: drop it, or rename one")
    return StructType([*before.fields, *fields])


class TextEstimator(Stage, Estimator):
    """An Estimator that counts on the cluster."""

    #: The class of the local estimator, and of the Model.
    local_class: ClassVar[Any]
    model_class: ClassVar[Any]

    def _local_estimator(self) -> Any:
        """Return the unfitted local estimator."""
        values = {name: self.getOrDefault(name) for name in self._own_params()}
        if isinstance(values.get("ngram_range"), list):
            values["ngram_range"] = tuple(values["ngram_range"])
        return self.local_class(**values)

    def _own_params(self) -> list[str]:
        return [param.name for param in self.params if param.name not in COLUMNS]

    def _take(self, local: Any) -> None:
        values = local.get_params(deep=False)
        self._set_given({name: values[name] for name in self._own_params()})

    def _new_model(self, local: Any) -> Any:
        model = self.model_class()
        model._take(local)
        model._resetUid(self.uid)
        return model.setParams(**self._column_params())
