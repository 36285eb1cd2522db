"""What a step of deltas brings and takes: read once, judged by the rules in force, and counted for what is learnt."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns import orders
from profiling_core.algorithms.columns.absences import Parted, joined, parted
from profiling_core.algorithms.columns.deltas import Delta, DeltaVerdict, broken_by
from profiling_core.algorithms.columns.figures import ColumnFigures, figures
from profiling_core.algorithms.columns.history import TableHistory, Whole
from profiling_core.algorithms.columns.judging import judged
from profiling_core.algorithms.columns.repeats import Hashes, repeats, row_hashes
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.model.kinds.column import ColumnRule
from profiling_core.model.role import Role
from profiling_core.model.schema import TableSchema

EXAMPLES = 20
# Roles of columns are inferred from so many rows of a batch.
_SAMPLE = 2_000
# The roles of columns whose values name things.
NAMING = (Role.IDENTIFIER, Role.REFERENCE, Role.CODE)


Batches = Callable[[], Iterable[tuple[str, pa.Table]]]


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a step brings: the ids of its deltas in order, the rows that come, each with its delta, and those that go.

    ``batches`` can be read again. ``renewed`` tells which rows of a batch are updates of rows that were there already
    (None: none are): they have to obey rules of rows, but tell nothing of how deltas follow each other. Neither do rows
    that come ``late``, after their deltas have been judged without them. ``declared`` are the roles that a person gave
    columns.
    """

    ids: Sequence[str]
    batches: Batches
    gone: Iterable[pa.Table] = ()
    renewed: Callable[[pa.Table], pa.Array] | None = None
    late: bool = False
    declared: Mapping[str, Role] = field(default_factory=dict)

    def new_of(self, rows: pa.Table) -> pa.Table:
        """Those rows of a batch that are no updates."""
        return rows if self.renewed is None else rows.filter(pc.invert(self.renewed(rows)))


@dataclass(frozen=True, slots=True)
class Broken:
    """How many rows of the step violate a rule, the first of them, and for a rule of deltas what was measured."""

    rows: int = 0
    examples: tuple[pa.Table, ...] = ()
    delta_id: str = ""
    verdict: DeltaVerdict | None = None

    def joined(self, rows: pa.Table) -> "Broken":
        """With more violating rows."""
        room = EXAMPLES - sum(len(example) for example in self.examples)
        examples = (*self.examples, rows.slice(0, room)) if room else self.examples
        return replace(self, rows=self.rows + len(rows), examples=examples)


class Gone:
    """What the rows that go take with them."""

    def __init__(self, schema: TableSchema, rules: Sequence[ColumnRule], batches: Iterable[pa.Table]) -> None:
        self.rows = 0
        self.violating: dict[str, int] = {}
        self._nulls: dict[str, int] = {}
        for rows in batches:
            self.rows += len(rows)
            for name, found in figures(rows, schema).items():
                self._nulls[name] = self._nulls.get(name, 0) + found.nulls
            for rule in rules:
                if not rule.rule.of_deltas:
                    count = _true(judged(rows, rule, schema))
                    self.violating[rule.fingerprint] = self.violating.get(rule.fingerprint, 0) + count

    def valued(self, column: str) -> int:
        """How many of the rows have a value in a column."""
        return self.rows - self._nulls.get(column, 0)


class Come:
    """What the rows that come bring: read once, and once more for the rows before where a rising column had got."""

    def __init__(self, schema: TableSchema, rules: Sequence[ColumnRule], arrived: Arrived) -> None:
        self.broken: dict[str, Broken] = {}
        self.rows = 0
        self.names: frozenset[str] = frozenset()
        self._schema, self._rules, self._arrived = schema, rules, arrived
        self._figures: dict[str, dict[str, ColumnFigures]] = {}
        self._fresh: dict[str, dict[str, ColumnFigures]] = {}
        self._new_rows: dict[str, int] = {}
        self._hashes: dict[str, list[Hashes]] = {}
        self._parted: dict[str, Parted] = {}
        self._orders: dict[str, orders.Orders] = {}
        self._of_deltas: dict[str, int] = {}
        for delta_id, rows in arrived.batches():
            self._read(delta_id, rows)

    def _read(self, delta_id: str, rows: pa.Table) -> None:
        self.rows += len(rows)
        roles = infer_roles(rows.slice(0, _SAMPLE), self._schema)
        self.names |= {name for name, found in roles.items() if found.role in NAMING}
        _merge(self._figures, delta_id, figures(rows, self._schema))
        self._parted[delta_id] = joined(self._parted.get(delta_id, {}), parted(rows, self._schema))
        self._orders[delta_id] = orders.joined(self._orders.get(delta_id, {}), orders.orders(rows, self._schema))
        new = self._arrived.new_of(rows)
        self._new_rows[delta_id] = self._new_rows.get(delta_id, 0) + len(new)
        _merge(self._fresh, delta_id, figures(new, self._schema))
        if not self._schema.key:
            self._hashes.setdefault(delta_id, []).append(row_hashes(new, self._schema))
        for rule in self._rules:
            if not rule.rule.of_deltas:
                violating = rows.filter(judged(rows, rule, self._schema))
                if len(violating):
                    known = self.broken.get(rule.fingerprint, Broken())
                    self.broken[rule.fingerprint] = known.joined(violating)

    def count(self, rule: ColumnRule) -> int:
        """How many of the rows violate a rule of rows, or how many of the deltas break one of deltas."""
        if rule.rule.of_deltas:
            return self._of_deltas.get(rule.fingerprint, 0)
        return self.broken.get(rule.fingerprint, Broken()).rows

    def valued(self, column: str) -> int:
        """How many of the rows have a value in a column."""
        return sum(found[column].rows for found in self._figures.values())

    def judge_deltas(self, history: TableHistory) -> TableHistory:
        """Judges the deltas one after the other by the history before each; gives the history with all of them."""
        nothing = {column.name: ColumnFigures() for column in self._schema.profiled}
        # rows that were set aside earlier come back under the delta that brought them
        for delta_id in dict.fromkeys((*self._arrived.ids, *self._figures)):
            again = repeats(np.concatenate(self._hashes.get(delta_id) or [np.empty(0, np.uint64)]))
            others = (self._parted.get(delta_id, {}), self._orders.get(delta_id, {}))
            whole = Whole(self._new_rows.get(delta_id, 0), int(again.sum()), *others)
            found = Delta(
                delta_id,
                whole,
                self._fresh.get(delta_id, nothing),
                partial(self._new_rows_of, delta_id),
            )
            for rule in self._rules:
                if rule.rule.of_deltas and (broken := broken_by(rule, found, history, self._schema)) is not None:
                    self._note(rule, delta_id, broken)
            history = history.followed_by(delta_id, whole, self._figures.get(delta_id, nothing))
        return history

    def _new_rows_of(self, delta_id: str) -> pa.Table:
        return pa.concat_tables(
            [self._arrived.new_of(rows) for other, rows in self._arrived.batches() if other == delta_id]
        )

    def _note(self, rule: ColumnRule, delta_id: str, found: DeltaVerdict | pa.Table) -> None:
        broken = Broken(delta_id=delta_id, verdict=found) if isinstance(found, DeltaVerdict) else Broken().joined(found)
        self.broken[rule.fingerprint] = broken
        self._of_deltas[rule.fingerprint] = self._of_deltas.get(rule.fingerprint, 0) + 1


def _merge(into: dict[str, dict[str, ColumnFigures]], delta_id: str, found: Mapping[str, ColumnFigures]) -> None:
    known = into.get(delta_id)
    into[delta_id] = {name: known[name].merged(f) for name, f in found.items()} if known else dict(found)


def _true(mask: pa.ChunkedArray) -> int:
    return int(pc.sum(mask).as_py() or 0)
