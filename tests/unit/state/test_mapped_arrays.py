"""Arrays of the state: proven by their sums before they are used, and on the mapping that is handed out."""

import io
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from profiling_core.algorithms.ground import byte_sums
from profiling_core.algorithms.ground.byte_sums import byte_sum
from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef
from profiling_core.state import mapped_arrays
from profiling_core.state.array_folder import ArrayFolder
from profiling_core.state.mapped_arrays import SUMS, sum_of, sums_as_array
from profiling_core.state.store import Store

ARRAYS: dict[str, NDArray[Any]] = {
    "codes": np.arange(3000, dtype=np.int64).reshape(3, 1000),
    "alive": np.ones(77, np.bool_),
    "order": np.arange(13, dtype=np.int32),
    "none": np.empty((4, 0), np.float64),
}


def published(store: Store) -> dict[str, FileRef]:
    folder = ArrayFolder(store.new_dir("run-1", "flights", "index"))
    for name, array in ARRAYS.items():
        folder.put(name, array)
    folder.put(SUMS, sums_as_array({name: sum_of(folder.file(name))[0] for name in ARRAYS}))
    return {mapped_arrays.array_name(ref): ref for ref in store.publish(folder.path, "flights", "index")}


@pytest.mark.parametrize("ahead", [False, True])
def test_arrays_are_read_as_they_were_written(tmp_path: Path, *, ahead: bool) -> None:
    store = Store(tmp_path, "nyc")
    files = published(store)
    sums = store.sums_among(files.values())
    assert {mapped_arrays.array_name(ref) for ref in sums} == set(ARRAYS)
    if ahead:
        store.prove_ahead(list(files.values()))
    for _ in range(2):
        for name, array in ARRAYS.items():
            found = store.map_array(files[name], sums[files[name]])
            assert (found.dtype, found.shape) == (array.dtype, array.shape)
            assert np.array_equal(found, array)
            assert not found.flags.writeable


def test_each_is_summed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path, "nyc")
    files = published(store)
    monkeypatch.setattr(mapped_arrays, "is_settled", bool)
    read: list[Path] = []
    summed = mapped_arrays.sum_of
    monkeypatch.setattr(mapped_arrays, "sum_of", lambda path: read.append(path) or summed(path))
    store.prove_ahead(list(files.values()))
    for ref, wanted in store.sums_among(files.values()).items():
        store.map_array(ref, wanted)
    for thread in threading.enumerate():
        if thread.name == "sums":
            thread.join(60)
    assert sorted(read) == sorted(store.home / files[name].path for name in ARRAYS)


@pytest.mark.parametrize("ahead", [False, True])
def test_any_bit_that_flips_is_named_before_the_array_is_there(tmp_path: Path, *, ahead: bool) -> None:
    store = Store(tmp_path, "nyc")
    files, chance = published(store), random.Random(4)
    sums = store.sums_among(files.values())
    for name in ARRAYS:
        path = store.home / files[name].path
        whole = path.read_bytes()
        for _ in range(40):
            place = chance.randrange(8 * len(whole))
            flipped = bytearray(whole)
            flipped[place // 8] ^= 1 << place % 8
            path.write_bytes(flipped)
            if ahead:
                store.prove_ahead(list(files.values()))
            with pytest.raises(StateError, match="damaged") as caught:
                store.map_array(files[name], sums[files[name]])
            assert caught.value.where == str(path)
        for data in (b"", whole[:-8], whole + bytes(8)):
            path.write_bytes(data)
            with pytest.raises(StateError, match="damaged"):
                store.map_array(files[name], sums[files[name]])
        path.unlink()
        with pytest.raises(StateError, match="missing"):
            store.map_array(files[name], sums[files[name]])
        path.write_bytes(whole)


def test_damaged_sums_are_named_themselves(tmp_path: Path) -> None:
    store = Store(tmp_path, "nyc")
    files = published(store)
    path = store.home / files[SUMS].path
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    store.prove_ahead(list(files.values()))
    with pytest.raises(StateError, match="damaged") as caught:
        store.sums_among(files.values())
    assert caught.value.where == str(path)


def test_whatever_becomes_of_a_word_or_of_places_changes_the_sum() -> None:
    def of(data: NDArray[np.uint8]) -> int:
        return byte_sum(io.BytesIO(data.tobytes()))[0]

    random_bytes = np.random.default_rng(5).integers(0, 256, 700, dtype=np.uint8)
    before, others = of(random_bytes), set[int]()
    for place in range(0, 700, 3):
        for value in (1, 128, 255):
            changed = random_bytes.copy()
            changed[place] ^= value
            others.add(of(changed))
    others |= {of(random_bytes[:size]) for size in range(700)}
    others |= {of(np.roll(random_bytes, by)) for by in (1, 8, 64)}
    others.add(of(np.append(random_bytes, np.uint8(0))))
    assert before not in others
    assert len(others) == 3 * 234 + 700 + 3 + 1


def test_a_sum_is_the_same_however_much_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.random.default_rng(6).integers(0, 256, 1000, dtype=np.uint8).tobytes()
    for size in (0, 1, 63, 64, 65, 128, 999, 1000):
        found = set()
        for at_once in (64, 192, 1 << 18):
            monkeypatch.setattr(byte_sums, "_AT_ONCE", at_once)
            found.add(byte_sum(io.BytesIO(data[:size])))
        assert len(found) == 1, size
