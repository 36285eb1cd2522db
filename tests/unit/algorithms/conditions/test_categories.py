"""Which columns have few enough values to be conditions."""

import random

import pyarrow as pa
from helpers.found import Columns, found

from profiling_core.algorithms.conditions.categories import categories_of
from profiling_core.model.constraint import Kind
from profiling_core.model.role import Role


def test_a_code_of_few_values_is_the_condition_of_a_rule_and_one_of_many_is_not():
    rng = random.Random(22)
    few = [rng.choice([None, None, "ROAST10", "TASTE5"]) for _ in range(600)]
    many = [f"G{rng.randrange(25):02}" for _ in range(600)]
    goods = [rng.randrange(100, 900) / 10 for _ in range(600)]
    table: Columns = {
        "order": [f"O{n:05}" for n in range(600)],
        "discount_code": few,
        "goods_code": many,
        "goods": goods,
        "discount": [{None: 0.0, "ROAST10": round(g / 10, 2)}.get(c, 5.0) for c, g in zip(few, goods, strict=True)],
    }
    orders = found(orders=table)["orders"]
    assert {orders.roles[name].role for name in ("discount_code", "goods_code")} == {Role.CODE}
    conditions = [rule.constraint.column for rule in orders.rules.shown if rule.constraint.kind is Kind.CONDITIONAL]
    assert "discount_code" in conditions
    codes = ["discount_code", "goods_code"]
    assert [one.column for one in categories_of(pa.table(table), codes, orders.roles)] == ["discount_code"]
