"""The compose stack, built and run: the demo's break goes through it, with a worker killed in the middle."""

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from compose.base_images import POSTGRES, PYTHON, provide
from compose.engine import Engine, LackingError, engine

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKER = REPOSITORY / "docker"
PLACE = REPOSITORY / ".holdfast" / "docker"
RUN = Path(__file__).with_name("stack_run.py")
BEFORE, BREAK = "2013-02-28", "2013-03-01"

pytestmark = pytest.mark.docker


@dataclass(frozen=True)
class Stack:
    """The running stack."""

    engine: Engine
    options: tuple[str, ...]
    secrets: dict[str, str]

    def compose(self, *arguments: str, timeout: float = 600, text: str | None = None) -> str:
        """What ``docker compose`` prints."""
        return self.engine.docker("compose", *self.options, *arguments, timeout=timeout, text=text)

    def holdfast(self, *arguments: str) -> str:
        """What the command line prints beside the scheduler."""
        return self.compose("exec", "-T", "scheduler", "holdfast", *arguments)

    def run(self, day: str) -> str:
        """The state in which a day's run ends, and the tasks that failed."""
        password = f"ADMIN_PASSWORD={self.secrets['ADMIN_PASSWORD']}"
        text = RUN.read_text("utf-8")
        inside = ("exec", "-T", "--env", password, "scheduler", "python", "-", day)
        return self.compose(*inside, text=text, timeout=1500).strip()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    place = PLACE.resolve()
    place.mkdir(parents=True, exist_ok=True)
    folder = tmp_path_factory.mktemp("stack")
    try:
        with engine(place, building=True) as found:
            _compose_is_there(found)
            for image in (PYTHON, POSTGRES):
                provide(found, image, place)
            build = (
                "build",
                "--network",
                "host",
                "--file",
                DOCKER / "Dockerfile",
                "--tag",
                "holdfast:0.1.0",
                REPOSITORY,
            )
            found.docker(*build, timeout=3600)
        with engine(place, building=False) as found:
            yield from _up(found, folder)
    except LackingError as lacking:
        pytest.fail(f"the stack cannot be run here: {lacking}", pytrace=False)


def _compose_is_there(found: Engine) -> None:
    try:
        found.docker("compose", "version")
    except AssertionError:
        raise LackingError(
            "docker has no compose plugin: install docker-compose-plugin, or Debian's docker-compose"
        ) from None


def _up(found: Engine, folder: Path) -> Iterator[Stack]:
    for name in ("make-env", ".env.example"):
        shutil.copy(DOCKER / name, folder)
    subprocess.run([folder / "make-env"], check=True, capture_output=True)
    (folder / "landing").mkdir()
    (folder / "landing" / "seen").write_text("from the machine")
    settings = folder / ".env"
    settings.write_text(settings.read_text().replace("../landing", str(folder / "landing")))
    secrets = dict(line.split("=", 1) for line in settings.read_text().splitlines() if "=" in line and line[0] != "#")
    options = ("--file", str(DOCKER / "compose.yaml"), "--env-file", str(settings), "--project-name", "holdfast-test")
    running = Stack(found, options, secrets)
    try:
        running.compose("up", "--detach", "--no-build", timeout=1000)
        yield running
    finally:
        running.compose("down", "--volumes", "--timeout", "20")


def test_what_lands_on_the_machine_is_seen_where_rows_are_read(stack: Stack) -> None:
    for service in ("scheduler", "spark-connect", "spark-worker-1"):
        assert stack.compose("exec", "-T", service, "cat", "/app/landing/seen") == "from the machine"


def test_the_demos_break_goes_through_with_a_worker_killed(stack: Stack) -> None:
    stack.holdfast("landing", "nycflights13")
    assert stack.run(BEFORE) == "success"
    killer = threading.Thread(target=_kill_worker, args=(stack,))
    killer.start()
    assert stack.run(BREAK) == "success"
    killer.join()
    incidents = json.loads(stack.holdfast("incidents", "--dataset", "nycflights13", "--json"))
    assert "EGE" in json.dumps(incidents)
    assert BREAK in stack.holdfast("status", "nycflights13")
    assert "DIFFERENT" not in stack.holdfast("rebuild", "nycflights13", "--verify")


def _kill_worker(stack: Stack) -> None:
    time.sleep(5)
    stack.compose("kill", "spark-worker-1")
    time.sleep(20)
    stack.compose("start", "spark-worker-1")
