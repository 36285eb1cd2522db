"""Days of a dataset whose row files have indexes by key: nothing else follows from them, and damage is found."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.shop import DATASET, DAYS, land, make_shop

from profiling_core.model.delta import ROW_ID
from profiling_core.model.errors import StateError
from profiling_core.model.version import KEY_INDEX, ROWS, FileRef, Version
from profiling_core.pipeline.fsck import fsck
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark import compaction, key_index
from profiling_core.spark.key_index import BLOCKS, DIRECTORY
from profiling_core.spark.snapshot import snapshot_rows

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
TABLE = "customers"
Begin = Callable[[str], Workspace]


@pytest.fixture
def begin(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Makes a project of this name, the one in use from then on, in which the first day has landed."""

    def begun(name: str) -> Workspace:
        settings = make_shop(tmp_path / name, DAYS[:1])
        variables = {"ROOT": settings.root, "HOME": settings.home, "CATALOG": "", "DATASETS": settings.datasets_dir}
        for variable, value in variables.items():
            monkeypatch.setenv(f"HOLDFAST_{variable}", str(value))
        return Workspace.open(DATASET, settings)

    return begun


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Says whether row files of any size have an index, or none."""
    return lambda wanted: monkeypatch.setattr(key_index, "LEAST_BYTES", 1 if wanted else 1 << 40)


def applied(shop: Workspace, day: str) -> dict[str, Any]:
    """What a day came to."""
    land(shop.settings.home.parent, day)
    return {name: value for name, value in walk(DATASET).items() if name != "run_id"}


def current(shop: Workspace) -> Version:
    version = shop.catalog.current(DATASET)
    assert version is not None
    return version


def rows_of(shop: Workspace, version: Version) -> list[dict[str, Any]]:
    rows = snapshot_rows(shop.spark("verify"), shop.store, version, TABLE)
    return sorted(rows.read([ROW_ID, *rows.schema.names]).to_pylist(), key=lambda row: row[ROW_ID])


def index_files(version: Version) -> dict[str, list[FileRef]]:
    return {
        part: [ref for ref in version.files_of(KEY_INDEX, TABLE) if ref.path.endswith(f".{part}")]
        for part in (DIRECTORY, BLOCKS)
    }


def is_indexed(version: Version) -> bool:
    """Whether each row file has an index, and nothing else has one."""
    files, found = version.files_of(ROWS, TABLE), index_files(version)
    return all(len(refs) == len(files) for refs in found.values())


@pytest.mark.long
def test_days_come_to_the_same_with_and_without_indexes(begin: Begin, indexed: Callable[[bool], None]) -> None:
    outcomes, rows = [], []
    for wanted in (True, False):
        indexed(wanted)
        shop = begin(f"indexed-{wanted}")
        outcomes.append([applied(shop, day) for day in DAYS])
        rows.append(rows_of(shop, current(shop)))
        assert is_indexed(current(shop)) == wanted
        assert all(part.equal for part in verify(shop))
    assert outcomes[0] == outcomes[1]
    assert rows[0] == rows[1]


def test_state_of_an_earlier_release_gets_them_with_its_next_delta(
    begin: Begin, indexed: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(False)
    shop = begin("earlier")
    applied(shop, DAYS[0])
    assert not current(shop).files_of(KEY_INDEX, TABLE)
    indexed(True)
    applied(shop, DAYS[1])
    assert is_indexed(current(shop))
    monkeypatch.setattr(compaction, "MOST_SMALL", 2)  # and files that are made one get one
    applied(shop, DAYS[2])
    assert len(current(shop).files_of(ROWS, TABLE)) == 1
    assert is_indexed(current(shop))
    assert fsck(shop.settings).damage == []


@pytest.mark.parametrize("part", [DIRECTORY, BLOCKS])
def test_what_is_damaged_is_named_and_a_rebuild_makes_it_again(
    begin: Begin, indexed: Callable[[bool], None], part: str
) -> None:
    indexed(True)
    shop = begin("damaged")
    applied(shop, DAYS[0])
    (ref,) = index_files(current(shop))[part]
    path = shop.settings.home / ref.path
    path.write_bytes(bytes(len(path.read_bytes())))
    assert [damage.where for damage in fsck(shop.settings).damage] == [str(path)]
    with pytest.raises(StateError, match="damaged") as caught:
        applied(shop, DAYS[1])
    assert caught.value.where == str(path)
    walk(DATASET, rebuild=True)
    assert is_indexed(current(shop))
    applied(shop, DAYS[1])
    assert all(part.equal for part in verify(shop))
