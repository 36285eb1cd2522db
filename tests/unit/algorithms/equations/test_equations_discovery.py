"""Equations are found where a table has them, told once, and not found where it has none."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import cents
from helpers.found import equations_in as found_in

from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType


@pytest.mark.parametrize("exact", [True, False])
def test_an_invoice_s_equations_are_told_once_each(exact: bool):
    random = np.random.default_rng(3)
    quantity, price, rate = random.integers(1, 9, 400), random.integers(100, 9_999, 400), random.choice([7, 19], 400)
    net = quantity * price
    vat = np.rint(net * rate / 100)
    fee = np.where(random.random(400) < 0.3, 250, 0)
    money = {"price": price, "net": net, "vat": vat, "gross": net + vat, "fee": fee, "total": net + vat - fee}
    columns = {name: cents(v / 100) if exact else pa.array(v / 100) for name, v in money.items()}
    table = pa.table({"quantity": quantity, "rate": rate, **columns})
    assert found_in(table) == {
        "net = quantity·price",
        "vat = 0.01·rate·net",
        "gross = net + vat",
        "gross = fee + total",
    }


def test_shares_rounded_to_significant_digits_are_found():
    random = np.random.default_rng(5)
    whole = random.integers(1_000, 90_000, 300)
    part = (whole * random.uniform(0.0001, 0.9, 300)).astype(int)
    share = np.array([float(f"{100 * p / w:.9g}") for p, w in zip(part, whole, strict=True)])
    table = pa.table({"whole": whole, "part": part, "share": share, "other": random.uniform(0, 9, 300)})
    assert found_in(table) == {"share = 100·part / whole"}


def test_sums_of_more_columns_and_of_columns_with_gaps():
    random = np.random.default_rng(8)
    months = {name: random.integers(0, 900, 200) for name in ("jan", "feb", "mar", "apr", "may", "jun")}
    year = sum(months.values())
    gaps = random.random(200) < 0.4
    came, left = random.integers(0, 50, 200), random.integers(0, 50, 200)
    stock = [None if gap else int(a - b + 100) for gap, a, b in zip(gaps, came, left, strict=True)]
    more = {"came": came, "went": left, "start": [None if gap else 100 + i % 7 for i, gap in enumerate(gaps)]}
    table = pa.table({**months, "year": year, **more})
    stock = [None if s is None else s + i % 7 for i, s in enumerate(stock)]
    table = table.append_column("stock", pa.array(stock))
    assert found_in(table) == {"year = jan + feb + mar + apr + may + jun", "stock = came + start − went"}


@pytest.mark.parametrize(
    ("whole", "part", "rest"), [("total", "net", "tax"), ("price", "paid", "rebate"), ("a", "b", "c")]
)
def test_what_is_added_is_told_as_a_rate_of_what_it_is_added_to(whole: str, part: str, rest: str):
    net = np.random.default_rng(6).integers(50, 3_000, 400)
    table = pa.table({whole: cents(net * 1.07), part: cents(net), rest: cents(net * 0.07)})
    assert found_in(table) == {f"{rest} = 0.07·{part}", f"{whole} = {part} + {rest}"}


def test_rates_dates_and_texts():
    random = np.random.default_rng(11)
    size = 300
    price, discount = random.integers(500, 90_000, size) / 100, random.choice([0.0, 0.05, 0.1, 0.25], size)
    day = [date(2023, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 700, size)]
    stay = random.integers(1, 20, size)
    first = random.choice(["Ann", "Bo", "Cleo", "Dan", "Eve"], size)
    last = random.choice(["Abel", "Bach", "Cole", "Dunn", "Ek", "Falk"], size)
    table = pa.table(
        {
            "price": price,
            "discount": discount,
            "paid": np.round(price * (1 - discount) + 1e-9, 2),
            "entered": day,
            "left": [d + timedelta(days=int(n)) for d, n in zip(day, stay, strict=True)],
            "nights": stay,
            "due": [d + timedelta(days=30) for d in day],
            "month": [d.month for d in day],
            "first": first,
            "last": last,
            "name": [f"{a} {b}" for a, b in zip(first, last, strict=True)],
            "label": [f"{b.upper()}" for b in last],
            "code": [f"{b[:2]}/{n}" for b, n in zip(last, random.integers(100, 999, size), strict=True)],
        }
    )
    assert found_in(table) == {
        "paid = price·(1 − discount)",
        "nights = days(left − entered)",
        "due = entered + 30 days",
        "month = month(entered)",
        'name = first + " " + last',
        "label = upper(last)",
        "code = first 2 of last + …",
    }


def test_what_is_copied_is_found_whatever_its_type():
    random = np.random.default_rng(1)
    number, text = random.integers(0, 10_000, 100), [f"n{i}" for i in random.integers(0, 10_000, 100)]
    table = pa.table({"id": number, "same": number, "text": text, "again": text})
    roles = {name: ColumnRole(name, Role.IDENTIFIER, "so") for name in ("id", "same")}
    assert found_in(table, roles) == {"same = id", "again = text"}


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_found_where_columns_have_nothing_to_do_with_each_other(seed: int):
    random = np.random.default_rng(seed)
    size = int(random.choice([15, 60, 800]))
    few = {f"few{i}": random.integers(0, 2 + i, size) for i in range(8)}
    flags = {f"flag{i}": random.integers(0, 2, size) * (i + 1) for i in range(4)}
    money = {f"money{i}": np.round(random.gamma(2, 30, size), 2) for i in range(6)}
    rare = {f"rare{i}": np.where(random.random(size) < 0.01, 5, 0) for i in range(3)}
    texts = {f"text{i}": random.choice(["a", "ab", "b", "ba"], size) for i in range(3)}
    assert found_in(pa.table(few | flags | money | rare | texts)) == set()


def test_columns_that_are_left_out_are_none_of_its_rows():
    """They are in a table's schema, and not among the rows that a step looks at."""
    table = pa.table({"net": [10, 25, 40, 70] * 9, "vat": [1, 2, 4, 7] * 9, "gross": [11, 27, 44, 77] * 9})
    known = schema_of("t", table.schema, "here")
    number = Column("number", LogicalType.INTEGER, ordered=True, profiled=False)
    with_number = replace(known, columns=(*known.columns, number))
    assert find_equations(table, with_number, {}) == find_equations(table, known, {})


def test_a_table_without_rows_or_columns_has_none():
    assert found_in(pa.table({})) == set()
    assert found_in(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.float64())})) == set()
    assert found_in(pa.table({"a": [1, 2], "b": [None, None], "c": [1.0, 2.0]})) == set()


@pytest.mark.filterwarnings("error")
def test_the_largest_doubles_end_in_no_warning():
    random = np.random.default_rng(13)
    size = 200
    big = np.where(random.random(size) < 0.5, 1.7e308, random.choice([1e300, -1e300, 5e-324, 0.0], size))
    odd = np.where(random.random(size) < 0.2, np.inf, random.integers(1, 99, size) / 10)
    whole = random.integers(1, 9, size)
    most = random.choice([2**63 - 1, -(2**63), 5], size)
    table = pa.table({"whole": whole, "twice": 2 * whole, "big": big, "half": big / 2, "odd": odd, "most": most})
    assert "twice = 2·whole" in {m.constraint.text for m in find_equations(table, schema_of("t", table.schema, ""), {})}
