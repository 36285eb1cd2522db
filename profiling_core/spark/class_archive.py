"""Makes the class-data archive that Spark's JVM starts from: ``python -m profiling_core.spark.class_archive``.

Run once per environment (set-up, image build). Everything works without it, each start just takes longer. The archive
is written aside and renamed, so that a session that starts meanwhile sees none or a whole one.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from profiling_core.model.errors import HoldfastError
from profiling_core.spark.java import archive_path, find_java
from profiling_core.spark.session import CONF_VARIABLE, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def make_archive() -> Path:
    """Starts a session, makes it load the classes of our usual work, and has its JVM archive them as it ends.

    Returns:
        The archive's path. One that exists already is kept.
    """
    target = archive_path(find_java())
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    options = f"-XX:ArchiveClassesAtExit={fresh} -Xlog:cds=off -Xlog:cds+dynamic=off"
    os.environ[CONF_VARIABLE] = f"spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {options}"
    spark = spark_session("class archive", master="local[1]")
    process = spark.sparkContext._gateway.proc  # noqa: SLF001  # the JVM archives when it ends: we must see it end
    _usual_work(spark)
    spark.stop()
    process.stdin.close()
    process.wait(timeout=300)
    fresh.replace(target)
    return target


def _usual_work(spark: "SparkSession") -> None:
    from pyspark.sql import functions as f

    with tempfile.TemporaryDirectory() as folder:
        numbers = spark.range(100).select("id", (f.col("id") % 7).alias("k"), f.col("id").cast("string").alias("s"))
        numbers.write.parquet(f"{folder}/rows")
        rows = spark.read.parquet(f"{folder}/rows")
        joined = rows.join(f.broadcast(rows.select("k").distinct()), "k", "left_semi")
        joined.groupBy("k").agg(f.count("*").alias("n"), f.max("s")).orderBy("k").toArrow()
        rows.mapInArrow(lambda batches: batches, rows.schema).toArrow()
        rows.groupBy("k").cogroup(rows.groupBy("k")).applyInArrow(lambda left, _: left, rows.schema).toArrow()
        rows.createOrReplaceTempView("numbers")
        spark.sql("SELECT a.k, count(*) FROM numbers a JOIN numbers b ON a.k = b.k GROUP BY a.k LIMIT 5").collect()


def main() -> int:
    """Makes the archive and prints where it is; a failure is told, not raised: nothing depends on the archive."""
    try:
        print(make_archive())  # noqa: T201  # a program's output
    except (HoldfastError, OSError) as error:
        print(f"Spark will start without a class archive: {error}", file=sys.stderr)  # noqa: T201  # as above
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
