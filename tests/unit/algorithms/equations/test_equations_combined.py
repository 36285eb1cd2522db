"""Sums of products: found, and told where nothing plainer says it."""

import random
from decimal import Decimal

import numpy as np
import pyarrow as pa
from helpers.found import equations_in, equations_told

from profiling_core.algorithms.equations.combined import sums_of_products
from profiling_core.algorithms.equations.sample import numeric_columns, samples, written_form

ROWS = 800


def money(cents) -> pa.Array:
    return pa.array([Decimal(int(n)).scaleb(-2) for n in cents], pa.decimal128(12, 2))


def sample_of(columns: dict):
    table = pa.table(columns)
    numbers = numeric_columns(table, table.column_names)
    (sample,) = samples(numbers, {name: written_form(one) for name, one in numbers.items()})
    return sample


def test_what_one_number_exceeds_another_by():
    random = np.random.default_rng(4)
    claimed, own = random.integers(0, 90_000, (2, ROWS))
    paid = np.maximum(claimed - own, 0)
    written = {"claimed": claimed / 100, "own": own / 100, "paid": paid / 100}
    assert equations_in(pa.table(written)) == {"paid = max(0, claimed − own)"}
    assert equations_in(pa.table({"claimed": money(claimed), "own": money(own), "paid": money(paid)})) == {
        "paid = max(0, claimed − own)"
    }
    told = equations_in(pa.table({"claimed": money(claimed + own), "own": money(own), "paid": money(claimed)}))
    assert told == {"claimed = own + paid"}


def test_a_product_less_a_column_and_a_rate_of_a_difference():
    random = np.random.default_rng(1)
    quantity, price = random.integers(1, 9, ROWS), random.integers(99, 9_000, ROWS)
    off, rate = random.integers(0, 90, ROWS), random.choice([5, 10, 20], ROWS)
    line = quantity * price - off
    amount, discount = random.integers(1_000, 90_000, ROWS), random.integers(0, 900, ROWS)
    found = equations_told(
        {
            "quantity": quantity,
            "price": money(price),
            "off": money(off),
            "line": money(line),
            "amount": money(amount),
            "discount": money(discount),
            "rate": rate,
            "tax": money((rate * (amount - discount) + 50) // 100),
        }
    )
    assert found == {"line = quantity·price − off", "tax = 0.01·(amount − discount)·rate"}


def test_a_sum_of_products_is_not_told_beside_the_product_and_the_sum():
    random = np.random.default_rng(2)
    units, price, charge = random.integers(1, 90, ROWS), random.integers(90, 900, ROWS), random.integers(0, 90, ROWS)
    columns = {"units": units, "price": price, "charge": charge, "gross": units * price}
    assert equations_told(columns | {"net": units * price + charge}) == {"gross = units·price", "net = charge + gross"}


def test_columns_that_are_told_are_not_looked_for_again():
    random = np.random.default_rng(5)
    b, c, d = (random.integers(1, 90, ROWS) for _ in range(3))
    sample = sample_of({"a": b * c - d, "b": b, "c": c, "d": d})
    assert {one.column for one in sums_of_products(sample, ())} == {"a", "d"}
    assert {one.column for one in sums_of_products(sample, ("a",))} == {"d"}


def test_products_rounded_to_whole_numbers_are_told_with_half_a_unit():
    rng = random.Random(8)
    grapes, shares = [rng.randint(40, 900) for _ in range(80)], [rng.randint(700, 820) / 10 for _ in range(80)]
    must = [round(kg * share / 100 + 1e-9) for kg, share in zip(grapes, shares, strict=True)]
    told = equations_in(pa.table({"grapes_kg": grapes, "yield_pct": shares, "must_l": must}))
    assert "must_l = 0.01·grapes_kg·yield_pct ± 0.5" in told
    other = [litres + 1 if litres % 7 == 0 else litres for litres in must]
    assert not equations_in(pa.table({"grapes_kg": grapes, "yield_pct": shares, "must_l": other}))
