"""Keys and references chosen together: in any order of tables, beside declared keys, without time."""

import itertools
import random

import pytest
from helpers.found import coded_tables, kept_tables

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.rules.schema.discovery import find_schema
from profiling_core.algorithms.rules.schema.unique_sets import unique_sets

# Customers, products, orders, and lines that are known by the order and the product.
SHOP = coded_tables(**kept_tables("shop"))


def texts(candidates):
    return {c.constraint.text for c in candidates}


def test_the_same_is_chosen_whatever_order_the_tables_come_in():
    found = find_schema(SHOP, ENDLESS)
    turned = find_schema(dict(reversed(SHOP.items())), ENDLESS)
    assert {name: texts(keys) for name, keys in turned.keys.items()} == {n: texts(k) for n, k in found.keys.items()}
    assert texts(turned.references) == texts(found.references)


def test_what_reads_as_a_reference_has_a_probability():
    references = find_schema(SHOP, ENDLESS).references
    assert all(0.5 <= c.strength <= 1.0 for c in references)


def test_a_declared_key_comes_first_though_a_shorter_one_is_likelier():
    found = find_schema(SHOP, ENDLESS, {"orders": ("order_id", "customer_id"), "customers": ("no_such_column",)})
    assert found.keys["orders"][0].constraint.columns == ("order_id", "customer_id")
    assert found.keys["customers"][0].constraint.columns == ("customer_id",)


def test_what_is_found_without_time_holds():
    found = find_schema(SHOP, Budget.of(0.0))
    assert all(SHOP[name].is_key(key.constraint.columns) for name, keys in found.keys.items() for key in keys)


@pytest.mark.parametrize("seed", range(8))
def test_unique_sets_are_those_that_counting_finds(seed):
    rng = random.Random(seed)
    rows = [[rng.randint(0, 3) for _ in range(5)] for _ in range(rng.randint(2, 24))]
    names = [f"c{i}" for i in range(5)]
    (table,) = coded_tables(t={name: [row[i] for row in rows] for i, name in enumerate(names)}).values()
    subsets = (s for length in range(1, 6) for s in itertools.combinations(names, length))
    expected = {s for s in subsets if len({tuple(r[names.index(n)] for n in s) for r in rows}) == len(rows)}
    assert {*unique_sets(table, names, ENDLESS)} == expected


def test_pairs_with_nulls_are_unique_where_both_are_there():
    years, numbers = [2023, 2023, 2023, 2024, 2024, 2024], [1, 2, None, 1, 2, None]
    (table,) = coded_tables(receipts={"id": [*range(9, 15)], "year": years, "number": numbers}).values()
    assert ("year", "number") in unique_sets(table, ["year", "number", "id"], ENDLESS)
    (again,) = coded_tables(receipts={"id": [*range(9, 15)], "year": [2023] * 6, "number": numbers}).values()
    assert ("year", "number") not in unique_sets(again, ["year", "number", "id"], ENDLESS)


def test_a_count_of_children_is_no_reference_to_the_last_of_them():
    rng = random.Random(3)
    counts = [rng.randint(1, 6) for _ in range(80)]
    policies = {"policy_no": [*range(70_001, 70_081)], "lots": counts, "district": [rng.randint(1, 9) for _ in counts]}
    numbered = [
        (policy, lot) for policy, n in zip(policies["policy_no"], counts, strict=True) for lot in range(1, n + 1)
    ]
    lots = {"policy_no": [policy for policy, _ in numbered], "lot_no": [lot for _, lot in numbered]}
    area = {"area": [round(rng.random() * 90, 2) for _ in numbered]}
    tables = coded_tables(policies=policies, lots=lots | area)
    references = texts(find_schema(tables, ENDLESS).references)
    assert references == {"lots.policy_no ⊆ policies.policy_no"}
