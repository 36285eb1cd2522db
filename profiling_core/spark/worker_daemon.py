"""The process that Spark forks its Python workers from, with what all of our tasks need already imported.

Spark's own daemon forks first, and then each worker imports Arrow, pandas and the rest for itself: a second of
processor time per worker and session, where sessions last seconds. ``session`` sets ``spark.python.daemon.module``.
"""

import gc
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
    "profiling_core.spark.inclusion_pass",
)


def load() -> None:
    """Imports what tasks need, and has Numba load what its first kernel needs.

    Spark's workers collect garbage after each task. Nothing loaded here can become any, so it is left out: going
    through it took a tenth of a second of processor time per task.
    """
    for name in IMPORTED:
        import_module(name)
    from profiling_core.algorithms.inclusions.value_generator import no_entries, value_hashes

    value_hashes(no_entries())
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    load()
    manager()
