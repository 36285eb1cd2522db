"""Tables at their source: each world changes one by inserts, updates and deletes, and tells its rows itself."""

import atexit
import os
import shutil
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from helpers.history import NOTED, SCHEMA, Change, Row, table_of


class DeltaLakeWorld:
    """A Delta Lake table; each change is a commit per kind of operation."""

    def __init__(self, root: Path, *, feed: bool, keyed: bool) -> None:
        self.path = root / "lake"
        self.source, self.keyed = {"format": "delta", "path": str(self.path)}, keyed
        self._feed = {"delta.enableChangeDataFeed": "true"} if feed else {}

    def change(self, change: Change) -> None:
        from deltalake import DeltaTable, write_deltalake

        if not self.path.exists():
            write_deltalake(self.path, table_of(change.inserts), configuration=self._feed)
            return
        gone = [row["id"] for row in (*change.deletes, *change.updates)]
        write_deltalake(self.path, table_of([*change.inserts]), mode="append", schema_mode="merge")
        if gone:
            DeltaTable(self.path).delete(f"id in ({', '.join(map(str, gone[:2]))})")
            merge = DeltaTable(self.path).merge(
                table_of(change.updates), "s.id = t.id", source_alias="s", target_alias="t"
            )
            merge.when_matched_update_all().when_not_matched_insert_all().execute()

    def forget(self) -> None:
        from deltalake import DeltaTable

        table = DeltaTable(self.path)
        table.optimize.compact()
        table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)

    def rows(self) -> list[Row]:
        from deltalake import DeltaTable

        return DeltaTable(self.path).to_pyarrow_table().to_pylist()


class IcebergWorld:
    """An Iceberg table of an SQL catalog: appends, deletes, overwrites; at last its old snapshots expire."""

    _catalog_of_all: ClassVar[Any] = None

    def __init__(self, root: Path, *, keyed: bool = True) -> None:
        self.keyed = keyed
        self._name = f"shop.orders_{uuid.uuid4().hex[:8]}"
        self.source = {"format": "iceberg", "catalog": "worlds", "table": self._name}
        self._catalog = self._load()
        self._catalog.create_table(self._name, SCHEMA)

    @classmethod
    def _load(cls) -> Any:
        """The one catalog of a test run; pyiceberg reads the environment once, when something first imports it."""
        if cls._catalog_of_all is None:
            root = tempfile.mkdtemp(prefix="holdfast-iceberg-")
            atexit.register(shutil.rmtree, root, ignore_errors=True)
            properties = {"uri": f"sqlite:///{root}/c.db", "warehouse": f"file://{root}", "type": "sql"}
            os.environ |= {f"PYICEBERG_CATALOG__WORLDS__{name.upper()}": value for name, value in properties.items()}
            import pyiceberg.catalog
            from pyiceberg.catalog import load_catalog
            from pyiceberg.utils.config import Config

            pyiceberg.catalog._ENV_CONFIG = Config()
            cls._catalog_of_all = load_catalog("worlds", **properties)
            cls._catalog_of_all.create_namespace("shop")
        return cls._catalog_of_all

    @property
    def _table(self) -> Any:
        return self._catalog.load_table(self._name)

    def change(self, change: Change) -> None:
        rows = table_of([*change.inserts, *change.updates])
        if "note" in rows.column_names and "note" not in self._table.schema().column_names:
            with self._table.update_schema() as update:
                update.union_by_name(rows.schema)
        gone = ", ".join(str(row["id"]) for row in (*change.updates, *change.deletes))
        if gone:
            self._table.delete(f"id in ({gone})")
        self._table.append(rows)

    def forget(self) -> None:
        current = self._table.current_snapshot().snapshot_id
        old = [s.snapshot_id for s in self._table.snapshots() if s.snapshot_id != current]
        self._table.maintenance.expire_snapshots().by_ids(old).commit()

    def rows(self) -> list[Row]:
        return self._table.scan().to_arrow().to_pylist()


class ParquetWorld:
    """A Hive-partitioned directory: new rows come as new files, others are changed by writing their partition anew."""

    keyed = False

    def __init__(self, root: Path) -> None:
        self.path = root / "partitioned"
        self.path.mkdir()
        self.source = {"format": "parquet-table", "path": str(self.path)}
        self._files = 0

    def change(self, change: Change) -> None:
        present = {row["id"]: row for row in self.rows()}
        touched = {row["id"] for row in (*change.updates, *change.deletes)}
        days = {present[number]["day"] for number in touched}
        self._write(change.inserts)
        if days and self._files % 2:  # each second time rows come alone
            kept = [row for number, row in present.items() if number not in touched and row["day"] in days]
            fresh = [row for row in change.inserts if row["day"] in days]
            for day in days:
                for path in (self.path / f"day={day}").glob("*.parquet"):
                    path.unlink()
            self._write([*kept, *fresh, *change.updates])
        self._files += 1

    def _write(self, rows: Sequence[Row]) -> None:
        for day in sorted({row["day"] for row in rows}):
            folder = self.path / f"day={day}"
            folder.mkdir(exist_ok=True)
            part = table_of([row for row in rows if row["day"] == day])
            name = folder / f"part-{self._files}-{len(list(folder.iterdir()))}.parquet"
            pq.write_table(part.drop_columns(["day"]), name)

    def forget(self) -> None:
        """A directory keeps no past."""

    def rows(self) -> list[Row]:
        if not any(self.path.iterdir()):
            return []
        partitioning = ds.partitioning(pa.schema({"day": pa.date32()}), flavor="hive")
        return ds.dataset(self.path, NOTED, format="parquet", partitioning=partitioning).to_table().to_pylist()
