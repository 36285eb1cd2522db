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

from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef, Version
from profiling_core.state.array_folder import ArrayFolder, open_array
from profiling_core.state.mapped_arrays import SUMS, array_name, sum_of, sums_as_array, sums_file
from profiling_core.state.store import Store

Array = NDArray[np.generic]


def write_table(files: TableFiles, role: str, table: pa.Table) -> tuple[FileRef, ...]:
    """Publishes an Arrow table under a role."""
    folder = files.new_dir(role)
    pq.write_table(table, folder / "part-0.parquet", compression="zstd")
    return files.publish(folder, role)


def read_table(store: Store, refs: Iterable[FileRef]) -> pa.Table:
    """What :func:`write_table` wrote, verified."""
    tables = []
    for ref in refs:
        with pq.ParquetFile(store.verify(ref)) as file:  # a quarter of what a data set of one file takes to open
            tables.append(file.read())
    return pa.concat_tables(tables)


def write_arrays(
    files: TableFiles,
    role: str,
    arrays: Mapping[str, Array],
    known: Mapping[str, tuple[FileRef, Array]],
    folder: ArrayFolder | None = None,
) -> tuple[FileRef, ...]:
    """Publishes arrays under a role, one file each.

    Args:
        files: the table's files.
        role: the role.
        arrays: by name.
        known: arrays of the version before and their files; those that are still the same ones keep them.
        folder: a new folder of the store's in which some of the arrays lie already, under their names.
    """
    kept = {name: ref for name, (ref, array) in known.items() if arrays.get(name) is array}
    before = files.before(role) if kept else ()
    if len(kept) == len(arrays) and (sums := sums_file(before)):
        return (*kept.values(), sums)
    folder = folder or ArrayFolder(files.new_dir(role))
    there = {*kept, *folder.names()}
    for name, array in arrays.items():
        if name not in there:
            folder.put(name, array)
    proven = files.store.sums_among(before)
    sums_by_name = {name: proven.get(ref) or sum_of(files.store.verify(ref))[0] for name, ref in kept.items()}
    sums_by_name |= {name: sum_of(folder.file(name))[0] for name in folder.names()}
    folder.put(SUMS, sums_as_array(sums_by_name))
    return (*kept.values(), *files.publish(folder.path, role))


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
def of_this_release(version: Version, table: str) -> Iterator[None]:
    """Around the reading of the arrays that an engine has of a table in a version.

    Raises:
        StateError: an array is missing: another release, which kept other ones, wrote the state.
    """
    try:
        yield
    except KeyError as missing:
        raise StateError(
            f"the state of table {table!r} was written by another release: it has no {missing.args[0]!r}",
            where=f"dataset {version.dataset!r}, version {version.number}",
            remedy=f"derive the state anew with: holdfast rebuild --dataset {version.dataset}",
        ) from None
