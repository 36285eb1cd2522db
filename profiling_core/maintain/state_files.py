"""Engine state as files: Arrow tables as Parquet, and NumPy arrays that are mapped into memory when read.

An array that an engine did not change keeps its file: it is handed back as it was mapped, and named again.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from profiling_core.maintain.run import TableRun
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state.array_folder import ArrayFolder, open_array
from profiling_core.state.mapped_arrays import SUMS, array_name, sum_of, sums_as_array, sums_file
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
    before = run.base.files_of(role, run.table) if kept and run.base else ()
    if len(kept) == len(arrays) and (sums := sums_file(before)):
        return (*kept.values(), sums)
    folder = folder or ArrayFolder(run.store.new_dir(run.run_id, run.table, role))
    there = {*kept, *folder.names()}
    for name, array in arrays.items():
        if name not in there:
            folder.put(name, array)
    proven = run.store.sums_among(before)
    sums_by_name = {name: proven.get(ref) or sum_of(run.store.verify(ref))[0] for name, ref in kept.items()}
    sums_by_name |= {name: sum_of(folder.file(name))[0] for name in folder.names()}
    folder.put(SUMS, sums_as_array(sums_by_name))
    return (*kept.values(), *run.store.publish(folder.path, run.table, role))


def read_arrays(store: Store, refs: Iterable[FileRef]) -> dict[str, tuple[FileRef, Array]]:
    """By name, the file and the array of each, proven and mapped read-only."""
    files = list(refs)
    sums = store.sums_among(files)
    others = [ref for ref in files if ref not in sums and array_name(ref) != SUMS]  # an earlier release sums none
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(sums, pool.map(lambda ref: store.map_array(ref, sums[ref]), sums), strict=True))
    for ref, path in zip(others, map(Path, store.verified(others)), strict=True):
        # No memmap's own class: it would not survive np.asarray, by whose identity write_arrays sees what is the same.
        found[ref] = open_array(path)
    return {array_name(ref): (ref, found[ref]) for ref in files if ref in found}


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
