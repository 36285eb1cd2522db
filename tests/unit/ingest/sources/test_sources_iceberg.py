"""What other people's Iceberg tables do: columns that are renamed, moved and widened, values without a type."""

import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from helpers.ledger import Ledger, rows
from helpers.rest_catalog import rest_catalog
from helpers.worlds import IcebergWorld

from profiling_core.cli.main import main
from profiling_core.model.errors import UnreachableError

TOKEN = "canary-4b1d"


def test_columns_of_an_iceberg_table_are_renamed_moved_and_widened(tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg.types import LongType

    world = IcebergWorld(tmp_path)
    table = world._catalog.create_table(
        world._name + "_odd", pa.schema({"id": pa.int64(), "city": pa.string(), "cents": pa.int32()})
    )
    options: dict[str, Any] = {"schema_changes": "follow"}
    ledger = Ledger(tmp_path, {**world.source, "table": world._name + "_odd"}, options)
    table.append(pa.table({"id": [1], "city": ["Ulm"], "cents": pa.array([5], pa.int32())}))
    assert rows(ledger) == [{"id": 1, "city": "Ulm", "cents": 5}]
    table.append(pa.table({"id": [4], "city": ["Rom"], "cents": pa.array([6], pa.int32())}))
    table.delete("id = 4")
    walked = Ledger(tmp_path / "walked", {**ledger.source, "history": 2})
    assert len(walked.look().pending) == 2
    assert rows(walked) == rows(ledger) == [{"id": 1, "city": "Ulm", "cents": 5}]
    with table.update_schema() as update:
        update.rename_column("city", "town")
        update.update_column("cents", LongType())
        update.move_first("cents")
    table.append(pa.table({"cents": [2**40], "id": [2], "town": ["Bonn"]}))
    options["columns"] = {"town": {"renamed_from": "city"}}
    expected = [{"cents": 5, "id": 1, "town": "Ulm"}, {"cents": 2**40, "id": 2, "town": "Bonn"}]
    assert rows(ledger) == expected
    table.overwrite(pa.table({"cents": [7], "id": [3], "town": [None]}, table.schema().as_arrow()))
    assert rows(ledger) == [{"cents": 7, "id": 3, "town": None}]
    table.manage_snapshots().rollback_to_snapshot(table.history()[0].snapshot_id).commit()
    assert rows(ledger) == expected[:1]
    assert ledger.look().pending == ()


def test_partitions_that_are_cut_another_way_from_some_day_on_are_followed(tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg.transforms import IdentityTransform

    world = IcebergWorld(tmp_path)
    table = world._catalog.create_table(world._name + "_cut", pa.schema({"id": pa.int64(), "city": pa.string()}))
    ledger = Ledger(tmp_path, {**world.source, "table": world._name + "_cut"}, {"key": ("id",)})
    table.append(pa.table({"id": [1, 2], "city": ["Ulm", "Bonn"]}))
    assert len(rows(ledger)) == 2
    with table.update_spec() as update:
        update.add_field("city", IdentityTransform(), "by_city")
    table.append(pa.table({"id": [3, 4], "city": ["Ulm", None]}))
    with table.update_spec() as update:
        update.remove_field("by_city")
        update.add_field("id", IdentityTransform(), "by_id")
    table.append(pa.table({"id": [5], "city": ["Rom"]}))
    table.delete("city = 'Ulm'")
    assert rows(ledger) == [{"id": 2, "city": "Bonn"}, {"id": 4, "city": None}, {"id": 5, "city": "Rom"}]
    assert ledger.look().pending == ()


@pytest.mark.slow
def test_a_rest_catalog_of_tables_on_an_object_store_is_followed(
    bucket: str,  # noqa: F811 - fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pyiceberg")
    import pyiceberg.catalog
    from pyiceberg.catalog import load_catalog
    from pyiceberg.utils.config import Config

    store = {
        "s3.endpoint": os.environ["AWS_ENDPOINT_URL"],
        "s3.access-key-id": os.environ["AWS_ACCESS_KEY_ID"],
        "s3.secret-access-key": os.environ["AWS_SECRET_ACCESS_KEY"],
        "s3.region": "us-east-1",
    }
    own = load_catalog("own", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"{bucket}/lake", **store)
    own.create_namespace("shop")
    table = own.create_table("shop.orders", pa.schema({"id": pa.int64(), "city": pa.string()}))
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)  # the catalog tells where the store is, and with which secrets
    with rest_catalog(own, TOKEN, store) as url:
        for name, value in (("TYPE", "rest"), ("URI", url), ("TOKEN", TOKEN)):
            monkeypatch.setenv(f"PYICEBERG_CATALOG__FAR__{name}", value)
        monkeypatch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())
        ledger = Ledger(tmp_path, {"format": "iceberg", "catalog": "far", "table": "shop.orders"}, {"key": ("id",)})
        table.append(pa.table({"id": [1, 2, 3], "city": ["Ulm", "Bonn", "Rom"]}))
        assert len(rows(ledger)) == 3
        table.append(pa.table({"id": [4], "city": ["Kiel"]}))
        table.delete("id = 1")
        table.upsert(pa.table({"id": [2], "city": ["Köln"]}), ["id"])
        assert rows(ledger) == [{"id": 2, "city": "Köln"}, {"id": 3, "city": "Rom"}, {"id": 4, "city": "Kiel"}]
        assert ledger.look().pending == ()
        assert list((tmp_path / "store" / BUCKET / "lake").rglob("*.parquet"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["holdfast", "init", "iceberg://far", "--yes", "--name", "shop"])
        with pytest.raises(SystemExit):
            main()
        written = (tmp_path / "dags" / "datasets" / "shop.yaml").read_text("utf-8")
        assert "table: shop.orders" in written
        monkeypatch.setenv("PYICEBERG_CATALOG__FAR__TOKEN", f"{TOKEN}-old")
        monkeypatch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())
        with pytest.raises(UnreachableError, match="does not answer") as raised:
            ledger.look()
    said = capfd.readouterr()
    for secret in (TOKEN, "canary-91c2"):
        assert secret not in f"{raised.value} {raised.value.__cause__} {written} {said.out} {said.err}"
