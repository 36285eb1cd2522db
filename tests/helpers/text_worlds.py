"""Tables that come as texts: change events, and deltas in files."""

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helpers.history import NOTED, Change, Row, table_of


class DebeziumWorld:
    """Change events in files: shuffled within each, some told again in the next, some told only there; once emptied."""

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
        images = {
            name: image and _json_row(image, list(image)) for name, image in (("before", before), ("after", after))
        }
        return {**images, "op": op, "source": source}

    def forget(self) -> None:
        """Empties the table and fills it again: overtaken events of before are still to come."""
        self._lsn += 7
        sent = [{"op": "t", "before": None, "after": None, "source": {"lsn": self._lsn}}]
        sent += [self._event("r", None, row) for row in self._state.values()]
        self._draw.shuffle(sent)
        name = self.path / f"{self._files:03}.jsonl"
        name.write_text("".join(json.dumps(event, default=str) + "\n" for event in sent), "utf-8")
        self._files += 1

    def rows(self) -> list[Row]:
        return list(self._state.values())


class FilesWorld:
    """Deltas that land in files, as changes or as the whole table; at last one comes late, and one comes again."""

    keyed = True

    def __init__(self, root: Path, format_: str, kind: str) -> None:
        self._root, self._format, self._kind = root / "landing" / "orders", format_, kind
        self._root.mkdir(parents=True)
        self.source: dict[str, Any] = {"path": str(self._root), "format": format_, "kind": kind}
        if format_ == "csv":
            self.source |= {"null_values": [r"\N"], "delimiter": ";"}
        self._state: dict[int, Row] = {}
        self._files = 0

    def change(self, change: Change) -> None:
        named = [("insert", change.inserts), ("update", change.updates), ("delete", change.deletes)]
        for row in change.deletes:
            del self._state[row["id"]]
        self._state |= {row["id"]: row for row in (*change.inserts, *change.updates)}
        changes = [{"_op": op, **row} for op, rows in named for row in rows]
        self._write(f"{self._files:03}", changes if self._kind == "changes" else list(self._state.values()))
        self._files += 1

    def _write(self, delta_id: str, rows: list[Row]) -> None:
        noted = any("note" in row for row in rows)
        names = [*(["_op"] if self._kind == "changes" else []), *(NOTED.names if noted else NOTED.names[:-1])]
        path = self._root / f"{delta_id}.{self._format}"
        if self._format == "parquet":
            table = table_of(rows)
            if names[0] == "_op":
                table = table.add_column(0, "_op", pa.array([row["_op"] for row in rows]))
            pq.write_table(table, path)
        elif self._format == "csv":
            lines = [names, *([_csv_cell(row.get(name)) for name in names] for row in rows)]
            path.write_text("".join(";".join(cells) + "\n" for cells in lines), "utf-8")
        else:
            path.write_text("".join(json.dumps(_json_row(row, names), default=str) + "\n" for row in rows), "utf-8")

    def forget(self) -> None:
        """Lands a delta that is late, and one that was applied already; neither may change anything."""
        self._write("000-late", [{"_op": "insert", **row} for row in list(self._state.values())[:1]])
        if self._kind == "changes":
            again = (self._root / f"{self._files - 2:03}.{self._format}").read_bytes()
            (self._root / f"{self._files - 1:03}-again.{self._format}").write_bytes(again)

    def rows(self) -> list[Row]:
        return list(self._state.values())


def _csv_cell(value: Any) -> str:
    if value is None:
        return r"\N"
    if isinstance(value, bool):
        return str(value).lower()
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return '"' + text.replace('"', '""') + '"' if isinstance(value, str) else text


def _json_row(row: Row, names: list[str]) -> Row:
    """A row without what JSON has no like of: NaN is null, and so is what a row lacks."""
    return {name: None if row.get(name) != row.get(name) else row.get(name) for name in names}
