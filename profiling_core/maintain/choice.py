"""Which engine maintains a table: the configured one, the one it has, or, for a new table, one that suits its shape."""

from dataclasses import dataclass, replace

from profiling_core.algorithms.denial.sampled.cost import expected_evidences
from profiling_core.algorithms.dependencies.choice import MOST_PAIRS
from profiling_core.maintain.agreeing import AgreeingEngine
from profiling_core.maintain.agreeing_spark import AgreeingSparkEngine
from profiling_core.maintain.counted import CountedEngine
from profiling_core.maintain.engine import RowEngine
from profiling_core.maintain.grouping_spark import GroupingSparkEngine
from profiling_core.maintain.indexed import IndexedEngine
from profiling_core.maintain.partitioned import PartitionedEngine
from profiling_core.maintain.run import TableRun
from profiling_core.model.dataset import Engine
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import Version
from profiling_core.spark.evidence import RowDelta, tiles_of
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
# Rows beyond which a delta is no longer compared with every one of them.
MOST_COUNTED_ROWS = 200_000
# Distinct evidences, summed over the tiles that tasks compare, beyond which Spark does not group and count them.
MOST_GROUPED = 30_000_000


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


def choose(run: TableRun, rows: int) -> ChosenEngine:
    """The engine for a table.

    Args:
        run: the table's part in the run.
        rows: the table's number of rows after it.
    """
    wanted, shape = run.options.engine, (rows, len(run.schema.profiled))
    stored = stored_engine(run.base, run.table) if run.base and run.before else None
    if stored is None or run.before is None:
        wanted, reason = (wanted, "configured") if wanted is not Engine.AUTO else suited(*shape, run.options.max_cells)
        return ChosenEngine(wanted, ENGINES[wanted], reason, continues=False, space=None)
    reason = f"configured, after {stored.value}"
    if wanted is Engine.AUTO and stored in _HELD and rows * shape[1] > run.options.max_cells:
        wanted, reason = beyond_a_process(*shape, run.options.max_cells)
    if wanted in (Engine.AUTO, stored):
        return ChosenEngine(stored, ENGINES[stored], "as before", continues=True, space=run.before.space)
    engine = ENGINES[wanted]
    space = run.before.space if engine.denies == ENGINES[stored].denies else None
    return ChosenEngine(wanted, engine, reason, continues=False, space=space)


def affordable(choice: ChosenEngine, run: TableRun, rows: RowDelta, space: PredicateSpace, size: int) -> ChosenEngine:
    """The choice for a new table, or another one where a sample says that its evidence is too much to count.

    Args:
        choice: what the table's shape suggests.
        run: the table's part in the run.
        rows: all of the table's rows, as inserted.
        space: the predicate space.
        size: the number of rows.
    """
    chosen_here = run.options.engine is Engine.AUTO and not choice.continues
    pairs = size * (size - 1) / 2
    if not chosen_here or choice.name is not Engine.COUNTED or pairs <= MOST_GROUPED:
        return choice
    tiles = tiles_of(size)
    grouped = tiles * expected_evidences(sampled_rows(rows, space, size), space, pairs / tiles)
    if grouped <= MOST_GROUPED:
        return choice
    reason = f"pairs of {size:,} rows hardly repeat each other: about {grouped:,.0f} evidences to group"
    return replace(choice, name=Engine.INDEXED, engine=ENGINES[Engine.INDEXED], reason=reason)


def beyond_a_process(rows: int, columns: int, max_cells: int) -> tuple[Engine, str]:
    """The engine for FDs and UCCs of a table that no process is to hold, and why."""
    shape = f"{rows:,} rows by {columns} columns are more than max_cells ({max_cells:,})"
    if rows > MOST_COUNTED_ROWS:
        return Engine.GROUPS_SPARK, f"{shape}, and have too many pairs to compare: Spark counts groups"
    return Engine.AGREE_SETS_SPARK, f"{shape}: Spark compares pairs"


def suited(rows: int, columns: int, max_cells: int) -> tuple[Engine, str]:
    """The engine for a table of that shape, and why."""
    if rows * columns > max_cells:
        return beyond_a_process(rows, columns, max_cells)
    pairs = rows * (rows - 1) // 2
    if columns > WIDE_COLUMNS and pairs > MOST_PAIRS:
        return Engine.PARTITIONS, f"{columns} columns are too many for denial constraints, {pairs:,} pairs to compare"
    if columns > WIDE_COLUMNS:
        return Engine.AGREE_SETS, f"{columns} columns are too many for denial constraints"
    if rows > MOST_COUNTED_ROWS:
        return Engine.INDEXED, f"{rows:,} rows have too many pairs to count"
    return Engine.COUNTED, f"{rows:,} rows by {columns} columns: all pairs can be counted"
