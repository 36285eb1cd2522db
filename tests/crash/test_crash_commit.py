"""On an object store: killed at any request, a walk that is done again elsewhere ends as one that was not killed.

The walk is stage → publish → commit → tracked constraints, changes and messages → validation → artifact. On a disk
``tests/faults`` kills it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from databases.bucket import bucket  # noqa: F401 - fixture
from helpers.crash_walk import NYC, Case, bucket_cases, state, walk
from helpers.examples import step
from helpers.proxy import proxy

from profiling_core.pipeline.fsck import fsck

PROGRAM = Path(__file__).resolve().parents[1] / "helpers" / "crash_walk.py"
pytestmark = pytest.mark.slow


def order(action: str, environment: Mapping[str, str] | None = None, **arguments: Any) -> Any:
    path = os.pathsep.join([str(PROGRAM.parent.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        input=json.dumps({"action": action, **arguments}),
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path} | (environment or {}),
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_killed_at_any_request_to_an_object_store(tmp_path: Path, bucket: str) -> None:  # noqa: F811 - fixture
    root, place = str(tmp_path / "walks"), f"{bucket}/homes"
    Path(root).mkdir()
    whole = Case(f"{root}/disk", "", NYC)
    for number in (1, 2):
        walk(whole, number)
    expected = state(whole)
    with proxy(urlsplit(os.environ["AWS_ENDPOINT_URL"]).port or 0) as control:
        requests = order(
            "kill_at_every_request",
            root=root,
            bucket=place,
            control=control,
            number=2,
            step=step(),
            environment={"AWS_ENDPOINT_URL": control},
        )
    assert requests > 10
    numbers = range(1, requests, step())
    assert set(order("finish_elsewhere", root=root, bucket=place, number=2, numbers=list(numbers))) == {0}
    for case in bucket_cases(root, place, numbers, "third"):
        assert state(case) == expected
        assert fsck(case.settings).damage == []


def test_writers_at_once_on_an_object_store(tmp_path: Path, bucket: str) -> None:  # noqa: F811 - fixture
    root, whole = str(tmp_path), Case(str(tmp_path / "disk"), "", NYC)
    for number in (1, 2):
        walk(whole, number)
    codes = order("walk_at_once", root=root, bucket=f"{bucket}/homes", number=2, count=4)
    case = bucket_cases(root, f"{bucket}/homes", range(1), "third")[0]
    assert 0 in codes
    assert state(case) == state(whole)
    assert fsck(case.settings).damage == []
