"""The way that FDs and UCCs are found by, and that it makes no difference to what is found."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from profiling_core.algorithms.dependencies import choice
from profiling_core.algorithms.dependencies.choice import Way
from profiling_core.model.constraint import Kind
from profiling_core.pipeline.discover import DiscoveryRequest, discover


@pytest.mark.parametrize(
    ("rows", "columns", "way", "why"),
    [
        (0, 5, Way.AGREE_SETS, "0 pairs"),
        (1000, 220, Way.MAINTAINED, "2^220 sets of columns are too many"),
        (32_561, 15, Way.AGREE_SETS, "few enough to compare"),
        (101_985, 10, Way.AGREE_SETS, "1,024 sets of columns are few enough"),
        (336_776, 19, Way.PARTITIONS, "56,708,868,700 pairs of rows are too many"),
    ],
)
def test_the_shape_decides_and_the_reason_says_how(rows, columns, way, why):
    chosen = choice.choose(rows, columns)
    assert chosen.way is way
    assert why in chosen.reason


@pytest.mark.parametrize("kind", [Kind.FD, Kind.UCC])
@pytest.mark.parametrize("max_error", [0.0, 0.02])
@pytest.mark.parametrize("bound", [1, 3, None])
def test_both_ways_find_the_same_in_files(tmp_path: Path, kind, max_error, bound):
    cells = np.random.default_rng(3).integers(0, [2, 3, 5, 9, 20, 300], (300, 6))
    path = tmp_path / "r.csv"
    lines = [",".join("" if value == 1 else str(value) for value in row) for row in cells]
    path.write_text("\n".join(["a,b,c,d,e,f", *lines]) + "\n", encoding="utf-8")
    request = DiscoveryRequest(kind=kind, max_error=max_error, max_predicates=bound)
    told: list[str] = []
    by_pairs = discover([path], request, told.append).constraints
    with patch.object(choice, "MOST_PAIRS", 100), patch.object(choice, "FEW_COLUMNS", 2):
        by_partitions = discover([path], request, told.append).constraints
    assert by_partitions == by_pairs
    assert any("by agree sets" in line for line in told)
    assert any("by partitions" in line for line in told)
