"""The examples of troenpy.spark give what they show; they have a session, and the names of their module."""

import doctest
import importlib
import pkgutil

import pytest

from troenpy import spark as on_spark

MODULES = [module.name for module in pkgutil.iter_modules(on_spark.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(spark, name, capsys):
    module = importlib.import_module(f"troenpy.spark.{name}")
    assert doctest.testmod(module, extraglobs={"spark": spark}).failed == 0, capsys.readouterr().out


def test_every_public_name_has_an_example():
    for name in on_spark.__all__:
        assert ">>>" in getattr(on_spark, name).__doc__, name
