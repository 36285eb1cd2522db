"""Change events by themselves: values that a schema tells, what is passed over, and the order of a log."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.ledger import Ledger, rows

from profiling_core.ingest.sources.debezium import ChangeEvent, events, log_position
from profiling_core.model.errors import InputError


def connect_bytes(number: int) -> str:
    return base64.b64encode(number.to_bytes(20, "big", signed=True)).decode()


def read(tmp_path: Path, *lines: Any) -> list[ChangeEvent]:
    path = tmp_path / "1.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return list(events(path))


def with_schema(kind: str, value: Any, **parameters: str) -> dict[str, Any]:
    fields = [{"field": "x", "name": kind, "parameters": parameters}]
    schema = {"fields": [{"field": "before", "fields": None}, {"field": "after", "fields": fields}, {"field": "op"}]}
    return {"schema": schema, "payload": {"op": "c", "after": {"x": value}, "source": {"lsn": 1}}}


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("io.debezium.time.Date", 19723, "2024-01-01"),
        ("org.apache.kafka.connect.data.Date", -1, "1969-12-31"),
        ("io.debezium.time.Timestamp", -1, "1969-12-31T23:59:59.999000+00:00"),
        ("io.debezium.time.MicroTimestamp", 1704067200123456, "2024-01-01T00:00:00.123456+00:00"),
        ("io.debezium.time.NanoTimestamp", 1704067200123456789, "2024-01-01T00:00:00.123456+00:00"),
        ("io.debezium.time.Time", 3600000, "01:00:00"),
        ("io.debezium.time.MicroTime", 3600000001, "01:00:00.000001"),
        ("io.debezium.time.NanoTime", 3600000001000, "01:00:00.000001"),
        ("io.debezium.data.VariableScaleDecimal", {"scale": 3, "value": connect_bytes(-1500)}, "-1.500"),
        ("io.debezium.data.VariableScaleDecimal", {"scale": -3, "value": connect_bytes(15)}, "15000"),
        ("io.debezium.data.Json", '{"a": 1}', '{"a": 1}'),
        ("io.debezium.time.Date", None, None),
    ],
)
def test_a_value_is_read_as_its_schema_says(tmp_path: Path, kind: str, value: Any, text: str | None) -> None:
    (event,) = read(tmp_path, with_schema(kind, value))
    assert (event.wrong, event.row["x"]) == ("", text)


def test_a_decimal_keeps_all_its_digits(tmp_path: Path) -> None:
    kind = "org.apache.kafka.connect.data.Decimal"
    (event,) = read(tmp_path, with_schema(kind, connect_bytes(12345678901234567890123456789012345678), scale="12"))
    assert event.row["x"] == "12345678901234567890123456.789012345678"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("io.debezium.time.Date", -800_000),
        ("io.debezium.time.Date", "2024-01-01"),
        ("io.debezium.time.MicroTimestamp", 9 * 10**18),
        ("org.apache.kafka.connect.data.Decimal", "!!!"),
        ("org.apache.kafka.connect.data.Decimal", ""),
        ("io.debezium.data.VariableScaleDecimal", {"value": "AQ=="}),
    ],
)
def test_a_value_that_is_not_what_its_schema_says_rejects_its_row_alone(tmp_path: Path, kind: str, value: Any) -> None:
    wrong, right = read(tmp_path, with_schema(kind, value), with_schema("io.debezium.time.Date", 0))
    assert wrong.operation is None
    assert wrong.wrong.startswith(f"column 'x' is {kind.rpartition('.')[2]} by the schema, and holds ")
    assert right.row == {"x": "1970-01-01"}


def test_what_changes_no_row_is_passed_over(tmp_path: Path) -> None:
    begin, ddl = {"status": "BEGIN", "id": "1", "ts_ms": 1}, {"source": {}, "ddl": "CREATE TABLE t (id int)"}
    heartbeats = ({"ts_ms": 5}, {"schema": None, "payload": {"ts_ms": 5}})
    for event in read(tmp_path, None, {"schema": None, "payload": None}, *heartbeats, begin, ddl, {"op": "m"}):
        assert (event.operation, event.wrong) == (None, "")
    for line in ({"id": 1}, {"op": ["c"]}, {"payload": 5}, {"op": "c", "after": {}, "source": "x"}):
        (event,) = read(tmp_path, line)
        assert event.operation or event.wrong.startswith("not a change event: op is ")


def test_positions_are_in_the_order_of_their_log() -> None:
    for log in (
        [{"lsn": "0/9"}, {"lsn": "0/16B3748"}, {"lsn": "1/0"}],
        [{"lsn": 9}, {"lsn": 10}],
        [{"file": f, "pos": p} for f, p in (("b.999999", 9), ("b.999999", 10), ("b.1000000", 1))],
        [{"commit_lsn": "0000002a:0:3"}, {"commit_lsn": "0000002b:0:1"}],
    ):
        found = [log_position(source) for source in log]
        assert found == sorted(found)
        assert len({json.dumps(position) for position in found}) == len(log)


def test_an_emptied_table_has_what_came_behind_that(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()

    def land(name: str, *sent: tuple[int, str, int, str]) -> None:
        lines = []
        for lsn, op, number, city in sent:
            row = {"id": number, "city": city}
            images = {"before": row} if op == "d" else {"after": row} if op != "t" else {}
            lines.append(json.dumps({"op": op, **images, "source": {"lsn": lsn}}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")

    source = {"format": "debezium", "path": str(folder), "settle_seconds": 0}
    ledger = Ledger(tmp_path / "project", source, {"key": ("id",), "columns": {"id": {"type": "integer"}}})
    land("1", (1, "c", 1, "Ulm"), (2, "c", 2, "Bonn"), (20, "c", 9, "ahead"))
    assert [row["id"] for row in rows(ledger)] == [1, 2, 9]
    land("2", (10, "t", 0, ""), (12, "c", 3, "Rom"), (8, "u", 2, "gone with the table"))
    assert [(row["id"], row["city"]) for row in rows(ledger)] == [(3, "Rom"), (9, "ahead")]
    land("3", (9, "u", 1, "late"), (30, "d", 9, ""), (31, "c", 1, "new"))
    assert [(row["id"], row["city"]) for row in rows(ledger)] == [(1, "new"), (3, "Rom")]
    land("4", (40, "t", 0, ""))
    assert rows(ledger) == []
    land("5", (39, "c", 5, "late"), (41, "c", 6, "Kiel"))
    assert [row["id"] for row in rows(ledger)] == [6]


def test_an_emptying_without_a_position_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not tell"):
        read(tmp_path, {"op": "t"})
