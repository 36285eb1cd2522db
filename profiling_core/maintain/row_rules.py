"""A table's equations and conditional rules: kept beside the engine's state by exact counts, whatever the engine is.

A delta's rows are judged and their counts added and subtracted. What else holds is looked for when a table begins, and
again whenever it has twice as many rows as when it was looked for last: so that it costs little, however long it grows.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.algorithms.conditions.discovery import find_conditionals
from profiling_core.algorithms.conditions.row_rules import RowRule, count, judge, of_pairs, recount, repair
from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.maintain.columns import batches, joined
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.maintain.run import TableRun
from profiling_core.model.constraint import Kind, Measured, measured_of, renamed
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.reading import NOTHING_READ, Reading
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import FileRef, Version
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.names import all_quoted
from profiling_core.spark.row_ids import with_ids
from profiling_core.spark.witnesses import Break
from profiling_core.state.store import Store

ROLE, FORMAT = "row-rules", 1
KINDS = frozenset({Kind.EQUATION, Kind.CONDITIONAL})
_GROWN = 2
_EXAMPLES = 3


@dataclass(frozen=True)
class RowRuleStanding:
    """What is known of the rules after a step: as an engine's standing, with what broke them."""

    files: tuple[FileRef, ...]
    ranked: tuple[Ranked, ...]
    tracked: tuple[Measured, ...]
    breaks: dict[str, BrokenConstraint]


@dataclass(frozen=True)
class _Book:
    """The rules that hold, best first, and how many rows there were when they were looked for."""

    rules: tuple[Measured[RowRule], ...]
    looked_at: int

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "rules": [m.to_json() for m in self.rules], "looked_at": self.looked_at}


def maintain_row_rules(run: TableRun, rows: RowDelta, size: int, tracked: Sequence[Measured]) -> RowRuleStanding:
    """The table's rules after the run's deltas.

    Args:
        run: the table's part in the run.
        rows: its delta; read through Spark only where all rows are looked at, or those beside a dependency's.
        size: the table's number of rows after it.
        tracked: the rules that are followed, with their figures in the base version.
    """
    own = _of_rows(tracked, run.schema)
    book = _read(run)
    anew = book is None or size >= _GROWN * max(1, book.looked_at)
    known = {m.constraint.fingerprint: m for m in (*(book.rules if book else ()), *own)}
    if anew and size * len(run.schema.profiled) <= run.options.max_cells:
        every = _all_rows(run, rows)
        after = {name: count(m.constraint, every) for name, m in known.items()}
        found = _found(run.schema, every)
        book = _Book(tuple(found), size)
        after = {m.constraint.fingerprint: m for m in found} | after
    else:
        come, go = (list(batches(run, path)()) for path in (run.delta.inserted, run.delta.deleted))
        after = {name: _advanced(rows, m, come, go) for name, m in known.items()}
        kept = [after[m.constraint.fingerprint] for m in (book.rules if book else ())]
        book = _Book(tuple(m for m in kept if m.holds), book.looked_at if book else size)
    figures = [after[m.constraint.fingerprint] for m in own]
    broken = [now for m, now in zip(own, figures, strict=True) if now.violations > m.violations]
    return RowRuleStanding(
        (run.store.publish_json(run.run_id, run.table, ROLE, book.to_json()),),
        tuple(Ranked(m, math.log10(1 + m.support)) for m in book.rules),
        tuple(figures),
        {m.constraint.fingerprint: _explained(run, rows, m.constraint) for m in broken},
    )


def _of_rows(among: Iterable[Measured], schema: TableSchema) -> list[Measured[RowRule]]:
    """Equations, then conditional rules, over columns that the table has."""
    profiled = {column.name for column in schema.profiled}
    found = list(among)
    own: list[Measured[RowRule]] = [*measured_of(Equation, found), *measured_of(Conditional, found)]
    return [m for m in own if profiled.issuperset(m.constraint.columns)]


def _read(run: TableRun) -> _Book | None:
    """The rules in the base version; None: there are none, or the rows are taken as if they had come at once."""
    refs = run.base.files_of(ROLE, run.table) if run.base and run.before else ()
    kept = run.store.read_json(refs[0]) if refs else {}
    if kept.get("format") != FORMAT:
        return None
    rules = (Measured.from_json(m) for m in kept["rules"])
    under = (replace(m, constraint=renamed(m.constraint, run.config.renames)) for m in rules)
    return _Book(tuple(_of_rows(under, run.schema)), kept["looked_at"])


def kept_rules(store: Store, version: Version, table: str) -> list[Measured[RowRule]]:
    """A table's rules in a version, with their figures; none where they are not kept yet."""
    refs = version.files_of(ROLE, table)
    kept = store.read_json(refs[0]) if refs else {}
    rules = [Measured.from_json(m) for m in kept["rules"]] if kept.get("format") == FORMAT else []
    return _of_rows(rules, version.tables[table].schema)


def recounted(rules: Sequence[Measured[RowRule]], rows: pa.Table) -> list[Measured[RowRule]]:
    """The same rules with their figures over all rows of their table."""
    return [count(m.constraint, rows) for m in rules]


def _all_rows(run: TableRun, rows: RowDelta) -> pa.Table:
    return rows.after(*(column.name for column in run.schema.profiled)).toArrow()


def _found(schema: TableSchema, rows: pa.Table) -> list[Measured[RowRule]]:
    roles = infer_roles(rows, schema)
    return _of_rows([*find_equations(rows, schema, roles), *find_conditionals(rows, schema, roles)], schema)


def _advanced(
    rows: RowDelta, before: Measured[RowRule], come: Sequence[pa.Table], go: Sequence[pa.Table]
) -> Measured[RowRule]:
    """A rule's figures after the rows that come and go; where it had none yet, from all rows."""
    rule = before.constraint
    if not before.population:
        earlier = [] if rows.kept is None else [rows.kept.select(*all_quoted(rule.columns)).toArrow()]
        return recount(replace(before, violations=0), [pa.concat_tables([*earlier, *_narrowed(rule, come)])], ())
    if not of_pairs(rule):
        return recount(before, come, go)
    come, go = (_narrowed(rule, tables) for tables in (come, go))
    return recount(before, come, go, _beside(rows, rule, [*come, *go]))


def _narrowed(rule: RowRule, tables: Iterable[pa.Table]) -> list[pa.Table]:
    return [table.select(list(rule.columns)) for table in tables]


def _beside(rows: RowDelta, rule: RowRule, changed: Sequence[pa.Table]) -> pa.Table | None:
    """The rows that stay and agree on a dependency's left side with one that comes or goes."""
    if rows.kept is None or not changed:
        return None
    keys = pa.concat_tables([table.select(list(rule.determinant)) for table in changed]).group_by(rule.determinant)
    wanted_keys = rows.kept.sparkSession.createDataFrame(keys.aggregate([]))
    kept = rows.kept.select(*all_quoted(rule.columns))
    return (
        kept.join(wanted_keys.hint("broadcast"), list(rule.determinant), "left_semi")
        .toArrow()
        .select(list(rule.columns))
    )


def rows_breaking(run: TableRun, rules: Sequence[RowRule]) -> list[Break]:
    """Per rule that a row obeys by itself, the inserted rows that violate it."""
    found = [Break(BitMap64(), BitMap64()) for _ in rules]
    for table in batches(run, run.delta.inserted)() if rules else ():
        found = [
            joined(known, table.filter(pa.array(judge(rule, table).violating)))
            for known, rule in zip(found, rules, strict=True)
        ]
    return found


def _explained(run: TableRun, rows: RowDelta, rule: RowRule) -> BrokenConstraint:
    """The new rows that broke a rule, and what would mend an equation."""
    if of_pairs(rule):
        return BrokenConstraint(0, ())
    (found,) = rows_breaking(run, [rule])
    return BrokenConstraint(len(found.rows), found.witnesses, read_rule(rows, rule, found.rows, NullSemantics.SQL))


def read_rule(delta: RowDelta, rule: RowRule, rows: BitMap64, _: NullSemantics) -> Reading:
    """How a break is to be read: an equation says what its column should be in the rows that violate it."""
    wrong = with_ids(delta.inserted, rows[:_EXAMPLES]).toArrow() if rows else None
    mended = None if wrong is None else repair(rule, wrong, len(rows))
    return replace(NOTHING_READ, repair=mended, standing_out=len(rows))
