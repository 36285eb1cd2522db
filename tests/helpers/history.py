"""What happens to a table at its source: a beginning and changes, of values that go wrong easily."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Protocol

import pyarrow as pa

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
