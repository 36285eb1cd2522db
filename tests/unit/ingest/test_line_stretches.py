"""Stretches of rows on consecutive lines, as readers give them chunk by chunk."""

from itertools import pairwise

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.ingest.line_stretches import MOST_STRETCHES, Stretches
from profiling_core.model.origin import BEGINS, IDS, Origins


@settings(deadline=None)
@given(st.lists(st.integers(1, 3), max_size=60), st.lists(st.integers(0, 60), max_size=3))
def test_each_row_is_on_the_line_that_it_was_read_from(steps, cuts):
    lines = [1 + sum(steps[: i + 1]) for i in range(len(steps))]
    found, bounds = Stretches(), sorted({0, len(lines), *(c for c in cuts if c < len(lines))})
    for first, end in pairwise(bounds):
        found.add(first, pa.array(lines[first:end], pa.int64()))
    begins = [[row, 0, line] for row, line in found.begins]
    origins = Origins({"d": {"files": [{"path": "f"}], IDS: [0, len(lines)], BEGINS: begins}})
    assert [origins.of(i).line for i in range(len(lines))] == lines
    assert len(begins) == sum(b != a + 1 for a, b in zip([-9, *lines], lines, strict=False))


def test_of_a_file_with_too_many_stretches_the_first_lines_are_known():
    found, lines = Stretches(), list(range(2, 20_000, 2))
    for first in range(0, len(lines), 100):
        found.add(first, pa.array(lines[first : first + 100], pa.int64()))
    assert len(found.begins) == MOST_STRETCHES + 1
    assert found.begins[-2:] == [(999, 2_000), (1_000, 0)]
