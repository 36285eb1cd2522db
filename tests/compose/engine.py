"""A Docker engine for the stack: the machine's own, or one that is started here, in a network of its own.

Debian's ``docker.io`` runs as root without systemd. Images are built in the machine's network, where packages come
from; containers run in an empty network namespace, so that their bridges are no networks of the machine.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_BUILDING = ("--iptables=false", "--ip6tables=false", "--bridge=none")
_RUNNING = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
# The weight of all containers together, against one process of the machine (cgroup v1 gives them the same).
_SHARES = Path("/sys/fs/cgroup/cpu/docker/cpu.shares")


class LackingError(Exception):
    """What this machine lacks to run the stack, in words."""


@dataclass(frozen=True)
class Engine:
    """A reachable engine: the environment of the ``docker`` command that speaks to it."""

    environment: dict[str, str]

    def docker(self, *arguments: str | Path, timeout: float = 600, text: str | None = None) -> str:
        """What ``docker`` prints; raises ``AssertionError`` with its errors where it fails."""
        done = subprocess.run(
            ["docker", *arguments], env=self.environment, capture_output=True, text=True, timeout=timeout, check=False,
            input=text,
        )  # fmt: skip
        assert done.returncode == 0, (
            f"docker {' '.join(map(str, arguments))}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
        )
        return done.stdout


@contextmanager
def engine(place: Path, *, building: bool) -> Iterator[Engine]:
    """The engine that ``docker`` reaches; where there is none, one that lives as long as the context.

    Raises:
        LackingError: no engine answers, and none can be started.
    """
    # BuildKit reads Dockerfile.dockerignore; the older builder sends the repository, this engine's files among them.
    environment = {**os.environ, "DOCKER_BUILDKIT": "1"}
    if _answers(environment):
        yield Engine(environment)
        return
    _check()
    environment["DOCKER_HOST"] = f"unix://{place}/engine.sock"
    options = ["--data-root", place / "data", "--exec-root", place / "exec", "--pidfile", place / "engine.pid"]
    command = ["dockerd", *options, "--host", environment["DOCKER_HOST"]]
    started: Sequence[object] = [*command, *_BUILDING] if building else [*_RUNNING, *command]
    with (place / "engine.log").open("ab") as log:
        process = subprocess.Popen([str(word) for word in started], stdout=log, stderr=log)
    try:
        _wait(process, environment, place / "engine.log")
        if _SHARES.exists():
            _SHARES.write_text("8192")
        yield Engine(environment)
    finally:
        process.terminate()
        process.wait(timeout=120)


def _check() -> None:
    missing = [program for program in ("docker", "dockerd", "unshare", "ip") if not shutil.which(program)]
    if missing:
        raise LackingError(
            f"no Docker engine answers, and none can be started: {', '.join(missing)} missing."
            " Start one, or, on Debian as root: apt-get install docker.io debootstrap iproute2"
        )
    if os.geteuid() != 0:
        raise LackingError("no Docker engine answers, and only root can start one: start it, or run this as root")


def _answers(environment: dict[str, str]) -> bool:
    if not shutil.which("docker"):
        return False
    asked = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"], env=environment, capture_output=True, check=False
    )
    return asked.returncode == 0


def _wait(process: "subprocess.Popen[bytes]", environment: dict[str, str], log: Path) -> None:
    deadline = time.monotonic() + 60
    while not _answers(environment):
        if process.poll() is not None or time.monotonic() > deadline:
            tail = "\n".join(log.read_text("utf-8").splitlines()[-5:])
            raise LackingError(f"a Docker engine does not start here:\n{tail}")
        time.sleep(0.5)
