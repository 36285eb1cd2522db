"""A table of a database, PostgreSQL or DuckDB, that changes."""

from collections.abc import Iterator, Sequence
from typing import Any

from helpers.history import Change, Row

_SQL = {"id": "bigint", "city": "text", "cents": "numeric(15, 2)", "day": "date", "price": "numeric(38, 12)"} | {
    "sold": "timestamp with time zone",
    "paid": "boolean",
    "share": "double precision",
}


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
                names = [name for name, *_ in done.description or ()]
                rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
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
