"""A table that Spark knows by name, and that is written anew with each change."""

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helpers.history import Change, Row, table_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkWorld:
    """A Parquet table of Spark's own catalog; its location changes with each change, as no table overwrites itself."""

    keyed = True

    def __init__(self, spark: "SparkSession", root: Path) -> None:
        self._spark, self._root = spark, root
        self._name = f"orders_{uuid.uuid4().hex[:8]}"
        self.source: dict[str, Any] = {"format": "spark-table", "table": f"spark_catalog.default.{self._name}"}
        self._state: dict[int, Row] = {}

    def change(self, change: Change) -> None:
        for row in change.deletes:
            del self._state[row["id"]]
        self._state |= {row["id"]: row for row in (*change.inserts, *change.updates)}
        place = self._root / "warehouse" / uuid.uuid4().hex
        self._spark.createDataFrame(table_of(list(self._state.values()))).coalesce(2).write.parquet(str(place))
        self._spark.sql(f"DROP TABLE IF EXISTS {self._name}")
        self._spark.sql(f"CREATE TABLE {self._name} USING parquet LOCATION '{place}'")

    def forget(self) -> None:
        """Spark keeps no past."""

    def rows(self) -> list[Row]:
        return self._spark.table(self._name).toArrow().to_pylist()
