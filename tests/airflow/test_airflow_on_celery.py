"""A dataset's DAG on Celery: two workers that share a store of objects, databases and a broker, and no disk.

One worker is killed in the middle of a task, with all that it started: Airflow repeats the task on the other one.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from databases.bucket import bucket  # noqa: F401 - fixture
from databases.catalogs import server
from helpers.airflow_site import DAY, Site, site

from profiling_core.cli.airflow_environment import free_port

pytestmark = [pytest.mark.airflow, pytest.mark.spark, pytest.mark.postgres, pytest.mark.long]
WORKERS = ("one", "two")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """The URL of a Redis of this test's own."""
    pytest.importorskip(
        "airflow.providers.celery", reason="needs apache-airflow-providers-celery and celery[redis]<5.6"
    )
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is missing: apt-get install -y redis-server")
    port = free_port(0)
    process = subprocess.Popen([program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""], cwd=tmp_path)
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait(20)


@pytest.fixture
def celery(tmp_path: Path, request: pytest.FixtureRequest, broker: str, bucket: str) -> Iterator[Site]:  # noqa: F811
    metadata, results, catalog, shop = (server(request.config).new_database() for _ in range(4))
    options = {
        "CORE__EXECUTOR": "CeleryExecutor",
        "CELERY__BROKER_URL": broker,
        "CELERY__RESULT_BACKEND": f"db+{results.replace('postgresql://', 'postgresql+psycopg://')}",
        "CELERY__WORKER_CONCURRENCY": "1",
        "CELERY__WORKER_PREFETCH_MULTIPLIER": "1",
    }
    with site(tmp_path, (metadata, catalog, shop), f"{bucket}/home", options) as made:
        made.begin()
        for name in WORKERS:
            made.start(name, made.place(name), "celery", "worker", "--skip-serve-logs", "--celery-hostname", name)
        yield made


def started(celery: Site) -> dict[str, int]:
    """How many processes each worker has started: more while it works on a task."""
    return {name: len(psutil.Process(celery.parts[name].pid).children(recursive=True)) for name in WORKERS}


def kill(celery: Site, name: str) -> None:
    """Ends a worker as its machine's end would: with all its descendants, and its disk."""
    process = psutil.Process(celery.parts.pop(name).pid)
    for one in [process, *process.children(recursive=True)]:
        one.kill()
    process.wait(20)
    shutil.rmtree(celery.root / name, ignore_errors=True)


def test_a_run_ends_well_though_a_worker_is_killed(celery: Site, bucket: str) -> None:  # noqa: F811
    celery.run("first")
    celery.ends_well("first")
    idle = started(celery)
    celery.change(DAY)
    celery.run("second")
    celery.maintaining("second")
    kill(celery, next(name for name, count in started(celery).items() if count > idle[name]))
    celery.ends_well("second")
    assert celery.tries("second") == 2, "else nothing was killed"
    celery.is_at_the_second_version(f"{bucket}/home")
