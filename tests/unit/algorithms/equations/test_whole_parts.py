"""How many parts there are, whole ones and begun ones: found with the unit, and not where nothing is left over."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.algorithms.equations.judging import judge
from profiling_core.algorithms.equations.repairs import wanted
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.ingest.infer import schema_of
from profiling_core.model.expression import Precision, WholeParts
from profiling_core.model.kinds.equation import Equation


def found_in(table: pa.Table) -> set[str]:
    schema = schema_of("t", table.schema, "here")
    return {one.constraint.text for one in find_equations(table, schema, infer_roles(table, schema))}


def test_boxes_begun_full_boxes_and_minutes_begun():
    random = np.random.default_rng(3)
    pieces, each = random.integers(1, 900, 900), random.choice([6, 10, 12, 24], 900)
    seconds, days = random.integers(1, 9_000, 900), random.integers(1, 90, 900)
    table = {
        "pieces": pieces,
        "per_box": each,
        "boxes": -(-pieces // each),
        "full": pieces // each,
        "seconds": seconds,
        "minutes": -(-seconds // 60),
        "days": days,
        "weeks": days // 7,
        "noise": random.integers(0, 40, 900),
    }
    assert found_in(pa.table(table)) == {
        "boxes = ⌈pieces / per_box⌉",
        "full = ⌊pieces / per_box⌋",
        "minutes = ⌈seconds / 60⌉",
        "weeks = ⌊days / 7⌋",
    }


def test_what_leaves_no_rest_is_a_ratio():
    random = np.random.default_rng(4)
    boxes, each = random.integers(1, 90, 600), random.choice([6, 10, 12, 24], 600)
    texts = found_in(pa.table({"pieces": boxes * each, "per_box": each, "boxes": boxes}))
    assert texts
    assert not [text for text in texts if "⌈" in text or "⌊" in text]


@pytest.mark.parametrize("percent", [5, 7, 10, 13, 20])
def test_what_doubles_alone_divide_with_a_rest_has_none(percent: int):
    random = np.random.default_rng(5)
    net = random.choice([89, 99, 139, 159, 249], 500) * random.integers(1, 8, 500)
    tax, total = (pa.array([Decimal(share * n) / 100 for n in net.tolist()]) for share in (percent, 100 + percent))
    assert found_in(pa.table({"net": net, "tax": tax, "total": total})) == {
        f"tax = {percent / 100:.2g}·net",
        "total = net + tax",
    }


def test_decimals_are_parted_exactly_and_rows_say_what_they_should_be():
    rows = pa.table(
        {
            "paid": pa.array([Decimal("0.30"), Decimal("0.31"), Decimal("0.30"), None], pa.decimal128(5, 2)),
            "coins": pa.array([3, 4, 4, 1]),
        }
    )
    coins = Equation("t", "coins", WholeParts("paid", "", "0.1"), Precision(0))
    found = judge(coins, rows)
    assert found.judged.tolist() == [True, True, True, False]
    assert found.violating.tolist() == [False, False, True, False]
    assert wanted(coins, rows)[:2] == ["3", "4"]
