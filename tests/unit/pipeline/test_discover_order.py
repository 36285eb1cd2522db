"""The order in which one-shot discovery lists what it has found."""

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import measure, ordered_masks, self_evidence
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.pipeline import discover_order

ROWS, COLUMNS = 60, 10


@pytest.fixture(scope="module")
def discovered():
    """A table of chance values, in which nothing is a rule but ``c1 → c0``, and all that holds on it."""
    drawn = np.random.default_rng(1)
    values = {f"c{c}": drawn.integers(0, 11 + c, ROWS) for c in range(1, COLUMNS)}
    table = pa.table({"c0": values["c1"] * 5 % 7, **values})
    schema = TableSchema("t", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in table.column_names))
    space = predicate_space.build(schema, NullSemantics.SQL, cross=False, shared={})
    evidence = self_evidence(encode(table, space), space)
    dcs = cover.reduced_cover_of(ordered_masks(evidence, space)[0], space, max_predicates=4)
    return measure(evidence, space, cover.constraints(dcs, space), ROWS), table, schema, space


def test_all_that_was_found_is_listed_once_with_its_figures(discovered, monkeypatch):
    found, *rest = discovered
    monkeypatch.setattr(discover_order, "_RANKED", len(found) // 2)
    monkeypatch.setattr(discover_order, "_COMPARED", len(found) // 4)
    monkeypatch.setattr(discover_order, "_SAMPLED", ROWS // 3)
    listed = discover_order.best_first(found, *rest)
    assert sorted(listed, key=lambda m: m.constraint.text) == sorted(found, key=lambda m: m.constraint.text)


def test_a_rule_comes_before_what_holds_by_chance(discovered):
    found, *rest = discovered
    assert len(found) > 100
    assert discover_order.best_first(found, *rest)[0].constraint.text == "{c1} → c0"
