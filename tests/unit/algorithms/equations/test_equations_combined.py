"""Sums of products are looked for in columns that nothing else tells."""

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.equations.combined import sums_of_products
from profiling_core.algorithms.equations.sample import numeric_columns, samples, written_form

ROWS = 800


def sample_of(columns: dict):
    table = pa.table(columns)
    numbers = numeric_columns(table, table.column_names)
    (sample,) = samples(numbers, {name: written_form(one) for name, one in numbers.items()})
    return sample


def test_columns_that_are_told_are_not_looked_for_again():
    random = np.random.default_rng(5)
    b, c, d = (random.integers(1, 90, ROWS) for _ in range(3))
    sample = sample_of({"a": b * c - d, "b": b, "c": c, "d": d})
    assert {one.column for one in sums_of_products(sample, ())} == {"a", "d"}
    assert {one.column for one in sums_of_products(sample, ("a",))} == {"d"}
