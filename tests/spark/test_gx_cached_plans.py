"""What Great Expectations asks several times is computed once, and no result lists more rows than are kept.

Told by the rows that Spark read and shuffled for it, over a table in a Parquet file.
"""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.emit.suites import SuiteRequest, emit_suites
from profiling_core.model.change import ChangeSet, LifecycleState
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured, UniqueColumnCombination
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.source import Source
from profiling_core.model.types import LogicalType
from profiling_core.validate.execution import execute_suite
from profiling_core.validate.in_spark import SparkTables

pytestmark = pytest.mark.spark

COUNT, MOST = 1000, 5
COLUMNS = ("id", "zip", "city", "twin")
SCHEMAS = {"r": TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in COLUMNS))}
CONFIG = DatasetConfig(dataset="shop", tables={"r": TableConfig(source=Source(path="."))})


def of(*columns):
    return ColumnList("r", columns)


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """Every id is there; of each ten rows, all with one zip, the last has another city; and every twin occurs twice."""
    ids = range(COUNT)
    cities = [i // 10 + (i % 10 == 9) for i in ids]
    rows = {"id": ids, "zip": [i // 10 for i in ids], "city": cities, "twin": [i // 2 for i in ids], "_row_id": ids}
    path = tmp_path_factory.mktemp("once") / "r.parquet"
    pq.write_table(pa.table({name: list(values) for name, values in rows.items()}), path)
    return spark.read.parquet(str(path))


def executed(constraint, table, folder):
    """The constraint's result, and the rows read and shuffled on the way, in tables."""
    tracked = Tracked(Measured(constraint, 1, COUNT, COUNT), "r", LifecycleState.VIOLATED, "1", 9, 1, 1.0, 1)
    emitted = emit_suites(folder, SuiteRequest("shop", 1, [tracked], ChangeSet("shop", 1, "", {}, ()), SCHEMAS, CONFIG))
    before = {job.jobId() for job in jobs(table)}
    (result,) = execute_suite(folder / emitted.tables[0].path, "r", SparkTables({"r": table}), max_rows=MOST)
    done = stages(table, [job for job in jobs(table) if job.jobId() not in before])
    read, shuffled = sum(s.inputRecords() for s in done), sum(s.shuffleReadRecords() for s in done)
    return result["result"], read / COUNT, shuffled / COUNT


def jobs(table):
    """The jobs that Spark still tells of."""
    context = table.sparkSession.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    found = context.statusStore().jobsList(None)
    return [found.apply(i) for i in range(found.size())]


def stages(table, of_jobs):
    """The stages of some jobs, each once."""
    store = table.sparkSession.sparkContext._jsc.sc().statusStore()
    numbers = {job.stageIds().apply(i) for job in of_jobs for i in range(job.stageIds().size())}
    return [store.lastStageAttempt(number) for number in numbers]


def test_a_query_of_rows_runs_once(table, tmp_path):
    result, read, _ = executed(FunctionalDependency(of("zip"), of("city")), table, tmp_path)
    assert result["observed_value"] == COUNT
    assert len(result["details"]["unexpected_rows"]) == MOST
    assert read == pytest.approx(2, abs=0.1)  # the groups, and the rows in them


@pytest.mark.parametrize("columns", [("twin",), ("zip", "twin")])
def test_a_key_is_sorted_once(table, tmp_path, columns):
    result, _, shuffled = executed(UniqueColumnCombination(of(*columns)), table, tmp_path)
    assert result["unexpected_count"] == result["element_count"] == COUNT
    assert len(result["partial_unexpected_list"]) == len(result["partial_unexpected_index_list"]) == MOST
    assert all(len(value) <= MOST for value in result.values() if isinstance(value, list))
    assert shuffled == pytest.approx(1, abs=0.1)


def test_what_is_kept_for_a_run_is_gone_after_it(spark, table, tmp_path):
    executed(UniqueColumnCombination(of("zip", "twin")), table, tmp_path)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == 0
    assert not spark.catalog.listTables()
