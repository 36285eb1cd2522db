"""The work of a Spark task on one bucket of rows: decide, write the results to files of its own, and name them.

Runs in Spark's Python workers, and needs nothing of Spark.
"""

import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.columns.changed_cells import rows_at
from profiling_core.algorithms.operations import (
    DUPLICATE_KEY,
    KEY_EXISTS,
    KEY_MISSING,
    REJECTED,
    ROW_MISSING,
    Outcome,
    PendingOperations,
    bag_changes,
    bag_snapshots,
    keyed_changes,
    keyed_snapshots,
)
from profiling_core.model.delta import BEFORE, DELTA_ID, ROW_ID, RejectReason, rejected_column
from profiling_core.model.texts import value_text
from profiling_core.spark.rows import row_file_writer
from profiling_core.spark.sources import column_names

# At most 5 rejects of one reason in the same columns are shown, and of rows that gave way to a later one of their key.
SHOWN = 5
_E = TypeVar("_E")
QUARANTINE = pa.schema(
    [
        pa.field("delta_id", pa.string()),
        pa.field("file", pa.string()),
        pa.field("line", pa.int64()),
        pa.field("reason", pa.string()),
        pa.field("detail", pa.string()),
        pa.field("row", pa.string()),
    ]
)
REASONS = tuple(RejectReason)
_LATE_REASON = {
    KEY_EXISTS: RejectReason.KEY_EXISTS,
    KEY_MISSING: RejectReason.KEY_MISSING,
    DUPLICATE_KEY: RejectReason.DUPLICATE_KEY,
    ROW_MISSING: RejectReason.ROW_MISSING,
}


class WrittenPart(StrEnum):
    """The files of a task: new rows, rows that go, rejects; and rows as each delta brought them."""

    INSERTED = "inserted"
    DELETED = "deleted"
    QUARANTINE = "quarantine"
    ARRIVED = "arrived"


@dataclass(frozen=True)
class DeltaFrame:
    """All that a task must know besides its rows; it travels to the tasks.

    Attributes:
        names: the table's columns; types: their Arrow types; key: positions of the key's columns (none: no key).
        snapshots: whether deltas are full snapshots; version: the position of the column that orders the rows of a key.
        delta_ids: the deltas in the order in which they apply.
        files: the source files as people know them; first_ids: the row id of each file's first row.
        folders: for each part, the directory to write to.
        retold: whether a delta may undo what an earlier one of them brought, so that what arrived is written, too.
    """

    names: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    key: tuple[int, ...]
    snapshots: bool
    delta_ids: tuple[str, ...]
    files: tuple[str, ...]
    first_ids: tuple[int, ...]
    folders: Mapping[WrittenPart, Path]
    version: int | None = None
    retold: bool = False

    @property
    def columns(self) -> list[str]:
        """The data columns' names while they are normalised."""
        return column_names(len(self.names))

    @property
    def match(self) -> list[str]:
        """The columns that tell whether two rows are one: the key's, or without a key all."""
        return [self.columns[i] for i in self.key] or self.columns

    def row_schema(self, part: WrittenPart) -> pa.Schema:
        """The schema of a part's files."""
        if part is WrittenPart.QUARANTINE:
            return QUARANTINE
        fields = [pa.field(ROW_ID, pa.int64()), *map(pa.field, self.names, self.types)]
        if part in (WrittenPart.INSERTED, WrittenPart.ARRIVED):
            fields.append(pa.field(DELTA_ID, pa.string()))
        before = pa.field(BEFORE, pa.struct(list(map(pa.field, self.names, self.types))))
        return pa.schema([*fields, before] if part is WrittenPart.ARRIVED else fields)


def reduce_bucket(rows: pa.Table, stored: pa.Table, frame: DeltaFrame) -> dict[str, Any]:
    """Reduces one bucket and writes its parts: what a task does. Gives the answer that :class:`Tally` adds up."""
    rows = rows.sort_by([("file", "ascending"), ("ordinal", "ascending")]).combine_chunks()
    stored = stored.sort_by(ROW_ID).combine_chunks()
    batch = _batch(rows, stored, frame)
    outcome = _decide(batch, frame)
    first_ids = np.array(frame.first_ids, np.int64)
    row_ids = first_ids[rows["file"].to_numpy()] + rows["ordinal"].to_numpy() if len(rows) else np.empty(0, np.int64)
    rejected, summary = _rejected(rows, outcome, frame)
    tables = {
        WrittenPart.INSERTED: _cast(_taken(rows, row_ids, outcome.insert, frame), frame, WrittenPart.INSERTED),
        WrittenPart.DELETED: _cast(
            stored.select([ROW_ID, *frame.columns]).take(outcome.delete), frame, WrittenPart.DELETED
        ),
        WrittenPart.QUARANTINE: rejected,
    }
    if frame.retold:
        arrived = _taken(rows, row_ids, outcome.arrived, frame)
        there = rows.select(frame.columns)
        every = pa.concat_tables([stored.select(frame.columns).cast(there.schema), there]).rename_columns(frame.names)
        arrived = arrived.append_column(BEFORE, rows_at(every, outcome.replaced))
        tables[WrittenPart.ARRIVED] = _cast(arrived, frame, WrittenPart.ARRIVED)
    return {
        "inserts": outcome.inserts,
        "deletes": outcome.deletes,
        "updates": outcome.updates,
        "superseded": outcome.superseded,
        "unchanged": outcome.unchanged,
        "last_row_id": int(row_ids[outcome.insert].max(initial=-1)),
        "files": {part: _write(table, frame.folders[part]) for part, table in tables.items() if len(table)},
        "rejects": summary,
        "repeated": _repeated(rows, batch, frame) if outcome.superseded else [0, []],
    }


def _decide(batch: PendingOperations, frame: DeltaFrame) -> Outcome:
    if frame.snapshots:
        return keyed_snapshots(batch) if frame.key else bag_snapshots(batch)
    return keyed_changes(batch) if frame.key else bag_changes(batch)


def _batch(rows: pa.Table, stored: pa.Table, frame: DeltaFrame) -> PendingOperations:
    codes = [_codes(rows[name], stored[name]) for name in frame.columns]
    value = _dense(codes)
    key = _dense([codes[i] for i in frame.key]) if frame.key else value
    size = len(rows)
    order = None
    if frame.version is not None:
        name = frame.columns[frame.version]
        order = _ranks(rows[name], stored[name])
    return PendingOperations(
        key=key[:size],
        value=value[:size],
        step=rows["step"].to_numpy().astype(np.int64),
        op=rows["op"].to_numpy().astype(np.int64),
        stored_key=key[size:],
        stored_value=value[size:],
        steps=len(frame.delta_ids),
        version=None if order is None else order[:size],
        stored_version=None if order is None else order[size:],
    )


def _codes(new: pa.ChunkedArray, old: pa.ChunkedArray) -> NDArray[np.int64]:
    """Dense ids of the values of both columns, one after the other; null is a value of its own."""
    joined = pa.chunked_array([*new.chunks, *old.cast(new.type).chunks], new.type).combine_chunks()
    indices = joined.dictionary_encode(null_encoding="encode").indices
    return np.asarray(indices.to_numpy(zero_copy_only=False)).astype(np.int64)


def _ranks(new: pa.ChunkedArray, old: pa.ChunkedArray) -> NDArray[np.int64]:
    """The values of both columns as numbers in their order; −1 is null."""
    joined = pa.chunked_array([*new.chunks, *old.cast(new.type).chunks], new.type).combine_chunks()
    ranks = pc.rank(joined, sort_keys="ascending", null_placement="at_start", tiebreaker="dense").to_numpy()
    return np.where(joined.is_null().to_numpy(zero_copy_only=False), -1, ranks.astype(np.int64))


def _dense(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Dense ids of the combinations of several columns' ids."""
    combined = columns[0]
    for codes in columns[1:]:
        size = int(codes.max(initial=0)) + 1
        if (int(combined.max(initial=0)) + 1) * size >= 1 << 62:  # else ids of different combinations might meet
            combined = np.unique(combined, return_inverse=True)[1].astype(np.int64)
        combined = combined * size + codes
    return np.unique(combined, return_inverse=True)[1].astype(np.int64)


def _taken(rows: pa.Table, row_ids: NDArray[np.int64], chosen: NDArray[np.int64], frame: DeltaFrame) -> pa.Table:
    """Some of the rows with their ids and deltas."""
    taken = rows.take(chosen)
    deltas = pa.array([frame.delta_ids[step] for step in taken["step"].to_pylist()], pa.string())
    table = taken.select(frame.columns).add_column(0, ROW_ID, pa.array(row_ids[chosen]))
    return table.append_column(DELTA_ID, deltas)


def _cast(table: pa.Table, frame: DeltaFrame, part: WrittenPart) -> pa.Table:
    schema = frame.row_schema(part)
    return table.rename_columns(schema.names).cast(schema)


def _rejected(rows: pa.Table, outcome: Outcome, frame: DeltaFrame) -> tuple[pa.Table, list[list[Any]]]:
    """The bucket's quarantine; and per delta and reason the count with the first of them."""
    early = np.flatnonzero(rows["op"].to_numpy() == REJECTED)
    late = dict(zip(outcome.reject.tolist(), (_LATE_REASON[r] for r in outcome.reasons.tolist()), strict=True))
    positions = sorted([*early.tolist(), *late])
    entries, counts = [], Counter[tuple[int, str]]()
    examples: defaultdict[tuple[int, str], list[list[Any]]] = defaultdict(list)
    for position, row in zip(positions, rows.take(pa.array(positions, pa.int64())).to_pylist(), strict=True):
        reason = (late.get(position) or REASONS[row["reason"]]).value
        values = {name: row[column] for name, column in zip(frame.names, frame.columns, strict=True)}
        source = row["source"] if row["source"] is not None else json.dumps(values, ensure_ascii=False, default=str)
        entry = {
            "delta_id": frame.delta_ids[row["step"]],
            "file": frame.files[row["file"]],
            "line": row["line"],
            "reason": reason,
            "detail": row["detail"] or _key_text(values, frame),
            "row": source,
        }
        entries.append(entry)
        counts[row["step"], reason] += 1
        examples[row["step"], reason].append([entry[name] for name in ("file", "line", "detail", "row")])
    summary = [[*of, count, examples_shown(examples[of], lambda one: one[2])] for of, count in counts.items()]
    return pa.Table.from_pylist(entries, QUARANTINE), summary


def examples_shown(rejects: Sequence[_E], detail: Callable[[_E], str]) -> list[_E]:
    """Of rejects of one reason the first, and the first of each further column whose cells are wrong."""
    columns = [rejected_column(detail(reject)) for reject in rejects]
    firsts = {column: place for place, column in reversed([*enumerate(columns)])}
    return [one for place, one in enumerate(rejects) if place < SHOWN or firsts[columns[place]] == place]


def _repeated(rows: pa.Table, batch: PendingOperations, frame: DeltaFrame) -> list[Any]:
    """How many rows say what the next one of their key in their delta says; and the first that gave way to another."""
    live = np.flatnonzero(batch.op != REJECTED)
    order = live[np.lexsort((batch.step[live], batch.key[live]))]
    one, other = order[:-1], order[1:]
    again = (batch.key[one] == batch.key[other]) & (batch.step[one] == batch.step[other])
    alike = int((batch.value[one[again]] == batch.value[other[again]]).sum())
    first = rows.take(pa.array(np.sort(one[again])[:SHOWN]))
    keys = first.select([frame.columns[i] for i in frame.key]).to_pylist()
    names = [frame.names[i] for i in frame.key]
    texts = [dict(zip(names, map(value_text, key.values()), strict=True)) for key in keys]
    places = zip(first["file"].to_pylist(), first["line"].to_pylist(), strict=True)
    return [alike, [[frame.files[file], line, text] for (file, line), text in zip(places, texts, strict=True)]]


def _key_text(values: Mapping[str, Any], frame: DeltaFrame) -> str:
    return ", ".join(f"{frame.names[i]} = {values[frame.names[i]]}" for i in frame.key)


def _write(table: pa.Table, folder: Path) -> str:
    name = f"part-{uuid.uuid4().hex}.parquet"
    with row_file_writer(folder / name, table.schema) as writer:
        writer.write_table(table)
    return name
