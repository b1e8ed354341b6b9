"""Run a function of troenpy in Spark's executors, and say clearly what is wrong there.

The function is sent by its name, in a closure that Spark can unpickle without troenpy: so an executor that lacks
troenpy, or has another version, says so instead of failing to unpickle.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, NoReturn

#: How errors from executors begin: by this the driver finds them in Spark's message.
MARK = "troenpy in an executor: "
#: Kinds of errors that the driver raises again.
_KINDS: dict[str, type[Exception]] = {
    kind.__name__: kind for kind in (ValueError, TypeError, ImportError, RuntimeError, MemoryError)
}

Batches = Iterator[Any]


def in_executors(function: str, *arguments: Any, driver_version: str | None = None) -> Callable[[Batches], Batches]:
    """Return a function for `DataFrame.mapInArrow` that calls a function of troenpy.

    Parameters
    ----------
    function : str
        Its module within `troenpy.spark`, and its name: "module:name". It takes batches and the arguments, and yields
        batches.
    *arguments
        Plain values.
    driver_version : str, optional
        The version of troenpy that executors must have, by default the one installed here.
    """
    needed = version("troenpy") if driver_version is None else driver_version
    mark = MARK

    def run(batches: Batches) -> Batches:
        from importlib import import_module, metadata

        try:
            found = metadata.version("troenpy")
            import_module("troenpy.spark")
        except ImportError as error:
            raise ImportError(
                f"{mark}troenpy cannot be imported there ({error}): run pip install 'troenpy[spark]=={needed}' with the"
                " Python of the executors, which spark.pyspark.python or PYSPARK_PYTHON names"
            ) from None
        if found != needed:
            raise ImportError(
                f"{mark}its troenpy is {found}, but that of the driver is {needed}: run pip install 'troenpy=={needed}'"
                " with the Python of the executors, which spark.pyspark.python or PYSPARK_PYTHON names"
            )
        module, _, name = function.partition(":")
        call = getattr(import_module(f"troenpy.spark.{module}"), name)
        try:
            yield from call(batches, *arguments)
        except (ValueError, TypeError, RuntimeError, MemoryError) as error:
            # The kind that the driver knows: UnicodeDecodeError, say, is a ValueError that takes other arguments.
            kinds = ValueError, TypeError, RuntimeError, MemoryError
            raise next(kind for kind in kinds if isinstance(error, kind))(f"{mark}{error}") from None

    return run


@contextmanager
def clear_errors() -> Iterator[None]:
    """Raise errors from executors as what they are, in one line, instead of Spark's error about them."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = re.search(rf"^(\w+): {MARK}(.*)$", str(error), flags=re.MULTILINE)
        if found is None:
            raise
        _raise(_KINDS.get(found[1], RuntimeError), found[2])


def _raise(kind: type[Exception], message: str) -> NoReturn:
    raise kind(message) from None
