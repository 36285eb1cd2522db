"""One-shot discovery of inclusions: files are read in parts, and no table is ever held whole.

The parts are counted by this process's threads, or by Spark's tasks; both give the same.
"""

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.inclusions import combinations, foreign_keys
from profiling_core.algorithms.inclusions.attribute_clustering import (
    Attribute,
    ClusteredInclusions,
    Coverage,
    Holding,
    counted_in,
    coverage,
    discover_by,
)
from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.algorithms.inclusions.pruning import NumberedTables
from profiling_core.algorithms.inclusions.row_parts import Counted, MemorySpool, RowParts, clusters_of_parts
from profiling_core.algorithms.inclusions.value_clusters import Clusters
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.ingest.csv_parts import CsvParts, Types, csv_parts
from profiling_core.ingest.files import is_parquet, left_out
from profiling_core.ingest.parquet_parts import ParquetParts, parquet_parts
from profiling_core.ingest.text_values import ANYTHING
from profiling_core.model.constraint import Measured
from profiling_core.model.errors import BrokenRow, InputError
from profiling_core.model.schema import TableSchema
from profiling_core.pipeline.discovery_request import DiscoveryRequest, Progress
from profiling_core.pipeline.near_misses import near_misses
from profiling_core.spark.entry_blocks import FileSpool
from profiling_core.spark.inclusion_pass import Pass, clusters_on_spark
from profiling_core.spark.session import spark_session
from profiling_core.spark.tasks import in_tasks, start_workers

_IN_MEMORY = 64 << 20
_BUCKET_BYTES = 16 << 20
# Bytes of files whose values are numbered in memory.
_NUMBERED = 1 << 30
_MOST_BUCKETS = 1024
_Parts = CsvParts | ParquetParts


@dataclass(frozen=True)
class FoundInclusions:
    """The inclusions, how they read as foreign keys (by fingerprint), and the tables' schemas and numbers of rows.

    ``near_misses`` says which columns are included but for their types.
    """

    constraints: Sequence[Measured]
    readings: Mapping[str, KeyReading]
    schemas: Mapping[str, TableSchema]
    rows: Mapping[str, int]
    near_misses: Sequence[str] = ()


def discover_inclusions(
    files: Sequence[Path], request: DiscoveryRequest, progress: Progress, told: Callable[[str, str], None]
) -> FoundInclusions:
    """Discovers the inclusions within and across files, each a table named after it.

    A file with few broken rows is known when one is found: the search begins again then, and leaves those rows out.

    Raises:
        InputError: a file cannot be read, or two of them give one name to their tables.
    """
    known: set[Path] = set()
    while True:
        try:
            return _discovered(files, request, progress, known)
        except BrokenRow:
            unknown = [path for path in files if path not in known and not is_parquet(path)]
            known |= {path for path in unknown if _has_left_out(path, request, told)}
            if known.isdisjoint(unknown):
                raise


def _has_left_out(path: Path, request: DiscoveryRequest, told: Callable[[str, str], None]) -> bool:
    """Whether a file has broken rows, which are told; raises ``BrokenRow`` where there are too many."""
    said: list[str] = []
    left_out(path, request.dialect_of(path), said.append)
    for words in said:
        told(path.stem, words)
    return bool(said)


def _discovered(
    files: Sequence[Path], request: DiscoveryRequest, progress: Progress, with_broken: Collection[Path]
) -> FoundInclusions:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        opening = threads.map(lambda path: _opened(path, request, path in with_broken), files)  # while Spark starts
        counting: _Counting = _SparkTasks() if request.spark else _Threads()
        opened = _tables(zip(files, opening, strict=True), request, counting, progress)
    tables = {name: _WithoutColumns(parts, empty) if empty else parts for name, (parts, empty) in opened.items()}
    schemas = {name: parts.schema for name, (parts, _) in opened.items()}
    sizes = {name: sum(map(parts.size, range(len(parts)))) for name, (parts, _) in opened.items()}
    progress(f"clustering the values of {sum(len(schema.profiled) for schema in schemas.values())} columns")
    rows: dict[str, int] = {}

    def shared(attributes: Sequence[Attribute]) -> Coverage:
        # Of several columns as one there are more than a table has columns, and so more than its file's bytes.
        cells = (sizes[a.table] * len(a.columns) // len(schemas[a.table].columns) for a in attributes)
        clusters, found = counting.clusters(tables, counted_in(attributes), request.values, sum(cells))
        rows.update({name: rows.get(name, count) for name, count in found.items()})
        return coverage(clusters, len(attributes))

    holding = _holding(tables, schemas, sum(sizes.values()), request)
    found = _by_request(shared, schemas, request, holding)
    valid = [measured for measured in found.inclusions if measured.error <= request.max_error]
    valid = combinations.maximal(valid) if request.reduced else valid
    named = foreign_keys.by_names(schemas)
    readings = {m.constraint.fingerprint: foreign_keys.read(m, found.sides, named, request.values) for m in valid}
    misses = near_misses(tables, schemas) if request.values == "typed" else []
    return FoundInclusions(valid, readings, schemas, {name: rows.get(name, 0) for name in schemas}, misses)


def _by_request(
    shared: Callable[[Sequence[Attribute]], Coverage],
    schemas: Mapping[str, TableSchema],
    request: DiscoveryRequest,
    holding: Holding,
) -> ClusteredInclusions:
    return discover_by(
        shared,
        schemas,
        values=request.values,
        min_coverage=_least_coverage(request.max_error),
        max_arity=request.max_arity or 0,
        empty_columns=request.empty_columns == "included",
        holding=holding,
    )


def _holding(
    tables: Mapping[str, RowParts], schemas: Mapping[str, TableSchema], total: int, request: DiscoveryRequest
) -> Holding:
    """What tells of inclusions of several columns which hold: tables in memory, where all has to hold and has room."""
    if request.max_error or request.max_arity == 1 or request.values != "typed" or total > _NUMBERED:
        return lambda sought: sought

    @cache
    def numbered() -> NumberedTables:
        names = {name: [column.name for column in schema.profiled] for name, schema in schemas.items()}
        rows = {name: [parts.read(i, names[name]) for i in range(len(parts))] for name, parts in tables.items()}
        return NumberedTables.of({name: pa.concat_tables(some) for name, some in rows.items()}, schemas)

    return lambda sought: numbered().holding(sought) if sought else sought


def _least_coverage(max_error: float) -> float:
    """A hair below 1 − ε, so that rounding loses nothing; the exact comparison follows."""
    return max(0.0, 1.0 - max_error - 1e-9) if max_error else 1.0


def _tables(
    files: Iterable[tuple[Path, tuple[_Parts, frozenset[str]]]],
    request: DiscoveryRequest,
    counting: "_Counting",
    progress: Progress,
) -> dict[str, tuple[_Parts, frozenset[str]]]:
    """Per table its parts, typed, and the columns that have no value."""
    tables: dict[str, tuple[_Parts, frozenset[str]]] = {}
    for path, (parts, empty) in files:
        progress(f"reading {path.name}")
        table = parts.schema.table
        if table in tables:
            raise two_of_one_name(table, path)
        tables[table] = _typed(parts, request, counting), empty
    return tables


def two_of_one_name(table: str, path: Path) -> InputError:
    """The error of a file that gives a name to its table which another one has given."""
    return InputError(
        f"two files give tables of one name, {table!r}",
        where=str(path),
        remedy="a table is named after its file: rename one of them",
    )


def _opened(path: Path, request: DiscoveryRequest, leaves_out: bool) -> tuple[_Parts, frozenset[str]]:  # noqa: FBT001 -- a fact of the file
    """A file, not typed yet; and, where empty texts are values, the columns without any other."""
    empty_is_value = request.empty_values == "value"
    parts = (
        parquet_parts(path, request.values)
        if is_parquet(path)
        else csv_parts(
            path,
            typed_header=request.typed_header,
            texts=request.values == "text",
            null_values=() if empty_is_value else request.null_values or ("",),
            dialect=request.dialect_of(path),
            marks=request.marks,
            leaves_out=leaves_out,
        )
    )
    return parts, _empty_columns(parts) if empty_is_value else frozenset()


def _typed(parts: _Parts, request: DiscoveryRequest, counting: "_Counting") -> _Parts:
    if isinstance(parts, ParquetParts) or request.values == "text" or request.typed_header:
        return parts
    return parts.with_types(counting.types(parts))


class _Counting(Protocol):
    """Who goes over the parts."""

    def types(self, parts: CsvParts) -> Sequence[Types]:
        """Of each part the types that its columns' texts allow."""
        ...

    def clusters(
        self, tables: Mapping[str, RowParts], attributes: Mapping[str, Sequence[Counted]], values: Values, total: int
    ) -> tuple[Clusters, Mapping[str, int]]:
        """The clusters of the attributes' values, and the rows of their tables; ``total`` is about their bytes."""
        ...


class _Threads:
    """This process's threads."""

    def types(self, parts: CsvParts) -> Sequence[Types]:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return list(threads.map(parts.possible_types, range(len(parts))))

    def clusters(
        self, tables: Mapping[str, RowParts], attributes: Mapping[str, Sequence[Counted]], values: Values, total: int
    ) -> tuple[Clusters, Mapping[str, int]]:
        if total <= _IN_MEMORY:
            return clusters_of_parts(tables, attributes, values, MemorySpool(_buckets(total)))
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            return clusters_of_parts(tables, attributes, values, FileSpool(Path(folder), _buckets(total)))


class _SparkTasks:
    """Spark's tasks, in the session of this process."""

    def __init__(self) -> None:
        self._spark = spark_session("discover")
        start_workers(self._spark)  # while the files are opened

    def types(self, parts: CsvParts) -> Sequence[Types]:
        found = in_tasks(
            self._spark,
            range(len(parts)),
            lambda some: ([sorted(types) for types in parts.possible_types(part)] for part in some),
        )
        readings = {str(reading): reading for reading in ANYTHING}
        return [tuple(frozenset(readings[name] for name in types) for types in part) for part in found]

    def clusters(
        self, tables: Mapping[str, RowParts], attributes: Mapping[str, Sequence[Counted]], values: Values, total: int
    ) -> tuple[Clusters, Mapping[str, int]]:
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            return clusters_on_spark(self._spark, Pass(tables, attributes, values, _buckets(total)), Path(folder))


def _buckets(total: int) -> int:
    return min(_MOST_BUCKETS, 1 + total // _BUCKET_BYTES)


@dataclass(frozen=True)
class _WithoutColumns:
    """A table's parts with nothing but nulls in some columns."""

    parts: RowParts
    names: frozenset[str]

    def __len__(self) -> int:
        return len(self.parts)

    def read(self, part: int, columns: Sequence[str]) -> pa.Table:
        rows = self.parts.read(part, columns)
        kept = [pa.nulls(len(rows), rows[n].type) if n in self.names else rows[n] for n in columns]
        return pa.table(kept, names=list(columns))


def _empty_columns(parts: _Parts) -> frozenset[str]:
    """The columns that hold nothing but empty texts and nulls."""
    empty = list(parts.schema.names)
    for part in range(len(parts)):
        if not empty:
            break
        rows = parts.read(part, empty)
        empty = [name for name in empty if pc.max(rows[name]).as_py() in {"", None}]
    return frozenset(empty)
