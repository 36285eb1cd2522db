"""The demo's days without an Airflow: what two months of flights say is followed, and told when it breaks."""

import shutil
from pathlib import Path

import pytest

from profiling_core.cli.demo import BOOTSTRAP, DATASET, DAYS
from profiling_core.cli.nycflights13 import land
from profiling_core.model.change import Transition
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
DAY_BEFORE, BREAKS_ON = DAYS[1:3]


def test_the_distance_of_two_airports_is_followed_and_its_break_told(spark, project):
    shutil.copytree(ROOT / "dags" / "datasets", project / "dags" / "datasets")
    land(Workspace.open(DATASET).settings.home / "landing" / DATASET)
    for day in (BOOTSTRAP, DAY_BEFORE, BREAKS_ON):  # both days before the break at once
        walk(DATASET, label=day)
    work = Workspace.open(DATASET)
    told = work.catalog.changes(DATASET, 3).changes
    broke = {c.measured.constraint.text: c.alerts for c in told if c.transition is Transition.BROKE}
    assert broke.get("{dest, origin} → distance", broke.get("{origin, dest} → distance")) is True
