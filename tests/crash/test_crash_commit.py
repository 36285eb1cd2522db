"""Killed between any two writes, the state is vN or vN+1, whole; walking again ends in the same vN+1.

The walk is stage → publish → commit → tracked constraints, changes and messages → validation → artifact; the first one
begins with the migration of an empty catalog.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from databases.bucket import bucket  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.crash_walk import NYC, Case, bucket_cases, cases, state, walk
from helpers.examples import ALL, step
from helpers.proxy import proxy

from profiling_core.pipeline.fsck import fsck
from profiling_core.state.catalog import Catalog

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


@pytest.fixture
def catalog_url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return ""
    url = server(request.config).new_database()
    Catalog(url).migrate()
    return url


def committed(case: Case) -> int:
    """The number of the current version, which is whole: its files verify, its deltas are applied, no others are."""
    catalog, store = case.settings.catalog(), case.settings.store(case.dataset)
    current = catalog.current(case.dataset)
    number = current.number if current else 0
    for file in current.files if current else ():
        store.verify(file)
    deltas = frozenset(f"d{n}" for n in range(1, number + 1))
    assert catalog.applied(case.dataset) == ({"flights": deltas} if number else {})
    assert [v.number for v in catalog.versions(case.dataset)] == list(range(1, number + 1))
    return number


def assert_no_garbage_after_collection(case: Case) -> None:
    catalog, store = case.settings.catalog(), case.settings.store(case.dataset)
    versions = catalog.versions(case.dataset)
    store.collect_garbage(catalog.named(case.dataset), timedelta(0))
    store.remove_halves(case.settings.artifacts(case.dataset), timedelta(0))
    named = {store.home / file.path for version in versions for file in version.files}
    directory = case.settings.home / "state"
    documents = set(directory.rglob("_*/*.json"))
    assert {path for path in directory.rglob("*") if path.is_file()} - documents == named


@pytest.mark.parametrize(
    ("catalog_url", "number"),
    [
        ("sqlite", 1),
        pytest.param("postgres", 2, marks=[pytest.mark.postgres, pytest.mark.long]),
        pytest.param("sqlite", 2, marks=pytest.mark.long),
        pytest.param("postgres", 1, marks=[pytest.mark.postgres, pytest.mark.long]),
    ],
    indirect=["catalog_url"],
)
def test_killed_between_any_two_writes(tmp_path: Path, catalog_url: str, number: int) -> None:
    apart = 1 if ALL else 10  # writes of one transaction are nowhere or everywhere
    writes, numbers = order("kill_at_writes", root=str(tmp_path), catalog=catalog_url, number=number, step=apart)
    assert {"os.mkdir", "open", "holdfast.half-written", "os.rename", "commit"} <= set(writes)
    assert {"INSERT INTO versions", "INSERT INTO files", "INSERT INTO tracked", "INSERT INTO deliveries"} <= set(writes)
    if not catalog_url and number == 1:
        assert "CREATE TABLE datasets" in set(writes)
    *killed, whole = cases(str(tmp_path), catalog_url, numbers)
    reached = [committed(case) for case in killed]
    # Exactly one of the writes makes the version: before it vN, from the next one on vN+1.
    assert reached == sorted(reached)
    assert set(reached) == {number - 1, number}
    assert writes[numbers[reached.index(number)] - 2] == "commit"
    codes = order("finish", root=str(tmp_path), catalog=catalog_url, number=number, numbers=numbers)
    assert set(codes) == {0}
    wanted = state(whole)
    assert len(wanted["versions"]) == number
    for case in killed:
        assert state(case) == wanted
        assert_no_garbage_after_collection(case)


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
