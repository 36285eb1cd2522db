"""A delta: an ordered batch of inserts, deletes and updates for one table, and what of it was rejected."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from profiling_core.model.stored import Sparse, Stored
from profiling_core.model.version import FileRef

_PARTS = ("inserted", "deleted", "quarantine", "aside", "rewritten", "arrived")
# Columns that rows have beside their own: their identity, the delta that they came with, and the row of their key that
# was there before (null: there was none).
ROW_ID, DELTA_ID, BEFORE = "_row_id", "_delta_id", "_before"


class Operation(StrEnum):
    """The operation of a row of a change file, as its column of operations says it."""

    INSERT = "insert"
    DELETE = "delete"
    UPDATE = "update"
    UPSERT = "upsert"
    REMOVE = "remove"


OPERATION_WORDS: Mapping[str, Operation] = MappingProxyType(
    {operation.value: operation for operation in Operation}
    | dict.fromkeys(("i", "c", "a", "+", "create", "created", "add", "added", "inserted", "new"), Operation.INSERT)
    | dict.fromkeys(("u", "m", "~", "change", "changed", "modify", "modified", "updated"), Operation.UPDATE)
    | dict.fromkeys(("d", "-", "deleted", "removed"), Operation.DELETE)
    | dict.fromkeys(("r", "read", "replace", "merge"), Operation.UPSERT)
)
"""How sources write operations, in small letters: change logs (I, U, D), Debezium (c, u, d, r), diffs (+, -), words."""


class RejectReason(StrEnum):
    """Why a row was quarantined and not applied."""

    UNREADABLE = "unreadable row"
    WRONG_TYPE = "wrong type"
    UNKNOWN_OPERATION = "unknown operation"
    MISSING_KEY_VALUE = "missing key value"
    KEY_EXISTS = "insert of an existing key"
    KEY_MISSING = "delete or update of a missing key"
    DUPLICATE_KEY = "duplicate key"
    ROW_MISSING = "delete of a missing row"


_OF_COLUMN = re.compile(r"column '(.+?)' is ")


def rejected_column(detail: str) -> str:
    """The column whose cell a reject's detail says is wrong; empty where it names none."""
    found = _OF_COLUMN.match(detail)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class NormalizedDelta(Stored):
    """The result of ingesting a table's pending source files: published files and counts, never rows.

    ``inserted`` are Parquet files of new rows with their row ids; ``deleted`` of the rows that go, with
    the row ids under which the base version holds them (an update is one of each). Both have the columns ``_row_id``
    (int64), then the schema's columns; ``inserted`` also has ``_delta_id``. ``quarantine`` are Parquet files of
    rejects: ``file``, ``line``, ``reason``, ``row`` (source text or JSON).

    ``aside`` are Parquet files, with the columns of ``inserted``, of the ``set_aside`` rows that violate a
    constraint and were taken out of it; ``spared`` tells of these constraints, as changes. A delta that ``releases``
    rows brings those back that earlier ones set aside. ``findings`` is what checks of the delta found, as JSON.

    ``rewritten`` is empty, or where the table takes on other columns Parquet files of all rows of the base
    version under these: they then stand for the table's row files so far. ``positions`` identify the deltas' contents
    to their source.

    ``arrived`` is empty, or where deltas that are applied together may undo each other Parquet files of the rows as
    each of them brought them, with ``_delta_id`` and whether their key was there before: what loads are judged by.
    ``rejected_for`` are the reasons of its rejects, each with the column of the wrong cell.
    """

    dataset: str
    table: str
    delta_ids: tuple[str, ...]
    base_version: int
    inserted: tuple[FileRef, ...]
    deleted: tuple[FileRef, ...]
    quarantine: tuple[FileRef, ...]
    inserts: int
    deletes: int
    updates: int
    superseded: int
    rejects: int
    next_row_id: int
    schema: Mapping[str, Any]
    aside: tuple[FileRef, ...] = ()
    set_aside: int = 0
    unchanged: int = 0
    spared: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()
    releases: bool = False
    rewritten: tuple[FileRef, ...] = ()
    positions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    arrived: tuple[FileRef, ...] = ()
    rejected_for: Sparse[tuple[str, ...]] = ()
