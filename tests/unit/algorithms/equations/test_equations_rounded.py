"""Equations of what is put together of rounded parts, weighed, of few values, or of single precision."""

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import cents
from helpers.found import equations_in as found_in


def test_marks_are_weighed():
    random = np.random.default_rng(5)
    oral, midterm, exam = (random.integers(10, 101, 500) for _ in range(3))
    final = np.round(0.2 * oral + 0.3 * midterm + 0.5 * exam, 1)
    points = np.digitize(final, [40, 50, 65, 80])
    table = pa.table({"oral": oral, "midterm": midterm, "exam": exam, "final": final, "points": points})
    assert found_in(table) == {"final = 0.2·oral + 0.3·midterm + 0.5·exam"}


def test_parts_that_are_rounded_add_up_nearly():
    random = np.random.default_rng(6)
    parts = random.uniform(100, 9_000, (3, 300))
    columns = {name: np.round(part, 2) for name, part in zip(("roads", "water", "other"), parts, strict=True)}
    table = pa.table({"capital": np.round(parts.sum(axis=0), 2), **columns})
    assert found_in(table) == {"capital = roads + water + other ± 0.02"}


def test_numbers_of_single_precision_are_taken_for_what_they_are():
    random = np.random.default_rng(7)
    pupils, teachers = random.integers(100, 9_000, 200), random.integers(50, 4_000, 200) / 10
    reading, maths = np.round(random.uniform(600, 700, (2, 200)), 1)
    single = {"teachers": teachers, "ratio": pupils / teachers, "reading": reading, "maths": maths}
    single["score"] = (reading + maths) / 2
    table = pa.table({"pupils": pupils, **{name: v.astype(np.float32).astype(float) for name, v in single.items()}})
    found = found_in(table)
    assert "ratio = pupils / teachers" in found
    assert len(found) == 2


def test_a_total_of_few_small_numbers_is_one_by_its_name():
    random = np.random.default_rng(8)
    adults, children = random.integers(1, 5, 900), random.choice([0, 0, 0, 1, 2], 900)
    others = {f"n{i}": random.integers(0, 90, 900) for i in range(6)}
    named = found_in(pa.table({"adults": adults, "children": children, "guests_total": adults + children, **others}))
    assert named == {"guests_total = adults + children"}


@pytest.mark.parametrize("exact", [True, False])
def test_a_few_prices_with_a_fee_are_told_by_the_cents_that_they_hit(exact: bool):
    random = np.random.default_rng(9)
    price, fee = random.choice([2100, 3800, 5200], 600), random.choice([0, 150], 600)
    money = {"price": price, "fee": fee, "due": price + fee}
    table = pa.table({name: cents(v / 100) if exact else pa.array(v / 100) for name, v in money.items()})
    assert found_in(table) == {"due = price + fee"}


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_rounded_where_columns_have_nothing_to_do_with_each_other(seed: int):
    random = np.random.default_rng(seed)
    columns = {f"n{i}": random.integers(0, 10 ** (1 + i % 4), 400) for i in range(14)}
    assert found_in(pa.table(columns)) == set()
