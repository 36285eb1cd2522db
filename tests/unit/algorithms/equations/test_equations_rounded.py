"""Equations of what is rounded to whole numbers, cut off, put together of rounded parts, or of single precision."""

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import cents
from helpers.found import equations_in as found_in


def test_what_is_rounded_to_whole_numbers_and_to_tens():
    random = np.random.default_rng(3)
    subtotal, months = random.integers(900, 60_000, 400), random.choice([6, 12, 24], 400)
    handling = random.integers(30, 900, 400)
    charge = np.rint(0.25 * (subtotal + handling)).astype(int)
    table = {"subtotal": subtotal, "handling": handling, "charge": charge, "months": months}
    table["fee"] = np.rint(0.03 * subtotal).astype(int)
    table["limit"] = (np.rint(0.7 * subtotal / 100) * 100).astype(int)
    table["instalment"] = subtotal // months
    assert found_in(pa.table(table)) == {
        "fee = round(0.03·subtotal)",
        "charge = round(0.25·subtotal + 0.25·handling)",
        "limit = round(0.7·subtotal, -2)",
        "instalment = ⌊subtotal / months⌋",
    }


def test_money_may_be_rounded_to_whole_units_though_it_is_written_with_cents():
    random = np.random.default_rng(4)
    total = random.integers(9_000, 400_000, 300)
    deposit = np.rint(0.3 * total / 100)
    assert found_in(pa.table({"total": cents(total / 100), "deposit": cents(deposit)})) == {
        "deposit = round(0.3·total)"
    }


@pytest.mark.parametrize("rounded", [True, False])
def test_marks_are_weighed(rounded: bool):
    random = np.random.default_rng(5)
    oral, midterm, exam = (random.integers(10, 101, 500) for _ in range(3))
    final = 0.2 * oral + 0.3 * midterm + 0.5 * exam
    final = np.rint(final).astype(int) if rounded else np.round(final, 1)
    points = np.digitize(final, [40, 50, 65, 80])
    table = pa.table({"oral": oral, "midterm": midterm, "exam": exam, "final": final, "points": points})
    weighed = "0.2·oral + 0.3·midterm + 0.5·exam"
    assert found_in(table) == {f"final = round({weighed})" if rounded else f"final = {weighed}"}


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
