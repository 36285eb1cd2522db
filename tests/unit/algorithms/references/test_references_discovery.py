"""Rules along references are found where there are any, and not found where there are none."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from oracle import references as oracle

from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.algorithms.rules.candidate import LEAST
from profiling_core.algorithms.rules.references import telling_along
from profiling_core.algorithms.rules.selection import SHOWN
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Summary


def found_in(tables: dict[str, pa.Table], *references: tuple[str, str, str, str], least: float = LEAST) -> set[str]:
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    roles = {name: infer_roles(table, schemas[name]) for name, table in tables.items()}
    keys = [InclusionDependency(ColumnList(a, (b,)), ColumnList(c, (d,))) for a, b, c, d in references]
    measured = [one.measured for one in find_references(tables, schemas, roles, keys) if one.worth >= least]
    for one in measured:
        rows = [tables[side.table].slice(0, 60).to_pylist() for side in (one.constraint.child, one.constraint.parent)]
        assert one.holds
        if hasattr(one.constraint.relation, "op"):
            assert oracle.figures(one.constraint, *rows)[1] == 0
    return {one.constraint.text for one in measured}


def business(size: int = 300) -> dict[str, pa.Table]:
    random = np.random.default_rng(9)
    land = random.choice(["DE", "FR", "IT"], 80)
    customer = random.integers(0, 80, size)
    day = [date(2024, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 300, size)]
    order = np.repeat(np.arange(size), random.integers(1, 6, size))
    line = random.integers(100, 9_999, len(order))
    total = np.bincount(order, weights=line, minlength=size)
    paid = [i for i in range(size) if random.random() < 0.7]
    packed = [day[o] + timedelta(days=int(d)) for o, d in zip(order, random.integers(0, 9, len(order)), strict=True)]
    last = [max(p for p, o in zip(packed, order, strict=True) if o == i) for i in range(size)]
    return {
        "customers": pa.table({"customer_id": np.arange(80), "country": land, "age": random.integers(18, 90, 80)}),
        "orders": pa.table(
            {
                "order_id": np.arange(size),
                "customer_id": customer,
                "country": land[customer],
                "ordered_on": day,
                "total_amount": total / 100,
                "line_count": np.bincount(order, minlength=size),
                "complete_on": last,
            }
        ),
        "lines": pa.table(
            {"line_id": np.arange(len(order)), "order_id": order, "price": line / 100, "packed_on": packed}
        ),
        "payments": pa.table(
            {
                "payment_id": np.arange(len(paid)),
                "order_id": paid,
                "amount": (total / 100)[paid],
                "paid_on": [
                    day[i] + timedelta(days=int(d))
                    for i, d in zip(paid, random.integers(0, 40, len(paid)), strict=True)
                ],
                "noise": random.integers(0, 50, len(paid)),
            }
        ),
    }


REFERENCES = [
    ("orders", "customer_id", "customers", "customer_id"),
    ("lines", "order_id", "orders", "order_id"),
    ("payments", "order_id", "orders", "order_id"),
]


def test_a_business_s_rules_are_found():
    found = found_in(business(), *REFERENCES)
    assert found >= {
        "orders.country = customers.country (by customer_id)",
        "payments.amount = orders.total_amount (by order_id)",
        "payments.paid_on ≥ orders.ordered_on (by order_id)",
        "lines.packed_on ≥ orders.ordered_on (by order_id)",
        "orders.total_amount = sum(lines.price) (by order_id)",
        "orders.line_count = count(lines) (by order_id)",
        "orders.complete_on = last(lines.packed_on) (by order_id)",
    }
    # What follows from these: no line is packed after the last one, none costs more than all, one line is all.
    assert {text.split(" (")[0] for text in found} - {
        "orders.country = customers.country",
        "payments.amount = orders.total_amount",
        "payments.paid_on ≥ orders.ordered_on",
        "lines.packed_on ≥ orders.ordered_on",
        "orders.total_amount = sum(lines.price)",
        "orders.line_count = count(lines)",
        "orders.complete_on = last(lines.packed_on)",
    } <= {
        "lines.packed_on ≤ orders.complete_on",
        "lines.price ≤ orders.total_amount",
        "orders.line_count = 1 ⇒ orders.complete_on = lines.packed_on",
        "orders.line_count = 1 ⇔ orders.total_amount = lines.price",
    }


def test_what_children_give_their_parents_is_found_by_any_aggregate():
    tables = business()
    lines, size = tables["lines"], tables["orders"].num_rows
    random, order = np.random.default_rng(3), lines["order_id"].to_numpy()
    sent = random.random(len(order)) < 0.6
    lines = lines.append_column(
        "sent_on", [[d if s else None for d, s in zip(lines["packed_on"].to_pylist(), sent, strict=True)]]
    )
    begun = [min(d for d, o in zip(lines["packed_on"].to_pylist(), order, strict=True) if o == i) for i in range(size)]
    orders = tables["orders"].append_column("sent_lines", [np.bincount(order[sent], minlength=size)])
    found = found_in({"orders": orders.append_column("begun_on", [begun]), "lines": lines}, REFERENCES[1])
    assert {
        "orders.line_count = count(lines) (by order_id)",
        "orders.sent_lines = count(lines.sent_on) (by order_id)",
        "orders.begun_on = first(lines.packed_on) (by order_id)",
        "orders.complete_on = last(lines.packed_on) (by order_id)",
    } <= found
    summary = Summary("sent_lines", "count", "sent_on", 0)
    counted = ReferenceRule(ColumnList("lines", ("order_id",)), ColumnList("orders", ("order_id",)), summary)
    assert counted.words == "Each sent_lines in orders is the number of its rows in lines that have a value of sent_on."


def test_a_right_side_that_repeats_is_no_reference():
    tables = business()
    assert found_in(tables, ("payments", "order_id", "lines", "order_id")) == set()


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_found_where_tables_have_nothing_to_do_with_each_other(seed: int):
    random = np.random.default_rng(seed)
    size = int(random.choice([20, 400]))
    days = lambda n: [date(2024, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 90, n)]  # noqa: E731

    def table(rows: int, key: np.ndarray) -> pa.Table:
        few = {f"few{i}": random.integers(0, 2 + i, rows) for i in range(4)}
        money = {f"price{i}": random.integers(0, 9_000, rows) / 100 for i in range(3)}
        return pa.table({"id": key, **few, **money, "day": days(rows), "kind": random.choice(["a", "b"], rows)})

    tables = {"parents": table(size, np.arange(size)), "children": table(3 * size, random.integers(0, size, 3 * size))}
    assert found_in(tables, ("children", "id", "parents", "id"), least=SHOWN) == set()


def test_what_is_computed_with_the_parents_columns_is_found():
    random = np.random.default_rng(4)
    of = random.integers(0, 40, 900)
    put = np.array([date(2023, 3, 1) + timedelta(days=int(d)) for d in random.integers(0, 90, 40)])
    stock, price = random.integers(5_000, 9_000, 40), random.integers(200, 2_000, 40)
    dead, weight, days = random.integers(0, 900, 900), random.integers(10, 300, 900), random.integers(5, 300, 900)
    tables = {
        "cages": pa.table({"cage": np.arange(40), "smolts": stock, "put_on": put, "price": price}),
        "samples": pa.table(
            {
                "sample": np.arange(900),
                "cage": of,
                "seen_on": [day + timedelta(days=int(d)) for day, d in zip(put[of], days, strict=True)],
                "days": days,
                "dead": dead,
                "alive": stock[of] - dead,
                "weight": weight,
                "value": weight * price[of],
                "noise": random.integers(0, 5_000, 900),
            }
        ),
    }
    found = found_in(tables, ("samples", "cage", "cages", "cage"))
    assert {text for text in found if " = " in text} == {
        "samples.alive = cages.smolts − dead (by cage)",
        "samples.days = days(seen_on − cages.put_on) (by cage)",
        "samples.value = cages.price·weight (by cage)",
    }


def test_a_row_beside_its_parent_in_the_same_table_is_one_more():
    random = np.random.default_rng(5)
    parent = [None if i < 5 else int(random.integers(0, i)) for i in range(300)]
    level: list[int] = []
    for above in parent:
        level.append(1 if above is None else level[above] + 1)
    tree = pa.table({"node": np.arange(300), "parent": pa.array(parent, pa.int64()), "level": level})
    found = found_in({"tree": tree}, ("tree", "parent", "tree", "node"))
    assert "tree.level = tree.level + 1 (by parent)" in found


def test_what_a_row_has_from_its_parent_is_computed_with_in_the_row():
    random = np.random.default_rng(6)
    of = random.integers(0, 30, 600)
    price, count = random.integers(100, 999, 30), random.integers(2, 40, 600)
    tables = {
        "products": pa.table({"sku": np.arange(30), "price": price}),
        "lines": pa.table(
            {"line": np.arange(600), "sku": of, "price": price[of], "count": count, "amount": count * price[of]}
        ),
    }
    assert found_in(tables, ("lines", "sku", "products", "sku")) == {"lines.price = products.price (by sku)"}


def test_what_is_often_just_what_the_parent_asks_at_least_is_kept_by_it():
    random = np.random.default_rng(8)
    least, of = random.choice([25, 30, 35], 30), random.integers(0, 30, 900)
    amount = random.integers(8, 400, 900)
    people = pa.table({"person": np.arange(30), "minimum": least, "size": random.integers(1, 6, 30)})
    jobs = pa.table({"job": np.arange(900), "person": of, "fee": np.maximum(amount, least[of])})
    along = ("jobs", "person", "people", "person")
    assert found_in({"people": people, "jobs": jobs}, along) == {"jobs.fee ≥ people.minimum (by person)"}


def test_what_a_parents_column_is_made_of_is_solved_for_the_child():
    random = np.random.default_rng(9)
    of, cut = random.integers(0, 50, 900), random.random(900) < 0.4
    length, tariff = random.integers(120, 420, 50), random.choice([310, 190, 85], 50)
    less, fed = random.integers(5, 60, 900), random.integers(3_000, 9_000, 900)
    tables = {
        "tracks": pa.table({"track": np.arange(50), "length": length, "tariff": tariff}),
        "plays": pa.table(
            {
                "play": np.arange(900),
                "track": of,
                "seconds": np.where(cut, length[of] - less, length[of]),
                "cut": pa.array([int(n) if c else None for n, c in zip(less, cut, strict=True)], pa.int64()),
                "fed": fed,
                "paid": np.round(fed * tariff[of] / 1000, 2),
            }
        ),
    }
    found = {text for text in found_in(tables, ("plays", "track", "tracks", "track")) if " = " in text}
    assert found == {
        "plays.cut = tracks.length − seconds (by track)",
        "plays.paid = 0.001·tracks.tariff·fed (by track)",
    }


def test_that_a_part_is_no_more_than_the_sum_is_not_told_beside_it():
    random = np.random.default_rng(10)
    order = np.repeat(np.arange(200), random.integers(1, 4, 200))
    price = random.integers(100, 9_999, len(order))
    tables = {
        "orders": pa.table({"order": np.arange(200), "total": np.bincount(order, weights=price).astype(int)}),
        "lines": pa.table({"line": np.arange(len(order)), "order": order, "price": price}),
    }
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    roles = {name: infer_roles(table, schemas[name]) for name, table in tables.items()}
    reference = InclusionDependency(ColumnList("lines", ("order",)), ColumnList("orders", ("order",)))
    told = telling_along(find_references(tables, schemas, roles, [reference]))
    assert [one.constraint.text for one in told] == ["orders.total = sum(lines.price) (by order)"]


def test_of_a_moment_and_a_date_the_moments_day_counts():
    random = np.random.default_rng(12)
    came = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=int(h)) for h in random.integers(0, 8_000, 200)]
    visits = pa.table({"visit_no": np.arange(200), "visited_at": came})
    of = random.permutation(200)[:150]
    later = [came[i].date() + timedelta(days=int(d)) for i, d in zip(of, random.integers(0, 9, 150), strict=True)]
    bills = pa.table({"bill_no": np.arange(150), "visit_no": of, "day": [came[i].date() for i in of], "paid_on": later})
    reference = ("bills", "visit_no", "visits", "visit_no")
    # Of a day that a row has of its parent, the rest is an order within the row.
    found = found_in({"visits": visits, "bills": bills}, reference)
    assert found == {"bills.day = date(visits.visited_at) (by visit_no)"}
    assert found_in({"visits": bills, "bills": visits}, reference) == {
        "date(bills.visited_at) = visits.day (by visit_no)"
    }


def test_an_order_is_found_though_no_row_comes_close_to_it():
    random = np.random.default_rng(13)
    joined = [date(2019, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 300, 80)]
    members = pa.table({"member_id": np.arange(80), "joined_on": joined})
    of = random.integers(0, 80, 400)
    lent = [date(2024, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 300, 400)]
    loans = pa.table({"loan_id": np.arange(400), "member_id": of, "lent_on": lent})
    found = found_in({"members": members, "loans": loans}, ("loans", "member_id", "members", "member_id"))
    assert found == {"loans.lent_on ≥ members.joined_on (by member_id)"}
