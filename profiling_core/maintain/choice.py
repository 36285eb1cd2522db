"""Which engine maintains a table: the configured one, the one it has, or, for a new table, one that suits its shape."""

from dataclasses import dataclass, replace

from profiling_core.algorithms.denial.sampled.cost import PAIR_AND_GROUP, expected_evidences
from profiling_core.algorithms.dependencies.choice import MOST_PAIRS
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.maintain.agreeing import AgreeingEngine
from profiling_core.maintain.agreeing_spark import AgreeingSparkEngine
from profiling_core.maintain.counted import CountedEngine
from profiling_core.maintain.engine import EngineStep, RowEngine
from profiling_core.maintain.grouping_spark import GroupingSparkEngine
from profiling_core.maintain.indexed import IndexedEngine
from profiling_core.maintain.partitioned import PartitionedEngine
from profiling_core.model.dataset import Engine, TableConfig
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import Version
from profiling_core.spark.evidence import RowDelta, tiles_of
from profiling_core.spark.rows import FEW_ROWS
from profiling_core.spark.sampling import sampled_rows

ENGINES: dict[Engine, RowEngine] = {
    Engine.COUNTED: CountedEngine(),
    Engine.INDEXED: IndexedEngine(),
    Engine.AGREE_SETS: AgreeingEngine(),
    Engine.PARTITIONS: PartitionedEngine(),
    Engine.AGREE_SETS_SPARK: AgreeingSparkEngine(),
    Engine.GROUPS_SPARK: GroupingSparkEngine(),
}
# What of them keeps a table's rows in the process that leads the step, for FDs and UCCs alone.
_HELD = (Engine.AGREE_SETS, Engine.PARTITIONS)
# Tables of more columns have more denial constraints than any program finds.
WIDE_COLUMNS = 40
# About the number of columns of a large indexed table that a task holds at once; the others lie in mapped files.
PIECE_COLUMNS = 4
# Rows beyond which a delta is no longer compared with every one of them.
MOST_COUNTED_ROWS = 200_000
# Seconds of a core that a new table's constraints may take beside what each row adds, before another way is tried.
MOST_SECONDS = 40.0
# The same of counting pairs, unless approximate dependencies are asked for, which only counts tell: Hydra mostly sees
# in a few seconds what holds.
MOST_SECONDS_OF_PAIRS = 10.0
SECONDS_PER_ROW = 1e-4
# Rows beyond which it may take no longer: an hour of a core, which is half of what a task may take on two.
MOST_ROWS_PAID = 36_000_000
# Seconds of a core for grouping an evidence, keeping it and searching in it; there may be one evidence per pair.
GROUPED_EVIDENCE = 3e-6


@dataclass(frozen=True)
class ChosenEngine:
    """An engine and why it was chosen.

    ``continues`` says whether it goes on from the base version's state; ``space`` is the predicate space to keep (None:
    a new one is to be built).
    """

    name: Engine
    engine: RowEngine
    reason: str
    continues: bool
    space: PredicateSpace | None


def stored_engine(version: Version, table: str) -> Engine:
    """The engine that maintains a table in a version: its state files tell."""
    roles = {file.role for file in version.files if file.table == table}
    return next(name for name, engine in ENGINES.items() if engine.role in roles)


def choose(options: TableConfig, shape: tuple[int, int], before: tuple[Engine, PredicateSpace] | None) -> ChosenEngine:
    """The engine for a table.

    Args:
        options: the table's configuration.
        shape: its number of rows after the run, and of columns that are compared.
        before: the engine that has maintained it so far, and in what space (None: all is derived from its rows).
    """
    wanted = options.engine
    if before is None:
        wanted, reason = (wanted, "configured") if wanted is not Engine.AUTO else suited(*shape, options.max_cells)
        return ChosenEngine(wanted, ENGINES[wanted], reason, continues=False, space=None)
    stored, known = before
    reason = f"configured, after {stored.value}"
    if wanted is Engine.AUTO and stored in _HELD and shape[0] * shape[1] > options.max_cells:
        wanted, reason = beyond_a_process(*shape, options.max_cells)
    if wanted in (Engine.AUTO, stored):
        return ChosenEngine(stored, ENGINES[stored], "as before", continues=True, space=known)
    engine = ENGINES[wanted]
    space = known if engine.denies == ENGINES[stored].denies else None
    return ChosenEngine(wanted, engine, reason, continues=False, space=space)


def affordable(
    choice: ChosenEngine, options: TableConfig, rows: RowDelta, space: PredicateSpace, size: int
) -> ChosenEngine:
    """The choice for a new table, or another one where a sample says that its evidence is too much to count.

    Args:
        choice: what the table's shape suggests.
        options: the table's configuration.
        rows: all of the table's rows, as inserted.
        space: the predicate space.
        size: the number of rows.
    """
    pairs = size * (size - 1) / 2
    compared = pairs * len(space.groups) * PAIR_AND_GROUP
    if not _is_free(choice, options) or choice.name is not Engine.COUNTED or not space.groups:
        return choice
    approximate = options.errors.fd > 0 or options.errors.ucc > 0
    most = MOST_SECONDS if approximate else MOST_SECONDS_OF_PAIRS
    if pairs * GROUPED_EVIDENCE + compared <= most:
        return choice
    tiles = tiles_of(size)
    grouped = tiles * expected_evidences(sampled_rows(rows, space, size), space, pairs / tiles)
    seconds = compared + grouped * GROUPED_EVIDENCE
    if seconds <= most:
        return choice
    reason = (
        f"counting the pairs of {size:,} rows takes about {seconds:,.0f} s of a core,"
        f" for there are about {grouped:,.0f} evidences to group"
    )
    return replace(choice, name=Engine.INDEXED, engine=ENGINES[Engine.INDEXED], reason=reason)


def effort_of(choice: ChosenEngine, step: EngineStep) -> Effort | None:
    """What discovery may cost a new table before another way is tried; None: any cost."""
    if not _is_free(choice, step.options) or not choice.engine.denies:
        return None
    return Effort(MOST_SECONDS + min(step.size, MOST_ROWS_PAID) * SECONDS_PER_ROW, f"table {step.files.table}")


def narrower(choice: ChosenEngine, step: EngineStep, nulls: NullSemantics) -> tuple[ChosenEngine, PredicateSpace]:
    """What a new table is kept by after discovery has taken more than :func:`effort_of` allows; in what space.

    Different columns are not compared then; if they were not, pairs are not counted; if they were not, FDs and UCCs
    alone are kept.

    Args:
        choice: what was tried.
        step: the step in which it was tried, with all of the table's rows as inserted.
        nulls: how the table's nulls compare.
    """
    schema, space, size = step.schema, step.space, step.size
    told = f"{choice.reason}; constraints of {len(space.predicates):,} predicates take too long to search"
    if not space.is_same_column:
        within = predicate_space.build(schema, nulls, cross=False)
        told += ": different columns are not compared"
        if size > MOST_COUNTED_ROWS:
            return replace(choice, reason=told), within
        counted = replace(choice, name=Engine.COUNTED, engine=ENGINES[Engine.COUNTED], reason=told)
        chosen = affordable(counted, step.options, step.rows, within, size)
        return chosen if chosen is counted else replace(chosen, reason=f"{told}; {chosen.reason}"), within
    if choice.name is Engine.COUNTED:
        told += " by the evidence of all pairs"
        return replace(choice, name=Engine.INDEXED, engine=ENGINES[Engine.INDEXED], reason=told), space
    name = Engine.AGREE_SETS if size * (size - 1) // 2 <= MOST_PAIRS else Engine.PARTITIONS
    told += ": dependencies alone are kept"
    space = predicate_space.equality_only(schema, nulls)
    return replace(choice, name=name, engine=ENGINES[name], reason=told), space


def _is_free(choice: ChosenEngine, options: TableConfig) -> bool:
    """Whether the engine of a new table is chosen here."""
    return options.engine is Engine.AUTO and not choice.continues


def beyond_a_process(rows: int, columns: int, max_cells: int) -> tuple[Engine, str]:
    """The engine for FDs and UCCs of a table that no process is to hold, and why."""
    shape = f"{rows:,} rows by {columns} columns are more than max_cells ({max_cells:,})"
    if rows > MOST_COUNTED_ROWS:
        return Engine.GROUPS_SPARK, f"{shape}, and have too many pairs to compare: Spark counts groups"
    return Engine.AGREE_SETS_SPARK, f"{shape}: Spark compares pairs"


def suited(rows: int, columns: int, max_cells: int) -> tuple[Engine, str]:
    """The engine for a table of that shape, and why."""
    if rows * columns > max_cells:
        if columns > WIDE_COLUMNS or rows < FEW_ROWS or rows * PIECE_COLUMNS > max_cells:
            return beyond_a_process(rows, columns, max_cells)
        shape = f"{rows:,} rows by {columns} columns are more than max_cells ({max_cells:,})"
        return Engine.INDEXED, f"{shape}: each of Spark's tasks indexes some columns"
    pairs = rows * (rows - 1) // 2
    if columns > WIDE_COLUMNS and pairs > MOST_PAIRS:
        return Engine.PARTITIONS, f"{columns} columns are too many for denial constraints, {pairs:,} pairs to compare"
    if columns > WIDE_COLUMNS:
        return Engine.AGREE_SETS, f"{columns} columns are too many for denial constraints"
    if rows > MOST_COUNTED_ROWS:
        return Engine.INDEXED, f"{rows:,} rows have too many pairs to count"
    return Engine.COUNTED, f"{rows:,} rows by {columns} columns: all pairs can be counted"
