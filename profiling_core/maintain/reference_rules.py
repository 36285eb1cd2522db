"""The dataset's rules along references: kept by exact counts, from what both tables' deltas touch.

What else holds along a reference is looked for when the reference is found, and again whenever its tables have twice
as many rows as when it was looked for last.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.references.counting import count, recount
from profiling_core.algorithms.references.joining import Sides, keys, pairs
from profiling_core.algorithms.references.judging import judge
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.algorithms.rules.candidate import Candidate
from profiling_core.algorithms.rules.ways import Way, ways_of
from profiling_core.maintain.pair_breaks import broken_anew, violating_pairs
from profiling_core.maintain.reference_rows import Reference, RowsOfTables, Touched, all_rows, touched_by, whole_tables
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.model.change import Witness
from profiling_core.model.constraint import (
    DATASET,
    Constraint,
    InclusionDependency,
    Measured,
    measured_of,
    renamed,
)
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import ROW_ID
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import ON_THE_WAY
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import readable
from profiling_core.model.version import FileRef
from profiling_core.spark.witnesses import witness_alone

ROLE, FORMAT = "reference-rules", 2
_GROWN = 2


@dataclass(frozen=True)
class ReferenceStep(RowsOfTables):
    """One step: the rows on both sides of it, and the references that were found.

    ``tracked`` are the rules that are followed, with their figures in the base version.
    """

    run_id: str
    config: DatasetConfig
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
    found = {c.constraint.fingerprint: c for c in _looked_for(step, (c.constraint for c in known), looked_at)}
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
        groups.setdefault((one.constraint.child, one.constraint.parent, *one.constraint.via), []).append(one)
    yield from groups.items()


def _advanced(
    step: ReferenceStep, reference: Reference, rules: Sequence[Measured[ReferenceRule]], followed: set[str]
) -> tuple[dict[str, Measured], dict[str, BrokenConstraint]]:
    """One reference's rules after the deltas, and what broke those that are followed."""
    if not any(side.table in step.rows.deltas for side in reference):
        return {m.constraint.fingerprint: m for m in rules}, {}
    touched = touched_by(step, reference)
    after: dict[str, Measured] = {}
    breaks: dict[str, BrokenConstraint] = {}
    for before in rules:
        rule = before.constraint
        if touched is None or not before.population:
            now = count(rule, whole_tables(step, reference))
        else:
            now = recount(before, touched.earlier, touched.later)
        after[rule.fingerprint] = now
        if touched is not None and rule.fingerprint in followed and now.violations > before.violations:
            breaks[rule.fingerprint] = _explained(rule, touched)
    return after, breaks


def _explained(rule: ReferenceRule, touched: Touched) -> BrokenConstraint:
    """The rows that violate a rule and did not before, each beside its parent where it has one."""
    return broken_anew(_violating(rule, touched.earlier), _violating(rule, touched.later))


def _violating(rule: ReferenceRule, sides: Sides) -> Iterator[tuple[int, Witness]]:
    found = judge(rule, sides).violating
    if rule.own == rule.parent:
        return (
            (sides.parent[ROW_ID][i].as_py(), witness_alone(sides.parent, i)) for i in np.flatnonzero(found).tolist()
        )
    joined = pairs(keys(sides, rule.child.columns, rule.parent.columns))
    own = [name for name in sides.child.column_names if not name.startswith(ON_THE_WAY)]
    return violating_pairs(Sides(sides.child.select(own), sides.parent), joined, found)


def _looked_for(step: ReferenceStep, before: Iterable[Constraint], looked_at: dict[str, int]) -> Iterator[Candidate]:
    """What holds along references that are new, or whose tables have grown; notes their rows in ``looked_at``.

    ``before``: the rules along references that are known.
    """
    if not any(inclusion.lhs.table in step.rows.deltas for inclusion in step.references):
        return
    tables: dict[str, pa.Table] = {}
    known: list[Constraint] = [*step.references, *before]
    for way in [*((one,) for one in step.references), *ways_of(step.references)]:
        named = {side.table for one in way for side in one.sides}
        if not _is_due(step, way, named, looked_at):
            continue
        for table in named - tables.keys():
            tables[table] = all_rows(step, table)
        roles = {name: infer_roles(tables[name], step.schemas[name], step.config.tables[name].roles) for name in named}
        found = find_references(tables, step.schemas, roles, [way], known=known)
        # No score judges these: they are beyond chance. Along two references orders have no evidence but their score.
        beyond = [one for one in found if one.strength >= 0 and (len(way) == 1 or not one.worth)]
        known += [one.constraint for one in beyond]
        yield from beyond


def _is_due(step: ReferenceStep, way: Way, tables: Iterable[str], looked_at: dict[str, int]) -> bool:
    """Whether rules along a way are to be looked for, by the rows of its tables, which this notes."""
    name = " ".join(one.fingerprint for one in way)
    sizes = {table: _size(step, table) for table in tables}
    cells = sum(rows * len(step.schemas[table].profiled) for table, rows in sizes.items())
    seen, rows = looked_at.get(name, 0), sum(sizes.values())
    if (seen and rows < _GROWN * seen) or cells > min(step.config.tables[table].max_cells for table in sizes):
        return False
    looked_at[name] = rows
    return True


def _size(step: ReferenceStep, table: str) -> int:
    version, delta = step.rows.version, step.rows.deltas.get(table)
    rows = version.tables[table].rows if version and table in version.tables else 0
    return rows + (delta.inserts - delta.deletes if delta else 0)
