"""The dataset's inclusion dependencies of version N and the deltas of all its tables become those of version N+1.

Only what the deltas touch is read and written; all results follow from the clusters, so they equal discovery from
scratch (docs/semantics.md, "Deltas"). Bootstrapping is the same on an empty state.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from profiling_core.algorithms.inclusions import foreign_keys
from profiling_core.algorithms.inclusions.attribute_clustering import (
    Attribute,
    among,
    attribute_of,
    attributes_of,
    inclusions,
)
from profiling_core.algorithms.inclusions.combinations import (
    candidates,
    column_positions,
    in_table_order,
    maximal,
)
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.implication import given_besides
from profiling_core.algorithms.rules.references import telling_along
from profiling_core.algorithms.rules.rejection import Rejections
from profiling_core.algorithms.rules.selection import PRESENTED, select
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.maintain.candidate_cache import cache_of
from profiling_core.maintain.inclusion_level import Level, LevelRun, maintain_level
from profiling_core.maintain.inclusion_rows import RowSources
from profiling_core.maintain.inclusion_state import GeneratorOptions, publish_results
from profiling_core.maintain.orphaned_rows import RowsAfter, find_orphaned_rows
from profiling_core.maintain.reference_rules import ReferenceResult, ReferenceStep, maintain_references
from profiling_core.maintain.results import BrokenConstraint, Results
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    InclusionDependency,
    Kind,
    Measured,
    measured_of,
)
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored
from profiling_core.model.version import FileRef, RunPlan, Version
from profiling_core.state.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RANKED = 200
MOST_CANDIDATES = 20_000
_DEFAULTS = GeneratorOptions()


@dataclass(frozen=True, slots=True)
class StagedInclusions(Stored):
    """The dataset's inclusions in the next version, ready to be committed.

    ``files`` are all of the version's files that belong to no table. ``results`` are all valid INDs, the partial ones
    that reach their table's threshold, and the tracked ones whatever their coverage. ``orphans`` tells for each tracked
    IND (by fingerprint) with more missing values than before which rows newly have no partner, and how many.
    """

    files: tuple[FileRef, ...]
    results: tuple[Measured[InclusionDependency], ...]
    orphans: Mapping[str, BrokenConstraint]


@dataclass(frozen=True)
class InclusionStep:
    """One step of a dataset's inclusions.

    Attributes:
        spark: the session.
        store: where the state lies.
        version: what the deltas apply to; None: nothing, they are whole tables.
        deltas: by table; tables without one stay as they are.
        config: the dataset's configuration.
        plan: the run that the new files belong to.
        tracked: INDs to measure whatever their coverage, and to explain where they got worse.
        rules: the rules along references that are followed, with their figures in the version.
        rejected: the constraints that people have rejected.
        asked: columns of whose new values it is asked whether another table lists them.
        options: how the generator is kept.
    """

    spark: "SparkSession"
    store: Store
    version: Version | None
    deltas: Mapping[str, NormalizedDelta]
    config: DatasetConfig
    plan: RunPlan
    tracked: Sequence[InclusionDependency] = ()
    rules: Sequence[Measured] = ()
    rejected: Sequence[Constraint] = ()
    asked: Sequence[ColumnList] = ()
    options: GeneratorOptions = _DEFAULTS


def maintain_inclusions(step: InclusionStep) -> StagedInclusions:
    """Maintains the inclusions of a dataset; writes new files only, so that a retry starts from the same version.

    Raises:
        StateError: the version's state is damaged, or does not fit the configuration or the deltas.
        ConfigurationError: more inclusions of several columns are possible than can be kept.
    """
    values, run_id = step.config.values, step.plan.run_id
    sources = RowSources(step.store, step.version, step.deltas)
    run = LevelRun(step.spark, sources, values, run_id, step.options)
    schemas = _schemas(step.config, step.version, step.deltas)
    levels = list(_Lengths(run, step.config, schemas, step.tracked, step.asked))
    worse = [broken for level in levels for broken in level.state.worse]
    rows = RowsAfter(step.spark, step.store, step.version, step.deltas)
    orphans = find_orphaned_rows(rows, worse, step.config)
    found = _results(levels, orphans, schemas, values)
    along = maintain_references(ReferenceStep(rows, schemas, run_id, step.config, _references(found), step.rules))
    given = _given(step.store, step.version, _references(found))
    results = publish_results(step.store, run_id, _chosen(found, along, Rejections(step.rejected), given))
    files = [*(file for level in levels for file in level.state.files), *along.files]
    listed = {m.constraint.fingerprint: m for level in levels for m in (*level.valid, *level.followed)}
    return StagedInclusions((*files, results), tuple(listed.values()), orphans)


def _schemas(
    config: DatasetConfig, version: Version | None, deltas: Mapping[str, NormalizedDelta]
) -> dict[str, TableSchema]:
    """The schemas of the next version's tables, by name in order."""
    stored = {name: state.schema for name, state in version.tables.items()} if version else {}
    fresh = {name: TableSchema.from_json(delta.schema) for name, delta in deltas.items()}
    return {name: schema for name, schema in sorted((stored | fresh).items()) if name in config.tables}


@dataclass(frozen=True)
class _Measured:
    """One length: its state and figures, the valid inclusions, and the followed ones."""

    state: Level
    valid: list[Measured[InclusionDependency]]
    followed: list[Measured[InclusionDependency]]


@dataclass(frozen=True)
class _Lengths:
    """The inclusions of all lengths in the next version."""

    run: LevelRun
    config: DatasetConfig
    schemas: Mapping[str, TableSchema]
    tracked: Sequence[InclusionDependency]
    asked: Sequence[ColumnList]

    def __iter__(self) -> Iterator[_Measured]:
        """Length by length, up to the configured one, or to where nothing is left to look for."""
        positions = column_positions(self.schemas.values())
        known = [t for t in self.tracked if _is_comparable(t, self.schemas, self.config.values)]
        tracked = [in_table_order(t, positions) for t in known]
        level = self._shortest([t for t in tracked if len(t.columns) == 1])
        yield level
        for arity in range(2, self.config.max_arity + 1) if self.config.max_arity else itertools.count(2):
            sought = candidates([m.constraint for m in level.valid], positions)
            if not sought and not any(len(t.columns) >= arity for t in tracked):
                return
            if len(sought) > MOST_CANDIDATES:
                raise _too_many(self.config, arity, len(sought))
            level = self._longer(arity, sought, [t for t in tracked if len(t.columns) == arity])
            yield level

    def _shortest(self, followed: Sequence[InclusionDependency]) -> _Measured:
        """The inclusions of one column in another."""
        values = self.config.values
        attributes = [attribute for schema in self.schemas.values() for attribute in attributes_of(schema, values)]
        state = maintain_level(self.run, 1, attributes, followed, self.asked)
        valid = inclusions(state.figures.shared, state.figures.attributes, self._least_coverage)
        return _Measured(state, valid, [state.figures.measure(t) for t in followed])

    def _longer(
        self, arity: int, sought: Sequence[InclusionDependency], followed: Sequence[InclusionDependency]
    ) -> _Measured:
        """The inclusions of several columns that are sought, and those that are followed."""
        sides = dict.fromkeys(side for inclusion in (*sought, *followed) for side in (inclusion.lhs, inclusion.rhs))
        attributes = [attribute_of(side, self.schemas[side.table], self.config.values) for side in sides]
        state = maintain_level(self.run, arity, attributes, followed)
        valid = among(state.figures.shared, state.figures.attributes, sought, self._least_coverage)
        return _Measured(state, valid, [state.figures.measure(t) for t in followed])

    def _least_coverage(self, included: Attribute) -> float:
        return self.config.tables[included.table].errors.ind_coverage


def _is_comparable(inclusion: InclusionDependency, schemas: Mapping[str, TableSchema], values: Values) -> bool:
    """Whether all its columns are profiled, and compare, in the next version."""
    sides = (inclusion.lhs, inclusion.rhs)
    known = all(
        side.table in schemas and set(side.columns) <= {column.name for column in schemas[side.table].profiled}
        for side in sides
    )
    return known and len({attribute_of(side, schemas[side.table], values).comparable for side in sides}) == 1


def _too_many(config: DatasetConfig, arity: int, number: int) -> ConfigurationError:
    return ConfigurationError(
        f"{number:,} inclusions of {arity} columns are possible, and at most {MOST_CANDIDATES:,} are looked for",
        where=f"dataset {config.dataset!r}",
        remedy=f"set max_arity: {arity - 1}, raise errors.ind_coverage, or leave out columns with few values",
    )


def _references(found: Results) -> list[InclusionDependency]:
    """The inclusions that read as references, the best first."""
    likely = {name for name, r in found.readings.items() if r.unique and r.likelihood >= foreign_keys.LIKELY}
    exact = measured_of(InclusionDependency, (r.measured for r in found.ranked if r.measured.holds))
    return [m.constraint for m in exact if m.constraint.fingerprint in likely]


def _given(store: Store, version: Version | None, references: Sequence[InclusionDependency]) -> list[DenialConstraint]:
    """What each table says of its own rows, as the version before has it, of rows with those that they refer to."""
    tables = version.tables if version else {}
    books = {table: cache_of(store, version, table) for table in tables}
    own = {t: [c.constraint for c in book.candidates if c.measured.holds] for t, book in books.items() if book}
    besides = (fact for found in given_besides(references, own).values() for fact in found)
    orders = (rule for rules in own.values() for rule in rules)
    return [cast("DenialConstraint", fact) for fact in (*besides, *orders) if fact.kind is Kind.DC]


def _chosen(
    found: Results, along: ReferenceResult, rejections: Rejections, given: Sequence[DenialConstraint]
) -> Results:
    """The dataset's list: likely references and rules along them, chosen as each table's rules are; then the rest."""
    scores = {r.measured.constraint.fingerprint: r for r in (*found.ranked, *along.ranked)}
    likely = {name: r.likelihood for name, r in found.readings.items() if r.likelihood >= foreign_keys.LIKELY}
    references = [
        Candidate(r.measured, Family.REFERENCE, worth, worth)
        for r in found.ranked
        if (worth := likely.get(r.measured.constraint.fingerprint))
    ]
    there, away = rejections.parted([*references, *telling_along(along.candidates)])
    chosen = select(there, PRESENTED, given=given)
    order = [c.constraint.fingerprint for c in (*chosen.shown, *chosen.left_out, *chosen.implied)]
    left = [name for name in scores if name not in {*order, *(kept.constraint.fingerprint for kept in away)}]
    return replace(
        found,
        counts={**found.counts, "reference_rules": len(along.ranked)},
        ranked=tuple(scores[name] for name in (*order, *left)),
        tracked=(*found.tracked, *along.tracked),
        breaks={**found.breaks, **along.breaks},
        shown=len(chosen.shown),
        kept_away=away,
    )


def _results(
    levels: Sequence[_Measured],
    orphans: Mapping[str, BrokenConstraint],
    schemas: Mapping[str, TableSchema],
    values: Values,
) -> Results:
    valid = [m for level in levels for m in level.valid]
    followed = [m for level in levels for m in level.followed]
    sides = {side: held for level in levels for side, held in level.state.figures.sides.items()}
    shown = maximal(valid)
    tables = foreign_keys.by_names(schemas)
    readings = {m.constraint.fingerprint: foreign_keys.read(m, sides, tables, values) for m in (*shown, *followed)}
    ranked = foreign_keys.rank(shown, readings)[:RANKED]
    kept = {m.constraint.fingerprint for m in (*(r.measured for r in ranked), *followed)}
    return Results(
        {"ind": len(valid), "exact": sum(m.holds for m in valid)},
        tuple(ranked),
        tuple(followed),
        orphans,
        readings={fingerprint: reading for fingerprint, reading in readings.items() if fingerprint in kept},
        listed=tuple(column for level in levels for column in level.state.listed),
    )
