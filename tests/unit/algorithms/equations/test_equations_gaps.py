"""Equations of columns with gaps: none where there are no gaps, none by chance."""

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


def test_a_table_without_gaps_has_no_samples_with_noughts():
    numbers = {name: numbers_of(pa.chunked_array([pa.array(range(50))])) for name in "ab"}
    assert list(gapped_samples(numbers, {name: written_form(n) for name, n in numbers.items()})) == []


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_found_by_chance_in_columns_with_gaps_and_codes(seed: int):
    random = np.random.default_rng(seed)
    size = int(random.integers(30, 900))
    counts = {f"n{i}": nulls(random, random.integers(0, 6, size), random.choice([0, 0.5, 0.95])) for i in range(6)}
    money = {f"m{i}": nulls(random, random.integers(1, 9_999, size), random.choice([0, 0.7])) for i in range(6)}
    codes = {f"c{i}": [f"{v:06}" for v in random.integers(0, 10**6, size)] for i in range(3)}
    when = {f"d{i}": days(random, size) for i in range(4)}
    assert found_in(pa.table(counts | money | codes | when)) == set()
