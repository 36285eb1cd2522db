"""A real object store on a free port of the loopback interface, with one bucket."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BUCKET = "shop"


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The bucket's URL; the environment says where its store is, and with which secrets."""
    pytest.importorskip("localbucket")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "store" / BUCKET).mkdir(parents=True)
    log = (tmp_path / "store.log").open("wb")
    command = [sys.executable, "-m", "localbucket", str(tmp_path / "store"), "--port", str(port)]
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(port, process)
        for name, value in {
            "ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "ACCESS_KEY_ID": "reader",
            "SECRET_ACCESS_KEY": "canary-91c2",
            "REGION": "us-east-1",
            "ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        yield f"s3://{BUCKET}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def on_store(request: pytest.FixtureRequest, root: Path, made: Callable[[Path], Any]) -> Any:
    """A table whose files are in the bucket: they change where the store keeps them, and are read through the store."""
    url, place = request.getfixturevalue("bucket"), root / "store" / BUCKET
    world = made(place)
    world.source["path"] = f"{url}/{Path(world.source['path']).relative_to(place)}"
    return world


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the object store does not start")
