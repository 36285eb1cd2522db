"""After any sequence of deltas the maintained evidence and cover equal those of the final table, and the oracle's."""

import hypothesis.strategies as st
import numpy as np
from helpers.constraints import arrow
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import denial, dependencies
from oracle import predicates as naive
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.dependencies.agree_sets.agreement import agree_sets
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.evidence.multiset import combine, cross_evidence, ordered_masks, self_evidence
from profiling_core.algorithms.ground.mask_table import only_in
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.model.constraint import Kind
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics
from profiling_core.spark.evidence import block_pairs, empty_evidence


@st.composite
def histories(draw):
    """A schema, the first rows, and deltas of inserted rows and positions of deleted ones."""
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4, unique_by=lambda c: c.name))
    cells = [st.sampled_from(DOMAINS[column.type]) for column in columns]
    row = st.fixed_dictionaries({column.name: cell for column, cell in zip(columns, cells, strict=True)})
    delta = st.tuples(st.lists(row, max_size=3), st.lists(st.integers(0, 30), max_size=3))
    first = draw(st.lists(row, max_size=6))
    return TableSchema("r", tuple(columns)), first, draw(st.lists(delta, min_size=1, max_size=3))


def tiles(blocks, schema, space):
    """The signed evidence of kept, inserted and deleted blocks, tile by tile as the Spark tasks compute it."""
    parts = [(empty_evidence(space), 1)]
    for tile in block_pairs({tag: len(found) for tag, found in blocks.items()}):
        sides = encode_together([arrow(blocks[tag][block], schema) for tag, block in tile], space)
        sign = -1 if any(tag == "D" for tag, _ in tile) else 1
        count = self_evidence if len(sides) == 1 else cross_evidence
        parts.append((count(*sides, space, threads=1), sign))
    return combine(parts)


def blocks_of(rows, size):
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def maintained_cover(cover, before, after, space, bound):
    old, new = ordered_masks(before, space)[0], ordered_masks(after, space)[0]
    if len(only_in(old, new)) or not len(old):
        return inversion.minimal_cover(new, space, max_predicates=bound)
    return updating.refine(cover, only_in(new, old), space, max_predicates=bound)


@settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    history=histories(),
    nulls=st.sampled_from(NullSemantics),
    cross=st.booleans(),
    bound=st.sampled_from([2, 3]),
    size=st.integers(1, 3),
)
def test_deltas_equal_discovery_from_scratch(history, nulls, cross, bound, size):
    schema, first, deltas = history
    space = naive.predicate_space(schema, first, nulls, cross=cross)
    rows = list(first)
    evidence = tiles({"I": blocks_of(rows, size)}, schema, space)
    cover = inversion.minimal_cover(ordered_masks(evidence, space)[0], space, max_predicates=bound)
    for inserted, positions in deltas:
        gone = {p % len(rows) for p in positions} if rows else set()
        deleted = [row for i, row in enumerate(rows) if i in gone]
        kept = [row for i, row in enumerate(rows) if i not in gone]
        before = evidence
        parts = {"I": blocks_of(inserted, size), "D": blocks_of(deleted, size), "K": blocks_of(kept, size)}
        evidence = combine([(before, 1), (tiles(parts, schema, space), 1)])
        cover = maintained_cover(cover, before, evidence, space, bound)
        rows = kept + inserted

    (encoded,) = encode_together([arrow(rows, schema)], space)
    fresh = self_evidence(encoded, space)
    assert np.array_equal(fresh.keys, evidence.keys)
    assert np.array_equal(fresh.counts, evidence.counts)
    assert sorted(cover) == denial.set_minimal_cover(naive.evidence(rows, space), space, bound)
    found = from_agree_sets.dependencies(agree_sets(evidence, space), CoverBounds(bound, bound))
    fds, uccs = ([m for m in found if m.constraint.kind is kind] for kind in (Kind.FD, Kind.UCC))
    assert {(m.constraint.lhs.columns, m.constraint.rhs.columns[0]) for m in fds} == set(
        dependencies.functional_dependencies(rows, schema, nulls, max_lhs=bound)
    )
    assert {m.constraint.lhs.columns for m in uccs} == set(
        dependencies.unique_column_combinations(rows, schema, nulls, max_columns=bound)
    )
