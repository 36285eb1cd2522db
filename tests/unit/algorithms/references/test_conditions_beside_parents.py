"""Conditional rules and texts of children beside their parents are found, and only where both sides are needed."""

import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from test_references_discovery import found_in

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


def test_a_condition_is_found_on_either_side_and_between_them():
    found = found_in(laboratory(), ("results", "order_id", "orders", "order_id"))
    assert "orders.status = DONE ⇔ results.released is there (by order_id)" in found
    assert "results.flag = HIGH ⇔ orders.limit < results.value (by order_id)" in found
    assert 'results.label = orders.code + "/" + line (by order_id)' in found


def test_parents_that_have_children_have_something_in_common():
    found = found_in(laboratory(), ("results", "order_id", "orders", "order_id"))
    assert "results.order_id is there ⇒ orders.status ∈ {DONE, OPEN} (by order_id)" in found
    assert not any("ward" in text or "shelf" in text for text in found)


def test_children_of_some_categories_are_counted_and_added_up():
    tables = laboratory()
    results = tables["results"].to_pylist()
    for order in (orders := tables["orders"].to_pylist()):
        own = [row for row in results if row["order_id"] == order["order_id"]]
        order["high"] = sum(row["flag"] == "HIGH" for row in own)
        order["shelved"] = sum(row["value"] for row in own if row["shelf"] in "NS")
    tables["orders"] = pa.Table.from_pylist(orders)
    found = found_in(tables, ("results", "order_id", "orders", "order_id"))
    assert "orders.high = count(results where flag = HIGH) (by order_id)" in found
    assert "orders.shelved = sum(results.value where shelf ∈ {N, S}) (by order_id)" in found


def test_a_due_day_follows_from_the_terms_of_the_parent():
    rng = random.Random(5)
    clients = [{"client_id": i, "terms": rng.choice([10, 14, 30, 60])} for i in range(40)]
    bills = [{"bill_id": i, "client_id": rng.randrange(40), "billed": NOW.date() + timedelta(i)} for i in range(300)]
    for bill in bills:
        bill["due"] = bill["billed"] + timedelta(clients[bill["client_id"]]["terms"])
    tables = {"clients": pa.Table.from_pylist(clients), "bills": pa.Table.from_pylist(bills)}
    found = found_in(tables, ("bills", "client_id", "clients", "client_id"))
    assert "bills.due = billed + clients.terms days (by client_id)" in found


def test_what_holds_by_chance_of_a_few_parents_is_not_found():
    tables = laboratory()
    few = tables["orders"].slice(0, 6)
    names = few["order_id"].to_pylist()
    rows = [row for row in tables["results"].to_pylist() if row["order_id"] in names]
    found = found_in(
        {"orders": few, "results": pa.Table.from_pylist(rows)}, ("results", "order_id", "orders", "order_id")
    )
    assert not any("ward" in text or "shelf" in text for text in found)
