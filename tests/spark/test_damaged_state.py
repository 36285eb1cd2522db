"""A flipped bit in any file of the state ends in an error that names the file, or is without effect on what is told."""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.damage import flipped, put_in_place
from helpers.shop import DATASET, DAYS, land, make_shop

from profiling_core.model.errors import StateError
from profiling_core.pipeline import steps
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
READ_BY_EVERY_DELTA = {"rows", "evidence", "columns", "attributes", "clusters", "generator"}


@pytest.fixture(scope="module")
def shop(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Two days applied, the third landed."""
    place = tmp_path_factory.mktemp("damaged")
    settings = make_shop(place)
    variables = {"ROOT": settings.root, "HOME": settings.home, "CATALOG": "", "DATASETS": settings.datasets_dir}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(f"HOLDFAST_{name}", str(value))
        walk(DATASET)
        land(place, DAYS[2])
        yield Workspace.open(DATASET, settings)


def said(outcome: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in outcome.items() if key != "run_id"}


def is_named(path: Path, undamaged: dict[str, Any]) -> bool:
    """Whether a run names the damaged file; if it does not, its outcome is the undamaged one."""
    try:
        assert said(walk(DATASET, dry_run=True)) == undamaged, path
    except StateError as error:
        assert error.where == str(path)  # noqa: PT017 - an undamaged outcome is as good
        return True
    return False


def test_a_flipped_bit_is_named_before_anything_follows_from_it(shop: Workspace) -> None:
    version = shop.catalog.current(DATASET)
    assert version is not None
    undamaged = said(walk(DATASET, dry_run=True))
    chance, found = random.Random(1), set()
    for ref in {(f.table, f.role): f for f in version.files if f.table != "orders"}.values():
        path = shop.settings.home / ref.path
        with flipped(path, chance):
            if is_named(path, undamaged):
                found.add(ref.role)
    assert found >= READ_BY_EVERY_DELTA
    assert shop.catalog.current(DATASET) == version


def test_what_is_cut_off_emptied_put_in_anothers_place_or_gone_is_named_too(shop: Workspace) -> None:
    """By hand, as whoever tidies up does; another table's file of the same role reads as well as its own."""
    version = shop.catalog.current(DATASET)
    assert version is not None
    undamaged, found = said(walk(DATASET, dry_run=True)), set()
    for turn, ref in enumerate({f.role: f for f in version.files if f.table != "orders"}.values()):
        path = shop.settings.home / ref.path
        (other, *_) = version.files_of(ref.role, "orders") or (ref,)
        whole = path.read_bytes()
        ways = (whole[: len(whole) // 2], b"", (shop.settings.home / other.path).read_bytes(), None)
        for data in (ways[turn % 4], ways[(turn + 2) % 4]):
            if data == whole:
                continue
            with put_in_place(path, data):
                if is_named(path, undamaged):
                    found.add(ref.role)
    assert found >= READ_BY_EVERY_DELTA


def test_verifying_reads_proven_rows(shop: Workspace) -> None:
    version = shop.catalog.current(DATASET)
    assert version is not None
    for table, role in (("customers", "rows"), ("orders", "evidence"), ("", "results")):
        (ref, *_) = version.files_of(role, table)
        with flipped(shop.settings.home / ref.path, random.Random(2)), pytest.raises(StateError, match="damaged"):
            verify(shop)


def test_a_bit_of_a_run_that_flips_between_its_steps_is_named(shop: Workspace) -> None:
    run_id = steps.plan(DATASET)["run_id"]
    for table in ("customers", "orders"):
        steps.ingest(DATASET, run_id, table)
    (inserted, *_) = shop.delta(run_id, "customers").inserted
    record = shop.store.staging(run_id) / "customers.delta.json"
    for path in (shop.settings.home / inserted.path, record):
        os.utime(path)
        with flipped(path, random.Random(3)), pytest.raises(StateError, match="damaged") as caught:
            steps.maintain_table(DATASET, run_id, "customers")
        assert caught.value.where == str(path)
    steps.discard(DATASET, run_id)
