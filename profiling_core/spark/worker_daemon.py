"""The process that Spark forks its Python workers from, with what all of our tasks need already imported.

Spark's own daemon forks first, and then each worker imports Arrow, pandas and the rest for itself: a second of
processor time per worker and session, where sessions last seconds. ``session`` sets ``spark.python.daemon.module``.
"""

from importlib import import_module

from pyspark.daemon import manager

IMPORTED = (
    "pandas",  # Arrow loads it when it first meets Python objects
    "pyarrow.compute",
    "pyarrow.parquet",
    "pyspark.sql.pandas.serializers",
    "pyspark.sql.pandas.types",
    "pyspark.worker",
    "profiling_core.model.dataset",
    "profiling_core.spark.bucket",
    "profiling_core.spark.sources",
)

if __name__ == "__main__":
    for name in IMPORTED:
        import_module(name)
    manager()
