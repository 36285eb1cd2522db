"""The dataset's rules along references: kept by exact counts, from what both tables' deltas touch.

A rule judges rows by those of the other table that share the reference's values. So only rows with values of those that
came or went are joined and judged, as they were and as they are. What else holds along a reference is looked for when
the reference is found, and again whenever its tables have twice as many rows as when it was looked for last.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.references.counting import count, recount
from profiling_core.algorithms.references.joining import Sides, keys, pairs
from profiling_core.algorithms.references.judging import judge
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.algorithms.rules.candidate import Candidate
from profiling_core.maintain.orphaned_rows import RowsAfter
from profiling_core.maintain.pair_breaks import broken_anew, violating_pairs
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.change import Witness
from profiling_core.model.constraint import DATASET, ColumnList, InclusionDependency, Measured, measured_of, renamed
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import ROW_ID
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import readable
from profiling_core.model.version import FileRef
from profiling_core.spark.rows import Rows
from profiling_core.spark.witnesses import witness_alone

ROLE, FORMAT = "reference-rules", 2
_GROWN = 2
Reference = tuple[ColumnList, ColumnList]


@dataclass(frozen=True)
class ReferenceStep:
    """One step: the rows on both sides of it, the next version's schemas, and the references that were found.

    ``tracked`` are the rules that are followed, with their figures in the base version.
    """

    rows: RowsAfter
    run_id: str
    config: DatasetConfig
    schemas: Mapping[str, TableSchema]
    references: Sequence[InclusionDependency]
    tracked: Sequence[Measured]


@dataclass(frozen=True)
class ReferenceResult:
    """What is known of the rules after a step, with what broke them; ``candidates``: those that hold."""

    files: tuple[FileRef, ...]
    candidates: tuple[Candidate, ...]
    tracked: tuple[Measured, ...]
    breaks: dict[str, BrokenConstraint]

    @property
    def ranked(self) -> tuple[Ranked, ...]:
        """The rules that hold, by the rows that they judge."""
        return tuple(Ranked(c.measured, math.log10(1 + c.measured.support)) for c in self.candidates)


@dataclass(frozen=True)
class _Touched:
    """The rows of a reference that what came or went has to do with, as they were and as they are."""

    earlier: Sides
    later: Sides


def maintain_references(step: ReferenceStep) -> ReferenceResult:
    """The rules along references after all tables' deltas."""
    known, looked_at = _read(step)
    tracked = _known(step.tracked, step.schemas)
    book = {c.constraint.fingerprint: c for c in known}
    every = {m.constraint.fingerprint: m for m in (*(c.measured for c in known), *tracked)}
    after: dict[str, Measured] = {}
    breaks: dict[str, BrokenConstraint] = {}
    followed = {m.constraint.fingerprint for m in tracked}
    for reference, rules in _by_reference(measured_of(ReferenceRule, every.values())):
        now, broken = _advanced(step, reference, rules, followed)
        after, breaks = after | now, breaks | broken
    found = {c.constraint.fingerprint: c for c in _looked_for(step, looked_at)}
    holding = [c.with_figures(after.get(name, c.measured)) for name, c in (book | found).items()]
    kept = tuple(c for c in holding if c.measured.holds)
    content = {"format": FORMAT, "rules": [c.to_json() for c in kept], "looked_at": looked_at}
    file = _published(step, content)
    return ReferenceResult((file,), kept, tuple(after[m.constraint.fingerprint] for m in tracked), breaks)


def _published(step: ReferenceStep, content: dict[str, Any]) -> FileRef:
    """The file that holds this: the version's own where a delta has changed nothing."""
    store, version = step.rows.store, step.rows.version
    for known in version.files_of(ROLE) if version else ():
        if store.read_json(known) == content:
            return known
    return store.publish_json(step.run_id, DATASET, ROLE, content)


def _read(step: ReferenceStep) -> tuple[list[Candidate], dict[str, int]]:
    version = step.rows.version
    refs = version.files_of(ROLE) if version else ()
    stored: dict[str, Any] = step.rows.store.read_json(refs[0]) if refs else {}
    if stored.get("format") != FORMAT:
        return [], {}
    rules = readable(Candidate.from_json, stored["rules"])
    renames = step.config.renames
    under = [c.with_figures(replace(c.measured, constraint=renamed(c.constraint, renames))) for c in rules]
    known = {id(m) for m in _known((c.measured for c in under), step.schemas)}
    return [c for c in under if id(c.measured) in known], dict(stored["looked_at"])


def _known(among: Iterable[Measured], schemas: Mapping[str, TableSchema]) -> list[Measured[ReferenceRule]]:
    """Rules along references over columns that the tables have."""
    return [
        m
        for m in measured_of(ReferenceRule, among)
        if all(
            side.table in schemas and {c.name for c in schemas[side.table].profiled}.issuperset(side.columns)
            for side in m.constraint.sides
        )
    ]


def _by_reference(
    measured: Iterable[Measured[ReferenceRule]],
) -> Iterator[tuple[Reference, list[Measured[ReferenceRule]]]]:
    groups: dict[Reference, list[Measured[ReferenceRule]]] = {}
    for one in measured:
        groups.setdefault((one.constraint.child, one.constraint.parent), []).append(one)
    yield from groups.items()


def _advanced(
    step: ReferenceStep, reference: Reference, rules: Sequence[Measured[ReferenceRule]], followed: set[str]
) -> tuple[dict[str, Measured], dict[str, BrokenConstraint]]:
    """One reference's rules after the deltas, and what broke those that are followed."""
    if not any(side.table in step.rows.deltas for side in reference):
        return {m.constraint.fingerprint: m for m in rules}, {}
    touched = _touched(step, reference)
    after: dict[str, Measured] = {}
    breaks: dict[str, BrokenConstraint] = {}
    for before in rules:
        rule = before.constraint
        if touched is None or not before.population:
            now = count(rule, _whole(step, reference))
        else:
            now = recount(before, touched.earlier, touched.later)
        after[rule.fingerprint] = now
        if touched is not None and rule.fingerprint in followed and now.violations > before.violations:
            breaks[rule.fingerprint] = _explained(rule, touched)
    return after, breaks


def _whole(step: ReferenceStep, reference: Reference) -> Sides:
    return Sides(*(_all_rows(step, side.table) for side in reference))


def _all_rows(step: ReferenceStep, table: str) -> pa.Table:
    rows = step.rows.all_rows(table)
    names = [column.name for column in step.schemas[table].profiled]
    return pa.table({}) if rows is None else rows.read(names)


def _touched(step: ReferenceStep, reference: Reference) -> _Touched | None:
    """The rows that share the reference's values with one that comes or goes; None: all have to be looked at."""
    version, deltas = step.rows.version, step.rows.deltas
    known = version is not None and all(side.table in version.tables for side in reference)
    if not known or any(side.table in deltas and deltas[side.table].rewritten for side in reference):
        return None
    parts = [_delta_rows(step, side.table) for side in reference]
    values = pa.concat_tables(
        [
            table.select(list(side.columns)).rename_columns(list(reference[0].columns)).combine_chunks()
            for side, (come, go) in zip(reference, parts, strict=True)
            for table in (come, go)
        ],
        promote_options="permissive",
    )
    values = values.group_by(list(reference[0].columns)).aggregate([])
    earlier = [_with_values(step, side, values) for side in reference]
    later = [
        pa.concat_tables([_without(rows, go), come.select(rows.column_names).cast(rows.schema)])
        for rows, (come, go) in zip(earlier, parts, strict=True)
    ]
    return _Touched(Sides(*earlier), Sides(*later))


def _delta_rows(step: ReferenceStep, table: str) -> tuple[pa.Table, pa.Table]:
    """The rows of a table that come, and those that go."""
    names = [ROW_ID, *(column.name for column in step.schemas[table].profiled)]
    coming, going = step.rows.coming(table), step.rows.going(table)
    if coming is None or going is None:
        nothing = _before(step, table).arrow(names).empty_table()
        return nothing, nothing
    return coming.read(names), going.read(names)


def _before(step: ReferenceStep, table: str) -> Rows:
    rows = step.rows.before(table)
    if rows is None:
        raise TypeError("there is no version before")
    return rows


def _with_values(step: ReferenceStep, side: ColumnList, values: pa.Table) -> pa.Table:
    """A side's rows in the base version that have some of the values of the reference."""
    names = [ROW_ID, *(column.name for column in step.schemas[side.table].profiled)]
    rows = _before(step, side.table)
    found = rows.agreeing(values.rename_columns(list(side.columns)).drop_null(), names)
    return pa.concat_tables([rows.arrow(names).empty_table(), *found])


def _without(rows: pa.Table, gone: pa.Table) -> pa.Table:
    return rows.filter(pc.invert(pc.is_in(rows[ROW_ID], value_set=gone[ROW_ID].combine_chunks())))


def _explained(rule: ReferenceRule, touched: _Touched) -> BrokenConstraint:
    """The rows that violate a rule and did not before, each beside its parent where it has one."""
    return broken_anew(_violating(rule, touched.earlier), _violating(rule, touched.later))


def _violating(rule: ReferenceRule, sides: Sides) -> Iterator[tuple[int, Witness]]:
    found = judge(rule, sides).violating
    if rule.own == rule.parent:
        return (
            (sides.parent[ROW_ID][i].as_py(), witness_alone(sides.parent, i)) for i in np.flatnonzero(found).tolist()
        )
    return violating_pairs(sides, pairs(keys(sides, rule.child.columns, rule.parent.columns)), found)


def _looked_for(step: ReferenceStep, looked_at: dict[str, int]) -> Iterator[Candidate]:
    """What holds along references that are new, or whose tables have grown; notes their rows in ``looked_at``."""
    if not any(inclusion.lhs.table in step.rows.deltas for inclusion in step.references):
        return
    tables: dict[str, pa.Table] = {}
    for inclusion in step.references:
        seen = looked_at.get(inclusion.fingerprint, 0)
        sizes = [_size(step, side.table) for side in inclusion.sides]
        cells = sum(n * len(step.schemas[s.table].profiled) for n, s in zip(sizes, inclusion.sides, strict=True))
        most = min(step.config.tables[side.table].max_cells for side in inclusion.sides)
        if (seen and sum(sizes) < _GROWN * seen) or cells > most:
            continue
        looked_at[inclusion.fingerprint] = sum(sizes)
        for side in inclusion.sides:
            tables.setdefault(side.table, _all_rows(step, side.table))
        own = {side.table: tables[side.table] for side in inclusion.sides}
        roles = {
            name: infer_roles(rows, step.schemas[name], step.config.tables[name].roles) for name, rows in own.items()
        }
        # No score judges these: they are beyond chance.
        yield from (c for c in find_references(own, step.schemas, roles, [inclusion]) if c.strength >= 0)


def _size(step: ReferenceStep, table: str) -> int:
    version, delta = step.rows.version, step.rows.deltas.get(table)
    rows = version.tables[table].rows if version and table in version.tables else 0
    return rows + (delta.inserts - delta.deletes if delta else 0)
