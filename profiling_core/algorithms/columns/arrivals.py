"""The rows that a step of deltas brings and removes: read once, judged by the rules in force, counted for learning."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns import orders
from profiling_core.algorithms.columns.absences import Parted, joined, parted
from profiling_core.algorithms.columns.changed_cells import changes
from profiling_core.algorithms.columns.deltas import Delta, broken_by, judged_rows
from profiling_core.algorithms.columns.figures import ColumnFigures, figures
from profiling_core.algorithms.columns.history import TableHistory, Whole
from profiling_core.algorithms.columns.judging import judged
from profiling_core.algorithms.columns.repeats import Hashes, repeats, row_hashes
from profiling_core.algorithms.ground.pieces import Runner, in_turn
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.model.delta import BEFORE
from profiling_core.model.kinds.column import ColumnRule
from profiling_core.model.role import Role
from profiling_core.model.schema import TableSchema

# Violating rows that are kept as examples, at most.
EXAMPLES = 20
# Rows of a batch that the roles of columns are inferred from.
_SAMPLE = 2_000
# The roles of columns whose values identify things.
NAMING = (Role.IDENTIFIER, Role.REFERENCE, Role.CODE)


Batches = Callable[[], Iterable[tuple[str, pa.Table]]]
Before = Callable[[pa.Table], pa.StructArray]


@dataclass(frozen=True, slots=True)
class Arrived:
    """A step: the ids of its deltas in order, the rows that come, each with its delta, and those that go.

    ``parts`` make up all batches, in order, and can be read again, wherever ``run`` runs pieces made of them.
    ``retold`` are the rows as each delta brought them, if later ones of the step undid some of that (empty: they are
    those of ``parts``). ``before`` gives the rows that those of a batch update, null for new ones, if they do not say
    it themselves (None: all are new); updates are no evidence of how deltas follow each other in time. Rows that come
    ``late``, after their deltas have been judged without them, are no evidence at all. ``declared`` are the roles that
    a person gave columns.
    """

    ids: Sequence[str]
    parts: Sequence[Batches]
    gone: Iterable[pa.Table] = ()
    before: Before | None = None
    late: bool = False
    declared: Mapping[str, Role] = field(default_factory=dict)
    run: Runner = in_turn
    retold: Sequence[Batches] = ()

    def batches(self) -> Iterator[tuple[str, pa.Table]]:
        """The rows that come, batch by batch, each with its delta."""
        return chain.from_iterable(part() for part in self.parts)

    @property
    def brought(self) -> Sequence[Batches]:
        """The batches that each delta brought, before later ones undid anything."""
        return self.retold or self.parts

    def of(self, delta_id: str) -> tuple[pa.Table, pa.Table]:
        """The rows of a delta: its new rows, and those that update earlier ones."""
        every = [rows for other, rows in chain.from_iterable(part() for part in self.brought) if other == delta_id]
        return parted_by_age(pa.concat_tables(every), self.before)


def parted_by_age(rows: pa.Table, before: Before | None) -> tuple[pa.Table, pa.Table]:
    """The new rows of a batch, and those that update earlier ones, each with the one before it."""
    if BEFORE not in rows.column_names:
        if before is None:
            return rows, rows.slice(0, 0)
        rows = rows.append_column(BEFORE, before(rows))
    return rows.filter(rows[BEFORE].is_null()).drop_columns([BEFORE]), rows.filter(rows[BEFORE].is_valid())


@dataclass(frozen=True, slots=True)
class Broken:
    """How many rows of the step come to violate a rule, and the first of them; and how many violate it in all.

    A row that changes in other columns alone has violated the rule before.
    """

    rows: int = 0
    examples: tuple[pa.Table, ...] = ()
    every: int = 0

    def joined(self, rows: pa.Table) -> "Broken":
        """With more rows that come to violate it."""
        room = EXAMPLES - sum(len(example) for example in self.examples)
        examples = (*self.examples, rows.slice(0, room)) if room and len(rows) else self.examples
        return replace(self, rows=self.rows + len(rows), examples=examples, every=self.every + len(rows))

    def and_then(self, later: "Broken") -> "Broken":
        """With the violations of later rows."""
        both = self
        for rows in later.examples:
            both = both.joined(rows)
        return replace(both, rows=self.rows + later.rows, every=self.every + later.every)


class Gone:
    """The figures of the rows that go."""

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


@dataclass
class BatchTally:
    """Counts of batches of rows; by delta, except for figures of all rows."""

    broken: dict[str, Broken] = field(default_factory=dict)
    rows: int = 0
    names: frozenset[str] = frozenset()
    figures: dict[str, dict[str, ColumnFigures]] = field(default_factory=dict)
    fresh: dict[str, dict[str, ColumnFigures]] = field(default_factory=dict)
    new_rows: dict[str, int] = field(default_factory=dict)
    hashes: dict[str, list[Hashes]] = field(default_factory=dict)
    parted: dict[str, Parted] = field(default_factory=dict)
    crossed: dict[str, orders.Orders] = field(default_factory=dict)

    def add(self, later: "BatchTally") -> None:
        """Adds the counts of later batches."""
        self.rows += later.rows
        self.names |= later.names
        for delta_id, found in later.figures.items():
            _merge(self.figures, delta_id, found)
        for delta_id, found in later.fresh.items():
            _merge(self.fresh, delta_id, found)
        for delta_id, rows in later.new_rows.items():
            self.new_rows[delta_id] = self.new_rows.get(delta_id, 0) + rows
        for delta_id, some in later.hashes.items():
            self.hashes.setdefault(delta_id, []).extend(some)
        for delta_id, apart in later.parted.items():
            self.parted[delta_id] = joined(self.parted.get(delta_id, {}), apart)
        for delta_id, known in later.crossed.items():
            self.crossed[delta_id] = orders.joined(self.crossed.get(delta_id, {}), known)
        for name, more in later.broken.items():
            self.broken[name] = self.broken.get(name, Broken()).and_then(more)


@dataclass(frozen=True)
class _Counting:
    """A piece of work: counts a part of the rows that come."""

    schema: TableSchema
    rules: Sequence[ColumnRule]
    before: Before | None

    def __call__(self, part: Batches) -> BatchTally:
        tally = BatchTally()
        for delta_id, rows in part():
            tally.add(self._of(delta_id, rows))
        return tally

    def _of(self, delta_id: str, rows: pa.Table) -> BatchTally:
        roles = infer_roles(rows.slice(0, _SAMPLE), self.schema)
        whole = figures(rows, self.schema)
        new, updates = parted_by_age(rows, self.before)
        return BatchTally(
            {rule.fingerprint: broken for rule in self.rules if (broken := self._broken(rule, new, updates)).every},
            len(rows),
            frozenset(name for name, found in roles.items() if found.role in NAMING),
            {delta_id: whole},
            {delta_id: figures(new, self.schema) if len(updates) else whole},
            {delta_id: len(new)},
            {} if self.schema.key else {delta_id: [row_hashes(new, self.schema)]},
            {delta_id: parted(rows, self.schema)},
            {delta_id: orders.orders(rows, self.schema)},
        )

    def _broken(self, rule: ColumnRule, new: pa.Table, updates: pa.Table) -> Broken:
        if rule.rule.of_deltas:
            return Broken()
        found = Broken().joined(new.filter(judged(new, rule, self.schema)))
        if not len(updates):
            return found
        violating = updates.filter(judged(updates, rule, self.schema))
        changed = [mask for name in rule.columns for mask in changes(violating, name).values()]
        come = violating.filter(pa.array(np.logical_or.reduce([np.zeros(len(violating), np.bool_), *changed])))
        both = found.joined(come.select(new.column_names))
        return replace(both, every=found.every + len(violating))


class Come:
    """The rows that come: read once, and once more for the rows below the end of a rising column."""

    def __init__(self, schema: TableSchema, rules: Sequence[ColumnRule], arrived: Arrived) -> None:
        self._schema, self._rules, self._arrived = schema, rules, arrived
        self._of_deltas: dict[str, int] = {}
        self._tally = self._counted(rules, arrived.parts)
        self._brought = self._counted((), arrived.retold) if arrived.retold else self._tally

    def _counted(self, rules: Sequence[ColumnRule], parts: Sequence[Batches]) -> BatchTally:
        tally = BatchTally()
        for part in self._arrived.run(_Counting(self._schema, rules, self._arrived.before), parts):
            tally.add(part)
        return tally

    @property
    def rows(self) -> int:
        """How many rows come."""
        return self._tally.rows

    @property
    def names(self) -> frozenset[str]:
        """The columns whose values identify things, by the rows that came."""
        return self._tally.names

    @property
    def broken(self) -> dict[str, Broken]:
        """The violations of rules, by fingerprint."""
        return self._tally.broken

    def count(self, rule: ColumnRule) -> int:
        """How many of the rows violate a rule of rows, or how many of the deltas break one of deltas."""
        if rule.rule.of_deltas:
            return self._of_deltas.get(rule.fingerprint, 0)
        return self.broken.get(rule.fingerprint, Broken()).every

    def valued(self, column: str) -> int:
        """How many of the rows have a value in a column."""
        return sum(found[column].rows for found in self._tally.figures.values())

    def judge_deltas(self, history: TableHistory) -> TableHistory:
        """Judges the deltas one after the other by the history before each; returns the history with all of them."""
        nothing = {column.name: ColumnFigures() for column in self._schema.profiled}
        brought = self._brought
        # rows that were set aside come back under the delta that brought them
        for delta_id in dict.fromkeys((*self._arrived.ids, *brought.figures)):
            again = repeats(np.concatenate(brought.hashes.get(delta_id) or [np.empty(0, np.uint64)]))
            others = (brought.parted.get(delta_id, {}), brought.crossed.get(delta_id, {}))
            whole = Whole(brought.new_rows.get(delta_id, 0), int(again.sum()), *others)
            figures_of_all = brought.figures.get(delta_id, nothing)
            every = Delta(delta_id, whole, figures_of_all, partial(self._rows_of, delta_id))
            figures_of_new = brought.fresh.get(delta_id, nothing)
            new = replace(every, figures=figures_of_new, read=partial(self._new_rows_of, delta_id))
            for rule in self._rules:
                found = judged_rows(rule, every, new, history)
                if rule.rule.of_deltas and (broken := broken_by(rule, found, history, self._schema)) is not None:
                    self.broken[rule.fingerprint] = Broken().joined(broken)
                    self._of_deltas[rule.fingerprint] = self._of_deltas.get(rule.fingerprint, 0) + 1
            history = history.followed_by(delta_id, whole, figures_of_all)
        return history

    def _rows_of(self, delta_id: str) -> pa.Table:
        new, changed = self._arrived.of(delta_id)
        return pa.concat_tables([new, changed.select(new.column_names)])

    def _new_rows_of(self, delta_id: str) -> pa.Table:
        return self._arrived.of(delta_id)[0]


def _merge(into: dict[str, dict[str, ColumnFigures]], delta_id: str, found: Mapping[str, ColumnFigures]) -> None:
    known = into.get(delta_id)
    into[delta_id] = {name: known[name].merged(f) for name, f in found.items()} if known else dict(found)


def _true(mask: pa.ChunkedArray) -> int:
    return int(pc.sum(mask).as_py() or 0)
