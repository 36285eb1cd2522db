"""Equations are found where a table has them, told once, and not found where it has none."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers.found import equations_in as found_in

from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType


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
