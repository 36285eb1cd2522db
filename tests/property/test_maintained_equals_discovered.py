"""After any sequence of deltas the maintained evidence and cover equal those of the final table, and the oracle's."""

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from oracle import denial
from oracle import predicates as naive

from profiling_core.algorithms import inversion, predicate_space
from profiling_core.algorithms.encoding import encode_together
from profiling_core.algorithms.evidence import combine, cross_evidence, ordered_masks, self_evidence
from profiling_core.maintain.table import only_in
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.spark.evidence import block_pairs, empty_evidence

SCHEMA = TableSchema(
    "r",
    (
        Column("a", LogicalType.INTEGER, ordered=True),
        Column("b", LogicalType.FLOAT, ordered=True),
        Column("c", LogicalType.STRING, ordered=False),
        Column("d", LogicalType.INTEGER, ordered=False),
    ),
)
ARROW = pa.schema({"a": pa.int64(), "b": pa.float64(), "c": pa.string(), "d": pa.int64()})
ROW = st.fixed_dictionaries(
    {
        "a": st.sampled_from([None, 0, 1, 2]),
        "b": st.sampled_from([None, -0.0, 0.0, 1.0, 2.5, float("nan")]),
        "c": st.sampled_from([None, "x", "X", "ä"]),
        "d": st.sampled_from([0, 1]),
    }
)
DELTA = st.tuples(st.lists(ROW, max_size=3), st.lists(st.integers(0, 30), max_size=3))


def arrow(rows):
    return pa.Table.from_pylist(rows, schema=ARROW)


def tiles(blocks, space):
    """The signed evidence of kept, inserted and deleted blocks, tile by tile as the Spark tasks compute it."""
    parts = [(empty_evidence(space), 1)]
    for tile in block_pairs({tag: len(found) for tag, found in blocks.items()}):
        sides = encode_together([arrow(blocks[tag][block]) for tag, block in tile], space)
        sign = -1 if any(tag == "D" for tag, _ in tile) else 1
        inner = self_evidence(sides[0], space, threads=1) if len(sides) == 1 else None
        parts.append((inner or cross_evidence(sides[0], sides[1], space, threads=1), sign))
    return combine(parts)


def blocks_of(rows, size):
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def maintained_cover(cover, before, after, space, bound):
    old, new = ordered_masks(before, space)[0], ordered_masks(after, space)[0]
    if len(only_in(old, new)) or not len(old):
        return inversion.minimal_cover(new, space, max_predicates=bound)
    return inversion.refine(cover, only_in(new, old), space, max_predicates=bound)


@settings(max_examples=700, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    first=st.lists(ROW, max_size=6),
    deltas=st.lists(DELTA, min_size=1, max_size=3),
    nulls=st.sampled_from(NullSemantics),
    cross=st.booleans(),
    bound=st.sampled_from([2, 3]),
    size=st.integers(1, 3),
)
def test_deltas_equal_discovery_from_scratch(first, deltas, nulls, cross, bound, size):
    shared = predicate_space.shared_fractions(arrow(first), SCHEMA)
    space = predicate_space.build(SCHEMA, nulls, cross=cross, shared=shared)
    rows = list(first)
    evidence = tiles({"I": blocks_of(rows, size)}, space)
    cover = inversion.minimal_cover(ordered_masks(evidence, space)[0], space, max_predicates=bound)
    for inserted, positions in deltas:
        gone = {p % len(rows) for p in positions} if rows else set()
        deleted = [row for i, row in enumerate(rows) if i in gone]
        kept = [row for i, row in enumerate(rows) if i not in gone]
        before = evidence
        parts = {"I": blocks_of(inserted, size), "D": blocks_of(deleted, size), "K": blocks_of(kept, size)}
        evidence = combine([(before, 1), (tiles(parts, space), 1)])
        cover = maintained_cover(cover, before, evidence, space, bound)
        rows = kept + inserted

    (encoded,) = encode_together([arrow(rows)], space)
    fresh = self_evidence(encoded, space)
    assert np.array_equal(fresh.keys, evidence.keys)
    assert np.array_equal(fresh.counts, evidence.counts)
    assert sorted(cover) == denial.set_minimal_cover(naive.evidence(rows, space), space, bound)
