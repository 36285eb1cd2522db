"""Sums of what is there, distances, products of three and dates in codes are found where a table has them."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import equations_in as found_in

from profiling_core.algorithms.equations.gaps import gapped_samples
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.equations.sample import written_form

SIZE = 500


def nulls(random: np.random.Generator, values: np.ndarray, share: float) -> pa.Array:
    return pa.array(values, mask=random.random(len(values)) < share)


def days(random: np.random.Generator, size: int = SIZE) -> list[date]:
    return [date(2022, 1, 3) + timedelta(days=int(d)) for d in random.integers(0, 900, size)]


@pytest.mark.parametrize("share", [0.3, 0.97])
def test_a_fee_that_few_pay_counts_as_nought_elsewhere(share: float):
    random = np.random.default_rng(1)
    net, rebate = random.integers(1_000, 90_000, SIZE), random.integers(1, 900, SIZE)
    fee = nulls(random, random.integers(5, 400, SIZE), share)
    total = net - rebate + np.array([value or 0 for value in fee.to_pylist()])
    table = pa.table({"net": net, "rebate": rebate, "fee": fee, "total": total})
    assert found_in(table) == {"total = net − rebate + (fee or 0)"}


def test_what_is_filled_in_after_a_state_is_summed_up_where_it_is():
    random = np.random.default_rng(2)
    gross, duty = random.integers(1_000, 90_000, SIZE), nulls(random, random.integers(5, 400, SIZE), 0.7)
    net = gross + np.array([value or 0 for value in duty.to_pylist()])
    open_ = random.random(SIZE) < 0.4
    table = pa.table({"gross": pa.array(gross, mask=open_), "duty": duty, "net": pa.array(net, mask=open_)})
    assert found_in(table) == {"net = gross + (duty or 0)"}


def test_a_table_without_gaps_has_no_samples_with_noughts():
    numbers = {name: numbers_of(pa.chunked_array([pa.array(range(50))])) for name in "ab"}
    assert list(gapped_samples(numbers, {name: written_form(n) for name, n in numbers.items()})) == []


def test_products_of_three_with_noughts_and_percentages():
    random = np.random.default_rng(4)
    seats, price, months = random.integers(1, 60, SIZE), random.integers(0, 90, SIZE), random.choice([1, 3, 12], SIZE)
    points = random.choice([0, 5, 20, 25], SIZE)
    table = pa.table({"seats": seats, "price": price, "months": months, "list": seats * price * months})
    assert found_in(table) == {"list = seats·price·months"}
    table = table.drop_columns(["list", "months"]).append_column("points", pa.array(points))
    rebate = np.rint(seats * price * points) / 100
    assert found_in(table.append_column("rebate", pa.array(rebate))) == {"rebate = 0.01·seats·price·points"}


@pytest.mark.parametrize(
    ("pattern", "code", "text"),
    [
        ("%Y%m", "INV-{0}-{1:05}", "4 characters + YYYYMM(day) + …"),
        ("%y%m%d", "{0}{1:04}", "YYMMDD(day) + …"),
        ("%G-W%V", "L{0}.{1}", "1 character + IYYY-WIW(day) + …"),
        ("%Y", "{2}/{0}", "… + YYYY(day)"),
        ("%d%m%y", "{2}-{0}-{1:03}", "… + DDMMYY(day) + 4 characters"),
    ],
)
def test_codes_have_dates_written_into_them(pattern: str, code: str, text: str):
    random = np.random.default_rng(5)
    when, numbers = days(random), random.permutation(SIZE)
    words = random.choice(["A", "BC", "DEF"], SIZE)
    codes = [code.format(d.strftime(pattern), n, w) for d, n, w in zip(when, numbers, words, strict=True)]
    table = pa.table({"code": codes, "day": when, "other": random.permutation(when)})
    assert found_in(table) == {f"code = {text}"}


def test_whole_numbers_have_days_in_them_and_one_date_is_told():
    random = np.random.default_rng(6)
    when = days(random)
    numbers = [int(f"{d:%Y%m%d}{n:05}") for n, d in enumerate(when)]
    later = [d + timedelta(days=1) for d in when]
    table = pa.table({"order": numbers, "day": when, "later": later})
    assert found_in(table) == {"order = YYYYMMDD(day) + …", "later = day + 1 day"}


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_found_by_chance_in_columns_with_gaps_and_codes(seed: int):
    random = np.random.default_rng(seed)
    size = int(random.integers(30, 900))
    counts = {f"n{i}": nulls(random, random.integers(0, 6, size), random.choice([0, 0.5, 0.95])) for i in range(6)}
    money = {f"m{i}": nulls(random, random.integers(1, 9_999, size), random.choice([0, 0.7])) for i in range(6)}
    codes = {f"c{i}": [f"{v:06}" for v in random.integers(0, 10**6, size)] for i in range(3)}
    when = {f"d{i}": days(random, size) for i in range(4)}
    assert found_in(pa.table(counts | money | codes | when)) == set()
