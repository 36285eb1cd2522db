"""Engine state as arrays in files: what stays the same keeps its file, and all are proven by their sums."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from databases.catalogs import make_version

from profiling_core.maintain.state_files import Array, read_arrays, write_arrays
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state.array_folder import ArrayFolder
from profiling_core.state.mapped_arrays import sums_file
from profiling_core.state.store import Store

ROLE, TABLE = "index", "flights"
FIRST: dict[str, Array] = {"codes": np.arange(40).reshape(2, 20), "alive": np.ones(20, np.bool_), "none": np.empty(0)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, "nyc")


def files_on(store: Store, number: int, files: tuple[FileRef, ...]) -> TableFiles:
    """A table's files in a run on a version with these files."""
    return TableFiles(store, f"run-{number}", TABLE, make_version(number - 1, files=files) if files else None)


def held(store: Store, files: tuple[FileRef, ...]) -> dict[str, list[Any]]:
    return {name: array.tolist() for name, (_, array) in read_arrays(store, files).items()}


def test_what_stays_the_same_keeps_its_file_and_its_sum(store: Store) -> None:
    first = write_arrays(files_on(store, 1, ()), ROLE, FIRST, {})
    known = read_arrays(store, first)
    assert held(store, first) == {name: array.tolist() for name, array in FIRST.items()}
    arrays = {name: array for name, (_, array) in known.items()}
    assert set(write_arrays(files_on(store, 2, first), ROLE, arrays, known)) == set(first)
    second = write_arrays(files_on(store, 2, first), ROLE, arrays | {"alive": np.zeros(20, np.bool_)}, known)
    assert held(store, second) == held(store, first) | {"alive": [False] * 20}
    assert {known[name][0] for name in ("codes", "none")} <= set(second)
    assert len(store.sums_among(second)) == len(second) - 1 == len(FIRST)


def test_arrays_of_an_earlier_release_are_read_and_get_their_sums(store: Store) -> None:
    folder = ArrayFolder(store.new_dir("run-1", TABLE, ROLE))
    for name, array in FIRST.items():
        folder.put(name, array)
    first = store.publish(folder.path, TABLE, ROLE)
    assert sums_file(first) is None
    known = read_arrays(store, first)
    arrays = {name: array for name, (_, array) in known.items()}
    second = write_arrays(files_on(store, 2, first), ROLE, arrays, known)
    assert set(first) < set(second)
    assert set(store.sums_among(second)) == set(first)
    assert held(store, second) == held(store, first)


def test_damage_is_named_whether_there_are_sums_or_not(store: Store) -> None:
    files = write_arrays(files_on(store, 1, ()), ROLE, FIRST, {})
    without = tuple(ref for ref in files if ref != sums_file(files))
    for ref in files:
        path = store.home / ref.path
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 4]))
        for some in (files, without):
            if ref in some:
                with pytest.raises(StateError, match="damaged") as caught:
                    read_arrays(store, some)
                assert caught.value.where == str(path)
        path.write_bytes(whole)
