"""From the built wheel to the first alert, in an empty directory with nothing but Python: within a minute."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.first_minutes import ALERT, REPOSITORY, downloaded, first_minutes

pytestmark = [pytest.mark.long, pytest.mark.slow]
MOST_SECONDS = 60.0
"""What a person waits for, from an empty directory to the first alert, once everything is downloaded."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel that ``HOLDFAST_WHEEL`` names, or one that is built now."""
    if given := os.environ.get("HOLDFAST_WHEEL"):
        return Path(given)
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([REPOSITORY / ".ci" / "wheel", sys.executable, out], check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.mark.parametrize(("extras", "said"), [("", "from the counts alone"), ("[gx]", "")], ids=["core", "gx"])
def test_the_first_alert_comes_within_a_minute(wheel, tmp_path, extras, said):
    files = tmp_path / "files"
    files.mkdir()
    place = tmp_path / "empty"
    place.mkdir()
    steps = list(first_minutes(wheel, extras, downloaded(wheel, extras, files), place))
    assert "unique {parcel}" in steps[2].said
    assert said in steps[-2].said
    assert ("from the counts alone" in steps[-1].said) is bool(said)
    assert ALERT in steps[-1].said
    assert sum(step.wall for step in steps) < MOST_SECONDS, [(step.name, step.wall, step.cpu) for step in steps]
