"""The columns of a DataFrame that hold text, labels and weights: checked on the driver, before a job starts."""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import functions
from pyspark.sql.types import ArrayType, BooleanType, IntegralType, NumericType, StringType

#: The names of the columns in executors.
TEXT, LABEL, WEIGHT = "text", "label", "weight"


@dataclass(frozen=True)
class Columns:
    """Columns by name, and the kind of labels: "string", "long", "boolean", or "sets" of strings."""

    text: str
    label: str
    weight: str | None
    kind: str

    @classmethod
    def of(cls, df: Any, text: str, label: str, weight: str | None = None) -> "Columns":
        """Check the columns of a DataFrame."""
        check_text(df, text)
        if weight is not None:
            of_weight = column_type(df, "weight", weight)
            if not isinstance(of_weight, NumericType):
                raise TypeError(f"weight must be a column of numbers, but {weight!r} is {of_weight.simpleString()}")
        return cls(text, label, weight, _label_kind(label, column_type(df, "label", label)))

    @property
    def class_type(self) -> str:
        """The type of a class in Spark."""
        return "string" if self.kind in ("string", "sets") else "long"

    def select(self, df: Any) -> Any:
        """Return only these columns, in types that executors expect."""
        label = column(self.label)
        chosen = [
            column(self.text).alias(TEXT),
            (label.cast("long") if self.class_type == "long" else label).alias(LABEL),
        ]
        if self.weight is not None:
            chosen.append(column(self.weight).cast("double").alias(WEIGHT))
        return df.select(*chosen)


def check_text(df: Any, text: str) -> None:
    """Raise unless this is a column of strings."""
    of_text = column_type(df, "text", text)
    if not isinstance(of_text, StringType):
        raise TypeError(
            f"text must be a column of strings, but {text!r} is {of_text.simpleString()}: cast it, e.g."
            f" df.withColumn({text!r}, df[{text!r}].cast('string'))"
        )


def column(name: str) -> Any:
    """Return a column by its name, which may hold dots and backticks."""
    return functions.col("`" + name.replace("`", "``") + "`")


def column_type(df: Any, parameter: str, name: Any) -> Any:
    """Return the type of a column; raise if there is no such column, or more than one."""
    fields = getattr(getattr(df, "schema", None), "fields", None)
    if fields is None:
        raise TypeError(f"df must be a Spark DataFrame, got {type(df).__name__}")
    if not isinstance(name, str):
        raise TypeError(f"{parameter} must be the name of a column, got {name!r:.80}")
    found = [field.dataType for field in fields if field.name == name]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(repr(field.name) for field in fields[:20]) + (", ..." if len(fields) > 20 else "")
    what = "names no column" if not found else f"names {len(found)} columns"
    raise ValueError(f"{parameter}={name!r} {what} of the DataFrame: it has {listed or 'none'}")


def _label_kind(name: str, of_label: Any) -> str:
    if isinstance(of_label, StringType):
        return "string"
    if isinstance(of_label, BooleanType):
        return "boolean"
    if isinstance(of_label, IntegralType):
        return "long"
    if isinstance(of_label, ArrayType) and isinstance(of_label.elementType, StringType):
        return "sets"
    what = f"label must be a column of strings, whole numbers, booleans or arrays of strings, but {name!r} is"
    if isinstance(of_label, NumericType):
        raise TypeError(
            f"{what} {of_label.simpleString()}: bin it into classes, or cast it to 'int' if it holds classes"
        )
    raise TypeError(f"{what} {of_label.simpleString()}: cast it to 'string' or 'array<string>'")
