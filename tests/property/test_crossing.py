"""Given rows held against all others: a pair of each conjunction that any satisfies is found, and no other one."""

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import predicates as naive
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.denial.indexed import crossing
from profiling_core.algorithms.denial.indexed.crossing import Crossing
from profiling_core.algorithms.denial.indexed.rows import TableRows
from profiling_core.algorithms.ground.bit_words import masks_of
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

# Given rows: more than a machine word has bits, and sometimes more than are met together.
GIVEN = st.one_of(st.integers(1, 80), st.just(crossing._TOGETHER + 70))


@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(data=st.data(), nulls=st.sampled_from(NullSemantics), cross=st.booleans())
def test_a_pair_of_each_conjunction_that_has_one_is_found(data, nulls, cross):
    columns = data.draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique_by=lambda c: c.name))
    chance = data.draw(st.randoms(use_true_random=False))
    size, new = data.draw(st.integers(1, 30)), data.draw(GIVEN)
    rows = [{c.name: chance.choice(list(DOMAINS[c.type])) for c in columns} for _ in range(size + new)]
    schema = TableSchema("r", tuple(columns))
    space = naive.predicate_space(schema, rows, nulls, cross=cross)
    if not space.groups:
        return
    arrow = pa.Table.from_pylist(rows, schema=pa.schema({c.name: arrow_type(c) for c in columns}))
    table = TableRows.none(space, arrow.schema).with_rows(arrow.slice(0, size), np.arange(size))
    table = table.with_rows(arrow.slice(size), np.arange(size, size + new))
    gone = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=4, unique=True)), np.int64)
    table = table.without(np.sort(gone)).indexed([])
    ids, labels = table.labels_of(np.arange(size, size + new))
    dcs = data.draw(
        st.lists(
            st.lists(st.integers(0, len(space.predicates) - 1), min_size=1, max_size=4, unique=True).map(sorted),
            min_size=1,
            max_size=6,
        )
    )
    conjunctions = [(role, tuple(dc)) for role in "ts" for dc in dcs]
    crossed = Crossing.of(labels, ids, table.segments[0], table._groups, conjunctions)
    needed = masks_of([dc for _, dc in conjunctions], 1 + (len(space.predicates) - 1) // 64)
    for segment in table.segments:
        assert crossed.seconds(segment) >= 0
        alive = np.flatnonzero(segment.alive)
        own, places = (side.ravel() for side in np.meshgrid(np.arange(len(ids)), alive, indexing="ij"))
        apart = ids[own] != segment.ids[places]
        own, places = own[apart], places[apart]
        satisfied = _satisfied(table, labels, ids, segment, (own, places), conjunctions, needed)
        pairs = crossed.pairs(segment, 2)
        found = _satisfied(table, labels, ids, segment, tuple(pairs.T), conjunctions, needed)
        assert (satisfied.any(axis=0) == found.any(axis=0)).all()
        assert found.any(axis=1).all()
        assert not np.isin(pairs[:, 1], np.setdiff1d(np.arange(len(segment.ids)), alive)).any()


def _satisfied(table, labels, ids, segment, pairs, conjunctions, needed):
    """bool[pairs, conjunctions]: by the evidence of each pair and its mirror."""
    own, places = pairs
    both = np.column_stack([ids[own], segment.ids[places]])
    masks = table.pairs_of(labels[:, own], segment.codes[:, places], both).masks
    sides = [masks[0::2] if role == "t" else masks[1::2] for role, _ in conjunctions]
    return np.column_stack([(side & need == need).all(axis=1) for side, need in zip(sides, needed, strict=True)])
