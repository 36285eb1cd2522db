"""Which inclusions of several columns hold, told of numbered values: as counting combinations tells."""

import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.inclusions.attribute_clustering import discover
from profiling_core.algorithms.inclusions.pruning import NumberedTables
from profiling_core.ingest.infer import schema_of


@pytest.mark.parametrize("seed", range(12))
def test_leaving_out_what_does_not_hold_changes_nothing(seed):
    rng = random.Random(seed)
    tables = {name: made(rng, rng.randint(0, 120)) for name in "abc"}
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    counted = discover(tables, schemas, values="typed", max_arity=3)
    holding = NumberedTables.of(tables, schemas).holding
    pruned = discover(tables, schemas, values="typed", max_arity=3, holding=holding)
    assert pruned.inclusions == counted.inclusions
    longer = [m.constraint for m in counted.inclusions if len(m.constraint.columns) > 1]
    assert holding(longer) == longer


def made(rng, rows):
    """Three columns of few whole numbers, some of them fractions, and one of texts."""
    numbers = [[rng.choice([*range(rng.randint(1, 3)), None]) for _ in range(rows)] for _ in range(3)]
    texts = [rng.choice(["x", "y", None]) for _ in range(rows)]
    types = [pa.int64(), rng.choice([pa.int64(), pa.float64()]), pa.int64(), pa.string()]
    return pa.table({f"c{i}": pa.array(v, t) for i, (v, t) in enumerate(zip([*numbers, texts], types, strict=True))})
