"""Dataset files that would take long or for ever to read end in an error at once; so do schedules that are none."""

from pathlib import Path

import pytest

from profiling_core.model.errors import ConfigurationError
from profiling_core.model.schedule import checked
from profiling_core.pipeline.configuration import load_dataset

TABLES = "tables: {t: {source: {path: landing}}}\n"


def test_aliases_of_aliases_end_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    path = tmp_path / "bomb.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(ConfigurationError, match="aliases written out") as caught:
        load_dataset(path)
    assert str(path) in caught.value.where


@pytest.mark.parametrize(
    "schedule", ["x y z", "* * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "@often", ""]
)
def test_a_schedule_that_is_none_is_refused_when_it_is_read(tmp_path: Path, schedule: str) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(f'dataset: shop\nschedule: "{schedule}"\n{TABLES}')
    with pytest.raises(ConfigurationError, match="schedule") as caught:
        load_dataset(path)
    assert "line 2" in caught.value.where


@pytest.mark.parametrize("schedule", ["0 0 * * *", "*/15 6-18 1,15 jan-mar MON-FRI", "@daily", "5 4 * * 7"])
def test_usual_schedules_are_taken(schedule: str) -> None:
    assert checked(schedule) == schedule
