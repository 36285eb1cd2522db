"""One-shot discovery of inclusions by Spark's tasks: what this process's threads find."""

import gc
import random

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from profiling_core.ingest import csv_parts
from profiling_core.model.constraint import Kind
from profiling_core.model.errors import InputError
from profiling_core.pipeline import discover_inclusions
from profiling_core.pipeline.discover import discover
from profiling_core.pipeline.discovery_request import DiscoveryRequest
from profiling_core.spark.tasks import in_tasks

pytestmark = pytest.mark.spark


@pytest.fixture
def files(tmp_path):
    draw = random.Random(3)
    orders, customers = tmp_path / "orders.csv", tmp_path / "customers.csv"
    rows = [f'{i},{draw.randrange(30)},{draw.randrange(90) / 4:.2f},"note\n{draw.randrange(9)}"' for i in range(300)]
    orders.write_text("id,customer,price,note,empty\n" + ",\n".join(rows) + ",\n", encoding="utf-8")
    customers.write_text("key,credit\n" + "".join(f"{i},{i}.5\n" for i in range(40)), encoding="utf-8")
    pq.write_table(pyarrow.csv.read_csv(customers), tmp_path / "clients.parquet", row_group_size=7)
    return [orders, customers, tmp_path / "clients.parquet"]


@pytest.mark.parametrize("values", ["typed", "text"])
def test_tasks_find_what_threads_find(files, monkeypatch, spark, values):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 500)
    monkeypatch.setattr(discover_inclusions, "_BUCKET_BYTES", 1000)
    request = {"kind": Kind.IND, "values": values, "max_arity": 2, "max_error": 0.3}
    by_tasks = discover(files, DiscoveryRequest(**request, spark=True))
    by_threads = discover(files, DiscoveryRequest(**request))
    assert by_tasks == by_threads
    assert len(by_tasks.constraints) > 5


def test_what_a_task_cannot_read_is_told_with_file_and_line(files, monkeypatch, spark):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 500)
    files[1].write_text(files[1].read_text("utf-8") + 3 * "1,2,3\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        discover(files, DiscoveryRequest(kind=Kind.IND, values="text", spark=True))
    assert raised.value.where == f"{files[1]}, line 42"


def test_what_workers_start_with_is_left_out_of_their_garbage_collection(spark):
    (frozen,) = in_tasks(spark, [0], lambda _: iter([gc.get_freeze_count()]))
    assert frozen > 100_000
