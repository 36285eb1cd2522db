"""A table's rules of single columns under a step of deltas: first judged by what came, then learnt anew.

Exact: a rule's violations are those among the table's rows, because each row that comes or goes is judged by bounds
that stay, and a rule is taken up only when no row that ever came violates it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns import orders
from profiling_core.algorithms.columns.absences import Parted, joined, parted
from profiling_core.algorithms.columns.bounds import LEAST_DELTAS, is_much_closer, is_outgrown
from profiling_core.algorithms.columns.deltas import Delta, Verdict, broken_by
from profiling_core.algorithms.columns.figures import Figures, figures
from profiling_core.algorithms.columns.history import TableHistory, Whole
from profiling_core.algorithms.columns.judging import judged
from profiling_core.algorithms.columns.learning import learnt
from profiling_core.algorithms.columns.repeats import Hashes, repeats, row_hashes
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.role import Role
from profiling_core.model.schema import TableSchema

EXAMPLES = 20
# Roles of columns are inferred from so many rows of a batch, until so many deltas have settled them.
_SAMPLE, _SETTLED = 2_000, 28
# Codes of so many kinds are those of kinds, and not of things.
_MOST_NAMES = 20
_NAMING = (Role.IDENTIFIER, Role.REFERENCE, Role.CODE)
# The form in which a book is kept; one of another form cannot be gone on from.
FORMAT = 5


@dataclass(frozen=True, slots=True)
class Kept:
    """A rule in force: how many rows of the table violate it, or how many deltas of the latest step.

    ``age`` counts the deltas that have come since it was learnt.
    """

    rule: ColumnRule
    violations: int = 0
    age: int = 0

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        return {"rule": self.rule.to_json(), "violations": self.violations, "age": self.age}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        return cls(ColumnRule.from_json(data["rule"]), data["violations"], data["age"])


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of a table with what they were learnt from.

    ``rows`` is the table's size, ``valued`` how many of them have a value, per column; ``deltas`` how many deltas the
    latest step brought; ``names`` are the columns whose values name things, so that it is no matter how great they are.
    """

    history: TableHistory
    kept: tuple[Kept, ...] = ()
    rows: int = 0
    valued: Mapping[str, int] = field(default_factory=dict)
    deltas: int = 0
    names: frozenset[str] = frozenset()

    def measured(self, kept: Kept) -> Measured[ColumnRule]:
        """A rule's figures."""
        rule = kept.rule
        if rule.rule.of_deltas:
            return Measured(rule, kept.violations, self.deltas, self.history.count)
        there = self.valued.get(rule.column, 0)
        population = {Rule.NOT_NULL: self.rows, Rule.NULL_WITH: self.rows - there}.get(rule.rule, there)
        return Measured(rule, kept.violations, population, population - kept.violations)

    def under(self, schema: TableSchema, renames: Mapping[str, str]) -> "RuleBook":
        """The book for a table whose columns have come, gone, or been renamed since.

        Args:
            schema: the columns now.
            renames: former names of columns, and what each is called now.
        """
        named = {renames.get(name, name): name for name in self.history.columns}
        same = {
            column.name: named[column.name]
            for column in schema.profiled
            if column.name in named and self.history.columns[named[column.name]].type is column.type
        }
        kept = [replace(k, rule=k.rule.under(renames)) for k in self.kept]
        return replace(
            self,
            history=self.history.under(schema, same, self.rows),
            kept=tuple(k for k in kept if all(name in same for name in k.rule.columns)),
            valued={name: self.valued.get(former, 0) for name, former in same.items()},
            names=frozenset(name for name, former in same.items() if former in self.names),
        )

    def to_json(self) -> dict[str, Any]:
        """The book as plain JSON data."""
        return {
            "format": FORMAT,
            "history": self.history.to_json(),
            "kept": [kept.to_json() for kept in self.kept],
            "rows": self.rows,
            "valued": dict(self.valued),
            "deltas": self.deltas,
            "names": sorted(self.names),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        kept = tuple(Kept.from_json(record) for record in data["kept"])
        return cls(
            TableHistory.from_json(data["history"]),
            kept,
            data["rows"],
            data["valued"],
            data["deltas"],
            frozenset(data["names"]),
        )


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
    verdict: Verdict | None = None

    def joined(self, rows: pa.Table) -> "Broken":
        """With more violating rows."""
        room = EXAMPLES - sum(len(example) for example in self.examples)
        examples = (*self.examples, rows.slice(0, room)) if room else self.examples
        return replace(self, rows=self.rows + len(rows), examples=examples)


def advance(
    book: RuleBook,
    arrived: Arrived,
    schema: TableSchema,
    followed: Collection[str],
    *,
    anew: bool = False,
    pinned: Collection[str] = (),
) -> tuple[RuleBook, dict[str, Broken]]:
    """The rules after a step, and by fingerprint what broke those that are kept.

    Args:
        book: the rules before the step.
        arrived: what the step brings.
        schema: the table's columns.
        followed: fingerprints of the rules that are to be kept even where they are violated.
        anew: the rows are those of the whole table again: they are counted anew, and no delta has come.
        pinned: fingerprints of the rules that stay, whatever the history teaches.
    """
    in_force = [kept for kept in book.kept if not kept.violations or kept.rule.fingerprint in followed]
    come = _Come(schema, [kept.rule for kept in in_force], arrived)
    counts = {kept.rule.fingerprint: 0 if anew else kept.violations for kept in in_force}
    rows, valued = (0, {}) if anew else (book.rows, book.valued)
    gone = _Gone(schema, [kept.rule for kept in in_force], arrived.gone)
    history = book.history if anew or arrived.late else come.judge_deltas(book.history)
    inferred = book.names | (come.names if book.history.count < _SETTLED else frozenset())
    told = {name for name, role in arrived.declared.items() if role in _NAMING}
    names = inferred.difference(arrived.declared) | told
    after = tuple(
        Kept(
            kept.rule,
            come.count(kept.rule) + (0 if kept.rule.rule.of_deltas else _change(kept.rule, counts, gone)),
            kept.age + history.count - book.history.count,
        )
        for kept in in_force
    )
    return RuleBook(
        history,
        _with_learnt(after, schema, history, names, pinned),
        rows + come.rows - gone.rows,
        {
            column.name: valued.get(column.name, 0) + come.valued(column.name) - gone.valued(column.name)
            for column in schema.profiled
        },
        0 if anew or arrived.late else len(arrived.ids),
        names,
    ), come.broken


def _change(rule: ColumnRule, counts: Mapping[str, int], gone: "_Gone") -> int:
    return counts[rule.fingerprint] - gone.violating.get(rule.fingerprint, 0)


def _with_learnt(
    kept: tuple[Kept, ...],
    schema: TableSchema,
    history: TableHistory,
    names: frozenset[str],
    pinned: Collection[str],
) -> tuple[Kept, ...]:
    """The rules in force, and what the history teaches beyond them.

    There is one rule of a sort per column; closer bounds stand beside wider ones until they have proven themselves,
    and a set of values beside the rule on new ones, which is not needed where a set is obeyed.
    """
    by_sort: dict[tuple[object, ...], list[Kept]] = {}
    for known in kept:
        by_sort.setdefault(_sort(known.rule), []).append(known)
    named = {k.rule.column for k in kept if k.rule.rule is Rule.VALUES and k.age >= LEAST_DELTAS and not k.violations}
    ranges = [k.rule for k in kept if k.rule.rule is Rule.RANGE and not k.violations]
    outgrown = {rule for rule in ranges if is_outgrown(rule, history.columns[rule.column])}
    outgrown |= {k.rule for k in kept if k.rule.column in names and _lists_names(k.rule) and not k.violations}
    outdone = (
        outgrown
        | {k.rule for k in kept if k.rule.rule is Rule.NEW_VALUES and k.rule.column in named}
        | {
            weaker.rule
            for alike in by_sort.values()
            for closer in alike[1:]
            for weaker in alike
            if closer.age >= LEAST_DELTAS and not closer.violations and closer.age < weaker.age
        }
    )
    fresh = [
        rule
        for rule in learnt(schema.table, history, keyed=bool(schema.key))
        if not (rule.column in names and _lists_names(rule))
        and all(
            rule.column and is_much_closer(rule, known.rule, history.columns[rule.column])
            for known in by_sort.get(_sort(rule), ())
        )
    ]
    obeyed = [*(known.rule for known in kept if not known.violations), *fresh]
    few = {rule.column for rule in obeyed if rule.rule is Rule.VALUES}
    telling = (Kept(rule) for rule in fresh if rule.rule is not Rule.NEW_VALUES or rule.column not in few)
    stay = (known for known in kept if known.rule not in outdone or known.rule.fingerprint in pinned)
    return (*stay, *telling)


def _lists_names(rule: ColumnRule) -> bool:
    """Whether a rule would be a range of names, or a list of many, of which there is another one any day."""
    return rule.rule is Rule.RANGE or (rule.rule is Rule.VALUES and len(rule.values) > _MOST_NAMES)


def _sort(rule: ColumnRule) -> tuple[object, ...]:
    return rule.column, rule.rule, rule.others if rule.rule is Rule.AT_MOST else ()


class _Gone:
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
        return self.rows - self._nulls.get(column, 0)


class _Come:
    """What the rows that come bring: read once, and once more for the rows before where a rising column had got."""

    def __init__(self, schema: TableSchema, rules: Sequence[ColumnRule], arrived: Arrived) -> None:
        self.broken: dict[str, Broken] = {}
        self.rows = 0
        self.names: frozenset[str] = frozenset()
        self._schema, self._rules, self._arrived = schema, rules, arrived
        self._figures: dict[str, dict[str, Figures]] = {}
        self._fresh: dict[str, dict[str, Figures]] = {}
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
        self.names |= {name for name, found in roles.items() if found.role in _NAMING}
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
        return sum(found[column].rows for found in self._figures.values())

    def judge_deltas(self, history: TableHistory) -> TableHistory:
        """Judges the deltas one after the other by the history before each; gives the history with all of them."""
        nothing = {column.name: Figures() for column in self._schema.profiled}
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

    def _note(self, rule: ColumnRule, delta_id: str, found: Verdict | pa.Table) -> None:
        broken = Broken(delta_id=delta_id, verdict=found) if isinstance(found, Verdict) else Broken().joined(found)
        self.broken[rule.fingerprint] = broken
        self._of_deltas[rule.fingerprint] = self._of_deltas.get(rule.fingerprint, 0) + 1


def _merge(into: dict[str, dict[str, Figures]], delta_id: str, found: Mapping[str, Figures]) -> None:
    known = into.get(delta_id)
    into[delta_id] = {name: known[name].merged(f) for name, f in found.items()} if known else dict(found)


def _true(mask: pa.ChunkedArray) -> int:
    return int(pc.sum(mask).as_py() or 0)
