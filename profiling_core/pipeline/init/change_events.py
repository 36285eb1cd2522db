"""Change events as Debezium writes them, known from a look at a file of JSON lines."""

import json
from itertools import islice
from pathlib import Path

import pyarrow as pa

_LOOKED_AT = 10_000
_BRINGS_ROWS = ("c", "r")


def rows_of_events(path: Path) -> pa.Table | None:
    """The rows that the events of a file begin with, as texts; None where its lines are no change events."""
    rows, names = [], dict[str, None]()
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for line in filter(str.strip, islice(file, _LOOKED_AT)):
            event = _event(line)
            if event is None:
                return None
            after = event.get("after")
            if isinstance(after, dict) and event.get("op") in _BRINGS_ROWS:
                rows.append(after)
                names |= dict.fromkeys(after)
    if not rows:
        return None
    return pa.table({name: pa.array([_text(row.get(name)) for row in rows], pa.string()) for name in names})


def _event(line: str) -> dict[str, object] | None:
    """The event of a line, without what is around it; empty for one that says nothing of a row, None for no event."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and "payload" in found:
        found = found["payload"] or {"op": "", "after": None}
    return found if isinstance(found, dict) and {"op", "after"} <= found.keys() else None


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
