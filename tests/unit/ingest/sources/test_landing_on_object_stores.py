"""Tables on an object store: what lands there, directories of Parquet files, Delta Lake; and what is refused there."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from helpers.ledger import Ledger

from profiling_core.ingest.sources import objects
from profiling_core.model.errors import InputError, UnreachableError

pytestmark = pytest.mark.slow

TYPES = {"key": ("id",), "columns": {"id": {"type": "integer"}, "city": {"type": "string"}}}


@pytest.fixture
def store(bucket: str, tmp_path: Path) -> Path:  # noqa: F811 - fixture
    """The directory in which the store keeps the bucket's objects."""
    return tmp_path / "store" / BUCKET


def land(store: Path, name: str, text: str) -> None:
    path = store / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def values(ledger: Ledger) -> list[dict[str, Any]]:
    return sorted(ledger.values(), key=lambda row: row["id"])


def test_files_that_land_on_an_object_store(store: Path, tmp_path: Path) -> None:
    source = {"path": "s3://shop/landing/orders", "format": "csv", "settle_seconds": 0}
    ledger = Ledger(tmp_path / "project", source, TYPES)
    land(store, "landing/orders/2024-01-01.csv", "_op,id,city\ninsert,1,Ulm\ninsert,2,Bonn\n")
    land(store, "landing/orders/2024-01-02/part-0.csv", "_op,id,city\nupdate,1,Rom\n")
    land(store, "landing/orders/2024-01-02/part-1.csv", "_op,id,city\ndelete,2,\n")
    assert ledger.look().pending == ("2024-01-01", "2024-01-02")
    assert ledger.run() == []
    assert values(ledger) == [{"id": 1, "city": "Rom"}]
    land(store, "landing/orders/2024-01-01.csv", "_op,id,city\ninsert,7,Ulm\ninsert,2,Bonn\n")
    land(store, "landing/orders/2023-12-31.csv", "_op,id,city\ninsert,8,Ulm\n")
    land(store, "landing/orders/2024-01-03.csv", "_op,id,city\nupdate,1,Rom\n")
    land(store, "landing/orders/2024-01-04.csv", "_op,id,city\nupdate,x,Rom\n")
    found = ledger.look()
    assert {held.delta_id: held.reason.partition(":")[0] for held in found.refused} == {
        "2023-12-31": "is late",
        "2024-01-01": "changed after it was applied",
    }
    assert found.pending == ("2024-01-03", "2024-01-04")
    (rejected,) = ledger.run()
    assert rejected["file"] == "s3://shop/landing/orders/2024-01-04.csv"
    assert not list((ledger.settings.home / "extracts").iterdir())


def test_a_file_that_changes_while_it_is_read_is_refused(store: Path, tmp_path: Path) -> None:
    source = {"path": "s3://shop/in", "format": "csv", "settle_seconds": 0}
    ledger = Ledger(tmp_path / "project", source, TYPES)
    land(store, "in/1.csv", "_op,id,city\ninsert,1,Ulm\n")
    batch = ledger.batch()
    land(store, "in/1.csv", "_op,id,city\ninsert,1,Ulm\ninsert,2,Rom\n")
    with pytest.raises(InputError, match="changed while it was read"):
        ledger.opened.confirm(batch)


def test_change_events_on_an_object_store(store: Path, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "project", {"path": "s3://shop/cdc", "format": "debezium", "settle_seconds": 0}, TYPES)

    def event(op: str, lsn: int, **row: Any) -> str:
        image = {"before": row, "after": None} if op == "d" else {"before": None, "after": row}
        return json.dumps({**image, "op": op, "source": {"lsn": lsn}}) + "\n"

    land(store, "cdc/1.jsonl", event("c", 10, id=1, city="Ulm") + event("u", 30, id=1, city="Rom"))
    ledger.run()
    land(store, "cdc/2.jsonl", event("u", 20, id=1, city="late") + event("c", 40, id=2, city="Bonn"))
    ledger.run()
    assert values(ledger) == [{"id": 1, "city": "Rom"}, {"id": 2, "city": "Bonn"}]


def test_a_directory_of_parquet_files_on_an_object_store(store: Path, tmp_path: Path) -> None:
    source = {"path": "s3://shop/sales", "format": "parquet-table", "settle_seconds": 0}
    ledger = Ledger(tmp_path / "project", source, {"schema_changes": "follow"})
    for day in (1, 2):
        (store / f"sales/day={day}").mkdir(parents=True)
        pq.write_table(pa.table({"id": [day]}), store / f"sales/day={day}/a.parquet")
        ledger.run()
        assert ledger.look().pending == ()
    assert values(ledger) == [{"id": 1, "day": 1}, {"id": 2, "day": 2}]
    shutil.rmtree(store / "sales/day=1")
    ledger.run()
    assert values(ledger) == [{"id": 2, "day": 2}]


@pytest.mark.parametrize("feed", ["true", "false"])
def test_a_delta_table_on_an_object_store(store: Path, tmp_path: Path, feed: str) -> None:
    deltalake = pytest.importorskip("deltalake")
    url = f"s3://shop/lake-{feed}"
    ledger = Ledger(tmp_path / "project", {"path": url, "format": "delta"}, {"schema_changes": "follow"})
    deltalake.write_deltalake(
        url,
        pa.table({"id": [1, 2], "day": ["a", "b b"]}),
        configuration={"delta.enableChangeDataFeed": feed},
        partition_by=["day"],
    )
    ledger.run()
    deltalake.write_deltalake(url, pa.table({"id": [3], "day": ["b b"]}), mode="append")
    deltalake.DeltaTable(url).delete("id = 1")
    assert len(ledger.batch().parts) == 2  # followed, not compared whole
    ledger.run()
    assert [row["id"] for row in values(ledger)] == [2, 3]


def test_a_store_that_is_not_there_is_told_without_secrets(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    source = {"path": "s3://reader:canary-91c2@shop/in?region=x", "format": "csv"}
    with pytest.raises(UnreachableError, match="object store") as raised:
        Ledger(tmp_path / "project", source, TYPES).look()
    assert "canary" not in str(raised.value)


def test_a_store_that_the_environment_names_anew_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    stores = []
    for port in (1, 2, 1):
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        stores.append(objects._store("s3://shop?region=us-east-1"))
    assert stores[0] is stores[2]
    assert stores[0] is not stores[1]
