"""How far Spark is can be asked at any moment, from a thread that knows nothing of what another one starts."""

import sys

import pytest
from pyspark import SparkContext

from profiling_core.spark.progress import share_done


@pytest.mark.parametrize("context", [None, SparkContext.__new__(SparkContext)], ids=["none", "being started"])
def test_before_spark_runs_nothing_is_known(monkeypatch: pytest.MonkeyPatch, context: SparkContext | None) -> None:
    monkeypatch.setattr(SparkContext, "_active_spark_context", context)
    assert share_done() is None


def test_spark_that_another_thread_is_importing_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    half = type(sys)("pyspark.core.context")
    for name, found in {"pyspark": None, "pyspark.core": None, "pyspark.core.context": half}.items():
        monkeypatch.setitem(sys.modules, name, found)
    assert share_done() is None
