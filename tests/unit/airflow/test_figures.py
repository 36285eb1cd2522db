"""Rows per delta, as the pages show them."""

from dataclasses import replace

import pytest

from profiling_core.airflow.ui import figures
from profiling_core.airflow.ui.figures import DeltaRows, rows_per_delta
from profiling_core.model.finding import REJECTS, Finding
from profiling_core.model.incident import Incident, IncidentStatus

FINDING = Finding(REJECTS, "passes", "d9", "are rejected", count=26)
INCIDENT = Incident(1, "passes", IncidentStatus.OPEN, "", "d8", "d9", 6, (FINDING,))


@pytest.mark.parametrize("own", [0, 26])
def test_rows_of_a_delta_count_once_however_many_versions_have_its_label(monkeypatch, own):
    """The first versions are those of the other tables, the second those of the one whose deltas had waited."""
    shown = [DeltaRows(6, "d8", 0), DeltaRows(7, "d9", 0), DeltaRows(8, "d8", 14), DeltaRows(9, "d9", own)]
    monkeypatch.setattr(figures, "deltas_that_show", lambda *_: shown)
    assert rows_per_delta("resort", INCIDENT, {}) == [shown[2], replace(shown[3], rows=26)]
