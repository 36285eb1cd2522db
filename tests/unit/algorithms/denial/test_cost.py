"""How many evidences a sample lets expect, beside how many the whole table has."""

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.denial.sampled.cost import LOOK, Growth, expected_evidences
from profiling_core.algorithms.denial.sampled.discovery import random_evidences
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.denial.sampled.sampling import Sampling, sample_focused
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

ROWS = 3_000
PAIRS = ROWS * (ROWS - 1) / 2


def table(columns: int, values: int) -> tuple[pa.Table, predicate_space.PredicateSpace]:
    chance = np.random.default_rng(columns)
    names = [f"c{i}" for i in range(columns)]
    rows = pa.table({name: chance.integers(0, values, ROWS) for name in names})
    schema = TableSchema("t", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in names))
    return rows, predicate_space.build(schema, NullSemantics.SQL, cross=False)


@pytest.mark.parametrize(("columns", "values"), [(3, 5), (8, 4), (8, 3_000), (14, 3_000)])
def test_a_quarter_of_the_rows_tells_the_order_of_magnitude(columns, values):
    rows, space = table(columns, values)
    actual = len(self_evidence(encode(rows, space), space))
    expected = expected_evidences(rows.slice(0, ROWS // 4), space, PAIRS)
    assert actual / 4 <= expected <= 4 * actual
    assert expected <= PAIRS


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_sample_of_hardly_any_rows_expects_the_worst(size):
    rows, space = table(3, 5)
    assert expected_evidences(rows.slice(0, size), space, PAIRS) == PAIRS


def test_evidences_that_grow_too_slowly_need_more_pairs_than_there_are_numbers():
    assert Growth(1_000, 50_000, 0.5).needed(4_000) == 50_000 * 16
    assert Growth(1_000, 50_000, 1e-4).needed(4_000) == float("inf")
    assert Growth(1_000, 50_000, 0.0).needed(4_000) == float("inf")


def test_growth_falls_as_evidences_repeat():
    steady, falling = Growth(1_000, 50_000, 0.5), Growth(1_000, 50_000, 0.5, 0.8)
    assert falling.expected(ROWS) < steady.expected(ROWS)
    assert falling.needed(falling.expected(ROWS)) == pytest.approx(PAIRS)
    # All doublings that are to come multiply by 2 to the power of 0.5 · 0.8 / (1 - 0.8) at most.
    assert falling.needed(1_000 * 2**1.9) < float("inf") == falling.needed(1_000 * 2**2.1)


@pytest.mark.parametrize(("columns", "values"), [(4, 3), (6, 3), (8, 3), (4, 3_000), (10, 3_000)])
def test_a_pair_per_row_tells_the_order_of_magnitude(columns, values):
    rows, space = table(columns, values)
    encoded = encode(rows, space)
    known, _ = random_evidences(encoded, space, np.random.default_rng(0), sampling=LOOK)
    actual = len(ordered_masks(self_evidence(encoded, space), space)[0])
    assert actual / 8 <= Growth.of(known).expected(ROWS) <= 8 * actual


def test_foci_that_yield_end_where_they_have_looked_at_enough_pairs():
    rows, space = table(10, 3_000)
    encoded = encode(rows, space)
    looked = []
    for most in (0, ROWS, None):
        known = KnownEvidences(encoded, space)
        sample_focused(known, encoded, space, np.random.default_rng(0), Sampling(most_focused=most, enough=1 << 62))
        looked.append(int(known.seen.sum()) // 2)
    none, one, all_foci = looked
    assert none == 0
    assert ROWS <= one < 2 * ROWS  # a focus looks at a pair per row at most
    assert all_foci > 20 * ROWS
