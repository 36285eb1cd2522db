"""Codes that begin as other columns do."""

import random

import pyarrow as pa
from helpers.found import equations_in

from profiling_core.algorithms.equations.beginnings import beginnings


def found_in(columns: dict[str, list]) -> set[str]:
    return equations_in(pa.table(columns))


def test_columns_without_text_begin_nothing():
    assert not list(beginnings({"a": ["x", None, ""]}, {"a": ["x", None, ""], "b": [None, None, None]}))


def test_a_number_that_stands_in_a_code_has_all_digits_that_the_code_gives_it():
    rng = random.Random(13)
    numbers = [rng.randrange(1, 60) for _ in range(200)]
    columns = {"number": numbers, "isrc": [f"{rng.choice(['GBFTM', 'USCLH'])}9{n:05}" for n in numbers]}
    assert found_in(columns) == {"number = last 5 of isrc"}


def test_a_column_with_one_value_wherever_there_is_a_code_is_no_part_of_the_code():
    rng = random.Random(17)
    paid = [rng.choice("YN") for _ in range(300)]
    numbers = [*range(1, 301)]
    codes = [f"PAY{n:05}" if one == "Y" else None for n, one in zip(numbers, paid, strict=True)]
    assert found_in({"number": numbers, "paid": paid, "payee": codes}) == {'payee = "PAY" + number to 5 digits'}
