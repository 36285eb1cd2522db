"""Tables at their source: each world changes one by inserts, updates and deletes, and tells its rows itself."""

import atexit
import json
import math
import os
import random
import shutil
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Protocol

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

Row = dict[str, Any]
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "city": pa.string(),
        "cents": pa.int64(),
        "day": pa.date32(),
        "price": pa.decimal128(38, 12),
        "sold": pa.timestamp("us", "UTC"),
        "paid": pa.bool_(),
        "share": pa.float64(),
    }
)
NOTED = SCHEMA.append(pa.field("note", pa.string()))
TYPES = {
    "day": {"type": "date"},
    "price": {"type": "decimal", "precision": 38, "scale": 12},
    "sold": {"type": "timestamp"},
    "share": {"type": "float"},
}
"""What a configuration says of the columns, where a source has texts."""
_SQL = {"id": "bigint", "city": "text", "cents": "numeric(15, 2)", "day": "date", "price": "numeric(38, 12)"} | {
    "sold": "timestamp with time zone",
    "paid": "boolean",
    "share": "double precision",
}
_HUGE = Decimal("98765432109876543210987654.123456789012")


@dataclass
class Change:
    """What happens to a table at once."""

    inserts: list[Row] = field(default_factory=list)
    updates: list[Row] = field(default_factory=list)
    deletes: list[Row] = field(default_factory=list)


def history(seed: int, steps: int, noted_from: int) -> Iterator[Change]:
    """A table's beginning and its changes; from some step on rows have a note."""
    draw, rows, next_id = random.Random(seed), dict[int, Row](), 0

    def row(number: int, *, noted: bool) -> Row:
        made = {
            "id": number,
            "city": draw.choice(["Ulm", "Bonn", "Zürich", "", "NULL", None]),
            "cents": draw.randrange(-99, 10**12),
            "day": date(2024, 1, 1) + timedelta(days=draw.randrange(3)),
            "price": draw.choice([None, _HUGE, -_HUGE, Decimal("0.1"), Decimal(10), Decimal("0.000000000001")]),
            "sold": draw.choice([None, _instant(draw)]),
            "paid": draw.choice([None, True, False]),
            "share": draw.choice([None, 0.1, -0.0, 1e300, 5e-324, math.nan]),
        }
        return made | ({"note": draw.choice(["a,b", 'say "no"', "two\nlines", None])} if noted else {})

    for step in range(steps + 1):
        change, noted = Change(), step >= noted_from
        for _ in range(3 if step else 20):
            change.inserts.append(row(next_id, noted=noted))
            next_id += 1
        chosen = draw.sample(sorted(rows), 4) if rows else []
        change.updates = [row(number, noted=noted) for number in chosen[:2]]
        change.deletes = [rows.pop(number) for number in chosen[2:]]
        rows |= {r["id"]: r for r in (*change.inserts, *change.updates)}
        yield change


def _instant(draw: random.Random) -> datetime:
    """A moment of any time zone, around a change of the clocks too."""
    zone = timezone(timedelta(minutes=draw.choice([0, 60, -210, 345])))
    return datetime(2024, 3, 31, 1, 59, 59, 999_999, zone) + timedelta(seconds=draw.randrange(3))


def bag(rows: Sequence[Mapping[str, Any]], empty: str | None = "") -> Counter[tuple[Any, ...]]:
    """Rows as a bag, a missing note being null; ``empty`` is what an empty text means."""
    return Counter(tuple(_value(row.get(name), empty) for name in NOTED.names) for row in rows)


def _value(value: Any, empty: str | None) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, datetime) and value.tzinfo:
        return value.astimezone(UTC).replace(tzinfo=None)
    return empty if value == "" else value


class World(Protocol):
    """A table at its source."""

    source: dict[str, Any]
    keyed: bool

    def change(self, change: Change) -> None: ...

    def forget(self) -> None:
        """Makes the source drop its past, as far as it can."""

    def rows(self) -> list[Row]: ...


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), NOTED if any("note" in row for row in rows) else SCHEMA)


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
        """The one catalog of a test run: pyiceberg reads the environment when it is first imported."""
        if cls._catalog_of_all is None:
            root = tempfile.mkdtemp(prefix="holdfast-iceberg-")
            atexit.register(shutil.rmtree, root, ignore_errors=True)
            properties = {"uri": f"sqlite:///{root}/c.db", "warehouse": f"file://{root}", "type": "sql"}
            os.environ |= {f"PYICEBERG_CATALOG__WORLDS__{name.upper()}": value for name, value in properties.items()}
            from pyiceberg.catalog import load_catalog

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


class DebeziumWorld:
    """Change events in files: shuffled within each, some told again in the next, some told only there."""

    keyed = True

    def __init__(self, root: Path) -> None:
        self.path = root / "events"
        self.path.mkdir()
        self.source = {"format": "debezium", "path": str(self.path)}
        self._draw, self._lsn, self._files = random.Random(5), 1000, 0
        self._state: dict[int, Row] = {}
        self._again: list[Row] = []
        self._late: list[Row] = []

    def change(self, change: Change) -> None:
        told = [self._event("c", None, row) for row in change.inserts]
        for row in change.updates:
            overtaken = self._event("u", None, row | {"city": "never"})
            told.append(self._event("u", None, row))
            self._late.append(overtaken)
        told += [self._event("d", row, None) for row in change.deletes]
        late, self._late = self._late[:-2], self._late[-2:]
        sent = [*told, *self._again, *late]
        self._draw.shuffle(sent)
        self._again = told[-2:]
        name = self.path / f"{self._files:03}.jsonl"
        name.write_text("".join(json.dumps(event, default=str) + "\n" for event in sent) + "null\n", "utf-8")
        self._files += 1
        for row in change.deletes:
            del self._state[row["id"]]
        self._state |= {row["id"]: row for row in (*change.inserts, *change.updates)}

    def _event(self, op: str, before: Row | None, after: Row | None) -> Row:
        self._lsn += 7
        source = {"connector": "postgresql", "lsn": self._lsn, "ts_ms": 1}
        return {"before": before, "after": after, "op": op, "source": source}

    def forget(self) -> None:
        """Events are never forgotten: they are compared with."""

    def rows(self) -> list[Row]:
        return list(self._state.values())


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


class DatabaseWorld:
    """A table of a database: read as a whole, by a watermark (nothing is deleted then), or from a table of changes."""

    keyed = True

    def __init__(self, url: str, way: str) -> None:
        self.source = {"format": url.partition(":")[0], "url": url, "table": "shop.orders"}
        self.source |= {"whole": {}, "watermark": {"watermark": "seen", "overlap": 1}}.get(
            way, {"watermark": "seq", "change_table": "shop.changes"}
        )
        self._url, self._way, self._columns = url, way, tuple(_SQL)
        self._clock = 0
        columns = ", ".join(f"{name} {kind}" for name, kind in _SQL.items())
        seen = ", seen bigint" if way == "watermark" else ""
        statements = ["CREATE SCHEMA shop", f"CREATE TABLE shop.orders ({columns}{seen})"]
        if way == "changes":
            statements.append(f"CREATE TABLE shop.changes (seq bigint, _op text, {columns})")
        self._run(*statements)

    def change(self, change: Change) -> None:
        if any("note" in row for row in change.inserts) and "note" not in self._columns:
            tables = ("shop.orders", *(("shop.changes",) if self._way == "changes" else ()))
            self._run(*(f"ALTER TABLE {table} ADD COLUMN note text" for table in tables))
            self._columns = (*self._columns, "note")
        self._clock += 1
        gone = [*change.updates, *(change.deletes if self._way != "watermark" else ())]
        statements = [f"DELETE FROM shop.orders WHERE id = {row['id']}" for row in gone]
        statements += self._inserts("shop.orders", [*change.inserts, *change.updates])
        if self._way == "changes":
            for op, rows in (("insert", change.inserts), ("update", change.updates), ("delete", change.deletes)):
                statements += self._inserts("shop.changes", [{"_op": op, **row} for row in rows])
        self._run(*statements)

    def _inserts(self, table: str, rows: Sequence[Row]) -> Iterator[str]:
        for row in rows:
            more = {"seen": self._clock} if self._way == "watermark" else {}
            if table == "shop.changes":
                self._clock += 1
                more = {"seq": self._clock, "_op": row["_op"]}
            named = {name: row.get(name) for name in self._columns} | more
            values = ", ".join(_literal(value) for value in named.values())
            yield f"INSERT INTO {table} ({', '.join(named)}) VALUES ({values})"

    def forget(self) -> None:
        """A database keeps no past; a table of changes is emptied, of what was not applied too."""
        if self._way == "changes":
            self._run("DELETE FROM shop.changes")

    def rows(self) -> list[Row]:
        names = [*self._columns, *(["seen"] if self._way == "watermark" else [])]
        return self._run(f"SELECT {', '.join(names)} FROM shop.orders")

    def _run(self, *statements: str) -> list[Row]:
        """Executes statements in one transaction; gives the rows of the last one."""
        if self._url.startswith("duckdb"):
            import duckdb

            with duckdb.connect(self._url.removeprefix("duckdb://")) as connection:
                connection.execute("BEGIN")
                for statement in statements:
                    done = connection.execute(statement)
                rows = done.to_arrow_table().to_pylist()
                connection.execute("COMMIT")
                return rows
        import psycopg
        from psycopg.rows import dict_row

        with psycopg.connect(self._url, row_factory=dict_row) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"
