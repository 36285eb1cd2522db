"""Rows in any layout are compared by the code that was compiled ahead for one."""

import numpy as np
import pytest

from profiling_core.algorithms.evidence import predicate_space, tile_kernel
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("rows", [1, 2, 300])
def test_positions_are_found_by_one_code(rows):
    schema = TableSchema("t", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in "ab"))
    space = predicate_space.build(schema, NullSemantics.SQL, cross=False, shared={})
    codes = np.random.default_rng(1).integers(0, 50, (2, rows)).astype(np.int32)
    found = [self_evidence(Encoded(("a", "b"), np.array(codes, order=layout)), space) for layout in "CF"]
    assert (found[0].keys == found[1].keys).all()
    assert {array.layout for one in tile_kernel.tile_positions.signatures for array in one[:2]} == {"C"}
