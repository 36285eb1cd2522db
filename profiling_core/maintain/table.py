"""One table's state of version N and its delta become its staged state of version N+1.

The table's engine maintains what concerns pairs of columns and of rows; rules of single columns stand beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.presented import in_order
from profiling_core.maintain.choice import ChosenEngine, affordable, choose
from profiling_core.maintain.columns import ColumnStanding, arrived, maintain_columns
from profiling_core.maintain.engine import EngineStep, Standing
from profiling_core.maintain.loads import maintain_loads
from profiling_core.maintain.results import BrokenConstraint, Results, StagedTable
from profiling_core.maintain.row_rules import KINDS, RowRuleStanding, maintain_row_rules
from profiling_core.maintain.run import TableRun, publish_rows, row_delta, whole
from profiling_core.model.constraint import ColumnRule, Measured, RowConstraint, as_denial_constraint, measured_of
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.reading import NOTHING_READ, Reading
from profiling_core.model.version import TableState
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.names import all_quoted
from profiling_core.spark.readings import read_break
from profiling_core.spark.witnesses import Break, find_breaks

MOST_READINGS = 5


def maintain_table(run: TableRun, tracked: Sequence[Measured]) -> tuple[StagedTable, ChosenEngine]:
    """Maintains one table; writes new files only, so that a retry starts from the same base.

    Args:
        run: session, store, configuration, delta and base version.
        tracked: the constraints that are followed, with their figures in the base version.
    """
    rows = row_delta(run)
    size = run.size_before + rows.inserts - rows.deletes
    choice = choose(run, size)
    begins = rows if choice.continues else whole(rows, size)
    space = choice.space or new_space(run, begins, denies=choice.engine.denies)
    choice = affordable(choice, run, begins, space, size)
    come = arrived(run)
    rules = maintain_columns(run, rows, come, measured_of(ColumnRule, tracked))
    of_rows = maintain_row_rules(run, rows, size, [m for m in tracked if m.constraint.kind in KINDS])
    followed = [m for m in measured_of(RowConstraint, tracked) if _speaks_of(m.constraint, space)]
    base = run.base if choice.continues else None
    step = EngineStep(run, begins, space, base, size, [m.constraint for m in followed])
    standing = choice.engine.advance(step)
    results = _results(run, rows, space, standing, followed, (rules, of_rows))
    files = (
        *publish_rows(run),
        *standing.files,
        *rules.files,
        *of_rows.files,
        *maintain_loads(run, come),
        run.store.publish_json(run.run_id, run.table, "results", results.to_json()),
    )
    state = TableState(run.schema, space, size, run.delta.next_row_id)
    return StagedTable(run.table, state, files, run.arrival), choice


def _speaks_of(constraint: RowConstraint, space: PredicateSpace) -> bool:
    """Whether the space has all predicates of a constraint; one it lacks can be followed no longer."""
    return all(predicate in space.index for predicate in as_denial_constraint(constraint).predicates)


def new_space(run: TableRun, rows: RowDelta, *, denies: bool) -> PredicateSpace:
    """The predicate space of a table bootstrapped with these rows (docs/semantics.md, "Pairs and predicates")."""
    schema, nulls = run.schema, run.config.nulls_of(run.table)
    if not denies:
        return predicate_space.equality_only(schema, nulls)
    if run.options.space == "same-column":
        return predicate_space.build(schema, nulls, cross=False)
    values = rows.inserted.select(*all_quoted(column.name for column in schema.profiled)).toArrow()
    shared = predicate_space.shared_fractions(values, schema)
    return predicate_space.build(schema, nulls, cross=True, shared=shared, threshold=run.options.shared_values)


def _results(
    run: TableRun,
    rows: RowDelta,
    space: PredicateSpace,
    standing: Standing,
    followed: Sequence[Measured[RowConstraint]],
    beside: tuple[ColumnStanding, RowRuleStanding],
) -> Results:
    rules, of_rows = beside
    broken = [now for m, now in zip(followed, standing.tracked, strict=True) if now.violations > m.violations]
    constraints = [m.constraint for m in broken]
    breaks = find_breaks(run.spark, rows, space, constraints)
    readings = _readings(rows, space, constraints, breaks)
    return Results(
        {**standing.counts, "rules": len(rules.ranked), "row_rules": len(of_rows.ranked)},
        in_order(standing.ranked, rules.ranked, rules.unrepeated, of_rows.ranked),
        (*standing.tracked, *rules.tracked, *of_rows.tracked),
        {
            constraint.fingerprint: BrokenConstraint(len(b.rows), b.witnesses, reading)
            for constraint, b, reading in zip(constraints, breaks, readings, strict=True)
        }
        | rules.breaks
        | of_rows.breaks,
        successors=rules.successors,
    )


def _readings(
    rows: RowDelta, space: PredicateSpace, broken: Sequence[RowConstraint], breaks: Sequence[Break]
) -> Iterator[Reading]:
    """The readings of the first breaks, which are those of the best-ranked constraints; the rest go without."""
    for number, (constraint, found) in enumerate(zip(broken, breaks, strict=True)):
        read = number < MOST_READINGS and found.rows
        unread = replace(NOTHING_READ, standing_out=len(found.standing_out))
        yield read_break(rows, constraint, found.standing_out, space.nulls) if read else unread
