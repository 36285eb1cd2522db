"""Each task's log has one sentence of ours, and a run's note says its delta and what came of it."""

import pytest

from profiling_core.airflow.sentences import note, sentence

CHANGED = {"version": 3, "broke": 3, "recovered": 1, "alerts": 2, "arrived": {"a": {"rejects": 4}}}
NOTHING = {"version": 4, "broke": 0, "arrived": {"a": {"rejects": 0}}, "alerts": 0, "incidents": []}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (CHANGED, "2013-03-01 · 3 broke · 1 recovered · 4 rejected · 2 messages"),
        (NOTHING, "2013-03-01 · nothing broke"),
    ],
)
def test_a_runs_note_says_delta_and_outcome(changed, said):
    assert note("2013-03-01", changed) == said


PLAN = {"pending": {"a": ["d1", "d2"], "b": []}, "waiting": [], "refused": [{"delta": "d0"}]}


@pytest.mark.parametrize(
    ("step", "result", "said"),
    [
        ("plan", PLAN, "To be applied: a: 2 deltas, d1 to d2. Left out: 1 delta refused."),
        ("plan", {"pending": {}, "waiting": [], "refused": []}, "No delta is pending."),
        ("ingest", {"table": "a", "inserts": 1200, "rejects": 3}, "a: 1,200 new, 3 rejected rows."),
        ("ingest", {"table": "a", "inserts": 0}, "a: no row has changed."),
        (
            "ingest",
            {"table": "a", "delta": "d1", "refused": {"what": "no"}},
            "a: delta d1 is refused and waits; the other tables go on.",
        ),
        ("maintain", {"table": "a", "rows": 75, "chosen": ""}, "a: its rules are brought to 75 rows."),
        ("maintain", {"table": "a", "already": "committed"}, "a: already committed."),
        ("commit", {"version": 3, "rows": {"a": 75}}, "Version 3 is committed; rows: a 75."),
        ("diff", NOTHING, "Version 4: every rule that held still holds; 0 incidents going on."),
        ("preview", CHANGED, "Dry run: nothing was changed. It would have been: of the rules 3 broke, 1 recovered."),
        ("emit", {"suites": {"a": 3}}, "Suites are written for 1 table."),
        ("validate", {"checks": 3, "broken_checks": [], "contradictions": []}, "3 checks were run, all as counted."),
        ("alert", {"alerts": {}, "waiting": 0}, "Nothing was to be told."),
        (
            "alert",
            {"alerts": {"k": {"file": "sent", "hook": "failed: TimeoutError"}}, "waiting": 1},
            "1 message to be told; 1 attempt failed; 1 delivery waits.",
        ),
    ],
)
def test_a_step_says_in_a_sentence_what_it_came_to(step, result, said):
    assert sentence(step, result) == said
