"""A feed replayed delta by delta in one process, without Spark: the same rules, ranking and lifecycles as in a run.

FDs, UCCs and comparisons within a row are found again after 14, 28, 56, … deltas among the latest rows, and kept where
all rows so far obey them; from then on each delta's rows are looked up in what was seen. What it leaves out: denial
constraints over two rows other than FDs and UCCs, deletes, and the number of violating pairs (rows are counted).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import log10

import pyarrow as pa

from benchmarks.signal_feeds import Feed, Row, typed
from benchmarks.signal_lookups import Columns, Found, Lookup
from profiling_core.algorithms.columns.calendar import unrepeated
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.upkeep import Arrived, RuleBook, advance
from profiling_core.algorithms.denial.ranking.score import Ranked, rank_rows
from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.presented import in_order, rank_rules
from profiling_core.algorithms.values.encoding import encode
from profiling_core.diff import lifecycle
from profiling_core.maintain.results import Results
from profiling_core.model.change import Change, Transition
from profiling_core.model.constraint import (
    ColumnList,
    ColumnRule,
    DenialConstraint,
    InclusionDependency,
    Measured,
    RowConstraint,
)
from profiling_core.model.dataset import AlertConfig, TableConfig
from profiling_core.model.kinds.column import Rule
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.source import Source
from profiling_core.model.types import NullSemantics, TypeClass

BURN_IN = 14
SAMPLE = 4_000
RANKED = 100
LONGEST_LHS = 3
TABLE = TableConfig(source=Source(path="."))
_ALERTS = AlertConfig()


@dataclass(frozen=True)
class Day:
    """What a delta led to: by fingerprint what a person hears of and the rows named; and the rejects."""

    alerts: Mapping[str, Change]
    named: Mapping[str, frozenset[int]]
    rejected: frozenset[int]


def lifecycle_step(version: int, label: str, results: Results) -> lifecycle.Step:
    """The step of one delta, with the settings as shipped."""
    return lifecycle.Step(
        version=version,
        label=label,
        results=results,
        presented=TABLE.presented,
        min_held_deltas=_ALERTS.min_held_deltas,
        max_rank=_ALERTS.max_rank,
        least_surprise=lifecycle.LEAST_SURPRISE,
        deltas=lambda _: 1,
        since=lambda _: label,
    )


class Replay:
    """A table's state after the deltas so far."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.book = RuleBook(TableHistory.empty(feed.schema))
        self.tracked: list[Tracked] = []
        self.deltas = 0
        self._tables: list[pa.Table] = []
        self._lookups = [_reference(feed, column, values) for column, values in feed.references.items()]
        self._scores: dict[str, float] = {}

    def step(self, label: str, rows: Sequence[Row], *, keep: bool = True) -> Day:
        """Applies a delta; without ``keep`` only says what it would lead to."""
        table, good, rejected = typed(rows, self.feed.schema)
        batches = [(label, table)]
        followed = {t.fingerprint for t in self.tracked}
        book, _ = advance(self.book, Arrived([label], lambda: batches), self.feed.schema, followed)
        columns = {name: table[name].to_pylist() for name in table.column_names}
        found = [(lookup, lookup.look(columns)) for lookup in self._lookups]
        results = self._results(book, found)
        tracked, changes = lifecycle.advance(self.tracked, lifecycle_step(self.deltas + 1, label, results))
        told = (Transition.BROKE, Transition.ERROR_JUMPED)
        alerts = {c.measured.constraint.fingerprint: c for c in changes if c.alerts and c.transition in told}
        named = {f: frozenset(good[i] for i in self._rows_of(alerts[f], found, table)) for f in alerts}
        if keep:
            self._keep(table, book, tracked, found)
        return Day(alerts, named, rejected)

    def _keep(
        self, table: pa.Table, book: RuleBook, tracked: list[Tracked], found: Sequence[tuple[Lookup, Found]]
    ) -> None:
        for lookup, violating in found:
            lookup.learn(violating)
        self._tables.append(table)
        self.book, self.tracked = book, tracked
        self.deltas += 1
        if (
            self.deltas >= BURN_IN
            and (self.deltas / BURN_IN).is_integer()
            and (self.deltas // BURN_IN).bit_count() == 1
        ):
            self._look_again()

    def _results(self, book: RuleBook, found: Sequence[tuple[Lookup, Found]]) -> Results:
        rows = book.rows
        figures = [
            Measured(lookup.constraint, lookup.violations + len(violating.rows), rows, rows)
            for lookup, violating in found
        ]
        holding = [Ranked(m, self._scores.get(m.constraint.fingerprint, 0.0)) for m in figures if m.holds]
        holding.sort(key=lambda r: (-r.score, r.measured.constraint.text))
        inclusions = [r for r in holding if isinstance(r.measured.constraint, InclusionDependency)]
        constraints = [r for r in holding if not isinstance(r.measured.constraint, InclusionDependency)]
        rules = [book.measured(kept) for kept in book.kept]
        numbering = unrepeated(book.history)
        ranked = (*inclusions, *in_order(constraints[:RANKED], rank_rules([m for m in rules if m.holds]), numbering))
        return Results({}, ranked, (*figures, *rules), {})

    def _rows_of(self, change: Change, found: Sequence[tuple[Lookup, Found]], table: pa.Table) -> Sequence[int]:
        """The rows of the delta that an alert names."""
        constraint = change.measured.constraint
        if not isinstance(constraint, ColumnRule):
            return next(f.rows for lookup, f in found if lookup.constraint == constraint)
        if constraint.rule in (Rule.ROW_COUNT, Rule.FRESH):
            return ()
        numbered = table.append_column("_number", pa.array(range(len(table)), pa.int64()))
        _, broken = advance(
            self.book, Arrived(["x"], lambda: [("x", numbered)]), self.feed.schema, {constraint.fingerprint}
        )
        examples = broken[constraint.fingerprint].examples if constraint.fingerprint in broken else ()
        return [i for example in examples for i in example["_number"].to_pylist()]

    def _look_again(self) -> None:
        """Finds FDs, UCCs and comparisons anew; what is known stays, what all rows so far obey is added."""
        sample = pa.concat_tables(self._tables[-BURN_IN:])
        sample = sample.slice(max(0, len(sample) - SAMPLE))
        ranked = [*self._dependencies(sample), *self._comparisons(sample)]
        known = {lookup.constraint.fingerprint for lookup in self._lookups}
        everything = pa.concat_tables(self._tables)
        columns = {name: everything[name].to_pylist() for name in everything.column_names}
        for candidate in sorted(ranked, key=lambda r: -r.score)[:RANKED]:
            constraint = candidate.measured.constraint
            self._scores[constraint.fingerprint] = candidate.score
            if constraint.fingerprint not in known:
                lookup = Lookup(constraint)
                found = lookup.look(columns)
                if not found.rows:
                    lookup.learn(found)
                    self._lookups.append(lookup)

    def _dependencies(self, sample: pa.Table) -> list[Ranked]:
        space = predicate_space.equality_only(self.feed.schema, NullSemantics.SQL)
        evidence = self_evidence(encode(sample, space), space)
        agree = from_agree_sets.agree_sets(evidence, space)
        fds = from_agree_sets.functional_dependencies(agree, max_lhs=LONGEST_LHS, rows=len(sample))
        uccs = from_agree_sets.unique_column_combinations(agree, max_columns=LONGEST_LHS + 1, rows=len(sample))
        found: list[RowConstraint] = [m.constraint for m in (*fds, *uccs)]  # type: ignore[misc]  # FDs and UCCs
        return rank_rows(found, *ordered_masks(evidence, space), space, len(sample), names=self.feed.schema.naming)

    def _comparisons(self, sample: pa.Table) -> list[Ranked]:
        """``A ≤ B`` within a row, for columns of one ordered type whose ranges overlap."""
        ordered = [c for c in self.feed.schema.profiled if c.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL)]
        columns: Columns = {c.name: sample[c.name].to_pylist() for c in ordered}
        found = []
        for a, b in permutations(ordered, 2):
            if a.type is not b.type or not _overlap(columns[a.name], columns[b.name]):
                continue
            predicate = Predicate(Operand("t", a.name), Operator.GT, Operand("t", b.name))
            constraint = DenialConstraint(self.feed.schema.table, (predicate,))
            if not Lookup(constraint).look(columns).rows:
                found.append(Ranked(Measured(constraint, 0, len(sample), len(sample)), log10(1 + len(sample) / 2)))
        return found


def _overlap(some: Sequence[object], others: Sequence[object]) -> bool:
    left, right = ({v for v in values if v is not None} for values in (some, others))
    return bool(left and right) and len(left & right) >= 0.3 * max(len(left), len(right))


def _reference(feed: Feed, column: str, values: frozenset[str]) -> Lookup:
    name = feed.schema.table
    return Lookup(InclusionDependency(ColumnList(name, (column,)), ColumnList("known", (column,))), values)
