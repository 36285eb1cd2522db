"""Codes that begin as other columns do."""

import random

import pyarrow as pa
from helpers.found import equations_in

from profiling_core.algorithms.equations.beginnings import beginnings

GIVEN = ["Ada", "Ben", "Cora", "Dan", "Eve", "Jürgen"]
FAMILY = ["Abbot", "Baker", "Cole", "Dunn", "Ellis", "Öztürk"]


def found_in(columns: dict[str, list]) -> set[str]:
    return equations_in(pa.table(columns))


def people(size: int = 200) -> dict[str, list]:
    rng = random.Random(7)
    return {
        name: [rng.choice(values) for _ in range(size)] for name, values in {"given": GIVEN, "family": FAMILY}.items()
    }


def test_columns_without_text_begin_nothing():
    assert not list(beginnings({"a": ["x", None, ""]}, {"a": ["x", None, ""], "b": [None, None, None]}))
