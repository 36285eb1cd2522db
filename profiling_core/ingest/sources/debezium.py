"""Change events as Debezium writes them, one JSON object a line, in a landing directory.

Events may come out of order and more than once. Each has a position in its source's log. Per key the event with the
greatest position counts; older ones are skipped, within a delta or later. Therefore events that are not newer than all
earlier ones are compared with the earlier deltas, which must still be there. If the table was emptied (``op`` t), the
events after that are the whole table.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from profiling_core.ingest import json_rows
from profiling_core.ingest.csv_lines import count_lines
from profiling_core.ingest.rows import OPERATION, RowBuffer, RowChunk, check_names
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.sources.debezium_values import UndecodedError, decoded
from profiling_core.ingest.sources.landed_files import Landed, Twins
from profiling_core.ingest.sources.landing import Landing
from profiling_core.ingest.sources.objects import Place
from profiling_core.ingest.sources.protocol import Applied, Batch, Held
from profiling_core.model.account import Account
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta import Operation
from profiling_core.model.errors import InputError
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import Settings

_OPERATIONS = {"c": Operation.UPSERT, "u": Operation.UPSERT, "r": Operation.UPSERT, "d": Operation.REMOVE}
_MESSAGE, _TRUNCATE = "m", "t"
_UNCHANGED = "__debezium_unavailable_value"
# The fields that place an event in its source's log: PostgreSQL, MySQL and MariaDB, SQL Server, Oracle, any source.
_POSITIONS = (("lsn",), ("file", "pos", "row"), ("commit_lsn", "change_lsn", "event_serial_no"), ("scn",), ("ts_ms",))
_LSN = re.compile("[0-9A-Fa-f]+/[0-9A-Fa-f]+")
_NUMBERED = re.compile(r"(.*\.)([0-9]+)")
Row = dict[str, Any]
LogPosition = list[Any]


class ChangeEvent(NamedTuple):
    """A change: its place in its file, its operation, its row, and its position in the source's log.

    ``empties``: the table was emptied there.
    """

    line: int
    text: str
    operation: Operation | None
    row: Row
    position: LogPosition
    wrong: str
    empties: bool = False


@dataclass(frozen=True)
class DebeziumReader:
    """Reads all files of a delta together, in the order of the source's log."""

    key: tuple[str, ...]
    typed: ClassVar[bool] = False
    optional: ClassVar[bool] = True

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """All columns that occur."""
        seen: dict[str, None] = {} if json.loads(part.place)["whole"] else {OPERATION: None}
        for event in self._events(part):
            seen.update(dict.fromkeys(event.row))
        return check_names(tuple(seen), Path(part.where))

    def schema(self, part: SourcePart) -> Any:
        """Nothing: the columns are texts."""
        raise NotImplementedError(part.where)

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset[Reading]]:
        """The readings that the kinds of JSON values of each column allow."""
        kinds: dict[str, set[str]] = {}
        for event in self._events(part):
            for name, value in event.row.items():
                if value is not None:
                    kinds.setdefault(name, set()).add(json_rows.kind_of(value))
        from profiling_core.ingest.sources.formats import allowed_by_kinds

        return allowed_by_kinds(kinds)

    def total(self, part: SourcePart) -> int:
        """The lines of the part's files."""
        return sum(count_lines(Path(path), returns=False) for path in json.loads(part.place)["files"])

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The events that count, as rows with operations."""
        whole = json.loads(part.place)["whole"]
        own = [name for name in names if name != OPERATION]
        buffer = RowBuffer(tuple(own) if whole else (OPERATION, *own))
        left_out: Counter[str] = Counter()
        found = self._events(part, left_out)
        left_out["no row of now"] += len(found)
        for event in self._rows(found) if whole else self._fresh(part, found):
            left_out["no row of now"] -= 1
            if event.wrong or event.operation is None:
                buffer.add_unreadable(event.line, event.text, event.wrong)
            else:
                operation = [] if whole else [event.operation.value]
                values = (json_rows.text_of(event.row.get(name)) for name in own)
                buffer.add(event.line, event.text, [*operation, *values])
            if seen is not None:
                seen.update(event.row, () if whole else [OPERATION])
            if buffer.is_full:
                yield buffer.take()
        yield buffer.take(Account(len(buffer), 0, dict(left_out)))

    def _fresh(self, part: SourcePart, found: Sequence[ChangeEvent]) -> Iterator[ChangeEvent]:
        """The changes that no later event of their key and no emptying has replaced; and unreadable events."""
        newest, emptied = self._newest(part), json.loads(part.place)["emptied"]
        for event in found:
            counts = event.operation is not None and event.position >= newest.get(self._key(event), emptied)
            if event.wrong or counts:
                yield event

    def _rows(self, found: Sequence[ChangeEvent]) -> Iterator[ChangeEvent]:
        """The newest event of each key that has a row, from the events after the last emptying."""
        after = max((place + 1 for place, event in enumerate(found) if event.empties), default=0)
        newest: dict[tuple[Any, ...], ChangeEvent] = {}
        for event in found[after:]:
            if event.wrong:
                yield event
            elif event.operation is not None:
                newest[self._key(event)] = event
        yield from (event for event in newest.values() if event.operation is not Operation.REMOVE)

    def _events(self, part: SourcePart, left_out: Counter[str] | None = None) -> list[ChangeEvent]:
        place = json.loads(part.place)
        found = [event for path in place["files"] for event in events(Path(path), left_out)]
        return sorted(found, key=lambda event: event.position)  # stable: equal positions stay in the files' order

    def _key(self, event: ChangeEvent) -> tuple[Any, ...]:
        return tuple(event.row.get(name) for name in self.key)

    def _newest(self, part: SourcePart) -> dict[tuple[Any, ...], LogPosition]:
        """By key the position from which events are new: just after the newest earlier event."""
        place = json.loads(part.place)
        if not place["before"]:
            return {}
        keys = {self._key(event) for event in self._events(part)}
        newest: dict[tuple[Any, ...], LogPosition] = {}
        for path in place["before"]:
            for event in events(Path(path)):
                key = self._key(event)
                if key in keys and event.operation is not None:
                    newest[key] = max(
                        newest.get(key, []), [*event.position, 0]
                    )  # just after it, so that the same event is not new
        return newest


class Debezium(Landing):
    """A landing directory of change events."""

    def __init__(self, settings: Settings, table: TableConfig) -> None:
        super().__init__(settings, table)
        self._key = table.key

    def _late(self, delta: Landed, last: str) -> Held | None:  # noqa: ARG002 -- events carry their own order
        return None

    def _repeated(self, delta: Landed, twins: Twins) -> Held | None:  # noqa: ARG002 -- events carry their own order
        return None

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """A part per delta, with the earlier files to compare with if its events are not newer than all earlier ones.

        If the table was emptied meanwhile: one part with all events that may come after that.
        """
        newest, emptied = _latest(applied, "newest"), _latest(applied, "emptied")
        before = {delta_id: position["newest"] for delta_id, position in applied.items() if "newest" in position}
        parts, positions = [], {}
        all_files: list[str] = []
        for step, delta_id in enumerate(delta_ids):
            landed = self.files(delta_id)
            files = [str(self.copies.of(path)) for path in landed]
            told = _placed(files)
            found = [event.position for event in told]
            overlaps = bool(found and before) and min(found) <= newest
            known = self._files_since(before if overlaps else {}, emptied, delta_id)
            place = {"files": files, "before": known, "emptied": emptied, "whole": False}
            parts.append(SourcePart(step, step, self._named(delta_id, landed), _size(files), json.dumps(place)))
            last = max((event.position for event in told if event.empties), default=[])
            before[delta_id] = max(found, default=[])
            positions[delta_id] = {**self.position(delta_id), "newest": before[delta_id]}
            positions[delta_id] |= {"emptied": last} if last else {}
            newest = max(newest, before[delta_id])
            all_files += files
        last, reader = _latest(positions, "emptied"), DebeziumReader(self._key)
        if last <= emptied:
            return Batch(
                tuple(parts), reader, operations=True, whole=False, positions=positions, deltas=tuple(delta_ids)
            )
        known = self._files_since({i: p for i, p in before.items() if i in applied}, last, delta_ids[-1])
        whole = self._whole(delta_ids[-1], [*known, *all_files])
        return Batch((whole,), reader, operations=False, whole=True, positions=positions, deltas=tuple(delta_ids[-1:]))

    def _named(self, delta_id: str, landed: Sequence[Place]) -> str:
        return str(landed[0] if len(landed) == 1 else self.directory / delta_id)

    def _whole(self, delta_id: str, files: Sequence[str]) -> SourcePart:
        """A part with all events that may come after the table was emptied."""
        place = {"files": [*files], "before": [], "emptied": [], "whole": True}
        return SourcePart(0, 0, str(self.directory / delta_id), _size(files), json.dumps(place))

    def _files_since(self, before: Mapping[str, LogPosition], since: LogPosition, delta_id: str) -> list[str]:
        """The files of earlier deltas with events beyond a position, which a delta's events are compared with."""
        return [str(path) for i, newest in before.items() if newest > since for path in self._kept(i, delta_id)]

    def _kept(self, earlier: str, delta_id: str) -> tuple[Path, ...]:
        try:
            return tuple(map(self.copies.of, self.files(earlier)))
        except InputError as error:
            raise InputError(
                f"delta {delta_id!r} has events that are not newer than all before, and delta {earlier!r}, with which "
                "they must be compared, is gone",
                where=self.where,
                remedy=f"put {earlier!r} back, or remove the old events from {delta_id!r}",
            ) from error


def _latest(positions: Applied, what: str) -> LogPosition:
    """The greatest position of this sort among deltas."""
    return max((position[what] for position in positions.values() if what in position), default=[])


def _placed(files: Sequence[str]) -> list[ChangeEvent]:
    """The events that have a position in the log."""
    return [event for path in files for event in events(Path(path)) if event.position]


def _size(files: Sequence[str]) -> int:
    return sum(Path(path).stat().st_size for path in files)


def events(path: Path, left_out: Counter[str] | None = None) -> Iterator[ChangeEvent]:
    """The change events of a file; heartbeats and messages have no operation. ``left_out`` counts the other lines.

    Raises:
        InputError: the file is unreadable, not UTF-8, or empties the table at an unknown position.
    """
    for line, text, row in json_rows.rows(path, left_out):
        if text.strip() == "null":
            if left_out is not None:
                left_out["tombstone"] += 1
            continue
        yield _event(path, line, text, row)


def _event(path: Path, line: int, text: str, row: Row | str) -> ChangeEvent:
    if isinstance(row, str):
        return ChangeEvent(line, text, None, {}, [], row)
    payload = row.get("payload", row)
    code = payload.get("op") if isinstance(payload, dict) else None
    if code == _TRUNCATE:
        return ChangeEvent(line, text, None, {}, _emptied_at(path, line, payload), "", empties=True)
    if code == _MESSAGE or (code is None and _is_passed_over(payload)):
        return ChangeEvent(line, text, None, {}, [], "")
    try:
        values = _values(payload, code, row.get("schema"))
    except UndecodedError as error:
        return ChangeEvent(line, text, None, {}, [], str(error))
    return ChangeEvent(line, text, _OPERATIONS[str(code)], values, _position_of(payload), "")


def _position_of(payload: Row) -> LogPosition:
    source = payload.get("source")
    return log_position(source if isinstance(source, dict) and source else payload)


def _emptied_at(path: Path, line: int, payload: Row) -> LogPosition:
    """The position at which the table was emptied; raises ``InputError`` if it is unknown."""
    position = _position_of(payload)
    if not position:
        raise InputError(
            "the table was emptied (op t) at a position of its log that the event does not tell",
            where=f"{path}, line {line}",
            remedy="bootstrap the dataset anew from a snapshot taken afterwards",
        )
    return position


def _values(payload: Any, code: Any, schema: Any) -> Row:
    """The row of an event; raises ``UndecodedError`` where it has no readable row."""
    if not isinstance(code, str) or code not in _OPERATIONS:
        raise UndecodedError(f"not a change event: op is {json.dumps(code)}")
    image = payload.get("before" if code == "d" else "after")
    if not isinstance(image, dict):
        raise UndecodedError("the event has no row: set the table's REPLICA IDENTITY")
    missing = sorted(name for name, value in image.items() if value == _UNCHANGED)
    if missing:
        raise UndecodedError(f"column {missing[0]!r} is not in the event: set REPLICA IDENTITY FULL")
    return decoded(image, schema)


def _is_passed_over(payload: Any) -> bool:
    """Whether an event is a tombstone or heartbeat, or is about a transaction or schema."""
    if not isinstance(payload, dict):
        return payload is None
    return payload.keys() == {"ts_ms"} or "ddl" in payload or payload.get("status") in ("BEGIN", "END")


def log_position(source: Mapping[str, Any]) -> LogPosition:
    """The sort key of events: numbers as numbers, other values as text."""
    for fields in _POSITIONS:
        if source.get(fields[0]) is not None:
            return [_ordinal(source.get(field)) for field in fields]
    return []


def _ordinal(value: Any) -> list[Any]:
    text = str(value if value is not None else "")
    if text.isdecimal():
        return [0, int(text), ""]
    if _LSN.fullmatch(text):
        high, low = text.split("/")
        return [0, (int(high, 16) << 32) + int(low, 16), ""]
    numbered = _NUMBERED.fullmatch(text)  # binlog.1000000 comes after binlog.999999
    return [1, int(numbered[2]), numbered[1]] if numbered else [1, 0, text]
