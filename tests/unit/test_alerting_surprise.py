"""A row constraint that chance would hardly break alerts only when a person asks for it."""

from dataclasses import replace

import pytest
from helpers.steps import DISTANCE, step

from profiling_core.diff.lifecycle import advance
from profiling_core.model.change import Transition
from profiling_core.model.decision import Decided


@pytest.mark.parametrize(("score", "pinned", "alerts"), [(0.5, False, False), (1.5, False, True), (0.5, True, True)])
def test_a_break_alerts_from_the_least_surprise_on(score: float, *, pinned: bool, alerts: bool):
    tracked, _ = advance([], step([DISTANCE], deltas=57, version=1))
    known = [replace(t, score=score) for t in tracked]
    decided = {DISTANCE.constraint.fingerprint: Decided(DISTANCE.constraint, pinned=pinned)}
    broken = replace(step([], [replace(DISTANCE, violations=2)]), least_surprise=1.0, decided=decided)
    _, changes = advance(known, broken)
    assert [(c.transition, c.alerts) for c in changes] == [(Transition.BROKE, alerts)]
