"""Engine state as files: Arrow tables as Parquet, and NumPy arrays that are mapped into memory when read.

An array that an engine did not change keeps its file: it is handed back as it was mapped, and named again.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from profiling_core.maintain.run import TableRun
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state.array_folder import HEADER, SUFFIX, ArrayFolder
from profiling_core.state.store import Store

Array = NDArray[np.generic]


def write_table(run: TableRun, role: str, table: pa.Table) -> tuple[FileRef, ...]:
    """Publishes an Arrow table under a role of the run's table."""
    folder = run.store.new_dir(run.run_id, run.table, role)
    pq.write_table(table, folder / "part-0.parquet", compression="zstd")
    return run.store.publish(folder, run.table, role)


def read_table(store: Store, refs: Iterable[FileRef]) -> pa.Table:
    """What :func:`write_table` wrote, verified."""
    return pa.concat_tables([pq.read_table(store.verify(ref)) for ref in refs])


def write_arrays(
    run: TableRun,
    role: str,
    arrays: Mapping[str, Array],
    known: Mapping[str, tuple[FileRef, Array]],
    folder: ArrayFolder | None = None,
) -> tuple[FileRef, ...]:
    """Publishes arrays under a role, one file each.

    Args:
        run: the table's part in the run.
        role: the role.
        arrays: by name.
        known: arrays of the version before and their files; those that are still the same ones keep them.
        folder: a new folder of the store's in which some of the arrays lie already, under their names.
    """
    kept = {name: ref for name, (ref, array) in known.items() if arrays.get(name) is array}
    if len(kept) == len(arrays):
        return tuple(kept.values())
    folder = folder or ArrayFolder(run.store.new_dir(run.run_id, run.table, role))
    there = {*kept, *folder.names()}
    for name, array in arrays.items():
        if name not in there:
            folder.put(name, array)
    return (*kept.values(), *run.store.publish(folder.path, run.table, role))


def read_arrays(store: Store, refs: Iterable[FileRef]) -> dict[str, tuple[FileRef, Array]]:
    """By name, the file and the array of each, verified and mapped read-only."""
    found: dict[str, tuple[FileRef, Array]] = {}
    files = list(refs)
    for ref, path in zip(files, map(Path, store.verified(files)), strict=True):
        # An empty region cannot be mapped. A memmap's own class would not survive np.asarray, by whose identity
        # write_arrays tells what is still the same.
        array = np.asarray(np.load(path, mmap_mode="r" if ref.size > HEADER else None, allow_pickle=False))
        found[path.name.removesuffix(SUFFIX)] = (ref, array)
    return found


@contextmanager
def of_this_release(run: TableRun) -> Iterator[None]:
    """Around the reading of an engine's arrays.

    Raises:
        StateError: an array is missing: another release, which kept other ones, wrote the state.
    """
    try:
        yield
    except KeyError as missing:
        raise StateError(
            f"the state of table {run.table!r} was written by another release: it has no {missing.args[0]!r}",
            where=f"dataset {run.config.dataset!r}, version {run.base.number if run.base else 0}",
            remedy=f"derive the state anew with: holdfast rebuild --dataset {run.config.dataset}",
        ) from None
