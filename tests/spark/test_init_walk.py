"""From nothing to the first alert, as the README tells it: its commands, in a directory that is no checkout."""

import re
import shlex
import shutil

import pytest
from stack.files import REPOSITORY

pytestmark = pytest.mark.spark

EXAMPLE = REPOSITORY / "docs" / "examples" / "parcels"


def commands() -> list[list[str]]:
    section = (REPOSITORY / "README.md").read_text("utf-8").split("## Your own tables")[1]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    return [shlex.split(line, comments=True) for line in block[1].splitlines()]


def test_the_readme_leads_to_an_alert(spark, here, holdfast, caplog):
    landing = here / "landing" / "parcels"
    landing.mkdir(parents=True)
    shutil.copy2(EXAMPLE / "2024-05-01.csv", landing)
    shutil.copy2(EXAMPLE / "2024-05-02.csv", ".")
    told = []
    for command, *arguments in commands():
        if command == "cp":
            shutil.copy2(*arguments)
            continue
        assert command == "holdfast"
        ended = holdfast(*arguments)
        assert not ended.code
        told.append(ended.out)
    assert len(commands()) <= 5
    first = told[-2].splitlines()
    assert first[0] == "shop begins: its tables are read, and all their constraints are discovered."
    assert first[1].split() == ["parcels", "1", "delta,", "2024-05-01"]
    assert next(line for line in first if "ingest parcels" in line).endswith("s  60 new rows")
    assert "60 rows now" in told[-2]
    assert "72 rows now" in told[-1]
    assert "1 message" in told[-1]
    assert "parcel 65, 2024-05-02.csv, line 6: ▶ city Köln, should be Bonn (depot B1)" in caplog.text
