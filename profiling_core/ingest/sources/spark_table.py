"""Tables that Spark knows by name, compared with the stored rows as a whole whenever their content changed."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from profiling_core.ingest.sources import extracts
from profiling_core.ingest.sources.formats import ParquetReader
from profiling_core.ingest.sources.passing import passing_folder
from profiling_core.ingest.sources.protocol import Applied, Batch, Found, newest_position
from profiling_core.model.dataset import TableConfig
from profiling_core.spark.named_tables import content, named_table, write_rows
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkTable:
    """A table of one of Spark's catalogs."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        self._settings = settings
        self._name = table.source.table or ""

    @property
    def where(self) -> str:
        """The table's name."""
        return f"Spark table {self._name}"

    def look(self, applied: Applied, label: str | None) -> Found:
        """One delta, if the table's content differs from the applied one."""
        position, since = content(self._rows()), newest_position(applied)
        if since is not None and {name: since.get(name) for name in position} == position:
            return Found()
        digest = hashlib.sha256(json.dumps(position, sort_keys=True).encode()).hexdigest()[:8]
        return Found((f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}.{digest}",)).up_to(label)

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:  # noqa: ARG002 -- all rows are read
        """The present rows, in files that Spark writes; the position is computed from these files."""
        folder = passing_folder(self._settings)
        files = write_rows(self._rows(), folder)
        position = content(self._spark().read.parquet(str(folder)))
        return Batch(
            tuple(SourcePart(i, 0, self.where, path.stat().st_size, str(path)) for i, path in enumerate(files)),
            ParquetReader(),
            operations=False,
            whole=True,
            positions=dict.fromkeys(delta_ids, position),
            deltas=tuple(delta_ids[-1:]),
        )

    def confirm(self, batch: Batch) -> None:
        """Removes the files."""
        extracts.remove(batch)

    def _rows(self) -> "DataFrame":
        return named_table(self._spark(), self._name)

    @staticmethod
    def _spark() -> "SparkSession":
        from profiling_core.spark.session import spark_session

        return spark_session("holdfast source")
