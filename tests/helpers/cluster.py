"""A Kubernetes API server with a node of this test's own: etcd and kube-apiserver as they are, pods as processes.

What a kubelet does with a container runtime is done by :class:`Node`: each pod's container begins as a process with
directories of its own, its phase is told to the server, and a pod that is deleted ends with all that it started.
"""

import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from profiling_core.cli.airflow_environment import free_port

PROGRAMS = ("etcd", "kube-apiserver", "openssl")
_TOKEN = "a-token-of-this-test"
_NAMESPACE = "default"


@dataclass
class Server:
    """An API server on the loopback interface, and the file by which clients find it."""

    port: int
    config: Path

    def ask(self, path: str, body: Mapping[str, object] | None = None, method: str = "GET") -> Any:
        """What the server answers, read as JSON."""
        kind = "application/strategic-merge-patch+json" if method == "PATCH" else "application/json"
        request = urllib.request.Request(
            f"https://127.0.0.1:{self.port}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {_TOKEN}", "Content-Type": kind},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=20, context=ssl._create_unverified_context()) as answer:
            return json.load(answer)

    def pods(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(f"/api/v1/namespaces/{_NAMESPACE}/pods")["items"]
        return found

    def delete(self, pod: str) -> None:
        self.ask(f"/api/v1/namespaces/{_NAMESPACE}/pods/{pod}", method="DELETE")

    def tell(self, pod: str, phase: str, state: Mapping[str, object]) -> None:
        """Says of a pod in which phase it is, and of its container in which state."""
        status = {"phase": phase, "containerStatuses": [_container(phase, state)]}
        with suppress(urllib.error.HTTPError):  # it is gone
            self.ask(f"/api/v1/namespaces/{_NAMESPACE}/pods/{pod}/status", {"status": status}, "PATCH")


def _container(phase: str, state: Mapping[str, object]) -> dict[str, object]:
    running = phase == "Running"
    named = {"name": "base", "image": "none", "imageID": "", "restartCount": 0}
    return named | {"ready": running, "started": running, "state": state}


@dataclass
class Node:
    """Runs the pods of a server as processes, each with a disk that goes with it."""

    server: Server
    place: Callable[[str], dict[str, str]]
    root: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Looks after the pods until all is over."""
        while not self.over.wait(0.3):
            pods = {pod["metadata"]["name"]: pod for pod in self.server.pods()}
            for name in set(self.running) - set(pods):
                self.end(name)
            for name in set(pods) - self.seen:
                self._begin(name, pods[name]["spec"]["containers"][0])
            for name, process in list(self.running.items()):
                if process.poll() is not None:
                    self._ended(name, process.returncode)

    def _begin(self, name: str, container: Mapping[str, Any]) -> None:
        self.seen.add(name)
        own = {one["name"]: one["value"] for one in container.get("env", ()) if "value" in one}
        command = [*container.get("command", ()), *container.get("args", ())]
        command[0] = sys.executable if command[0] == "python" else command[0]
        variables = self.place(name) | own
        with (self.root / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                command, env=variables, cwd=variables["TMPDIR"], stdout=log, stderr=log, start_new_session=True
            )
        self.server.tell(name, "Running", {"running": {"startedAt": _now()}})

    def _ended(self, name: str, code: int) -> None:
        del self.running[name]
        shutil.rmtree(self.root / name, ignore_errors=True)
        state = {"terminated": {"exitCode": code, "finishedAt": _now()}}
        self.server.tell(name, "Failed" if code else "Succeeded", state)

    def end(self, name: str) -> None:
        """Ends a pod as its machine's end would: with all its descendants, and its disk."""
        process = self.running.pop(name)
        with suppress(psutil.NoSuchProcess):
            leader = psutil.Process(process.pid)
            for one in [leader, *leader.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
        process.wait(20)
        shutil.rmtree(self.root / name, ignore_errors=True)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@contextmanager
def node(server: Server, place: Callable[[str], dict[str, str]], root: Path) -> Iterator[Node]:
    """A node that works until the block ends; ``place`` makes a pod's directories and gives its variables."""
    made = Node(server, place, root)
    thread = threading.Thread(target=made.run, name="node", daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.over.set()
        thread.join(20)
        for name in list(made.running):
            made.end(name)


@contextmanager
def api_server(root: Path) -> Iterator[Server]:
    """A server without controllers or authorization: whoever has the token may do all."""
    root.mkdir()
    store, peers, port = free_port(0), free_port(0), free_port(0)
    key = root / "accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    (root / "tokens.csv").write_text(f"{_TOKEN},test,1,system:masters\n")
    urls = f"http://127.0.0.1:{store}", f"http://127.0.0.1:{peers}"
    etcd = [f"--data-dir={root / 'etcd'}", f"--listen-client-urls={urls[0]}", f"--advertise-client-urls={urls[0]}"]
    etcd += [f"--listen-peer-urls={urls[1]}", f"--initial-advertise-peer-urls={urls[1]}"]
    etcd += [f"--initial-cluster=default={urls[1]}"]
    server = [f"--etcd-servers={urls[0]}", f"--cert-dir={root}", "--bind-address=127.0.0.1", f"--secure-port={port}"]
    server += [f"--token-auth-file={root / 'tokens.csv'}", "--authorization-mode=AlwaysAllow"]
    server += ["--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none"]
    server += [f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"]
    server += ["--service-account-issuer=https://test", "--service-cluster-ip-range=10.0.0.0/24"]
    started = [_started(root, "etcd", etcd), _started(root, "kube-apiserver", server)]
    made = Server(port, root / "config.yaml")
    made.config.write_text(_config(port))
    try:
        _wait(made, started)
        yield made
    finally:
        for process in reversed(started):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def _started(root: Path, program: str, options: list[str]) -> subprocess.Popen[bytes]:
    with (root / f"{program}.log").open("wb") as log:
        return subprocess.Popen([program, *options], stdout=log, stderr=log, cwd=root, start_new_session=True)


def _wait(server: Server, started: list[subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + 120
    while True:
        assert all(process.poll() is None for process in started), "the server has ended: see its log"
        with suppress(OSError):
            server.ask(f"/api/v1/namespaces/{_NAMESPACE}")
            return
        assert time.monotonic() < deadline, "the server does not answer"
        time.sleep(0.5)


def _config(port: int) -> str:
    clusters = [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}}]
    users = [{"name": "u", "user": {"token": _TOKEN}}]
    contexts = [{"name": "x", "context": {"cluster": "c", "user": "u"}}]
    said = {"clusters": clusters, "users": users, "contexts": contexts, "current-context": "x"}
    return json.dumps({"apiVersion": "v1", "kind": "Config"} | said)
