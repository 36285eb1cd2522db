"""Moments in rows that Python code asks Spark for."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from profiling_core.spark.names import all_quoted


def by_the_clock(frame: DataFrame) -> DataFrame:
    """The rows with moments as a clock in UTC shows them.

    PySpark hands out other moments in the local zone, which fails on the first day of year 1.
    """
    moments = [name for name, type_ in frame.dtypes if type_ == "timestamp"]
    shown = {
        name: f.col(quoted).cast("timestamp_ntz") for name, quoted in zip(moments, all_quoted(moments), strict=True)
    }
    return frame.withColumns(shown) if shown else frame
