"""How long a search would take is said before it, where that is longer than there is time."""

import random
from pathlib import Path

import pytest

from profiling_core.algorithms.budget import Budget
from profiling_core.pipeline.discover_rules import discover_rules
from profiling_core.pipeline.discovery_request import DiscoveryRequest


@pytest.mark.parametrize(("columns", "is_said"), [(60, True), (3, False)])
def test_time_that_a_wide_table_would_take_is_said_first(tmp_path: Path, columns: int, is_said: bool):
    draw, path = random.Random(1), tmp_path / "wide.csv"
    rows = [[f"x{i}" for i in range(columns)], *([str(draw.randrange(99)) for _ in range(columns)] for _ in range(30))]
    path.write_text("\n".join(map(",".join, rows)) + "\n", "utf-8")
    steps: list[str] = []
    discover_rules([path], DiscoveryRequest(), Budget.of(1.0), 20, steps.append, lambda said: steps.append(f"! {said}"))
    told = [place for place, step in enumerate(steps) if step.startswith("! to look at all columns would take about")]
    assert bool(told) is is_said
    assert all("keys" not in step for step in steps[: told[0] if told else 0])
