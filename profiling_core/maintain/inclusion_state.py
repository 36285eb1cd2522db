"""What a version keeps for its inclusions beside the results: attributes, clusters, and the files of the generator."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.algorithms.inclusions.attribute_clustering import Attribute, attributes_of
from profiling_core.algorithms.inclusions.value_clusters import Clusters
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.maintain.results import Results
from profiling_core.model.errors import StateError
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import FileRef, Version
from profiling_core.spark.generator import Generator, StoredFile, bucket_of, is_base
from profiling_core.state.store import Store

_ATTRIBUTES, _CLUSTERS, _GENERATOR, _RESULTS = "attributes", "clusters", "generator", "results"
_REBUILD = "derive the state anew with: holdfast rebuild"


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """How the generator is kept.

    A first version makes a bucket for every ``cells_per_bucket`` values (repeated ones included). Buckets are made
    smaller, ``growth`` times as many, when they hold more than ``bucket_bytes`` on average; none holds more than
    ``max_files`` files.
    """

    cells_per_bucket: int = 400_000
    bucket_bytes: int = 32 << 20
    growth: int = 8
    most_buckets: int = 1024
    max_files: int = 8


@dataclass(frozen=True, slots=True)
class InclusionState:
    """The state of one version; of none: no buckets, attributes and clusters.

    Attribute ids are positions in ``attributes`` and never change; new tables' come after them. ``files`` are the
    version's, of the roles attributes, clusters and generator.
    """

    values: Values
    buckets: int
    attributes: tuple[Attribute, ...]
    clusters: Clusters
    files: tuple[FileRef, ...]

    def files_of(self, role: str) -> tuple[FileRef, ...]:
        """The files of one role."""
        return tuple(file for file in self.files if file.role == role)

    @property
    def generator_files(self) -> tuple[FileRef, ...]:
        """Base and delta files of the generator."""
        return self.files_of(_GENERATOR)


def read_state(store: Store, version: Version | None, values: Values) -> InclusionState:
    """The state of a version.

    Raises:
        StateError: it is damaged, or was made with values compared in another way.
    """
    described = version.files_of(_ATTRIBUTES) if version else ()
    if version is None or not described:
        return InclusionState(values, 0, (), Clusters({}), ())
    data = store.read_json(described[0])
    if data["values"] != values:
        raise StateError(
            f"the inclusions' state compares values as {data['values']!r}, the configuration says {values!r}",
            where=f"dataset {version.dataset!r}, version {version.number}",
            remedy=f"set values: {data['values']}, or {_REBUILD}",
        )
    attributes = tuple(Attribute(**{**a, "columns": tuple(a["columns"])}) for a in data["attributes"])
    clusters = _clusters([pq.read_table(store.verify(ref)) for ref in version.files_of(_CLUSTERS)])
    files = tuple(f for role in (_ATTRIBUTES, _CLUSTERS, _GENERATOR) for f in version.files_of(role))
    return InclusionState(values, data["buckets"], attributes, clusters, files)


def attributes_with(state: InclusionState, schemas: Iterable[TableSchema], where: str) -> tuple[Attribute, ...]:
    """The known attributes, and after them those of tables that are new.

    Raises:
        StateError: a known table has other profiled columns than when it was bootstrapped.
    """
    attributes = list(state.attributes)
    for schema in sorted(schemas, key=lambda s: s.table):
        wanted = attributes_of(schema, state.values)
        known = [a for a in state.attributes if a.table == schema.table]
        differing = sorted({column for a in set(known) ^ set(wanted) for column in a.columns})
        if not known:
            attributes += wanted
        elif differing:
            raise StateError(
                f"columns of table {schema.table!r} are not those of the inclusions' state: {', '.join(differing)}",
                where=where,
                remedy=_REBUILD,
            )
    return tuple(attributes)


def generator_of(store: Store, state: InclusionState, cells: int, options: GeneratorOptions) -> Generator:
    """The generator as the next version keeps it.

    Args:
        store: where the files lie.
        state: the state before.
        cells: how many values the deltas bring, which decides the number of buckets of a first version.
        options: how the generator is kept.
    """
    if not state.buckets:
        return Generator(_bucket_count(cells, options), state.values, {}, options.max_files)
    files = state.generator_files
    if sum(file.size for file in files) > state.buckets * options.bucket_bytes and state.buckets < options.most_buckets:
        rehashed = tuple(str(store.verify(ref)) for ref in files)
        return Generator(state.buckets * options.growth, state.values, {}, options.max_files, rehashed)
    by_bucket: dict[int, tuple[StoredFile, ...]] = {}
    for ref in files:
        stored = StoredFile(str(store.path(ref)), ref.sha256)
        by_bucket[bucket_of(ref)] = (*by_bucket.get(bucket_of(ref), ()), stored)
    return Generator(state.buckets, state.values, by_bucket, options.max_files)


def _bucket_count(cells: int, options: GeneratorOptions) -> int:
    wanted = -(-cells // options.cells_per_bucket)
    return int(min(options.most_buckets, 1 << max(0, wanted - 1).bit_length()))


def new_generator_folder(store: Store, run_id: str) -> Path:
    """A directory for the generator files of a run."""
    return store.new_dir(run_id, "", _GENERATOR)


def publish_state(
    store: Store,
    run_id: str,
    before: InclusionState,
    after: tuple[Generator, tuple[Attribute, ...], Clusters],
    folder: Path,
) -> tuple[FileRef, ...]:
    """Publishes what changed of a state; returns all of the next version's files, those that stay included.

    Args:
        store: where the files lie.
        run_id: the run that they belong to.
        before: the state before.
        after: generator, attributes and clusters after it.
        folder: where the generator's new files are.
    """
    generator, attributes, clusters = after
    written = store.publish(folder, "", _GENERATOR) if any(folder.iterdir()) else ()
    replaced = {bucket_of(ref) for ref in written if is_base(ref)}
    stay = () if generator.rehashed else tuple(f for f in before.generator_files if bucket_of(f) not in replaced)
    files = [*stay, *written]
    if (before.attributes, before.buckets) == (attributes, generator.buckets):
        files += before.files_of(_ATTRIBUTES)
    else:
        listed = [asdict(attribute) for attribute in attributes]
        data = {"values": before.values, "buckets": generator.buckets, "attributes": listed}
        files.append(store.publish_json(run_id, "", _ATTRIBUTES, data))
    unchanged = before.buckets and before.clusters == clusters
    files += before.files_of(_CLUSTERS) if unchanged else _publish_clusters(store, run_id, clusters)
    return tuple(files)


def publish_results(store: Store, run_id: str, results: Results) -> FileRef:
    """Publishes the results of the dataset's inclusions."""
    return store.publish_json(run_id, "", _RESULTS, results.to_json())


def _publish_clusters(store: Store, run_id: str, clusters: Clusters) -> tuple[FileRef, ...]:
    """Clusters as Parquet: ``attributes`` (ids), ``values``, and ``rows`` per attribute."""
    folder = store.new_dir(run_id, "", _CLUSTERS)
    counts = clusters.counts.values()
    table = pa.table(
        {
            "attributes": pa.array(list(clusters.counts), pa.list_(pa.int32())),
            "values": pa.array([values for values, _ in counts], pa.int64()),
            "rows": pa.array([rows for _, rows in counts], pa.list_(pa.int64())),
        }
    )
    pq.write_table(table, folder / "part-0.parquet", compression="zstd")
    return store.publish(folder, "", _CLUSTERS)


def _clusters(tables: Sequence[pa.Table]) -> Clusters:
    records = (record for table in tables for record in table.to_pylist())
    return Clusters({tuple(r["attributes"]): (r["values"], tuple(r["rows"])) for r in records})
