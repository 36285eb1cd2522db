"""Whatever file of the newest version is damaged, `holdfast rebuild` gets by, says so, and the next delta goes on."""

import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from helpers.shop import DATASET, DAYS, land, make_shop

from profiling_core.maintain.columns import ROLE as COLUMNS
from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import DATASET as WHOLE
from profiling_core.model.errors import ConfigurationError, StateError
from profiling_core.model.version import ASIDE, DELETED, LOADS, QUARANTINED, ROWS, FileRef, Version
from profiling_core.pipeline import steps
from profiling_core.pipeline.fsck import fsck
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
LEARNT = {LOADS, COLUMNS}
BESIDE = {QUARANTINED, ASIDE}
WAYS = ("flipped", "cut off", "empty", "gone")


@pytest.fixture(scope="module")
def begun(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days of the shop applied, with a row that is quarantined, and one that is set aside."""
    place = tmp_path_factory.mktemp("whole") / "shop"
    settings = make_shop(place, ())
    file = settings.datasets_dir / f"{DATASET}.yaml"
    file.write_text(file.read_text("utf-8").replace("  orders:\n", "    policy: quarantine\n  orders:\n"), "utf-8")
    land(place, DAYS[0])
    land(place, DAYS[1])
    with (place / "landing" / "orders" / f"{DAYS[1]}.csv").open("a", encoding="utf-8") as rows:
        rows.write("frobnicate,o999,c01,7\ndelete,o001,c01,3\n")
    with _project(place):
        walk(DATASET, label=DAYS[0])
        walk(DATASET)
    return place


@pytest.fixture
def shop(begun: Path, tmp_path: Path) -> Iterator[Workspace]:
    """The same anew, and a third day that has landed."""
    place = tmp_path / "shop"
    shutil.copytree(begun, place)
    for file in (place / "datasets").glob("*.yaml"):
        file.write_text(file.read_text("utf-8").replace(str(begun), str(place)), "utf-8")
    with _project(place) as work:
        yield work


class _project:
    """A project's places in the environment."""

    def __init__(self, place: Path) -> None:
        self.place, self.patch = place, pytest.MonkeyPatch()

    def __enter__(self) -> Workspace:
        home = self.place / "home"
        values = {"ROOT": self.place, "HOME": home, "CATALOG": "", "DATASETS": self.place / "datasets"}
        for name, value in values.items():
            self.patch.setenv(f"HOLDFAST_{name}", str(value))
        return Workspace.open(DATASET)

    def __exit__(self, *_: object) -> None:
        self.patch.undo()


def damage(path: Path, way: str) -> None:
    if way == "gone":
        path.unlink()
    else:
        whole = path.read_bytes()
        half = len(whole) // 2
        flipped = whole[:half] + bytes([whole[half] ^ 4]) + whole[half + 1 :]
        path.write_bytes({"flipped": flipped, "cut off": whole[:half], "empty": b""}[way])


def newest(work: Workspace) -> Version:
    version = work.catalog.current(DATASET)
    assert version is not None
    return version


def first_of_each(version: Version) -> Mapping[tuple[str, str], FileRef]:
    return {(ref.table, ref.role): ref for ref in version.files}


def test_every_kind_of_file_is_mended_or_needs_a_backup(shop: Workspace) -> None:
    """However it is damaged; the kinds are those of the manifest, not a list."""
    kinds = first_of_each(newest(shop))
    assert {role for _, role in kinds} >= {"row-rules", "results", "evidence", "clusters", DELETED, *LEARNT, *BESIDE}
    for turn in range(2):
        damaged = {}
        for number, ((table, role), ref) in enumerate(first_of_each(newest(shop)).items()):
            path = shop.settings.home / ref.path
            if role not in (ROWS, DELETED):
                damage(path, WAYS[(number + 2 * turn + number // 4) % 4])
                damaged[table, role] = path
        told = {found.where for found in fsck(shop.settings).damage}
        assert told >= set(map(str, damaged.values()))
        said = walk(DATASET, rebuild=True)["mended"]
        for table, role in damaged:
            assert any((table or "all tables") in line for line in said), role
        assert len(said) == len(damaged)
        assert {shop.settings.home / ref.path for ref in newest(shop).files}.isdisjoint(damaged.values())
        assert all(found.equal for found in verify(shop))
    land(Path(shop.settings.root), DAYS[2])
    assert walk(DATASET)["version"] == newest(shop).number
    assert all(found.equal for found in verify(shop))


def test_a_key_that_changed_is_told_before_anything_is_made(shop: Workspace) -> None:
    before = newest(shop)
    file = shop.settings.datasets_dir / f"{DATASET}.yaml"
    file.write_text(file.read_text("utf-8").replace("key: [order]", "key: [customer]"), "utf-8")
    for rebuild in (False, True):
        with pytest.raises(ConfigurationError, match=r"\(order\) since its bootstrap, and \(customer\)") as caught:
            walk(DATASET, rebuild=rebuild)
        assert caught.value.remedy.startswith("put the key back, or begin anew: give the dataset another name")
    assert walk(DATASET, tables=["customers"])["version"] is not None  # it stands as it stood
    assert newest(shop) == before


def test_rows_that_are_damaged_are_named_and_nothing_is_made_without_them(shop: Workspace) -> None:
    before = newest(shop)
    for role in (ROWS, DELETED):
        ref = first_of_each(before)["orders", role]
        path = shop.settings.home / ref.path
        kept = path.read_bytes()
        damage(path, "cut off")
        with pytest.raises(StateError, match="rows of table 'orders'") as caught:
            walk(DATASET, rebuild=True)
        assert str(path) in caught.value.where
        path.write_bytes(kept)
    assert newest(shop) == before


def test_what_rows_tell_is_made_again_exactly(shop: Workspace) -> None:
    walk(DATASET, rebuild=True)  # without damage: what to compare with
    before = newest(shop)
    results = {table: read_results(shop.store, before, table) for table in (*before.tables, WHOLE)}
    derived = [ref for ref in before.files if ref.role not in {ROWS, DELETED, *LEARNT, *BESIDE}]
    assert {ref.role for ref in derived} >= {"row-rules", "results", "evidence", "clusters", "reference-rules"}
    for ref in derived:
        damage(shop.settings.home / ref.path, "gone")
    walk(DATASET, rebuild=True)
    after = newest(shop)
    assert {table: read_results(shop.store, after, table) for table in (*before.tables, WHOLE)} == results
    for ref in derived:
        same = {file.sha256 for file in after.files_of(ref.role, ref.table)}
        assert ref.sha256 in same, (ref.table, ref.role)


def test_what_was_learnt_goes_on_from_the_version_before_or_begins_anew(shop: Workspace) -> None:
    first, second = shop.catalog.versions(DATASET)
    for role in LEARNT:
        (then,) = first.files_of(role, "orders")
        (now,) = second.files_of(role, "orders")
        assert then != now
        damage(shop.settings.home / now.path, "cut off")
    land(Path(shop.settings.root), DAYS[2])
    with pytest.raises(StateError, match="damaged"):
        walk(DATASET)
    said = walk(DATASET, rebuild=True)["mended"]
    assert sum("table orders" in line and "is as after version 1" in line for line in said) == 2
    (kept,) = newest(shop).files_of(LOADS, "orders")
    (then,) = first.files_of(LOADS, "orders")
    learnt, before = shop.store.read_json(kept), shop.store.read_json(then)
    counted = learnt.pop("counts")["customer"]
    assert sum(counted.values()) == newest(shop).tables["orders"].rows  # counted anew: rows tell how many have a value
    assert before.pop("counts")["customer"] != counted
    assert learnt == before
    for version in shop.catalog.versions(DATASET):
        for ref in version.files_of(LOADS, "orders"):
            (shop.settings.home / ref.path).unlink(missing_ok=True)
    said = walk(DATASET, rebuild=True)["mended"]
    assert any("table orders" in line and "is learnt anew" in line for line in said)
    assert walk(DATASET)["version"] == newest(shop).number


def test_a_version_that_nobody_compared_is_not_lost_with_its_results(shop: Workspace) -> None:
    """Killed after the commit, and the results are damaged: what broke is told as broken by the rebuild."""
    land(Path(shop.settings.root), DAYS[2])
    run_id = steps.plan(DATASET)["run_id"]
    for step in (steps.ingest, steps.maintain_table):
        for table in ("customers", "orders"):
            step(DATASET, run_id, table)
    steps.maintain_inclusions(DATASET, run_id)
    steps.commit(DATASET, run_id)
    (results,) = newest(shop).files_of("results", "customers")
    damage(shop.settings.home / results.path, "flipped")
    before = {t.fingerprint for t in shop.catalog.tracked(DATASET, newest(shop).number - 1)}
    with pytest.raises(StateError, match="damaged"):
        walk(DATASET)
    outcome = walk(DATASET, rebuild=True)
    assert any("nobody was told" in line for line in outcome["mended"])
    assert {t.fingerprint for t in shop.catalog.tracked(DATASET)} >= before
    assert all(found.equal for found in verify(shop))


def test_two_comparisons_at_once_leave_each_other_alone(shop: Workspace) -> None:
    """Each discards what it has written, and nothing of the other's."""
    with ThreadPoolExecutor(2) as both:
        for found in both.map(verify, [shop, shop]):
            assert found
            assert all(one.equal for one in found)
