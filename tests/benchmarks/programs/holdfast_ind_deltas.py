"""Maintained INDs on Spark: ``holdfast_ind_deltas.py table.parquet …``; deltas are drawn from the largest table.

Bootstraps, then applies to the same version, one after the other: one tuple, 100 rows, 1 % of the rows, each inserted
and each deleted; then deltas of 100 rows each on the version before, and one that folds all of them into the buckets.
Reports seconds by the clock, Spark's start apart, since the work is that of several processes; and the greatest
resident memory of each of them.
"""

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from helpers.inclusions import VersionedDataset
from peaks import watched
from report import report, started

from profiling_core.ingest.infer import schema_of
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.model.version import FileRef, TableState
from profiling_core.spark.session import spark_session
from profiling_core.state.store import Store

IN_A_ROW = 24


def main(paths: list[Path]) -> None:
    start = started()
    began = time.monotonic()
    spark = spark_session("bench")
    spark.range(1).count()
    peaks = watched()
    figures = {"spark": time.monotonic() - began}
    with tempfile.TemporaryDirectory() as folder:
        dataset = _dataset(spark, Path(folder), paths)
        tables = {path.stem: pq.ParquetFile(path) for path in paths}
        largest = max(tables, key=lambda name: tables[name].metadata.num_rows)
        rows = tables[largest].metadata.num_rows
        whole = {name: dataset.delta(name, _nothing(file), _nothing(file)) for name, file in tables.items()}
        for path in paths:
            whole[path.stem] = replace(whole[path.stem], inserted=_published(dataset, path))
        seconds, staged = _timed(lambda: dataset.maintain(whole))
        figures |= {"bootstrap": seconds, "count": len(staged.results), "rows": rows, "table": largest}
        dataset.commit(staged, {})
        dataset.version = replace(dataset.version, tables=_states(dataset, tables))
        percent = max(1, rows // 100)
        sample = _sample(tables[largest], percent)
        for label, size in (("tuple", 1), ("hundred", 100), ("percent", percent)):
            some = sample.take(pa.array(np.linspace(0, len(sample) - 1, size).astype(np.int64)))
            some = some.add_column(0, "_row_id", pa.array(range(size), pa.int64()))
            for side in ("inserted", "deleted"):
                parts = (some, some[:0]) if side == "inserted" else (some[:0], some)
                deltas = {largest: dataset.delta(largest, *parts)}
                figures[f"{label}_{side}"] = min(_timed(lambda d=deltas: dataset.maintain(d))[0] for _ in range(3))
        figures |= _in_a_row(dataset, largest, sample)
        figures["state"] = sum(file.size for file in dataset.version.files_of("generator")) / 2**20
    report(**start, **figures, **peaks)


def _in_a_row(dataset: VersionedDataset, table: str, sample: pa.Table) -> dict[str, float]:
    """Deltas of 100 rows, each on the version that the one before made, the last by a job that folds the logs in."""
    tables, seconds = dict(dataset.version.tables), []
    for number in range(IN_A_ROW + 1):
        some = sample.slice(100 * number, 100).add_column(0, "_row_id", pa.array(range(100), pa.int64()))
        deltas = {table: dataset.delta(table, some, some[:0])}
        if number == IN_A_ROW:
            dataset.options = replace(dataset.options, log_cells=0)
        took, staged = _timed(lambda d=deltas: dataset.maintain(d))
        dataset.commit(staged, {})
        dataset.version = replace(dataset.version, tables=tables)
        seconds.append(took)
    return {"row_mean": sum(seconds[:-1]) / IN_A_ROW, "row_most": max(seconds[:-1]), "fold": seconds[-1]}


def _dataset(spark, folder: Path, paths: list[Path]) -> VersionedDataset:
    schemas = {path.stem: schema_of(path.stem, pq.read_schema(path), str(path)) for path in paths}
    tables = {name: {"source": {"path": name}, "errors": {"ind_coverage": 1.0}} for name in schemas}
    config = DatasetConfig.model_validate({"dataset": "tpch", "tables": tables})
    store = Store(folder / "home", "tpch")
    return VersionedDataset(spark, store, config, schemas)


def _states(dataset: VersionedDataset, tables: dict[str, pq.ParquetFile]) -> dict[str, TableState]:
    """The tables as they stand in a version; their rows are read only where attributes are new."""
    return {
        name: TableState(dataset.schemas[name], PredicateSpace(name, NullSemantics.SQL, ()), file.metadata.num_rows, 0)
        for name, file in tables.items()
    }


def _nothing(file: pq.ParquetFile) -> pa.Table:
    return file.schema_arrow.empty_table().add_column(0, "_row_id", pa.array([], pa.int64()))


def _sample(file: pq.ParquetFile, least: int) -> pa.Table:
    """Row groups from the middle on, with at least as many rows as are deleted."""
    first = last = file.num_row_groups // 2
    while sum(file.metadata.row_group(group).num_rows for group in range(first, last + 1)) < least:
        last += 1
    return _takeable(file.read_row_groups(range(first, last + 1)))


def _takeable(rows: pa.Table) -> pa.Table:
    """The rows with plain strings: Arrow takes none from string views."""
    views = [pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in rows.schema]
    return rows.cast(pa.schema(views))


def _published(dataset: VersionedDataset, path: Path) -> tuple[FileRef, ...]:
    """The file as what a delta inserts."""
    folder = dataset.store.new_dir("whole", path.stem, "inserted")
    (folder / path.name).symlink_to(path.resolve())
    return dataset.store.publish(folder, path.stem, "inserted")


def _timed(work):
    began = time.monotonic()
    result = work()
    return time.monotonic() - began, result


if __name__ == "__main__":
    main([Path(path) for path in sys.argv[1:]])
