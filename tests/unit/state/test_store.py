"""The store: files appear whole or not at all, stay as they are, and go when nothing names them."""

import dataclasses
import hashlib
import json
import os
import socket
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from profiling_core.model.errors import StateError
from profiling_core.model.version import FileRef, Version
from profiling_core.pipeline.staging import begin_to_prove
from profiling_core.state import proof
from profiling_core.state.directories import Garbage
from profiling_core.state.store import Store

NOW = timedelta(0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    home = tmp_path / "home"
    return Store(home, "nyc")


def publish(store: Store, *names: str, run_id: str = "run-1", table: str = "flights", role: str = "rows"):
    folder = store.new_dir(run_id, table, role)
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"rows of " + name.encode())
    return store.publish(folder, table, role)


def test_published_files_are_named_with_checksum_and_size(store: Store) -> None:
    second, first = publish(store, "b=1/part.parquet", "a.parquet")[::-1]
    assert (first.table, first.role, first.size) == ("flights", "rows", 17)
    assert (store.home / first.path).read_bytes() == b"rows of a.parquet"
    assert store.verify(second).name == "part.parquet"
    assert store.relative(store.home / first.path) == first.path
    assert first.path.startswith("state/nyc/flights/rows/run-1-")


def test_what_is_not_published_is_under_another_name(store: Store) -> None:
    folder = store.new_dir("run-1", "flights", "rows")
    (folder / "a.parquet").write_text("a")
    assert folder.suffix == ".tmp"
    (ref,) = store.publish(folder, "flights", "rows")
    assert not folder.exists()
    assert ".tmp" not in ref.path


def test_sparks_markers_are_left_out(store: Store) -> None:
    refs = publish(store, "part-0.parquet", "_SUCCESS", ".part-0.parquet.crc", "d=1/_SUCCESS", "d=1/p.parquet")
    assert [Path(ref.path).name for ref in refs] == ["p.parquet", "part-0.parquet"]
    assert sorted(p.name for p in (store.home / refs[1].path).parent.rglob("*") if p.is_file()) == [
        "p.parquet",
        "part-0.parquet",
    ]


def test_publishing_again_gives_the_same(store: Store) -> None:
    folder = store.new_dir("run-1", "", "generator")
    (folder / "a").write_text("a")
    first = store.publish(folder, "", "generator")
    assert store.publish(folder, "", "generator") == first
    assert first[0].path.startswith("state/nyc/_dataset/generator/")


def test_only_a_path_of_new_dir_is_published(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="new_dir"):
        store.publish(tmp_path, "flights", "rows")
    folder = store.new_dir("run-1", "flights", "rows")
    with pytest.raises(StateError, match="new_dir"):
        store.publish(folder, "flights", "evidence")
    folder.rmdir()
    with pytest.raises(StateError, match="nothing to publish"):
        store.publish(folder, "flights", "rows")


def test_damage_is_found(store: Store) -> None:
    (ref,) = publish(store, "a.parquet")
    (store.home / ref.path).write_bytes(b"rows of b.parquet")
    with pytest.raises(StateError, match=r"damaged") as caught:
        store.verify(ref)
    assert str(store.home / ref.path) in str(caught.value)
    assert "copy it from a backup" in caught.value.remedy
    (store.home / ref.path).unlink()
    with pytest.raises(StateError, match="missing"):
        store.verify(ref)


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "state/../../outside"])
def test_paths_stay_inside(store: Store, path: str) -> None:
    with pytest.raises(StateError, match="leads out"):
        store.verify(FileRef("flights", "rows", path, "0" * 64, 1))
    with pytest.raises(StateError, match="outside"):
        store.relative(Path("/etc/passwd"))


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "_staging", ".hidden", "a\n", "x" * 300])
def test_names_cannot_be_paths(store: Store, name: str) -> None:
    with pytest.raises(StateError):
        store.staging(name)
    with pytest.raises(StateError):
        store.new_dir("run", "flights", name)
    if name:
        with pytest.raises(StateError):
            store.new_dir("run", name, "rows")


def test_json_survives_and_is_replaced_whole(store: Store) -> None:
    odd = {"\ud800\x00é": [1.5, None, "≠" * 10_000], "b": {"z": 1, "a": 2}}
    store.record("run-1", "plan.json", odd)
    assert store.recorded("run-1", "plan.json") == odd
    assert list(store.recorded("run-1", "plan.json")["b"]) == ["z", "a"]
    with pytest.raises(TypeError):
        store.record("run-1", "plan.json", {"a": object()})
    assert store.recorded("run-1", "plan.json") == odd
    assert [p.name for p in store.staging("run-1").iterdir()] == ["plan.json"]


def test_what_a_run_recorded_is_proven(store: Store) -> None:
    store.record("run-1", "plan.json", {"number": 4})
    with pytest.raises(StateError, match=r"has no other\.json"):
        store.recorded("run-1", "other.json")
    path = store.staging("run-1") / "plan.json"
    for damaged in (b'{"half": ', path.read_bytes().replace(b"4", b"5"), b"[1]"):
        path.write_bytes(damaged)
        with pytest.raises(StateError, match="damaged") as caught:
            store.recorded("run-1", "plan.json")
        assert str(path) == caught.value.where


def test_a_worker_with_another_home_says_that_it_must_be_shared(store: Store) -> None:
    with pytest.raises(StateError, match="what an earlier step of run 'run-1' wrote is not") as caught:
        store.recorded("run-1", "plan.json")
    assert socket.gethostname() in caught.value.where
    assert "HOLDFAST_HOME be one directory that all workers share" in caught.value.remedy


def test_several_files_are_verified_together(store: Store) -> None:
    refs = publish(store, *(f"part-{i}.parquet" for i in range(20)))
    assert [Path(path).name for path in store.verified(refs)] == [Path(ref.path).name for ref in refs]
    assert store.verified(()) == []
    (store.home / refs[7].path).write_bytes(b"x")
    with pytest.raises(StateError, match="damaged"):
        store.verified(refs)


def test_a_file_is_read_for_its_digest_once_while_it_stays_as_it_is(store: Store) -> None:
    (ref,) = publish(store, "a.parquet")
    path = store.home / ref.path
    os.utime(path, (1, 1))
    store.verify(ref)
    known = proof._digest.cache_info().hits
    store.verify(ref)
    assert proof._digest.cache_info().hits == known + 1
    path.write_bytes(b"rows of b.parquet")
    os.utime(path, (2, 2))
    with pytest.raises(StateError, match="damaged"):
        store.verify(ref)


def test_what_is_proven_ahead_is_read_once_and_damage_is_still_told(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = publish(store, *(f"part-{i}.parquet" for i in range(6)))
    for ref in refs:
        os.utime(store.home / ref.path, (1, 1))
    (store.home / refs[3].path).unlink()
    read: list[str] = []
    taken = hashlib.file_digest
    monkeypatch.setattr(proof, "_LARGE", 0)
    monkeypatch.setattr(hashlib, "file_digest", lambda file, how: read.append(file.name) or taken(file, how))
    store.prove_ahead(refs)
    for ref in (*refs[:3], *refs[4:]):
        store.verify(ref)
    for thread in threading.enumerate():
        if thread.name == "digests":
            thread.join(60)
    assert sorted(read) == sorted(str(store.home / ref.path) for ref in refs if ref != refs[3])
    with pytest.raises(StateError, match="missing"):
        store.verify(refs[3])
    (store.home / refs[4].path).write_bytes(b"x")
    with pytest.raises(StateError, match="damaged"):
        store.verify(refs[4])


def test_of_a_table_that_a_delta_comes_for_the_index_alone_is_proven_ahead(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [publish(store, "a", table=t, role=r)[0] for t in ("flights", "planes") for r in ("rows", "index")]
    ahead: list[FileRef] = []
    monkeypatch.setattr(store, "prove_ahead", ahead.extend)
    begin_to_prove(store, Version("nyc", 1, "run-1", "d", {}, {}, tuple(files)), ["flights"])
    assert ahead == [files[1]]
    begin_to_prove(store, None, ["flights"])
    assert ahead == [files[1]]


def test_published_json_is_verified(store: Store) -> None:
    ref = store.publish_json("run-1", "flights", "results", {"a": 1})
    assert store.read_json(ref) == {"a": 1}
    (store.home / ref.path).write_text(json.dumps({"a": 2}))
    with pytest.raises(StateError, match="damaged"):
        store.read_json(ref)


def test_garbage_is_what_no_version_names(store: Store) -> None:
    kept = publish(store, "a", "b")
    shared = publish(store, "c", "d")
    publish(store, "gone")
    store.new_dir("run-2", "weather", "rows").joinpath("half").write_text("half")
    store.record("run-0", "plan.json", {})
    document = store.publish_json("run-1", "", "results", {})
    orphan = store.publish_json("run-0", "", "results", {})
    named = [ref.path for ref in (*kept, shared[0], document)]
    removed = store.collect_garbage(named, NOW)
    assert removed.files == 4
    for ref in (*kept, *shared, document):
        store.verify(ref)
    assert not (store.home / orphan.path).exists()
    assert store.collect_garbage(named, NOW) == Garbage(0, 0)


def test_what_a_killed_process_had_half_written_goes_when_it_is_old(store: Store, tmp_path: Path) -> None:
    artifacts = tmp_path / "artifacts"
    places = [store.home / "state" / "nyc" / "_journal", store.home / "state" / "nyc" / "_manifests", artifacts / "a"]
    for place in places:
        place.mkdir(parents=True)
        for name in (".old.tmp", ".young.tmp", "kept.json"):
            (place / name).write_text("half")
        os.utime(place / ".old.tmp", (1, 1))
    assert store.remove_halves(artifacts, timedelta(hours=1)) == Garbage(3, 12)
    assert {path.name for place in places for path in place.iterdir()} == {".young.tmp", "kept.json"}


def test_young_garbage_and_quarantined_rows_stay(store: Store) -> None:
    (young,) = publish(store, "young")
    (old,) = publish(store, "old")
    (reject,) = publish(store, "reject", role="quarantine")
    for ref in (old, reject):
        for path in ((store.home / ref.path), (store.home / ref.path).parent):
            os.utime(path, (1, 1))
    assert store.collect_garbage([], timedelta(hours=1)).files == 1
    assert (store.home / young.path).exists()
    assert (store.home / reject.path).exists()
    assert not (store.home / old.path).exists()


def test_collecting_in_an_empty_store(store: Store) -> None:
    assert store.collect_garbage([]) == Garbage(0, 0)


def test_a_discarded_run_leaves_the_others(store: Store) -> None:
    (mine,) = publish(store, "mine", run_id="2013-01-01-ab")
    (other,) = publish(store, "other", run_id="2013-01-01-ab-cd")
    store.record("2013-01-01-ab", "plan.json", {})
    document = store.publish_json("2013-01-01-ab", "", "results", {})
    store.discard("2013-01-01-ab")
    store.discard("2013-01-01-ab")
    assert not (store.home / mine.path).exists()
    assert not (store.home / document.path).exists()
    assert list(store.staging("2013-01-01-ab").iterdir()) == []
    store.verify(other)


def test_what_is_discarded_leaves_no_empty_directories(store: Store) -> None:
    publish(store, "mine", run_id="a")
    (reject,) = publish(store, "reject", role="quarantine", run_id="a")
    assert store.publish(store.new_dir("a", "flights", "deleted"), "flights", "deleted") == ()
    store.record("a", "plan.json", {})
    store.discard("a")
    left = (path for path in store.home.rglob("*") if path.is_file())
    assert list(left) == [store.home / reject.path]
    store.discard("a", rejects=True)
    assert list((store.home / "state").iterdir()) == []


def test_datasets_do_not_share_files(store: Store, tmp_path: Path) -> None:
    other = Store(store.home, "other")
    (mine,) = publish(store, "a")
    other.collect_garbage([], NOW)
    store.verify(dataclasses.replace(mine))


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"rows")])
def test_what_is_gone_or_cut_short_before_the_commit_is_named(store: Store, damage) -> None:
    first, second = publish(store, "a.parquet", "b.parquet")
    store.require([first, second])
    damage(store.home / second.path)
    with pytest.raises(StateError, match="gone or cut short") as caught:
        store.require([first, second])
    assert caught.value.where == str(store.home / second.path)
