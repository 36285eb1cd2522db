"""Small tables are validated without Spark: chosen by rows, and by whether DuckDB tells the columns apart."""

from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.model.extras import Extra
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.rows import FEW_ROWS, RowFiles, Rows
from profiling_core.validate.in_duckdb import LocalTables
from profiling_core.validate.reading import lacking, tables_of


def rows_of(folder, count, *names):
    """A table of ``count`` rows in a file, without a session to read it by."""
    schema = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in names))
    path = folder / f"{'-'.join(names)}.parquet"
    pq.write_table(pa.table(dict.fromkeys(("_row_id", *names), pa.array(range(count), pa.int64()))), path)
    return Rows(cast("Any", None), schema, (RowFiles.of([str(path)]),))


@pytest.mark.parametrize(
    ("count", "names", "needs_spark"),
    [(FEW_ROWS, ("a", "b"), False), (FEW_ROWS + 1, ("a", "b"), True), (1, ("name", "Name"), True)],
)
def test_spark_is_asked_only_where_it_has_to_be(tmp_path, monkeypatch, count, names, needs_spark):
    monkeypatch.setattr(Extra, "is_installed", property(lambda extra: extra is not Extra.SPARK))
    assert lacking({"r": rows_of(tmp_path, count, *names)}) == ([Extra.SPARK] if needs_spark else [])


def test_rows_of_all_tables_count_together(tmp_path, monkeypatch):
    monkeypatch.setattr(Extra, "is_installed", property(lambda extra: extra is not Extra.SPARK))
    two = {name: rows_of(tmp_path, FEW_ROWS // 2 + 1, name) for name in ("a", "b")}
    assert lacking(two) == [Extra.SPARK]
    assert lacking({"a": two["a"]}) == []


def test_a_quiet_day_needs_no_table(monkeypatch):
    monkeypatch.setattr(Extra, "is_installed", property(lambda extra: extra is not Extra.SPARK))
    assert lacking({}) == []


def test_small_tables_are_read_here(tmp_path):
    with tables_of({"r": rows_of(tmp_path, 3, "a")}) as tables:
        assert isinstance(tables, LocalTables)
