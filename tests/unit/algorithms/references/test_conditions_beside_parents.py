"""What conditional rules of children beside their parents tell the score."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import ColumnList, InclusionDependency

SIZE = 240
NOW = datetime(2024, 1, 1, tzinfo=UTC)


def laboratory(seed: int = 3) -> dict[str, pa.Table]:
    rng = random.Random(seed)
    orders = [
        {
            "order_id": i,
            "code": f"L{rng.randrange(10**5):05}-{i}",
            "status": rng.choice(["DONE", "DONE", "OPEN", "CANCELLED"]),
            "ward": rng.choice(["A", "B", "C", "D"]),
            "limit": rng.randrange(40, 60),
        }
        for i in range(SIZE)
    ]
    results = []
    for order in orders:
        for line in range(0 if order["status"] == "CANCELLED" else rng.randrange(1, 4)):
            value = rng.randrange(0, 100)
            results.append(
                {
                    "result_id": len(results),
                    "order_id": order["order_id"],
                    "line": line + 1,
                    "label": f"{order['code']}/{line + 1}",
                    "value": value,
                    "flag": "HIGH" if value > order["limit"] else "NORMAL",
                    "released": NOW + timedelta(hours=len(results)) if order["status"] == "DONE" else None,
                    "shelf": rng.choice(["N", "S", "W", "E"]),
                }
            )
    return {"orders": pa.Table.from_pylist(orders), "results": pa.Table.from_pylist(results)}


def test_a_rule_tells_what_its_columns_are_for_and_whether_its_numbers_are_in_order():
    tables = laboratory()
    results, orders = tables["results"].to_pylist(), tables["orders"].to_pylist()
    lines = Counter(row["order_id"] for row in results)
    tables["orders"] = pa.Table.from_pylist([{**one, "lines": lines[one["order_id"]]} for one in orders])
    reference = InclusionDependency(ColumnList("results", ("order_id",)), ColumnList("orders", ("order_id",)))
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    roles = {name: infer_roles(table, schemas[name]) for name, table in tables.items()}
    told = {one.constraint.text: one.told for one in find_references(tables, schemas, roles, [(reference,)])}
    last = told["results.line = 3 ⇒ orders.lines = 3 (by order_id)"]
    assert last["in order"] == last["then quantity"] == 1.0
    assert not last["if of the parent"]
    done = told["orders.status = DONE ⇔ results.released is there (by order_id)"]
    assert done["if category"] == done["then moment"] == done["if of the parent"] == 1.0
    assert "in order" not in done
    some = told["results.order_id is there ⇒ orders.status ∈ {DONE, OPEN} (by order_id)"]
    assert some["of the values"] == 2 / 3
    assert some["fails outside"] == 1.0


def test_columns_whose_roles_nobody_knows_are_searched_too():
    tables = laboratory()
    reference = InclusionDependency(ColumnList("results", ("order_id",)), ColumnList("orders", ("order_id",)))
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    told = {one.constraint.text: one.told for one in find_references(tables, schemas, {}, [(reference,)])}
    done = told["orders.status = DONE ⇔ results.released is there (by order_id)"]
    assert not any(name.startswith(("if ", "then ")) and name != "if of the parent" for name in done)
