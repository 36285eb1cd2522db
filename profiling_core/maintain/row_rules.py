"""Rules that rows obey: equations, conditional rules, orders within a row, whether or not P has their predicate.

A delta's rows are judged, and their counts added and subtracted. For a rule along a sequence the rows of the
same groups are read as well (docs/tried/engines.md, 60). The candidate cache has the rules.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.algorithms.conditions.row_orders import is_row_order
from profiling_core.algorithms.references import previous
from profiling_core.algorithms.references.joining import Sides
from profiling_core.algorithms.row_rules import RowRule, computed_columns, count, judge, of_pairs, recount, repair
from profiling_core.maintain.candidate_cache import cache_of
from profiling_core.maintain.delta_rows import batches, first_delta, joined
from profiling_core.maintain.pair_breaks import broken_anew, violating_pairs
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.maintain.run import TableRun
from profiling_core.model.change import Witness
from profiling_core.model.constraint import Constraint, Kind, Measured
from profiling_core.model.delta import ROW_ID
from profiling_core.model.diagnosis import Diagnosis
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.predicate import Operator, PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import Version
from profiling_core.spark.diagnoses import concentrated, diagnose
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.witnesses import Break
from profiling_core.state.store import Store

KINDS = frozenset({Kind.EQUATION, Kind.CONDITIONAL, Kind.SEQUENCE})
# As many as a message shows.
EXAMPLES = 5


@dataclass(frozen=True)
class RowRuleResult:
    """The figures of rules after a step, by fingerprint, and what broke those that are followed."""

    figures: Mapping[str, Measured[RowRule]]
    breaks: Mapping[str, BrokenConstraint]


def judges_rows(constraint: Constraint, space: PredicateSpace) -> bool:
    """Whether rows are judged by a constraint here, and not by the table's engine."""
    if constraint.kind in KINDS:
        return True
    if not is_row_order(constraint):
        return False
    (denied,) = constraint.predicates
    if denied.left.by_day or denied.right.by_day:
        return True  # of days of moments no predicate space knows
    # Where nulls are equal, two of them are a tie, and only the engine knows ties.
    return space.nulls is NullSemantics.SQL or denied.op in (Operator.GT, Operator.LT)


def row_rules_of(among: Iterable[Measured], space: PredicateSpace) -> list[Measured[RowRule]]:
    """Those of them that rows are judged by."""
    return [cast("Measured[RowRule]", m) for m in among if judges_rows(m.constraint, space)]


def maintain_row_rules(
    run: TableRun, rows: RowDelta, known: Sequence[Measured[RowRule]], followed: set[str], *, anew: bool
) -> RowRuleResult:
    """The figures of rules after the run's deltas.

    Args:
        run: the table's part in the run.
        rows: its delta; read only where rows beside a dependency's are looked at, and where all are.
        known: the rules in the figures that they had, over columns that the table has.
        followed: the fingerprints of those whose breaks are explained.
        anew: whether to count over all rows after the run.
    """
    if anew:
        every = rows.later.read(list(dict.fromkeys(name for m in known for name in m.constraint.columns)))
        figures = {m.constraint.fingerprint: count(m.constraint, every) for m in known}
    else:
        come, go = (list(batches(run.files.store, part)()) for part in (run.delta.inserted, run.delta.deleted))
        figures = {m.constraint.fingerprint: _advanced(rows, m, come, go) for m in known}
    worse = {m.constraint.fingerprint for m in known if figures[m.constraint.fingerprint].violations > m.violations}
    right = computed_columns(m.constraint for name, m in figures.items() if name not in worse)
    broken = {
        name: _explained(run, rows, figures[name].constraint, right) for name in figures if name in worse & followed
    }
    return RowRuleResult(figures, broken | _again(run, rows, figures, run.people.pinned - worse))


def _again(
    run: TableRun, rows: RowDelta, figures: Mapping[str, Measured[RowRule]], pinned: Collection[str]
) -> dict[str, BrokenConstraint]:
    """The breaks of pinned rules whose number of violations is unchanged because as many rows were mended."""
    stand = (m.constraint for name, m in figures.items() if name in pinned and m.violations)
    found = {rule.fingerprint: _explained(run, rows, rule) for rule in stand}
    return {name: broken for name, broken in found.items() if broken.violating_rows}


def kept_rules(store: Store, version: Version, table: str) -> list[Measured[RowRule]]:
    """The rules that rows are judged by in a version, with their figures; none where they are not kept yet."""
    cache, space = cache_of(store, version, table), version.tables[table].space
    return row_rules_of((c.measured for c in cache.candidates), space) if cache else []


def recounted(rules: Sequence[Measured[RowRule]], rows: pa.Table) -> list[Measured[RowRule]]:
    """The same rules with their figures over all rows of their table."""
    return [count(m.constraint, rows) for m in rules]


def _advanced(
    rows: RowDelta, before: Measured[RowRule], come: Sequence[pa.Table], go: Sequence[pa.Table]
) -> Measured[RowRule]:
    """A rule's figures after the rows that come and go; where it had none yet, from all rows."""
    rule = before.constraint
    if not before.population:
        earlier = [] if rows.staying is None else [rows.staying.read(rule.columns)]
        return recount(
            replace(before, violations=0), [pa.concat_tables([*earlier, *_narrowed(rule.columns, come)])], ()
        )
    if not of_pairs(rule):
        return recount(before, come, go)
    come, go = (_narrowed(rule.columns, tables) for tables in (come, go))
    return recount(before, come, go, _beside(rows, rule, [*come, *go]))


def _narrowed(columns: Sequence[str], tables: Iterable[pa.Table]) -> list[pa.Table]:
    return [table.select(list(columns)) for table in tables]


def _beside(rows: RowDelta, rule: SequenceRule, changed: Sequence[pa.Table]) -> pa.Table | None:
    """The rows that stay and agree with one that comes or goes on what the rule's pairs of rows agree on."""
    if rows.staying is None or not changed:
        return None
    names, group = changed[0].column_names, list(rule.group)
    if not group:
        return rows.staying.read(names)
    keys = pa.concat_tables([table.select(group) for table in changed])
    near = pa.concat_tables([rows.staying.arrow(names).empty_table(), *rows.staying.agreeing(keys, names)])
    wanted = keys.group_by(group).aggregate([])
    return near.join(wanted, group, join_type="left semi").select(names)


def rows_breaking(rows: Iterable[pa.Table], rules: Sequence[RowRule]) -> list[Break]:
    """Per rule that a row obeys by itself, those that violate it."""
    found = [Break(BitMap64(), BitMap64()) for _ in rules]
    for table in rows:
        found = [
            joined(known, table.filter(pa.array(judge(rule, table).violating)))
            for known, rule in zip(found, rules, strict=True)
        ]
    return found


def _explained(run: TableRun, rows: RowDelta, rule: RowRule, right: Collection[str] = frozenset()) -> BrokenConstraint:
    """The new rows that broke a rule, and what would mend an equation, unless its column is right in them."""
    if of_pairs(rule):
        return _broken_by_pairs(run, rows, rule)
    (found,) = rows_breaking(batches(run.files.store, run.delta.inserted)(), [rule])
    reading = read_rule(rows, rule, found.rows, run.nulls)
    if reading.repair is not None and reading.repair.column in right:
        reading = replace(reading, repair=None)
    return BrokenConstraint(
        len(found.rows), found.witnesses, reading, delta=first_delta(run.files.store, run.delta, found.rows)
    )


def _broken_by_pairs(run: TableRun, rows: RowDelta, rule: SequenceRule) -> BrokenConstraint:
    """The rows that stand wrong to another row, and did not before the delta."""
    names = [ROW_ID, *dict.fromkeys((*run.schema.key, *rule.columns))]
    parts = (run.delta.inserted, run.delta.deleted)
    come, go = (_narrowed(names, batches(run.files.store, part)()) for part in parts)
    near = _beside(rows, rule, [*come, *go])
    stay = [] if near is None else [near]
    return broken_anew(_violating(rule, [*stay, *go]), _violating(rule, [*stay, *come]))


def _violating(rule: SequenceRule, parts: Sequence[pa.Table]) -> Iterator[tuple[int, Witness]]:
    if not parts:
        return iter(())
    rows = pa.concat_tables(parts)
    pairs, judged = previous.judge(rule, rows)
    return violating_pairs(Sides(rows, rows), pairs, judged.violating)


def read_rule(delta: RowDelta, rule: RowRule, rows: BitMap64, nulls: NullSemantics) -> Diagnosis:
    """How a break is to be read: an equation says what its column should be in the rows that violate it."""
    if is_row_order(rule) and rows:
        return diagnose(delta, rule, rows, nulls)
    wrong = delta.coming.with_ids(rows[:EXAMPLES], [ROW_ID, *delta.coming.schema.names]) if rows else None
    mended = None if wrong is None else repair(rule, wrong, len(rows))
    return Diagnosis(concentrated(delta, rule, rows) if rows else None, mended, len(rows))
