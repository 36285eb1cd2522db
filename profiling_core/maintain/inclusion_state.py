"""What a version keeps for its inclusions beside the results: attributes, clusters, and the files of the generator.

All of it once for each length of inclusions, under roles of that length.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.algorithms.inclusions.attribute_clustering import Attribute
from profiling_core.algorithms.inclusions.value_clusters import Clusters, without
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.maintain.results import Results
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef, Version
from profiling_core.spark.generator_files import Generator, bucket_of, is_base, is_log
from profiling_core.state.proof import StoredFile
from profiling_core.state.store import Store

_ATTRIBUTES, _CLUSTERS, _GENERATOR, _RESULTS = "attributes", "clusters", "generator", "results"
_FORMAT = 3  # of the generator's files: Arrow, in the order of hashes
_MOST_GONE = 256
_REBUILD = "derive the state anew with: holdfast rebuild"


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """How the generator is kept.

    A first version makes a bucket for every ``cells_per_bucket`` values (repeated ones included). Buckets are made
    smaller, ``growth`` times as many, when they hold more than ``bucket_bytes`` on average; none holds more than
    ``max_files`` files. A delta of at most ``log_cells`` values becomes a log. Of ``max_files`` logs one is made; once
    it holds more than ``log_bytes``, the next delta folds it into the buckets.
    """

    cells_per_bucket: int = 2_000_000
    bucket_bytes: int = 128 << 20
    growth: int = 8
    most_buckets: int = 1024
    max_files: int = 8
    log_cells: int = 1_000_000
    log_bytes: int = 128 << 20


@dataclass(frozen=True, slots=True)
class InclusionState:
    """The state of one version for one length; of none: no buckets, attributes and clusters.

    Attribute ids are positions in ``attributes`` and never change: one that went leaves None, new ones come after.
    ``files`` are the version's, of the roles attributes, clusters and generator.
    """

    arity: int
    values: Values
    buckets: int
    attributes: tuple[Attribute | None, ...]
    clusters: Clusters
    files: tuple[FileRef, ...]

    def files_of(self, role: str) -> tuple[FileRef, ...]:
        """The files of one role."""
        return tuple(file for file in self.files if file.role == role_of(role, self.arity))

    @property
    def gone(self) -> tuple[int, ...]:
        """The ids of attributes that went."""
        return tuple(i for i, attribute in enumerate(self.attributes) if attribute is None)

    @property
    def generator_files(self) -> tuple[FileRef, ...]:
        """Base and delta files of the generator."""
        return self.files_of(_GENERATOR)


def role_of(role: str, arity: int) -> str:
    """The role of files of one length."""
    return role if arity == 1 else f"{role}-{arity}"


def read_state(store: Store, version: Version | None, values: Values, arity: int) -> InclusionState:
    """The state of a version for one length.

    Raises:
        StateError: it is damaged, or was made with values compared in another way.
    """
    described = version.files_of(role_of(_ATTRIBUTES, arity)) if version else ()
    if version is None or not described:
        return InclusionState(arity, values, 0, (), Clusters({}), ())
    data = store.read_json(described[0])
    if data.get("format") != _FORMAT:
        raise StateError(
            "the inclusions' state was written in another format",
            where=f"dataset {version.dataset!r}, version {version.number}",
            remedy=_REBUILD,
        )
    if data["values"] != values:
        raise StateError(
            f"the inclusions' state compares values as {data['values']!r}, the configuration says {values!r}",
            where=f"dataset {version.dataset!r}, version {version.number}",
            remedy=f"set values: {data['values']}, or {_REBUILD}",
        )
    attributes = tuple(Attribute(**{**a, "columns": tuple(a["columns"])}) if a else None for a in data["attributes"])
    clusters = _clusters([pq.read_table(store.verify(ref)) for ref in version.files_of(role_of(_CLUSTERS, arity))])
    roles = [role_of(role, arity) for role in (_ATTRIBUTES, _CLUSTERS, _GENERATOR)]
    files = tuple(f for role in roles for f in version.files_of(role))
    return InclusionState(arity, values, data["buckets"], attributes, clusters, files)


def with_attributes(
    state: InclusionState, wanted: Sequence[Attribute], renewed: Collection[str] = ()
) -> tuple[InclusionState, tuple[Attribute | None, ...]]:
    """The state without the attributes that are not wanted, and the next version's attributes by their ids.

    Attributes of the tables ``renewed`` begin anew. A state most of whose attributes went is given up: it would be
    read for little.
    """
    stay = {a for a in wanted if a.table not in renewed}
    kept = tuple(a if a in stay else None for a in state.attributes)
    gone = [i for i, a in enumerate(kept) if a is None]
    if len(gone) == len(kept) or len(gone) > _MOST_GONE + len(kept) // 2:
        return InclusionState(state.arity, state.values, 0, (), Clusters({}), ()), tuple(wanted)
    added = [a for a in wanted if a not in set(kept)]
    if kept == state.attributes:
        return state, (*kept, *added)
    # What describes the state must be written anew, whether or not attributes are added.
    clusters, files = without(state.clusters, set(gone)), state.generator_files
    return replace(state, attributes=kept, clusters=clusters, files=files), (*kept, *added)


def generator_of(store: Store, state: InclusionState, cells: int, options: GeneratorOptions) -> Generator:
    """The generator as the next version keeps it.

    Args:
        store: where the files lie.
        state: the state before.
        cells: how many values the deltas bring, which decides the number of buckets of a first version.
        options: how the generator is kept.
    """
    if not state.buckets:
        is_small = cells <= options.log_cells
        return Generator(_bucket_count(cells, options), state.values, {}, options.max_files, is_small=is_small)
    files = state.generator_files
    stored = store.all_stored(files)
    crowded = sum(file.size for file in files) > state.buckets * options.bucket_bytes
    if cells and crowded and state.buckets < options.most_buckets:
        moved = tuple(stored.values())
        return Generator(state.buckets * options.growth, state.values, {}, options.max_files, (), moved, state.gone)
    by_bucket = _by_bucket(stored)
    logs = tuple(file for ref, file in stored.items() if is_log(ref))
    is_small = cells <= options.log_cells and sum(log.size for log in logs) <= options.log_bytes
    stay = not cells or (is_small and len(logs) < options.max_files)
    kept, moved = (logs, ()) if stay else ((), logs)
    return Generator(state.buckets, state.values, by_bucket, options.max_files, kept, moved, state.gone, is_small)


def _by_bucket(stored: Mapping[FileRef, StoredFile]) -> dict[int, tuple[StoredFile, ...]]:
    """The files of each bucket, which logs are none of."""
    buckets: dict[int, tuple[StoredFile, ...]] = {}
    for ref, file in stored.items():
        if not is_log(ref):
            buckets[bucket_of(ref)] = (*buckets.get(bucket_of(ref), ()), file)
    return buckets


def _bucket_count(cells: int, options: GeneratorOptions) -> int:
    wanted = -(-cells // options.cells_per_bucket)
    return int(min(options.most_buckets, 1 << max(0, wanted - 1).bit_length()))


def new_generator_folder(store: Store, run_id: str, arity: int) -> Path:
    """A directory for the generator files of a run."""
    return store.new_dir(run_id, "", role_of(_GENERATOR, arity))


@dataclass(frozen=True, slots=True)
class NextState:
    """What a run makes of a state: the generator as it is kept, the attributes by id, the clusters."""

    generator: Generator
    attributes: tuple[Attribute | None, ...]
    clusters: Clusters


def publish_state(
    store: Store,
    run_id: str,
    before: InclusionState,
    after: NextState,
    folder: Path,
) -> tuple[FileRef, ...]:
    """Publishes what changed of a state; returns all of the next version's files, those that stay included.

    Args:
        store: where the files lie.
        run_id: the run that they belong to.
        before: the state before.
        after: the state after it.
        folder: where the generator's new files are.
    """
    generator, arity = after.generator, before.arity
    written = store.publish(folder, "", role_of(_GENERATOR, arity)) if any(folder.iterdir()) else ()
    files = [*_staying(store, before, generator, written), *written]
    described, clustered = before.files_of(_ATTRIBUTES), before.files_of(_CLUSTERS)
    if not described or (before.attributes, before.buckets) != (after.attributes, generator.buckets):
        listed = [asdict(attribute) if attribute else None for attribute in after.attributes]
        data = {"format": _FORMAT, "values": before.values, "buckets": generator.buckets, "attributes": listed}
        described = (store.publish_json(run_id, "", role_of(_ATTRIBUTES, arity), data),)
    if not clustered or before.clusters != after.clusters:
        clustered = _publish_clusters(store, run_id, after.clusters, role_of(_CLUSTERS, arity))
    return (*files, *described, *clustered)


def _staying(store: Store, before: InclusionState, generator: Generator, written: Sequence[FileRef]) -> list[FileRef]:
    """The generator files so far that the next version needs as well."""
    replaced = {bucket_of(ref) for ref in written if is_base(ref)}
    moved = {file.path for file in generator.moved}
    return [
        ref
        for ref in before.generator_files
        if store.stored(ref).path not in moved and (is_log(ref) or bucket_of(ref) not in replaced)
    ]


def publish_results(store: Store, run_id: str, results: Results) -> FileRef:
    """Publishes the results of the dataset's inclusions."""
    return store.publish_json(run_id, "", _RESULTS, results.to_json())


def _publish_clusters(store: Store, run_id: str, clusters: Clusters, role: str) -> tuple[FileRef, ...]:
    """Clusters as Parquet: ``attributes`` (ids), ``values``, and ``rows`` per attribute."""
    folder = store.new_dir(run_id, "", role)
    counts = clusters.counts.values()
    table = pa.table(
        {
            "attributes": pa.array(list(clusters.counts), pa.list_(pa.int32())),
            "values": pa.array([values for values, _ in counts], pa.int64()),
            "rows": pa.array([rows for _, rows in counts], pa.list_(pa.int64())),
        }
    )
    pq.write_table(table, folder / "part-0.parquet", compression="zstd")
    return store.publish(folder, "", role)


def _clusters(tables: Sequence[pa.Table]) -> Clusters:
    records = (record for table in tables for record in table.to_pylist())
    return Clusters({tuple(r["attributes"]): (r["values"], tuple(r["rows"])) for r in records})
