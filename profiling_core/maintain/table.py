"""One table's state of version N and its delta become its staged state of version N+1.

The table's engine maintains what concerns pairs of columns and of rows; rules of single columns stand beside it.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.row_rules import RowRule
from profiling_core.algorithms.rules.listing import Sources, listed
from profiling_core.maintain.batch_anomalies import maintain_loads
from profiling_core.maintain.candidate_cache import (
    CandidateCache,
    look,
    read_cache,
    roles_alone,
    targets,
)
from profiling_core.maintain.choice import ChosenEngine, affordable, choose, effort_of, narrower, stored_engine
from profiling_core.maintain.columns import ColumnResult, maintain_columns
from profiling_core.maintain.covers import said_of_length
from profiling_core.maintain.delta_rows import arrived, first_delta
from profiling_core.maintain.engine import EngineResult, EngineStep
from profiling_core.maintain.false_alarms import breaks_by_chance, one_in
from profiling_core.maintain.key_indexes import key_indexes
from profiling_core.maintain.results import BrokenConstraint, Results, StagedTable
from profiling_core.maintain.row_rules import KINDS, RowRuleResult, maintain_row_rules, row_rules_of
from profiling_core.maintain.run import TableRun, publish_rows, row_delta
from profiling_core.model.constraint import (
    ColumnRule,
    Measured,
    RowConstraint,
    as_denial_constraint,
    measured_of,
)
from profiling_core.model.diagnosis import NO_DIAGNOSIS, Diagnosis
from profiling_core.model.errors import EffortError
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import FileRef, TableState
from profiling_core.spark.diagnoses import diagnose
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.tasks import beside, runner
from profiling_core.spark.witnesses import Break, find_breaks
from profiling_core.state.version_reports import CACHE_ROLE

_LOG = logging.getLogger(__name__)
MOST_DIAGNOSES = 5
# Rows that tell the roles of a table which is too large to be searched.
_SOME_ROWS = 20_000


def maintain_table(run: TableRun, tracked: Sequence[Measured]) -> tuple[StagedTable, ChosenEngine]:
    """Maintains one table; writes new files only, so that a retry starts from the same base.

    Args:
        run: session, store, configuration, delta and base version.
        tracked: the constraints that are followed, with their figures in the base version.
    """
    rows = row_delta(run)
    size = run.size_before + rows.inserts - rows.deletes
    before, base = run.before, run.files.base
    kept = (stored_engine(base, run.table), before.space) if base and before else None
    choice = choose(run.options, (size, len(run.schema.profiled)), kept)
    begins = rows if choice.continues else rows.whole(size)
    space = choice.space or new_space(run, begins, denies=choice.engine.denies)
    choice = affordable(choice, run.options, begins, space, size)
    if not choice.continues and (said := said_of_length(run.options, space)):
        _LOG.warning("%s: %s", run.table, said)
    with beside(rows.inserts, partial(_alone, run, rows, tracked)) as alone:
        cache, anew = _cache(run, rows, size, tracked)
        continued = base if choice.continues else None
        step = EngineStep(run.files, run.options, run.schema, begins, space, continued, size, ())
        done = _advanced(step, choice, run.nulls, partial(_known, tracked, cache, run.schema))
        known, standing, followed = done.known, done.standing, done.known.first
        of_rows = maintain_row_rules(run, rows, known.of_rows, known.followed, anew=anew)
        rules, files = alone()
    between = {m.constraint.fingerprint: m for m in standing.tracked}
    cache = cache.with_figures({**between, **of_rows.figures})
    standing = replace(standing, tracked=standing.tracked[: len(followed)])
    results = _results(_TableStep(run, rows, done.space, cache), standing, followed, rules, of_rows, known)
    files = (
        *files,
        *standing.files,
        run.files.publish_json(CACHE_ROLE, cache.to_json()),
        run.files.publish_json("results", results.to_json()),
    )
    state = TableState(run.schema, done.space, size, run.delta.next_row_id)
    return StagedTable(run.table, state, files, run.arrival), done.choice


def _alone(run: TableRun, rows: RowDelta, tracked: Sequence[Measured]) -> tuple[ColumnResult, tuple[FileRef, ...]]:
    """What needs nothing of the engine: the rules of columns; and the files of rows, of these rules and of loads."""
    come = arrived(run)
    rules = maintain_columns(run, rows, come, measured_of(ColumnRule, tracked))
    stored = publish_rows(run)
    indexes = key_indexes(run.files, run.schema, stored, run.spark, anew=run.rebuild)
    return rules, (*stored, *indexes, *rules.files, *maintain_loads(run, come))


@dataclass(frozen=True)
class _Advanced:
    """How an engine stands after a step: which one, in what space, and what was measured."""

    choice: ChosenEngine
    space: PredicateSpace
    known: "_Tracked"
    standing: EngineResult


def _advanced(
    step: EngineStep, choice: ChosenEngine, nulls: NullSemantics, known_in: Callable[[PredicateSpace], "_Tracked"]
) -> _Advanced:
    """The step by the chosen engine or, where that takes too long, by the first one after it that does not."""
    while True:
        known, effort = known_in(step.space), effort_of(choice, step)
        step = replace(step, tracked=[m.constraint for m in (*known.first, *known.others)], effort=effort)
        try:
            return _Advanced(choice, step.space, known, choice.engine.advance(step))
        except EffortError:
            choice, space = narrower(choice, step, nulls)
            step = replace(step, space=space)


@dataclass(frozen=True)
class _Tracked:
    """What is measured: ``between`` rows by the engine, ``of_rows`` row by row; and the names of what is followed."""

    between: list[Measured[RowConstraint]]
    of_rows: list[Measured[RowRule]]
    followed: set[str]

    @property
    def first(self) -> list[Measured[RowConstraint]]:
        """Those between rows that are followed."""
        return [m for m in self.between if m.constraint.fingerprint in self.followed]

    @property
    def others(self) -> list[Measured[RowConstraint]]:
        """Those between rows that are not."""
        return [m for m in self.between if m.constraint.fingerprint not in self.followed]


def _cache(run: TableRun, rows: RowDelta, size: int, tracked: Sequence[Measured]) -> tuple[CandidateCache, bool]:
    """The table's cache, and whether rules have been looked for in all rows."""
    before = read_cache(run)
    changed = run.delta.inserts + run.delta.deletes
    if before and not before.after(changed).is_due(run.schema, run.options.roles):
        return before.after(changed), False
    names = [column.name for column in run.schema.profiled]
    if size * len(names) > run.options.max_cells:
        return roles_alone(run, rows.later.first(_SOME_ROWS, names), before), False
    return look(run, rows.later, size, before, tracked), True


def _known(tracked: Sequence[Measured], cache: CandidateCache, schema: TableSchema, space: PredicateSpace) -> _Tracked:
    """What of the followed constraints and of the candidates can be measured."""
    profiled = {column.name for column in schema.profiled}
    of_columns = measured_of(ColumnRule, tracked)
    own = [m for m in tracked if m not in of_columns and profiled.issuperset(m.constraint.columns)]
    # The cache has the figures of rules of rows whole, which the catalog has not.
    every = {m.constraint.fingerprint: m for m in (*own, *(c.measured for c in cache.candidates))}
    of_rows = row_rules_of(every.values(), space)
    others = [m for m in every.values() if m not in of_rows]
    between = [m for m in measured_of(RowConstraint, others) if _speaks_of(m.constraint, space)]
    return _Tracked(between, of_rows, {m.constraint.fingerprint for m in own})


def _speaks_of(constraint: RowConstraint, space: PredicateSpace) -> bool:
    """Whether the space has all predicates of a constraint; one it lacks can be followed no longer."""
    return all(predicate in space.index for predicate in as_denial_constraint(constraint).predicates)


def new_space(run: TableRun, rows: RowDelta, *, denies: bool) -> PredicateSpace:
    """The predicate space of a table bootstrapped with these rows (docs/semantics.md, "Pairs and predicates")."""
    schema, nulls = run.schema, run.nulls
    if not denies:
        return predicate_space.equality_only(schema, nulls)
    if run.options.space == "same-column":
        return predicate_space.build(schema, nulls, cross=False)
    run_pieces = runner(run.spark, rows.inserts)
    shared = predicate_space.shared_fractions(rows.coming.apart, schema, run_pieces)
    return predicate_space.build(schema, nulls, cross=True, shared=shared, threshold=run.options.shared_values)


@dataclass(frozen=True)
class _TableStep:
    """One table's step: the run, its rows, the predicate space, and the cache after it."""

    run: TableRun
    rows: RowDelta
    space: PredicateSpace
    cache: CandidateCache


def _results(
    now: _TableStep,
    standing: EngineResult,
    followed: Sequence[Measured[RowConstraint]],
    rules: ColumnResult,
    of_rows: RowRuleResult,
    known: _Tracked,
) -> Results:
    constraints, breaks = _broken(now, followed, standing.tracked)
    diagnoses, store = _diagnoses(now.rows, now.space, constraints, breaks), now.run.files.store
    sources = Sources(
        now.cache.candidates, standing.ranked, rules.ranked, rules.untested, now.cache.roles, targets(now.run.files)
    )
    listing = listed(sources, now.run.options.presented, now.run.people.rejected)
    broke = {
        constraint.fingerprint: BrokenConstraint(
            len(b.rows), b.witnesses, diagnosis, delta=first_delta(store, now.run.delta, b.standing_out or b.rows)
        )
        for constraint, b, diagnosis in zip(constraints, breaks, diagnoses, strict=True)
    }
    figures = (*standing.tracked, *rules.tracked, *(m for name, m in of_rows.figures.items() if name in known.followed))
    row_rules = [c for c in now.cache.candidates if c.measured.holds and c.constraint.kind in KINDS]
    return Results(
        {**standing.counts, "rules": len(rules.ranked), "row_rules": len(row_rules)},
        listing.ranked,
        figures,
        _weighed(now, figures, {**broke, **rules.breaks, **of_rows.breaks}),
        successors=rules.successors,
        shown=listing.shown,
        kept_away=listing.kept_away,
    )


def _broken(
    now: _TableStep, followed: Sequence[Measured[RowConstraint]], figures: Sequence[Measured[RowConstraint]]
) -> tuple[list[RowConstraint], list[Break]]:
    """The constraints that new rows violate, and these rows.

    Of one that was violated before only rows that are at fault count: a right row contradicts an old wrong one, too.
    A pinned one is looked at even where as many rows were mended.
    """
    known = {m.constraint.fingerprint: m for m in followed}
    asked = [
        m.constraint
        for m in figures
        if m.violations > known[m.constraint.fingerprint].violations
        or (m.violations and m.constraint.fingerprint in now.run.people.pinned)
    ]
    found = zip(asked, find_breaks(now.rows, now.space, asked), strict=True)
    owed = [(c, b) for c, b in found if b.rows and (b.at_fault or _held(known[c.fingerprint]))]
    return [constraint for constraint, _ in owed], [found for _, found in owed]


def _held(before: Measured) -> bool:
    return before.holds and before.population > 0


def _weighed(
    now: _TableStep, followed: Sequence[Measured], broken: Mapping[str, BrokenConstraint]
) -> dict[str, BrokenConstraint]:
    """What broke, with what of it is no news."""
    rules = {m.constraint.fingerprint: m.constraint for m in followed}
    once_in = one_in(rules.values(), now.run.config.budget)
    return {
        name: replace(found, by_chance=name in rules and breaks_by_chance(now.rows, rules[name], once_in))
        for name, found in broken.items()
    }


def _diagnoses(
    rows: RowDelta, space: PredicateSpace, broken: Sequence[RowConstraint], breaks: Sequence[Break]
) -> Iterator[Diagnosis]:
    """The diagnoses of the first breaks, which are those of the best-ranked constraints; the rest go without."""
    for number, (constraint, found) in enumerate(zip(broken, breaks, strict=True)):
        wanted = number < MOST_DIAGNOSES and found.rows
        unread = replace(NO_DIAGNOSIS, standing_out=len(found.standing_out))
        yield diagnose(rows, constraint, found.standing_out, space.nulls) if wanted else unread
