"""How many evidences a sample lets expect, beside how many the whole table has."""

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.denial.sampled.cost import FEWER, Growth, _lasting, expected_evidences
from profiling_core.algorithms.denial.sampled.discovery import sampled_evidences
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.denial.sampled.sampling import (
    USUAL,
    Sampling,
    random_pairs,
    sample_focused,
    sample_randomly,
)
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
    known = KnownEvidences(encoded, space)
    known.observe(next(random_pairs(ROWS, np.random.default_rng(0), USUAL)))
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


@pytest.mark.parametrize("rows", [2, 7, ROWS, 50_000])
def test_random_pairs_begin_with_a_partner_of_each_row(rows):
    portions = list(random_pairs(rows, np.random.default_rng(0), USUAL))
    wanted = min(20 * rows, 400_000)
    assert len(portions[0]) == wanted // 20
    t, s = np.concatenate(portions).T
    assert len(t) == wanted
    assert (t != s).all()
    assert min(t.min(), s.min()) >= 0
    assert max(t.max(), s.max()) < rows
    assert not list(random_pairs(1, np.random.default_rng(0), USUAL))


def test_what_a_look_has_seen_is_the_beginning_of_hydras_sample():
    rows, space = table(4, 3)
    encoded = encode(rows, space)
    known, portions = KnownEvidences(encoded, space), random_pairs(ROWS, np.random.default_rng(0), USUAL)
    known.observe(next(portions))
    looked = len(known)
    sample_randomly(known, portions, USUAL.evidences(ROWS))
    whole, _ = sampled_evidences(encoded, space)
    assert 0 < looked <= len(known)
    assert (whole.masks[: len(known)] == known.masks).all()


def test_covers_fall_on_as_they_fell():
    assert _lasting(50, 100, FEWER) == 0.5  # the same growth of evidences again
    assert _lasting(50, 100, FEWER**2) == 0.25
    assert _lasting(50, 100, 1.0) == 1.0
    assert _lasting(100, 50, FEWER) == 1.0
    assert _lasting(0, 0, FEWER) == 0.0
