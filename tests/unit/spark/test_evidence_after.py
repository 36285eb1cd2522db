"""The evidence multiset after a delta: from the one before, or from all rows where fewer pairs are left than go."""

import random

import numpy as np
import pytest
from helpers.stored import stored_rows
from pyroaring import BitMap64

from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.spark.evidence import RowDelta, empty_evidence, evidence_after

SCHEMA = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in "abc"))
SPACE = predicate_space.build(SCHEMA, NullSemantics.SQL, cross=False)


def evidence_of(rows):
    return self_evidence(encode(rows.read(SCHEMA.names), SPACE), SPACE)


@pytest.mark.parametrize(("gone", "anew"), [(0, False), (29, False), (30, True), (100, True)])
@pytest.mark.parametrize("came", [0, 40])
def test_it_is_that_of_all_rows_whether_few_or_most_pairs_go(tmp_path, gone, anew, came):
    chance = random.Random(gone)  # test data
    made = [(i, *(chance.choice([None, *range(4)]) for _ in SCHEMA.names)) for i in range(100 + came)]
    stored = stored_rows(None, tmp_path, SCHEMA, made[:100])
    delta = RowDelta(
        stored.without(BitMap64(range(gone))),
        stored_rows(None, tmp_path, SCHEMA, made[100:]),
        stored_rows(None, tmp_path, SCHEMA, made[:gone]),
        came,
        gone,
    )
    size, expected = 100 - gone + came, evidence_of(delta.later)
    after = evidence_after(evidence_of(stored), delta, SPACE, size)
    assert np.array_equal(after.keys, expected.keys)
    assert np.array_equal(after.counts, expected.counts)
    # Where it is found anew, what was before takes no part.
    unaware = evidence_after(empty_evidence(SPACE), delta, SPACE, size)
    assert np.array_equal(unaware.counts, expected.counts) == anew
