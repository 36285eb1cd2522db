"""Rules along references are found where there are any, and not found where there are none."""

import math
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import along_in

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.algorithms.rules.references import telling_along
from profiling_core.algorithms.rules.selection import SHOWN
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Summary


def test_a_count_of_what_is_there_is_said_in_words():
    summary = Summary("sent_lines", "count", "sent_on", 0)
    counted = ReferenceRule(ColumnList("lines", ("order_id",)), ColumnList("orders", ("order_id",)), summary)
    assert counted.words == "Each sent_lines in orders is the number of its rows in lines that have a value of sent_on."


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
    assert along_in(tables, "children.id ⊆ parents.id", least=SHOWN) == set()


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
    told = telling_along(find_references(tables, schemas, roles, [(reference,)]))
    assert [one.constraint.text for one in told] == ["orders.total = sum(lines.price) (by order)"]


def test_a_date_is_the_day_of_the_childrens_last_moment():
    random = np.random.default_rng(3)
    donor = np.repeat(np.arange(60), random.integers(1, 5, 60))
    moments = [
        datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=int(m)) for m in random.integers(0, 90_000, len(donor))
    ]
    last = [max(m for m, of in zip(moments, donor, strict=True) if of == one).date() for one in range(60)]
    tables = {
        "donors": pa.table({"donor": np.arange(60), "last_on": pa.array(last)}),
        "donations": pa.table({"donor": donor, "came_at": pa.array(moments, pa.timestamp("us", tz="UTC"))}),
    }
    assert "donors.last_on = last(donations.came_at) (by donor)" in along_in(tables, "donations.donor ⊆ donors.donor")


def test_a_search_that_is_cut_tells_what_it_has_found_along_each_reference():
    random = np.random.default_rng(4)
    code, size = random.integers(0, 40, 300), 40
    own = {
        "city": random.permutation(size),
        "rate": random.integers(1, 900, size),
        "since": random.integers(1, 99, size),
    }
    parents = {name: pa.table({"code": np.arange(size), **own}) for name in ("first", "second", "third")}
    copied = {f"{name}_city": table["city"].to_numpy()[code] for name, table in parents.items()}
    rows = pa.table({**dict.fromkeys(parents, code), **copied, "paid": random.integers(1, 9_999, 300)})
    tables = {**parents, "child": rows}
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    roles = {name: infer_roles(table, schemas[name]) for name, table in tables.items()}
    references = [InclusionDependency(ColumnList("child", (n,)), ColumnList(n, ("code",))) for n in parents]
    whole, ways = Budget(math.inf), [(one,) for one in references]
    found = {c.constraint.text for c in find_references(tables, schemas, roles, ways, budget=whole)}
    half = Budget(whole.used / 2)
    some = {c.constraint.text for c in find_references(tables, schemas, roles, ways, budget=half)}
    assert half.is_cut
    assert some <= found
    assert {f"child.{name}_city = {name}.city (by {name})" for name in parents} <= some
