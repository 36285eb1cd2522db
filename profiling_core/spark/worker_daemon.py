"""The process that Spark forks its Python workers from, with what all of our tasks need already imported.

Spark's own daemon forks first, and then each worker imports Arrow, pandas and the rest for itself: a second of processor
time per worker and session, where sessions last seconds. Set as ``spark.python.daemon.module`` by ``session``.
"""

import pandas as pd  # noqa: F401  # Arrow loads it when it first meets Python objects
import pyarrow.compute
import pyarrow.parquet
import pyspark.sql.pandas.serializers
import pyspark.sql.pandas.types
import pyspark.worker  # noqa: F401  # what the workers run
from pyspark.daemon import manager

import profiling_core.model.dataset
import profiling_core.spark.delta
import profiling_core.spark.sources  # noqa: F401  # tasks unpickle their classes

if __name__ == "__main__":
    manager()
