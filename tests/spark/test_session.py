"""The session means what we rely on: UTC, exact casts, columns that differ in case, workers that are ours."""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from profiling_core.spark.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_there_is_one_session_per_process(spark: "SparkSession") -> None:
    assert spark_session("another name") is spark


def test_a_bad_cast_is_an_error_and_never_null(spark: "SparkSession") -> None:
    with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
        spark.sql("SELECT CAST('x' AS INT)").collect()


def test_columns_may_differ_in_case_alone(spark: "SparkSession") -> None:
    rows = spark.createDataFrame(pa.table({"a": [1], "A": [2]}))
    assert rows.select("A").toArrow().to_pylist() == [{"A": 2}]


def test_timestamps_are_utc(spark: "SparkSession") -> None:
    assert (
        spark.sql("SELECT CAST(TIMESTAMP '2013-03-01 00:00:00' AS STRING) AS t").collect()[0].t == "2013-03-01 00:00:00"
    )
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_workers_are_of_this_environment(spark: "SparkSession") -> None:
    def prefix(batches: object) -> object:
        import sys

        assert batches is not None
        yield pa.RecordBatch.from_pydict({"p": [sys.prefix], "warm": ["pandas" in sys.modules]})

    found = spark.range(1, numPartitions=1).mapInArrow(prefix, "p string, warm boolean").toArrow().to_pylist()
    assert found == [{"p": sys.prefix, "warm": True}]


def test_what_is_kept_lies_in_as_few_pieces_as_it_needs(spark: "SparkSession") -> None:
    by_default = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", 200)  # as on a cluster
    try:
        kept = spark.range(1000).selectExpr("id % 500 AS half").groupBy("half").count().cache()
        assert kept.count() == 500
        assert kept.rdd.getNumPartitions() < 10
        kept.unpersist()
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(by_default))


def test_the_driver_listens_on_this_machine_alone(spark: "SparkSession") -> None:
    assert spark.conf.get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.conf.get("spark.ui.enabled") == "false"


def test_a_session_leaves_nothing_in_the_working_directory(tmp_path: Path) -> None:
    program = (
        "from profiling_core.spark.session import spark_session\n"
        "spark = spark_session('litter')\n"
        "spark.range(3).createOrReplaceTempView('v')\n"
        "print(spark.sql('SELECT sum(id) FROM v').collect()[0][0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == "3"
    assert list(tmp_path.iterdir()) == []
    assert "ERROR" not in done.stderr
