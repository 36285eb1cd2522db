"""What is known of a table's rules beside its engine's state: those that were found worth following, and its roles.

Rules are looked for as ``holdfast discover`` looks for them, over all rows: when a table begins, when it is derived
anew, when its columns change, and when half as many rows have come or gone as there were when it was last done; so that
it costs little, however long the table grows. In between their figures are kept current, also of those that are
violated: once no row violates them any more they are candidates again (docs/followed.md, "What is followed").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import pyarrow as pa
from pydantic import Field

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.columns.arrivals import NAMING
from profiling_core.algorithms.roles.inference import infer_roles, with_keys
from profiling_core.algorithms.rules.candidate import Candidate
from profiling_core.algorithms.rules.discovery import KnownBeforehand, search
from profiling_core.algorithms.rules.discovery import Rows as Table
from profiling_core.maintain.results import read_results
from profiling_core.maintain.run import TableRun
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.constraint import DATASET, Constraint, Measured, measured_of, renamed
from profiling_core.model.delta_ids import in_order
from profiling_core.model.kinds.inclusion import InclusionDependency
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Readable, Stored
from profiling_core.model.version import Version
from profiling_core.spark.rows import Rows
from profiling_core.spark.tasks import runner
from profiling_core.state.store import Store
from profiling_core.state.version_reports import CACHE_FORMAT, CACHE_ROLE, CachedRole

# Rows that have come and gone, as a share of those that rules were looked for in, until they are looked for again.
_CHANGED = 0.5
# The work after which a search ends with what there is, as seconds of a core: tables of hundreds of columns have too
# many pairs of them.
_SECONDS = 120.0
# Violated rules that are kept, and the error beyond which a rule is one no more.
_MOST_VIOLATED, _MOST_ERROR = 100, 0.05


@dataclass(frozen=True)
class CandidateCache(Stored):
    """The candidates that were found, in the figures that they have now, and the roles of the table's columns.

    ``looked_at`` is how many rows there were when rules were looked for (0: they never were), ``changed`` how many came
    or went since.
    """

    __tag__ = "format"
    format: ClassVar[int] = CACHE_FORMAT

    candidates: tuple[Readable[Candidate], ...] = ()
    columns: Annotated[tuple[CachedRole, ...], Field(alias="roles")] = ()
    looked_at: int = 0
    changed: int = 0

    def is_due(self, schema: TableSchema, roles: Mapping[str, Role]) -> bool:
        """Whether rules are to be looked for anew; ``roles``: those that a person gave."""
        columns = {column.name for column in schema.profiled}
        told = {name: role.role for name, role in self.roles.items() if role.declared}
        return columns != set(self.roles) or told != roles or self.changed >= _CHANGED * max(1, self.looked_at)

    def with_figures(self, now: Mapping[str, Measured]) -> Self:
        """The candidates in the figures that they have now, by fingerprint, without those that are rules no more."""
        kept = [c.with_figures(now[name]) for c in self.candidates if (name := c.constraint.fingerprint) in now]
        violated = [c for c in kept if not c.measured.holds and c.measured.error <= _MOST_ERROR][:_MOST_VIOLATED]
        return replace(self, candidates=tuple(c for c in kept if c.measured.holds or c in violated))

    def after(self, changed: int) -> Self:
        """The cache after ``changed`` more rows have come or gone."""
        return replace(self, changed=self.changed + changed)

    @property
    def roles(self) -> Mapping[str, ColumnRole]:
        """By column its role."""
        return {cached.role.column: cached.role for cached in self.columns}


def cache_of(store: Store, version: Version | None, table: str) -> CandidateCache | None:
    """A table's cache in a version; None: it has none, or one in the form of an earlier release."""
    refs = version.files_of(CACHE_ROLE, table) if version and table in version.tables else ()
    kept = store.read_json(refs[0]) if refs else {}
    return CandidateCache.from_json(kept) if kept.get("format") == CACHE_FORMAT else None


def read_cache(run: TableRun) -> CandidateCache | None:
    """The cache in the base version under the names that columns have now; None: rules are to be looked for."""
    cache = cache_of(run.files.store, run.files.base, run.table) if run.before else None
    if cache is None:
        return None
    names, renames = run.renames, run.config.renames
    profiled = {column.name for column in run.schema.profiled}
    under = (c.with_figures(replace(c.measured, constraint=renamed(c.constraint, renames))) for c in cache.candidates)
    kept = tuple(c for c in under if profiled.issuperset(c.constraint.columns))
    columns = tuple(
        replace(known, role=replace(known.role, column=names.get(known.role.column, known.role.column)))
        for known in cache.columns
    )
    return replace(cache, candidates=kept, columns=columns)


@dataclass(frozen=True)
class _Found:
    """What a search finds: candidates, roles, and in how many rows it has looked."""

    candidates: tuple[Candidate, ...]
    roles: Mapping[str, ColumnRole]
    rows: int


@dataclass(frozen=True)
class _Search:
    """A piece: the search for the rules of a table in all of its rows, by what people have said and what refers."""

    schema: TableSchema
    declared: Mapping[str, Role]
    targets: Mapping[str, str]

    def __call__(self, table: Rows) -> _Found:
        rows = table.read([column.name for column in self.schema.profiled])
        name = self.schema.table
        roles = infer_roles(rows, self.schema, self.declared)
        known = KnownBeforehand({name: self.schema.key} if self.schema.key else {}, self.targets)
        found, _ = search([Table(self.schema, rows)], {name: roles}, Budget.of(_SECONDS), known=known)
        own = [*found.keys[name], *found.orders[name], *(c for w in found.within.values() for c in w.candidates)]
        return _Found(tuple(own), found.tables[name].roles, rows.num_rows)


def look(
    run: TableRun, rows: Rows, size: int, before: CandidateCache | None, followed: Iterable[Measured]
) -> CandidateCache:
    """Looks for the rules of a table in all of its rows.

    Args:
        run: the table's part in the run.
        rows: the table after the run.
        size: how many rows there are.
        before: what was known so far; what of it is followed and still holds stays a candidate.
        followed: the constraints that are followed.
    """
    search = _Search(run.schema, run.options.roles, targets(run.files))
    (found,) = runner(run.spark, size)(search, [rows.apart])
    fresh = {c.constraint.fingerprint for c in found.candidates}
    names = {m.constraint.fingerprint for m in followed} - fresh
    known = before.candidates if before else ()
    stay = [c for c in known if c.constraint.fingerprint in names and not against(c.constraint, found.roles)]
    columns = _since(_label(run), found.roles, before)
    return CandidateCache((*found.candidates, *stay), columns, found.rows)


def against(rule: Constraint, roles: Mapping[str, ColumnRole]) -> bool:
    """Whether a rule computes with, or orders by, what a person has said to be a name or a code."""
    named = {name for name, role in roles.items() if role.declared and role.role in NAMING}
    return not named.isdisjoint(rule.measuring)


def roles_alone(run: TableRun, some: pa.Table, before: CandidateCache | None) -> CandidateCache:
    """The cache of a table that is too large to be searched: what was known, and roles that some of its rows tell."""
    roles = with_keys(infer_roles(some, run.schema, run.options.roles), run.schema.key, targets(run.files))
    cache = before or CandidateCache()
    return replace(cache, columns=_since(_label(run), roles, before), changed=0)


def _label(run: TableRun) -> str:
    return max(run.delta.delta_ids, key=in_order, default=run.files.label_before)


def _since(label: str, roles: Mapping[str, ColumnRole], before: CandidateCache | None) -> tuple[CachedRole, ...]:
    """The roles, each since the version in which the column got it, which may be the present one."""
    known = {cached.role.column: cached for cached in before.columns} if before else {}
    same = {name: known[name] for name, role in roles.items() if name in known and known[name].role.role is role.role}
    return tuple(CachedRole(role, same[name].since if name in same else label) for name, role in roles.items())


def targets(files: TableFiles) -> dict[str, str]:
    """Per column of the table what it refers to, by the references that the base version has found."""
    if files.base is None or not files.base.files_of("results", DATASET):
        return {}
    results = read_results(files.store, files.base, DATASET)
    shown: Sequence[Measured] = [ranked.measured for ranked in results.ranked[: results.shown]]
    inclusions = (m.constraint for m in measured_of(InclusionDependency, shown))
    return {
        i.lhs.columns[0]: f"{i.rhs.table}.{i.rhs.columns[0]}"
        for i in inclusions
        if i.lhs.table == files.table and len(i.lhs.columns) == 1
    }
