"""Columns that are never equal: found exactly where chance would have made some rows equal, and said in words."""

import math
import random
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import profiling_core
from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.unequal import find_unequal
from profiling_core.ingest.infer import schema_of
from profiling_core.model.role import Role

CELLS = st.one_of(st.none(), st.integers(0, 3))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=40), st.booleans())
def test_columns_are_unequal_where_chance_would_make_three_rows_equal(rows, apart):
    if apart:
        rows = [(a, b) for a, b in rows if a is None or a != b]
    table = pa.table({name: pa.array([row[i] for row in rows], pa.int64()) for i, name in enumerate("ab")})
    schema = schema_of("t", table.schema, "here")
    coded = CodedTable.of(table, schema, infer_roles(table, schema, dict.fromkeys("ab", Role.REFERENCE)))
    found = [*find_unequal(coded, ENDLESS)]
    both = [(a, b) for a, b in rows if a is not None and b is not None]
    expected = sum((Fraction(sum(a == b for b in (y for _, y in both)), len(both)) for a, _ in both), Fraction(0))
    varied = all(len({row[i] for row in rows} - {None}) > 1 for i in (0, 1))
    told = varied and all(a != b for a, b in both) and expected >= Fraction(math.log(19))
    assert len(found) == told
    if told:
        assert math.isclose(found[0].expected, expected)
        assert found[0].measured.support == len(both)


def test_a_team_never_plays_itself():
    teams, draw = [f"FC {name}" for name in "ABCDEFGH"], random.Random(3)
    games = [draw.sample(teams, 2) for _ in range(300)]
    rows = {"home": [a for a, _ in games], "away": [b for _, b in games], "goals": [draw.randint(0, 5) for _ in games]}
    told = {rule["text"]: rule["words"] for rule in profiling_core.discover(pa.table(rows)).to_dict()["constraints"]}
    assert told["home ≠ away"].endswith("home is never equal to away.")


def test_long_decimals_of_different_scales_compare():
    rows = {"id": range(40), "exact": [Decimal(f"1.{i:018}") for i in range(40)]}
    wide = pa.array([Decimal(f"1234567890123456.{i:02}") for i in range(40)], pa.decimal128(38, 2))
    found = profiling_core.discover(
        pa.table({**rows, "large": wide}).set_column(1, "exact", pa.array(rows["exact"], pa.decimal128(38, 18)))
    )
    assert "unique {id}" in [rule["text"] for rule in found.to_dict()["constraints"]]
