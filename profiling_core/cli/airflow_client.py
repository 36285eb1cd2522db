"""A small client for Airflow's REST API (v2): unpause, trigger, backfill, and follow runs task by task.

The standard library's HTTP client is enough: the server is this machine's own, on the loopback interface.
"""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from profiling_core.model.errors import StateError

FINISHED = frozenset({"success", "failed", "skipped", "upstream_failed", "removed"})
# How often a request is tried again while the database is locked, and the seconds between two tries.
_LOCKED_TRIES, _LOCKED_PAUSE = 10, 2.0
WAITING = frozenset({"none", "scheduled", "queued", "removed"})


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """A task instance that came into a new state. ``item`` is the table of a mapped task, else empty.

    ``seconds`` is how long it has run, where it has.
    """

    run_id: str
    run_label: str
    task: str
    item: str
    state: str
    seconds: float | None
    attempt: int


@dataclass(frozen=True, slots=True)
class RunEvent:
    """A run that came into a new state; ``seconds`` is how long it has run, where it has started."""

    run_id: str
    run_label: str
    state: str
    seconds: float | None


class AirflowClient:
    """Speaks to one Airflow as one user."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._address = urlsplit(url).netloc
        self._credentials = {"username": user, "password": password}
        self._token = ""

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Sends one request to ``/api/v2<path>`` and returns the JSON answer.

        Raises:
            StateError: Airflow refused, with its reason.
        """
        status, answer = self._authorised(method, path, body)
        return _accepted(method, path, status, answer)

    def await_dag(self, dag_id: str, *, patience: float = 60.0) -> None:
        """Waits until Airflow has parsed the DAG.

        Raises:
            StateError: it is not there after ``patience`` seconds; the import errors say why.
        """
        deadline = time.monotonic() + patience
        while True:
            status, _ = self._authorised("GET", f"/dags/{quote(dag_id)}")
            if status == http.client.OK:
                return
            if time.monotonic() > deadline:
                raise StateError(f"Airflow does not know the DAG {dag_id!r}.", where=self.import_errors() or "dags/")
            time.sleep(0.5)

    def import_errors(self) -> str:
        """The DAG files' import errors, as text; empty when there are none."""
        errors = self.call("GET", "/importErrors")["import_errors"]
        return "\n".join(f"{e['filename']}: {e['stack_trace'].strip()}" for e in errors)

    def unpause(self, dag_id: str) -> None:
        """Lets the DAG's runs start."""
        self.call("PATCH", f"/dags/{quote(dag_id)}", {"is_paused": False})

    def trigger(self, dag_id: str, conf: Mapping[str, Any], *, note: str = "") -> str:
        """Starts a manual run with the parameters of the trigger form; returns the run's id."""
        body: dict[str, Any] = {"logical_date": None, "conf": dict(conf)}
        if note:
            body["note"] = note
        return str(self.call("POST", f"/dags/{quote(dag_id)}/dagRuns", body)["dag_run_id"])

    def backfill(self, dag_id: str, first: str, last: str) -> int:
        """Starts runs for the days from ``first`` to ``last`` (``YYYY-MM-DD``), one after the other; returns its id.

        Where SQLite is locked by the scheduler it may leave a backfill without its runs: that one is cancelled before
        the next try.

        Raises:
            StateError: Airflow refused, with its reason.
        """
        body = {
            "dag_id": dag_id,
            "from_date": f"{first}T00:00:00Z",
            "to_date": f"{last}T00:00:00Z",
            "max_active_runs": 1,
            "reprocess_behavior": "completed",
        }
        left = partial(self._cancel_backfills, dag_id)
        return int(_accepted("POST", "/backfills", *self._authorised("POST", "/backfills", body, left))["id"])

    def _cancel_backfills(self, dag_id: str) -> None:
        for backfill in self.call("GET", f"/backfills?dag_id={quote(dag_id)}&limit=100")["backfills"]:
            if backfill["completed_at"] is None:
                self.call("PUT", f"/backfills/{backfill['id']}/cancel")

    def abandon_unfinished(self, dag_id: str) -> list[str]:
        """Fails what an Airflow that was ended left unfinished: its backfills and runs; returns the runs' ids.

        For an Airflow that has just started and had no work yet: it would wait minutes for tasks that died with the
        old one, and refuse a second backfill meanwhile.
        """
        self._cancel_backfills(dag_id)
        unfinished = [r["dag_run_id"] for r in self.runs(dag_id) if r["state"] not in FINISHED]
        for run_id in unfinished:
            self.call("PATCH", f"/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}", {"state": "failed"})
        return unfinished

    def runs(self, dag_id: str, **filters: Any) -> list[dict[str, Any]]:
        """The DAG's runs, oldest first."""
        query = urlencode({"limit": 100, "order_by": "run_after", **filters})
        found: list[dict[str, Any]] = self.call("GET", f"/dags/{quote(dag_id)}/dagRuns?{query}")["dag_runs"]
        return found

    def tasks(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """The run's task instances."""
        path = f"/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}/taskInstances?limit=100"
        found: list[dict[str, Any]] = self.call("GET", path)["task_instances"]
        return found

    def follow(self, dag_id: str, run_ids: Sequence[str], *, pause: float = 1.0) -> Iterator[TaskEvent | RunEvent]:
        """Yields each change of state of the runs and their tasks until all runs have ended."""
        seen: dict[tuple[str, ...], str] = {}
        open_runs = list(run_ids)
        while open_runs:
            for run_id in tuple(open_runs):
                run = self.call("GET", f"/dags/{quote(dag_id)}/dagRuns/{quote(run_id)}")
                if run["state"] == "queued":
                    continue
                yield from _news(seen, run, self.tasks(dag_id, run_id))
                if run["state"] in FINISHED:
                    open_runs.remove(run_id)
            if open_runs:
                time.sleep(pause)

    def _log_in(self) -> None:
        status, answer = self._send("POST", "/auth/token", self._credentials)
        if status >= http.client.BAD_REQUEST:
            raise StateError(f"Airflow does not let {self._credentials['username']!r} in: {_reason(answer)}")
        self._token = answer["access_token"]

    def _authorised(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, clear: Callable[[], None] | None = None
    ) -> tuple[int, Any]:
        """Sends a request, and again while the database is locked; ``clear`` takes away what a try may have left."""
        status, answer = self._logged_in(method, path, body)
        for _ in range(_LOCKED_TRIES):
            if not _may_be_locked(status, answer):
                break
            time.sleep(_LOCKED_PAUSE)
            if clear:
                clear()
            status, answer = self._logged_in(method, path, body)
        return status, answer

    def _logged_in(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, Any]:
        if not self._token:
            self._log_in()
        status, answer = self._send(method, f"/api/v2{path}", body)
        if status == http.client.UNAUTHORIZED:  # the token lives for a day only
            self._log_in()
            status, answer = self._send(method, f"/api/v2{path}", body)
        return status, answer

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        finally:
            connection.close()
        try:
            return response.status, json.loads(text) if text else {}
        except json.JSONDecodeError:
            return response.status, {"detail": text[:500]}


def run_label(run: Mapping[str, Any]) -> str:
    """The day that a run is for: the delta asked for, the start of its interval, or its id."""
    if delta := (run.get("conf") or {}).get("delta"):
        return str(delta)
    start = run.get("data_interval_start") or run.get("logical_date")
    return str(start)[:10] if start else str(run["dag_run_id"])


def _news(
    seen: dict[tuple[str, ...], str], run: Mapping[str, Any], tasks: Sequence[Mapping[str, Any]]
) -> Iterator[TaskEvent | RunEvent]:
    run_id, label = run["dag_run_id"], run_label(run)
    if seen.get((run_id,)) is None:
        seen[(run_id,)] = "running"
        yield RunEvent(run_id, label, "running", None)
    for task in sorted(tasks, key=lambda t: t["start_date"] or "~"):
        key, state = (run_id, task["task_id"], str(task["map_index"])), task["state"] or "none"
        item = task["rendered_map_index"] or ""
        unnamed = item == str(task["map_index"]) and state not in FINISHED  # Airflow names it a moment after the start
        if seen.get(key) != state and not unnamed and state not in WAITING:
            seen[key] = state
            yield TaskEvent(run_id, label, task["task_id"], item, state, task["duration"], task["try_number"])
    if run["state"] in FINISHED and seen[(run_id,)] != run["state"]:
        seen[(run_id,)] = run["state"]
        yield RunEvent(run_id, label, run["state"], run.get("duration"))


def _may_be_locked(status: int, answer: Any) -> bool:
    """Whether a request failed in the database: Airflow says so of a lock, and hides which error it was elsewhere."""
    detail = answer.get("detail") if isinstance(answer, Mapping) else None
    failed = isinstance(detail, Mapping) and detail.get("reason") == "Database error"
    return status == http.client.SERVICE_UNAVAILABLE or (status == http.client.INTERNAL_SERVER_ERROR and failed)


def _accepted(method: str, path: str, status: int, answer: Any) -> Any:
    if status >= http.client.BAD_REQUEST:
        raise StateError(f"Airflow refused: {_reason(answer)}", where=f"{method} {path} (HTTP {status})")
    return answer


def _reason(answer: Any) -> str:
    detail = answer.get("detail", answer) if isinstance(answer, Mapping) else answer
    return detail if isinstance(detail, str) else json.dumps(detail)
